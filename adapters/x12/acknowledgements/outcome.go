package acknowledgements

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Outcome is the meaning of a status for a claim.
type Outcome string

// The outcomes. The zero Outcome means that no known status was reported.
const (
	OutcomeAccepted  Outcome = "accepted"  // by the side that reports
	OutcomeRejected  Outcome = "rejected"  // sent back; it will not be processed
	OutcomeNotFound  Outcome = "not_found" // the side that reports has no such claim
	OutcomePending   Outcome = "pending"   // being worked on
	OutcomeRequested Outcome = "requested" // waiting for information from the provider
	OutcomeFinalized Outcome = "finalized" // decided; the remittance has the details
	OutcomeFailed    Outcome = "failed"    // the inquiry failed; the claim's status is unknown
)

// Classify returns the outcome for a claim status category that the side reports.
func Classify(side Side, category string) Outcome {
	switch category {
	case "A0": // forwarded: accepted by a clearinghouse, but still pending at a payer
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

// Outcome returns the worst outcome of the status's codes. If no code has an outcome,
// the action decides.
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

// Outcome returns the worst outcome of the claim's statuses. If the claim has none, it
// returns the worst outcome of its lines.
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

// Outcome returns the outcome of the level as a whole. It is empty when only its
// claims have statuses.
func (l *Level) Outcome(side Side) Outcome { return outcomeOf(side, l.Statuses) }

func outcomeOf(side Side, all []Status) (worst Outcome) {
	for i := range all {
		worst = worseOf(worst, all[i].Outcome(side))
	}
	return worst
}

// worseOf returns the outcome that requires more of the claim's sender.
func worseOf(a, b Outcome) Outcome {
	order := []Outcome{
		"", OutcomeFailed, OutcomePending, OutcomeAccepted, OutcomeFinalized, OutcomeRequested, OutcomeNotFound, OutcomeRejected,
	}
	if slices.Index(order, a) >= slices.Index(order, b) {
		return a
	}
	return b
}

// Effective returns the latest date of the statuses of the claim and its lines,
// or zero when none has a date.
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
