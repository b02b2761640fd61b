package acknowledgements

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Outcome is what a status means for a claim.
type Outcome string

// The outcomes. The zero Outcome is none: nothing that is understood was said.
const (
	OutcomeAccepted  Outcome = "accepted"  // taken by whoever reports
	OutcomeRejected  Outcome = "rejected"  // sent back; nothing will come of it
	OutcomeNotFound  Outcome = "not_found" // the claim is not known there
	OutcomePending   Outcome = "pending"   // being worked on
	OutcomeRequested Outcome = "requested" // waiting for information from the provider
	OutcomeFinalized Outcome = "finalized" // decided; the remittance tells how
	OutcomeFailed    Outcome = "failed"    // the inquiry failed, which says nothing of the claim
)

// Classify tells what a claim status category means when the side reports it.
func Classify(side Side, category string) Outcome {
	switch category {
	case "A0": // forwarded: a clearinghouse is done with the claim, a payer is not
		if side == SidePayer {
			return OutcomePending
		}
		return OutcomeAccepted
	case "A1", "A2", "A5":
		return OutcomeAccepted
	case "A3", "A6", "A7", "A8":
		return OutcomeRejected
	case "A4":
		return OutcomeNotFound
	case "D0":
		return OutcomeFailed
	}
	if len(category) < 2 || strings.Trim(category[1:], "0123456789") != "" {
		return ""
	}
	switch category[0] {
	case 'P':
		return OutcomePending
	case 'F':
		return OutcomeFinalized
	case 'R':
		return OutcomeRequested
	case 'E':
		return OutcomeFailed
	default:
		return ""
	}
}

// Outcome is what the status means: the worst of its codes, or where they say
// nothing what its action does.
func (s *Status) Outcome(side Side) (worst Outcome) {
	for _, c := range s.Codes {
		worst = worseOf(worst, Classify(side, c.Category))
	}
	if worst != "" {
		return worst
	}
	switch s.Action {
	case "WQ":
		return OutcomeAccepted
	case "U":
		return OutcomeRejected
	default:
		return ""
	}
}

// Outcome is what is said of the claim: the worst of its statuses, or of its
// lines' when it has none.
func (c *Claim) Outcome(side Side) Outcome {
	worst := outcomeOf(side, c.Statuses)
	if worst != "" {
		return worst
	}
	for _, l := range c.Lines {
		worst = worseOf(worst, outcomeOf(side, l.Statuses))
	}
	return worst
}

// Outcome is what is said of the level as a whole; empty when only its claims
// are told of.
func (l *Level) Outcome(side Side) Outcome { return outcomeOf(side, l.Statuses) }

func outcomeOf(side Side, all []Status) (worst Outcome) {
	for i := range all {
		worst = worseOf(worst, all[i].Outcome(side))
	}
	return worst
}

// worseOf orders outcomes by how much they ask of the claim's sender.
func worseOf(a, b Outcome) Outcome {
	order := []Outcome{
		"", OutcomeFailed, OutcomePending, OutcomeAccepted, OutcomeFinalized, OutcomeRequested, OutcomeNotFound, OutcomeRejected,
	}
	if slices.Index(order, a) >= slices.Index(order, b) {
		return a
	}
	return b
}

// Effective is the latest day of the statuses of the claim and its lines; zero
// when none has one.
func (c *Claim) Effective() (latest billing.Date) {
	later := func(all []Status) {
		for _, s := range all {
			if latest.IsZero() || latest.Before(s.Effective) {
				latest = s.Effective
			}
		}
	}
	later(c.Statuses)
	for _, l := range c.Lines {
		later(l.Statuses)
	}
	return latest
}
