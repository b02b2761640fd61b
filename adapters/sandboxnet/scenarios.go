package sandboxnet

import (
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
)

// The loops of a rejection.
const (
	payerLoop      = "2100A"
	providerLoop   = "2100B"
	subscriberLoop = "2100C"
	patientLoop    = "2100D"
)

// The follow-up actions (AAA04) of the sandbox.
const (
	correctAndResend = "C"
	resendNever      = "N"
	resendLater      = "R"
)

// payerScenario is the behavior of a payer: it fails, sends raw bytes, or replies.
type payerScenario struct {
	ending  string
	summary string
	fails   bool
	raw     string
	answer  func(*answer)
}

// slowEnding is followed by one to three digits: the seconds until the reply is
// due.
const slowEnding = "-SLOW-"

// garbled is a proxy's error page in place of a payer's reply.
const garbled = "<html><head><title>502 Bad Gateway</title></head><body>upstream sent no response</body></html>\n"

// rejects begins the summary of a rejection. The code of its reason follows.
const rejects = "The payer rejects the check: "

// rejection returns a scenario in which the payer rejects the inquiry in a
// fixed loop.
func rejection(ending, code, loop, reason, followUp string) payerScenario {
	return payerScenario{ending: ending, summary: rejects + code + ".", answer: func(a *answer) { a.reject(loop, reason, followUp) }}
}

// personal returns a scenario in which the payer rejects the inquiry in the
// patient's loop: the subscriber's, or with another code the dependent's.
func personal(ending, code, reason, dependentReason, followUp string) payerScenario {
	return payerScenario{ending: ending, summary: rejects + code + ".", answer: func(a *answer) { a.rejectPerson(reason, dependentReason, followUp) }}
}

// scenarios is the table of endings. The longest matching ending of a member ID
// wins. An ID without an ending is treated like -ACTIVE-FULL, so that a first
// try works.
//
//nolint:gochecknoglobals // a constant table
var scenarios = []payerScenario{
	{ending: "-ACTIVE-FULL", summary: "The plan is active, with every kind of benefit.", answer: (*answer).activeFull},
	{ending: "-ACTIVE-BASIC", summary: "The plan is active. The payer states only its shares.", answer: (*answer).activeBasic},
	{ending: "-ACTIVE-USED-UP", summary: "The plan is active, and its maximum is spent.", answer: (*answer).activeUsedUp},
	{ending: "-OUT-OF-NETWORK", summary: "The plan is active, and the office is out of its network.", answer: (*answer).outOfNetwork},
	{ending: "-TWO-NETWORKS", summary: "The plan is active. It pays less out of network.", answer: (*answer).twoNetworks},
	{ending: "-COPAY", summary: "The plan is active. The patient pays a fixed amount for each service.", answer: (*answer).copays},
	{ending: "-DIFFERENT", summary: "The plan is active. The payer has another first name, birth date and group number on file.", answer: (*answer).different},
	{ending: "-PLAN-YEAR", summary: "The plan is active. The reply has this plan year and the next one.", answer: (*answer).planYears},
	{ending: "-FREQUENCY-USED", summary: "The plan is active. Cleanings are used up until January 1.", answer: (*answer).frequencyUsed},
	{ending: "-WAITING-PERIOD", summary: "The plan is active. Major services wait for six months more.", answer: (*answer).waiting},
	{ending: "-MISSING-TOOTH", summary: "The plan is active, with a missing tooth clause.", answer: (*answer).missingTooth},
	{ending: "-DOWNGRADE", summary: "The plan is active. It pays white fillings of back teeth as silver ones, and porcelain crowns as metal ones.", answer: (*answer).downgrade},
	{ending: "-AGE-LIMIT", summary: "The plan is active. The patient is too old for fluoride and sealants.", answer: (*answer).ageLimit},
	{ending: "-INACTIVE", summary: "The plan has ended.", answer: (*answer).inactive},
	{ending: "-UNKNOWN", summary: "The payer does not say whether the patient is covered.", answer: (*answer).unknown},

	rejection("-NOT-FOUND", "MEMBER_NOT_FOUND", subscriberLoop, "75", correctAndResend),
	{ending: "-DEPENDENT", summary: rejects + "PATIENT_IS_DEPENDENT. It accepts the person as the patient of another subscriber.", answer: (*answer).isDependent},
	personal("-DOB-MISMATCH", "DATE_OF_BIRTH_MISMATCH", "71", "71", correctAndResend),
	rejection("-MEMBER-INVALID", "MEMBER_ID_INVALID", subscriberLoop, "72", correctAndResend),
	rejection("-MEMBER-DUPLICATE", "MEMBER_ID_DUPLICATE", subscriberLoop, "76", correctAndResend),
	{ending: "-NAME-MISMATCH", summary: rejects + "NAME_MISMATCH. It accepts the last name that it suggests.", answer: (*answer).nameMismatch},
	personal("-SERVICE-DATE", "SERVICE_DATE_INVALID", "62", "62", correctAndResend),
	personal("-REQUEST-INVALID", "REQUEST_INVALID", "33", "33", correctAndResend),
	rejection("-NOT-ACCEPTED", "REQUEST_NOT_ACCEPTED", payerLoop, "79", resendNever),
	rejection("-PROVIDER-UNKNOWN", "PROVIDER_NOT_ON_FILE", providerLoop, "51", correctAndResend),
	rejection("-PROVIDER-INELIGIBLE", "PROVIDER_NOT_ELIGIBLE", providerLoop, "50", resendNever),
	personal("-PATIENT-INELIGIBLE", "PATIENT_NOT_ELIGIBLE", "95", "95", resendNever),
	{ending: "-PATIENT-DETAILS", summary: rejects + "PATIENT_DETAILS_REQUIRED. It accepts the check with a group number.", answer: (*answer).lacksDetails},
	personal("-REJECTED-OTHER", "PAYER_REJECTED_OTHER", "ZZ", "ZZ", resendNever), // not in the code list, as some payers send
	{ending: "-PAYER-DOWN", summary: "The payer is not available: PAYER_NOT_ANSWERING.", answer: func(a *answer) { a.reject(payerLoop, "42", resendLater) }},

	{ending: "-NETWORK-ERROR", summary: "The network fails.", fails: true},
	{ending: "-GARBLED", summary: "The network returns an error page.", raw: garbled},
	{ending: slowEnding, summary: "The payer replies like -ACTIVE-FULL, after n seconds (one to three digits).", answer: (*answer).activeFull},
}

