package edi

import (
	"strings"
	"unicode"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

// rejectionOf judges a reply by its AAA segments; nil when it is an answer, or
// nothing at all. A person who was asked about as the subscriber and whom the
// payer keeps as a dependent is rejected for that even without an AAA, because
// claims would be.
func rejectionOf(q billing.Inquiry270, r *eligibility.Reply, member *eligibility.Member) *billing.Rejection {
	all := r.Rejections()
	switch asSubscriber := dependentAsSubscriber(q, r); {
	case asSubscriber && (len(all) == 0 || answers(r.Subscriber) || answers(r.Dependent)):
		return derived(patientIsDependent)
	case answers(member) && !asSubscriber, len(all) == 0:
		return nil
	}
	out := &billing.Rejection{PayerCode: all[0].Reason}
	silent := false
	for _, a := range all {
		silent = silent || a.Reason == "42" || a.Reason == "80"
	}
	unavailable, fixable := true, false
	for _, a := range all {
		reason := reasonOf(q, r, a, silent)
		out.Reasons = append(out.Reasons, reason)
		unavailable = unavailable && reason.Code == billing.ReasonPayerNotAnswering
		fixable = fixable || reason.Field != "" && !final(a.FollowUp)
	}
	out.Kind = billing.RejectionRejected
	switch {
	case unavailable:
		out.Kind = billing.RejectionPayerUnavailable
	case fixable:
		out.Kind = billing.RejectionFixAndResend
	}
	return out
}

// dependentAsSubscriber reports whether the payer takes the person, whom the
// inquiry names as the subscriber, for a dependent: it says so in INS01, or
// has a dependent's loop and no benefits in the subscriber's.
func dependentAsSubscriber(q billing.Inquiry270, r *eligibility.Reply) bool {
	if q.Inquiry.Patient != nil {
		return false
	}
	return r.Subscriber != nil && r.Subscriber.Insured == "N" || r.Dependent != nil && !answers(r.Subscriber)
}

func derived(t rule) *billing.Rejection {
	return &billing.Rejection{
		Kind:    billing.RejectionFixAndResend,
		Reasons: []billing.RejectionReason{{Code: t.code, About: t.about, Field: t.field, Message: t.message, Fix: t.fix}},
	}
}

// final reports whether AAA04 forbids sending again.
func final(followUp string) bool { return followUp == "N" || followUp == "S" || followUp == "Y" }

// reasonOf is the meaning of one AAA. A payer that is silent (42, 80) is often
// also told to be no participant (79), which then means nothing more.
func reasonOf(q billing.Inquiry270, r *eligibility.Reply, a eligibility.Rejection, silent bool) billing.RejectionReason {
	at := loopOf(a.Loop)
	t := ruleFor(a.Reason, at, q.Inquiry.Patient != nil)
	if silent && a.Reason == "79" {
		t = payerSilent
	}
	person := personOf(q, a, at)
	out := billing.RejectionReason{Code: t.code, About: t.about, Field: t.field, Message: t.message, Fix: t.fix}
	if out.About == "" {
		out.About = person
	}
	if strings.HasPrefix(t.field, ".") {
		out.Field = string(person) + t.field
	}
	if t.code == billing.ReasonNameMismatch {
		suggestName(&out, q, r, at)
	}
	return out
}

func loopOf(name string) loop {
	switch {
	case strings.HasSuffix(name, "D"):
		return loopPatient
	case strings.HasSuffix(name, "C"):
		return loopSubscriber
	case strings.HasSuffix(name, "B"):
		return loopProvider
	default:
		return loopPayer
	}
}

// personOf is whom an AAA is about. Payers of the 4010 era tell of the patient
// (64 to 68, 77) in the subscriber's loop.
func personOf(q billing.Inquiry270, a eligibility.Rejection, at loop) billing.About {
	if q.Inquiry.Patient == nil {
		return billing.AboutSubscriber
	}
	if at == loopPatient {
		return billing.AboutPatient
	}
	switch a.Reason {
	case "64", "65", "66", "67", "68", "77":
		return billing.AboutPatient
	default:
		return billing.AboutSubscriber
	}
}

// suggestName tells the name that the payer has on file, when the reply has
// another than was sent: the last name, or the first when only that differs.
func suggestName(out *billing.RejectionReason, q billing.Inquiry270, r *eligibility.Reply, at loop) {
	member := r.Subscriber
	if at == loopPatient || out.About == billing.AboutPatient {
		member = r.Dependent
	}
	if member == nil || member.Name.Last == "" {
		return
	}
	first, last := q.Inquiry.Subscriber.FirstName, q.Inquiry.Subscriber.LastName
	if out.About == billing.AboutPatient {
		first, last, _ = q.Inquiry.Person()
	}
	switch {
	case !sameName(last, member.Name.Last):
		out.SuggestedValue = member.Name.Last
	case member.Name.First != "" && !sameName(first, member.Name.First):
		out.Field, out.SuggestedValue = string(out.About)+".first_name", member.Name.First
	}
}

func sameName(a, b string) bool {
	fold := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, string(x12.Text(s)))
	}
	return fold(a) == fold(b)
}
