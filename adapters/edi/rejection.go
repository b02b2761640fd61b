package edi

import (
	"strings"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// The codes of rules for what a reply says in another way.
const (
	noSuchPatient = "67"
	silentPayer   = "42"
)

// rejectionOf reads a rejection from the AAA segments of a reply. It returns nil if
// the reply has benefits, or no AAA. If the payer has the subscriber on file as a
// dependent, the result is a rejection even without an AAA: the payer would reject
// claims.
func rejectionOf(q network.Inquiry, r *eligibility.Reply, member *eligibility.Member) *coverage.Rejection {
	all := r.Rejections()
	switch asSubscriber := dependentAsSubscriber(q, r); {
	case asSubscriber && (len(all) == 0 || answers(r.Subscriber) || answers(r.Dependent)):
		return derived(ruleFor(noSuchPatient, loopSubscriber, false))
	case answers(member) && !asSubscriber, len(all) == 0:
		return nil
	}
	out := &coverage.Rejection{PayerCode: all[0].Reason}
	silent := false
	for _, a := range all {
		silent = silent || a.Reason == silentPayer || a.Reason == "80"
	}
	unavailable, fixable := true, false
	for _, a := range all {
		reason := reasonOf(q, r, a, silent)
		out.Reasons = append(out.Reasons, reason)
		unavailable = unavailable && reason.Code == coverage.ReasonPayerNotAnswering
		fixable = fixable || reason.Field != "" && !final(a.FollowUp)
	}
	out.Kind = coverage.RejectionRejected
	switch {
	case unavailable:
		out.Kind = coverage.RejectionPayerUnavailable
	case fixable:
		out.Kind = coverage.RejectionFixAndResend
	}
	return out
}

// dependentAsSubscriber reports whether the payer has the inquiry's subscriber on
// file as a dependent. Either INS01 states it, or the reply has a dependent's loop
// and no benefits in the subscriber's loop.
func dependentAsSubscriber(q network.Inquiry, r *eligibility.Reply) bool {
	if q.Inquiry.Patient != nil {
		return false
	}
	return r.Subscriber != nil && r.Subscriber.Insured == "N" || r.Dependent != nil && !answers(r.Subscriber)
}

func derived(t rule) *coverage.Rejection {
	return &coverage.Rejection{
		Kind:    coverage.RejectionFixAndResend,
		Reasons: []coverage.RejectionReason{{Code: t.code, About: t.about, Field: t.field, Message: t.message, Fix: t.fix}},
	}
}

// final reports whether AAA04 forbids sending the inquiry again.
func final(followUp string) bool { return followUp == "N" || followUp == "S" || followUp == "Y" }

// reasonOf returns the meaning of one AAA. A network that reports a silent payer (42,
// 80) often also reports it as not participating (79). With silent set, 79 means
// the same.
func reasonOf(q network.Inquiry, r *eligibility.Reply, a eligibility.Rejection, silent bool) coverage.RejectionReason {
	at := loopOf(a.Loop)
	t := ruleFor(a.Reason, at, q.Inquiry.Patient != nil)
	if silent && a.Reason == "79" {
		t = ruleFor(silentPayer, at, true)
	}
	person := personOf(q, a, at)
	out := coverage.RejectionReason{Code: t.code, About: t.about, Field: t.field, Message: t.message, Fix: t.fix}
	if out.About == "" {
		out.About = person
	}
	if strings.HasPrefix(t.field, ".") {
		out.Field = string(person) + t.field
	}
	if t.code == coverage.ReasonNameMismatch {
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

// personOf returns the person that an AAA concerns. In version 4010, codes 64 to 68
// and 77 in the subscriber's loop concern the patient.
func personOf(q network.Inquiry, a eligibility.Rejection, at loop) coverage.About {
	if q.Inquiry.Patient == nil {
		return coverage.AboutSubscriber
	}
	if at == loopPatient {
		return coverage.AboutPatient
	}
	switch a.Reason {
	case "64", "65", "66", "67", "68", "77":
		return coverage.AboutPatient
	default:
		return coverage.AboutSubscriber
	}
}

// suggestName suggests the payer's spelling of the name if it differs from the
// inquiry's. It suggests the last name, or the first name if only that differs.
func suggestName(out *coverage.RejectionReason, q network.Inquiry, r *eligibility.Reply, at loop) {
	member := r.Subscriber
	if at == loopPatient || out.About == coverage.AboutPatient {
		member = r.Dependent
	}
	if member == nil || member.Name.Last == "" {
		return
	}
	first, last := q.Inquiry.Subscriber.FirstName, q.Inquiry.Subscriber.LastName
	if out.About == coverage.AboutPatient {
		first, last, _ = q.Inquiry.Person()
	}
	switch {
	case !sameName(last, member.Name.Last):
		out.SuggestedValue = member.Name.Last
	case member.Name.First != "" && !sameName(first, member.Name.First):
		out.Field, out.SuggestedValue = string(out.About)+".first_name", member.Name.First
	}
}

func sameName(a, b string) bool { return squash(a) == squash(b) }
