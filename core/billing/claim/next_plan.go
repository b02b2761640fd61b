package claim

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// LeftToNext returns what the patient's next plan may still pay: what the payer leaves to the
// patient, and what is open. It is 0 when no next plan is known, once it was billed, and when
// the payer itself sent the claim on. A plan is known from the claim, or from an active check.
func (c *Claim) LeftToNext() billing.Money {
	if c.Standing == nil || c.Standing.CrossedOver || !c.SecondaryID.IsZero() || c.Shown == nil && !c.namesNext() {
		return 0
	}
	return c.Standing.PatientResponsibility + max(0, c.Open())
}

// ToNext is LeftToNext, or 0 while a person's decision not to bill the next payer holds. It is about the plans that
// checks had shown.
func (c *Claim) ToNext() billing.Money {
	left := c.LeftToNext()
	if of := "secondary_to_bill"; c.Decisions.Ends(of, left, c.SettledAt) && c.Decisions.About(of, c.Shown.PayerID()) {
		return 0
	}
	return left
}

// nextPlanStep returns what to do about the patient's next plan, to follow what comes before it; empty if there is nothing to do.
func (c *Claim) nextPlanStep() string {
	left := c.ToNext()
	switch {
	case left == 0:
		return ""
	case c.Shown != nil:
		return "then bill " + c.Shown.Payer.Name + ", whose plan an active check shows: " + left.Dollars() + " is left."
	default:
		return "then bill the next payer: " + left.Dollars() + " is left."
	}
}

// namesNext reports whether the claim itself has the coverage of the next payer.
func (c *Claim) namesNext() bool {
	next := c.Turn().Next()
	return next != "" && slices.ContainsFunc(c.OtherCoverage, func(o OtherCoverage) bool { return o.Sequence == next })
}

// SeePlans keeps the next plan that checks show: of the plans of the patient that are active, the newest answer first, the
// first that covered the first service and is of no payer that the claim names. A claim that no payer has decided
// has none, nor one that names the next plan itself. It reports whether the plan changed.
func (c *Claim) SeePlans(active []coverage.ActivePlan) bool {
	was := c.Shown
	if c.Shown = nil; c.seesPlans() {
		first := c.ServiceDates().From
		if i := slices.IndexFunc(active, func(p coverage.ActivePlan) bool { return p.Covers(first) && !c.names(p.Payer) }); i >= 0 {
			p := &active[i]
			c.Shown = &coverage.ShownPlan{Check: p.Check, Payer: p.Payer, On: p.On, Since: p.At}
		}
	}
	if was == nil || c.Shown == nil {
		return was != c.Shown
	}
	if was.Payer.ID == c.Shown.Payer.ID {
		c.Shown.Since = was.Since
	}
	return *was != *c.Shown
}

// seesPlans reports whether checks can show the claim a next plan: a payer has decided it, and it does not name that plan.
func (c *Claim) seesPlans() bool {
	return c.planned() && c.Turn().Next() != "" && !c.namesNext() && !c.PatientID.IsZero() && c.ErasedAt.IsZero()
}

// planned reports whether the claim is in a state in which it keeps a plan that checks show.
func (c *Claim) planned() bool {
	return c.Standing != nil && c.Kind == KindClaim && slices.Contains([]State{Paid, Denied, Reconciled}, c.State)
}

// forgetPlan removes the plan from a claim that came into another state.
func (c *Claim) forgetPlan() {
	if !c.planned() {
		c.Shown = nil
	}
}

// names reports whether the payer is that of the claim, or of a coverage that it names.
func (c *Claim) names(payer directory.PayerSummary) bool {
	is := func(p directory.PayerSummary) bool {
		return p.ID == payer.ID || p.ID.IsZero() && strings.EqualFold(p.Name, payer.Name)
	}
	return is(c.Payer) || slices.ContainsFunc(c.OtherCoverage, func(o OtherCoverage) bool { return is(o.Payer) })
}
