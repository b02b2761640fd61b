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

// unchanged is how often a payer repeats what it said until it is asked half as often.
const unchanged = 3

// Lane is how many questions without a person a payer gets at once, so that they stand before no
// question of a person.
const Lane = 2

// Archived is for how long payers answer about a claim, from its sending.
const Archived = 540 * day // 18 months

const day = 24 * time.Hour

// Waits returns how many days a claim waits in each turn.
func (p *Policy) Waits() []int {
	return []int{First: p.After, Again: p.Every, Doubled: min(2*p.Every, MostEvery), Longest: min(4*p.Every, MostEvery), Missed: 1}
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
	sent := LastSent(c).Truncate(time.Microsecond) // as it is stored
	if Askable(c) != nil || sent.IsZero() {
		return First, time.Time{}
	}
	a := Heard(c)
	if a == nil {
		return First, sent
	}
	at := a.At.Truncate(time.Microsecond)
	switch {
	case Decided(a):
		return First, time.Time{}
	case a.Missed:
		return Missed, at
	case a.Repeated > unchanged:
		return Longest, at
	case a.Repeated == unchanged:
		return Doubled, at
	default:
		return Again, at
	}
}

// Due reports whether the payer is to be asked about the claim at the time.
func (p *Policy) Due(c *claim.Claim, now time.Time) bool {
	turn, since := Next(c)
	if since.IsZero() || c.Payer.ID != p.Payer.ID {
		return false
	}
	at := since.Add(time.Duration(p.Waits()[turn]) * day)
	return !at.After(now) && at.Before(c.SentAt.Add(Archived)) && now.Before(c.SentAt.Add(Archived))
}

// Judge refuses days that are out of range.
func (p *Policy) Judge(f *billing.Faults) {
	if p.After < LeastAfter || p.After > MostAfter {
		f.Add("status_after", billing.FaultRange, "Payers load claims within a week. Send whole days from P7D to P180D.")
	}
	if p.Every < 1 || p.Every > MostEvery {
		f.Add("status_every", billing.FaultRange, "Send whole days from P1D to P28D.")
	}
}