// Endings lists the endings of member IDs that choose the response to an inquiry.
func Endings() []string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.ending)
	}
	return all
}

// find returns the scenario of a member ID, and the payer's delay.
func find(memberID string) (found payerScenario, wait time.Duration) {
	found.answer = (*answer).activeFull
	longest := 0
	for _, s := range scenarios {
		if length, w := s.match(memberID); length > longest {
			found, wait, longest = s, w, length
		}
	}
	return found, wait
}

// longest returns the length of the longest ending of the sandbox in a member ID, or 0.
func longest(memberID string) (most int) {
	for _, s := range scenarios {
		length, _ := s.match(memberID)
		most = max(most, length)
	}
	return most
}

// match returns the length of the scenario's ending in the member ID, or 0.
func (s payerScenario) match(memberID string) (length int, wait time.Duration) {
	if s.ending != slowEnding {
		if strings.HasSuffix(memberID, s.ending) {
			return len(s.ending), 0
		}
		return 0, 0
	}
	at := strings.LastIndex(memberID, slowEnding)
	if at < 0 {
		return 0, 0
	}
	digits := memberID[at+len(slowEnding):]
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || len(digits) > 3 {
		return 0, 0
	}
	return len(slowEnding) + len(digits), time.Duration(n) * time.Second
}

// isDependent replies as a payer that has the person on file as a dependent: it
// rejects them as a subscriber, and replies when they are sent as the patient.
func (a *answer) isDependent() {
	if a.inquiry.Dependent != nil {
		a.activeFull()
		return
	}
	a.reject(subscriberLoop, "67", correctAndResend)
}

// nameMismatch rejects every last name but the one that it suggests.
func (a *answer) nameMismatch() {
	name := &a.reply.Patient().Name
	if strings.EqualFold(name.Last, "MILLER") {
		a.activeFull()
		return
	}
	a.rejectPerson("73", "65", correctAndResend)
	name.Last = "MILLER"
}

// different replies about a person whom the payer has on file with other details.
func (a *answer) different() {
	p := a.reply.Patient()
	p.Name.First, p.BirthDate = "ROBIN", p.BirthDate.AddDays(1)
	holder := &a.reply.Subscriber.Party
	holder.References = []eligibility.Reference{{Qualifier: "6P", Value: "SANDBOX-200", Description: "Sandbox Group"}}
	a.activeFull()
}

// lacksDetails rejects an inquiry without a group number.
func (a *answer) lacksDetails() {
	if a.inquiry.Subscriber.Reference("6P") != "" {
		a.activeFull()
		return
	}
	a.rejectPerson("15", "15", correctAndResend)
}
