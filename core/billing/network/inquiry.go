package network

import (
	"crypto/rand"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Inquiry is the question of a check to a network: what is asked, the office that asks, and when.
type Inquiry struct {
	Scope     billing.Scope
	CheckID   billing.CheckID // the trace number comes from it
	Attempt   string          // and from this; see NewAttempt
	CreatedAt time.Time       // when the check was made
	Asked     time.Time       // the same, in real time
	Clock     Clock
	Envelope  Envelope // of the network that carries it
	Options   Options
	Inquiry   coverage.Inquiry
	Payer     directory.PayerSummary // with its payer ID on the network
}

// Clock shows the database's real time while a question is asked. When to ask again
// follows it.
type Clock struct{ shown, at time.Time }

// ClockAt returns a clock that shows the time now.
func ClockAt(shown time.Time) Clock { return Clock{shown, time.Now()} }

// Now returns the time.
func (c Clock) Now() time.Time { return c.shown.Add(time.Since(c.at)) }

// NewAttempt returns a word for one attempt to ask a payer. The 270s of each attempt
// have numbers of their own (ISA13, BHT03, TRN02): networks refuse repeated numbers,
// and a late reply to an earlier attempt must not pass for one to this.
func NewAttempt() string { return rand.Text()[:attemptLength] }

// attemptLength is 8 letters and digits, 40 bits.
const attemptLength = 8

// dentalCare is the service type of all dental benefits.
const dentalCare = "35"

// Question is what one 270 of a check asks about.
type Question struct {
	ServiceTypes []string
	Procedures   []string
}

// Questions lists the 270s of a check. The first one is the check itself: without a
// response to it the check is not answered. An enhanced check also asks about each
// procedure alone, because some payers ignore the list in the first one.
func (q *Inquiry) Questions() []Question {
	types := q.Options.ServiceTypes
	if len(types) == 0 {
		types = []string{dentalCare}
	}
	together := 1
	if q.Options.TypesTogether {
		together = len(types)
	}
	all := []Question{{ServiceTypes: types[:together]}}
	for _, t := range types[together:] {
		all = append(all, Question{ServiceTypes: []string{t}})
	}
	if q.Options.NoProcedures {
		return all
	}
	for i, code := range q.Inquiry.ProcedureCodes {
		if !slices.Contains(q.Inquiry.ProcedureCodes[:i], code) {
			all[0].Procedures = append(all[0].Procedures, code)
		}
	}
	if q.Inquiry.DetailLevel == coverage.DetailEnhanced {
		for _, code := range q.Inquiry.ProcedureCodes {
			all = append(all, Question{Procedures: []string{code}})
		}
	}
	return all
}

// UnaskableError is the failure of a question that the messages of a network cannot
// express. Nothing was sent.
type UnaskableError struct{ Err error }

func (e *UnaskableError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *UnaskableError) Unwrap() error { return e.Err }

// UnreadableError is the failure of a reply that is no response to the question. The
// network itself worked.
type UnreadableError struct{ Err error }

func (e *UnreadableError) Error() string { return "read the payer's answer: " + e.Err.Error() }

// Unwrap returns the failure.
func (e *UnreadableError) Unwrap() error { return e.Err }
