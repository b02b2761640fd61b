package limit

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Appealing is what a claim keeps of its appeal that is not decided.
type Appealing struct {
	ID     billing.AppealID
	SendBy Deadline
	MadeAt time.Time
	SentOn billing.Date `json:",omitzero"` // zero before it is sent
	SentAt time.Time    `json:",omitzero"` // when that was recorded
}

// decidesWithin is how long a payer has for an appeal: plans of employers must decide within 60
// days (29 CFR 2560.503-1).
const decidesWithin = 60

// DecisionDue returns the day on which a sent appeal must be decided.
func DecisionDue(sentOn billing.Date) billing.Date { return sentOn.AddDays(decidesWithin) }

// Sent reports whether the appeal waits for its payer.
func (a *Appealing) Sent() bool { return !a.SentOn.IsZero() }

// Answered reports whether a remittance changed the claim after its appeal was sent: on a later day
// in the zone, or after that was recorded. The time is that of the last such change.
func (a *Appealing) Answered(changed time.Time, in Zone) bool {
	return a.Sent() && (a.SentOn.Before(in.Day(changed)) || changed.After(a.SentAt))
}

// NextStep returns one sentence for a biller: what happens next with the appeal. A remittance
// changed the claim last at the time, whose day is that of the zone.
func (a *Appealing) NextStep(changed time.Time, in Zone) string {
	switch {
	case !a.Sent():
		return "Finish the letter of the appeal and send it by " + words(a.SendBy.On) + ", then record that it was sent."
	case a.Answered(changed, in):
		return "A remittance came after the appeal was sent: record what the payer decided about the appeal."
	default:
		return "The appeal was sent on " + words(a.SentOn) + ": wait for the payer's decision until " + words(DecisionDue(a.SentOn)) + ", then ask the payer."
	}
}

func words(d billing.Date) string { return d.Time().Format("January 2, 2006") }
