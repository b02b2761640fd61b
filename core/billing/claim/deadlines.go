package claim

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/limit"
)

// HasDeadlines reports whether a payer accepts the claim, and an appeal about it, only for a time.
func (c *Claim) HasDeadlines() bool { return c.Kind == KindClaim && c.Frequency != FrequencyVoid }

// FilingDeadline returns until when the payer accepts the claim. To a later payer, it counts from
// the decision of the primary one.
func (c *Claim) FilingDeadline() limit.Deadline {
	if c.Turn() == billing.SequencePrimary {
		return c.Contract.Limits.Filing.From(c.ServiceDates().From)
	}
	return c.Contract.Limits.Secondary.From(c.primaryDecidedOn())
}

// primaryDecidedOn returns the day of the primary payer's decision that a claim to a later payer
// states; zero for none.
func (c *Claim) primaryDecidedOn() billing.Date {
	for _, o := range c.OtherCoverage {
		if o.Sequence == billing.SequencePrimary && o.Adjudication != nil {
			return o.Adjudication.PaymentDate
		}
	}
	return billing.Date{}
}

// AppealDeadline returns until when the payer accepts an appeal of its standing decision.
func (c *Claim) AppealDeadline() limit.Deadline { return c.Contract.Limits.Appeal.From(c.decidedOn()) }

// decidedOn returns the day of the standing decision; zero for none.
func (c *Claim) decidedOn() billing.Date {
	switch {
	case c.Standing == nil || c.SettledAt.IsZero():
		return billing.Date{}
	case c.Standing.PaymentDate.IsZero():
		return billing.DateOf(c.SettledAt)
	default:
		return c.Standing.PaymentDate
	}
}

// proposedDays is proposed where no limit is known: plans of employers give at least so many days
// (29 CFR 2560.503-1); others differ.
const proposedDays = 180

// NewAppeal returns until when an appeal must be sent: the known limit, else a proposal. It returns
// CodeConflict for a claim that no payer decided, and while another appeal is not decided.
func (c *Claim) NewAppeal() (limit.Deadline, error) {
	if err := c.HasPatient(); err != nil {
		return limit.Deadline{}, err
	}
	switch {
	case !c.HasDeadlines() || c.decidedOn().IsZero() || !slices.Contains([]State{Paid, Denied, Reconciled}, c.State):
		return limit.Deadline{}, &billing.Error{Code: billing.CodeConflict, Message: "A claim can be appealed once its payer has decided it. The state of this claim is " +
			string(c.State) + ". " + c.NextStep()}
	case c.Appealing != nil:
		return limit.Deadline{}, &billing.Error{Code: billing.CodeConflict, Message: "The appeal " + c.Appealing.ID.String() +
			" of this claim is not decided. Change it, or record its decision first."}
	}
	d := c.AppealDeadline()
	if d.On.IsZero() {
		d = limit.Deadline{On: c.decidedOn().AddDays(proposedDays), Days: proposedDays, Source: limit.Proposed}
	}
	return d, nil
}

// Appealing is what a claim keeps of its appeal that is not decided.
type Appealing struct {
	ID     billing.AppealID
	SendBy limit.Deadline
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

// Answered reports whether a remittance changed the claim after its appeal was sent: on a later day,
// or after that was recorded.
func (c *Claim) Answered() bool {
	a := c.Appealing
	return a != nil && a.Sent() && (a.SentOn.Before(billing.DateOf(c.SettledAt)) || c.SettledAt.After(a.SentAt))
}

// appealStep returns what happens next with the appeal.
func (c *Claim) appealStep() string {
	a := c.Appealing
	switch {
	case !a.Sent():
		return "Finish the letter of the appeal and send it by " + day(a.SendBy.On.Time()) + ", then record that it was sent."
	case c.Answered():
		return "A remittance came after the appeal was sent: record what the payer decided about the appeal."
	default:
		return "The appeal was sent on " + day(a.SentOn.Time()) + ": wait for the payer's decision until " + day(DecisionDue(a.SentOn).Time()) + ", then ask the payer."
	}
}
