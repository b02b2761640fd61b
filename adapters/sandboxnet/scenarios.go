package sandboxnet

import (
	"strconv"
	"strings"
	"time"
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

// scenario is the behavior of a payer: it fails, sends raw bytes, or replies.
type scenario struct {
	ending string
	fails  bool
	raw    string
	answer func(*answer)
}

// slowEnding is followed by one to three digits: the seconds until the reply is
// due.
const slowEnding = "-SLOW-"

// garbled is a proxy's error page in place of a payer's reply.
const garbled = "<html><head><title>502 Bad Gateway</title></head><body>upstream sent no response</body></html>\n"

// rejection returns a scenario in which the payer rejects the inquiry in a
// fixed loop.
func rejection(ending, loop, reason, followUp string) scenario {
	return scenario{ending: ending, answer: func(a *answer) { a.reject(loop, reason, followUp) }}
}

// personal returns a scenario in which the payer rejects the inquiry in the
// patient's loop: the subscriber's, or with another code the dependent's.
func personal(ending, reason, dependentReason, followUp string) scenario {
	return scenario{ending: ending, answer: func(a *answer) { a.rejectPerson(reason, dependentReason, followUp) }}
}

// scenarios is the table of endings. The longest matching ending of a member ID
// wins. An ID without an ending is treated like -ACTIVE-FULL, so that a first
// try works.
//
//nolint:gochecknoglobals // a constant table
var scenarios = []scenario{
	{ending: "-ACTIVE-FULL", answer: (*answer).activeFull},
	{ending: "-ACTIVE-BASIC", answer: (*answer).activeBasic},
	{ending: "-ACTIVE-USED-UP", answer: (*answer).activeUsedUp},
	{ending: "-INACTIVE", answer: (*answer).inactive},
	{ending: "-UNKNOWN", answer: (*answer).unknown},

	rejection("-NOT-FOUND", subscriberLoop, "75", correctAndResend),
	{ending: "-DEPENDENT", answer: (*answer).isDependent},
	personal("-DOB-MISMATCH", "71", "71", correctAndResend),
	rejection("-MEMBER-INVALID", subscriberLoop, "72", correctAndResend),
	rejection("-MEMBER-DUPLICATE", subscriberLoop, "76", correctAndResend),
	{ending: "-NAME-MISMATCH", answer: (*answer).nameMismatch},
	personal("-SERVICE-DATE", "62", "62", correctAndResend),
	personal("-REQUEST-INVALID", "33", "33", correctAndResend),
	rejection("-NOT-ACCEPTED", payerLoop, "79", resendNever),
	rejection("-PROVIDER-UNKNOWN", providerLoop, "51", correctAndResend),
	rejection("-PROVIDER-INELIGIBLE", providerLoop, "50", resendNever),
	personal("-PATIENT-INELIGIBLE", "95", "95", resendNever),
	personal("-PATIENT-DETAILS", "15", "15", correctAndResend),
	personal("-REJECTED-OTHER", "ZZ", "ZZ", resendNever), // not in the code list, as some payers send
	rejection("-PAYER-DOWN", payerLoop, "42", resendLater),

	{ending: "-NETWORK-ERROR", fails: true},
	{ending: "-GARBLED", raw: garbled},
	{ending: slowEnding, answer: (*answer).activeFull},
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
func find(memberID string) (found scenario, wait time.Duration) {
	found.answer = (*answer).activeFull
	longest := 0
	for _, s := range scenarios {
		if length, w := s.match(memberID); length > longest {
			found, wait, longest = s, w, length
		}
	}
	return found, wait
}

// match returns the length of the scenario's ending in the member ID, or 0.
func (s scenario) match(memberID string) (length int, wait time.Duration) {
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

// nameMismatch replies with another last name.
func (a *answer) nameMismatch() {
	a.rejectPerson("73", "65", correctAndResend)
	name := &a.reply.Patient().Name
	if name.Last == "MILLER" {
		name.Last = "MUELLER"
	} else {
		name.Last = "MILLER"
	}
}
