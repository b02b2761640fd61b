package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/limit"
)

// Deadlines returns until when the payer accepts the claim, and an appeal of its standing decision;
// nil for a predetermination and a void. To a later payer, a claim counts from the decision of the
// primary one.
func (c *Claim) Deadlines() *limit.Deadlines {
	if c.Kind != KindClaim || c.Frequency == FrequencyVoid {
		return nil
	}
	of := c.Contract.Limits
	d := &limit.Deadlines{Filing: of.Filing.From(c.ServiceDates().From), Appeal: of.Appeal.From(c.decidedOn())}
	if c.Turn() != billing.SequencePrimary {
		d.Filing = of.Secondary.From(c.primaryDecidedOn())
	}
	return d
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

// decidedOn returns the day of the standing decision; zero for none.
func (c *Claim) decidedOn() billing.Date {
	switch {
	case c.Standing == nil || c.SettledAt.IsZero():
		return billing.Date{}
	case c.Standing.PaymentDate.IsZero():
		return c.Contract.Limits.Zone.Day(c.SettledAt)
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
	deadlines := c.Deadlines()
	switch {
	case deadlines == nil || c.decidedOn().IsZero() || !slices.Contains([]State{Paid, Denied, Reconciled}, c.State):
		return limit.Deadline{}, &billing.Error{Code: billing.CodeConflict, Message: "A claim can be appealed once its payer has decided it. The state of this claim is " +
			string(c.State) + ". " + c.NextStep()}
	case c.Appealing != nil:
		return limit.Deadline{}, &billing.Error{Code: billing.CodeConflict, Message: "The appeal " + c.Appealing.ID.String() +
			" of this claim is not decided. Change it, or record its decision first."}
	}
	d := deadlines.Appeal
	if d.On.IsZero() {
		d = limit.Deadline{On: c.decidedOn().AddDays(proposedDays), Days: proposedDays, Source: limit.Proposed}
	}
	return d, nil
}
