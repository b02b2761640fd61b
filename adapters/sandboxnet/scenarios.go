package sandboxnet

import (
	"strconv"
	"strings"
	"time"
)

// The loops that a rejection can stand in.
const (
	payerLoop      = "2100A"
	providerLoop   = "2100B"
	subscriberLoop = "2100C"
	patientLoop    = "2100D"
)

// The follow-up actions (AAA04) that are used.
const (
	correctAndResend = "C"
	resendNever      = "N"
	resendLater      = "R"
)

// scenario is how a payer behaves: it fails, or sends raw bytes, or answers.
type scenario struct {
	ending string
	fails  bool
	raw    string
	answer func(*answer)
}

// slowEnding is followed by one to three digits: the seconds until the answer
// is there.
const slowEnding = "-SLOW-"

// garbled is what a proxy may put in place of a payer's reply.
const garbled = "<html><head><title>502 Bad Gateway</title></head><body>upstream sent no response</body></html>\n"

// rejection is a scenario in which the payer rejects the inquiry in a fixed
// loop.
func rejection(ending, loop, reason, followUp string) scenario {
	return scenario{ending: ending, answer: func(a *answer) { a.reject(loop, reason, followUp) }}
}

// personal is a scenario in which the payer rejects the inquiry in the loop of
// the patient: the subscriber's, or with another code the dependent's.
func personal(ending, reason, dependentReason, followUp string) scenario {
	return scenario{ending: ending, answer: func(a *answer) { a.rejectPerson(reason, dependentReason, followUp) }}
}

// scenarios is the table of endings. The longest that a member ID has wins; an
// ID with none is answered as -ACTIVE-FULL, so that a first try works.
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
	personal("-REJECTED-OTHER", "ZZ", "ZZ", resendNever), // in no code list: payers do that
	rejection("-PAYER-DOWN", payerLoop, "42", resendLater),

	{ending: "-NETWORK-ERROR", fails: true},
	{ending: "-GARBLED", raw: garbled},
	{ending: slowEnding, answer: (*answer).activeFull},
}

// find gives the scenario of a member ID, and how long the payer takes.
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

// match gives the length of the ending that the member ID has of the scenario,
// 0 for none.
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

// isDependent is a payer that has the person on file under somebody else's
// plan: it does not find them as a subscriber, and answers when they are sent
// as the patient.
func (a *answer) isDependent() {
	if a.inquiry.Dependent != nil {
		a.activeFull()
		return
	}
	a.reject(subscriberLoop, "67", correctAndResend)
}

// nameMismatch is a payer that has another last name on file, and tells it.
func (a *answer) nameMismatch() {
	a.rejectPerson("73", "65", correctAndResend)
	name := &a.reply.Patient().Name
	if name.Last == "MILLER" {
		name.Last = "MUELLER"
	} else {
		name.Last = "MILLER"
	}
}
