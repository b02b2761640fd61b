package claimstatus

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Policy is by which an organization has a payer asked without a person: about claims that
// have no decision some days after they were sent, and then again. It holds for one mode.
type Policy struct {
	ID        billing.StatusPolicyID
	Scope     billing.Scope
	Payer     directory.PayerSummary
	CreatedAt time.Time
	After     int // days from the sending to the first question
	Every     int // days from an answer to the next question
	UpdatedAt time.Time
	Feed      billing.JobID // the job that asks
}

// The days of a policy. Payers load claims within a week: an earlier question finds nothing.
const (
	DefaultAfter = 14
	LeastAfter   = 7
	MostAfter    = 180
	DefaultEvery = 7
	MostEvery    = 28
)

// Position returns the place in a list, by the time and the ID.
func (p *Policy) Position() billing.Position { return billing.Position{Time: p.CreatedAt, ID: p.ID} }

// Turn is why a claim waits for its next question, and so for how long.
type Turn int

// The turns, as they are stored.
const (
	First   Turn = iota // it was not asked about since it was sent
	Again               // the payer answered
	Doubled             // the payer said the same three times more
	Longest             // and once more
	Missed              // the payer did not respond, or could not be asked
)

// Turns lists the turns.
func Turns() []Turn { return []Turn{First, Again, Doubled, Longest, Missed} }

// unchanged is how often a payer repeats what it said until it is asked half as often.
const unchanged = 3

// Archived is for how long payers answer about a claim, from its sending.
const Archived = 18 * 30 * day

const day = 24 * time.Hour

// Wait returns for how long a claim waits in a turn.
func (p *Policy) Wait(t Turn) time.Duration {
	days := map[Turn]int{
		First: p.After, Again: p.Every, Doubled: min(2*p.Every, MostEvery), Longest: min(4*p.Every, MostEvery), Missed: 1,
	}
	return time.Duration(days[t]) * day
}

// Next returns the turn of a claim, and since when it waits in it. The time is zero for a claim
// that is not asked about without a person: its payer has decided or says so, or it is not at
// its payer.
func Next(c *claim.Claim) (Turn, time.Time) {
	switch c.State { //nolint:exhaustive // in the others it is decided, or not at its payer
	case claim.Submitted, claim.AcceptedClearinghouse, claim.AcceptedPayer:
	default:
		return First, time.Time{}
	}
	sent := c.LastSent()
	if Askable(c) != nil || sent.IsZero() {
		return First, time.Time{}
	}
	a := c.Heard()
	switch {
	case a == nil:
		return First, sent
	case Decided(a):
		return First, time.Time{}
	case a.Missed:
		return Missed, a.At
	case a.Repeated > unchanged:
		return Longest, a.At
	case a.Repeated == unchanged:
		return Doubled, a.At
	default:
		return Again, a.At
	}
}

// Due reports whether the payer is to be asked about the claim at the time.
func (p *Policy) Due(c *claim.Claim, now time.Time) bool {
	turn, since := Next(c)
	return !since.IsZero() && c.Payer.ID == p.Payer.ID && !since.Add(p.Wait(turn)).After(now) && c.SentAt.Add(Archived).After(now)
}
