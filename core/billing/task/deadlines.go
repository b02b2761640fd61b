package task

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/limit"
)

// filingNotice is how many days before the limit a claim that is not filed needs a person.
const filingNotice = 14

// words returns a day as a sentence names it.
func words(d billing.Date) string { return d.Time().Format("January 2, 2006") }

// unfiled reports whether the payer still has to get a claim within a known limit.
func unfiled(c *claim.Claim) bool {
	if d := c.Deadlines(); d == nil || d.Filing.On.IsZero() {
		return false
	}
	return c.Unfiled()
}

// fileBy says until when the payer accepts the claim.
func fileBy(c *claim.Claim, w *Work) {
	d := c.Deadlines().Filing
	w.Since, w.DueOn, w.DueBy = c.Contract.Limits.Zone.Begins(d.On.AddDays(-filingNotice)), d.On, DueByPayer
	w.Reason = "The payer's filing limit is " + words(d.On) + ", and a claim that comes later cannot be billed to the patient: " // also true after that day
	switch {                                                                                                                     // the others are not unfiled
	case c.IsHeld():
		w.Reason, w.Actions = w.Reason+"release it, and see that it is sent.", orVoid(c, "releaseClaim")
	case c.State == claim.Validated:
		w.Reason, w.Actions = w.Reason+"submit it.", orVoid(c, "submitClaim")
	case c.State == claim.Queued:
		w.Reason, w.Actions = w.Reason+"check that its batch goes out.", orVoid(c, "getClaim")
	case c.State == claim.Rejected:
		w.Reason, w.Actions = w.Reason+"correct what the findings name, then submit it again.", orVoid(c, "updateClaim")
	default:
		w.Reason, w.Actions = w.Reason+"complete it, then submit it.", orVoid(c, "updateClaim")
	}
}

// refused reports whether the claim has money open that the payer refuses, or leaves to the patient because a filing
// limit was missed. An appeal can change both.
// Other acts may come first; after the last day of an appeal none of them is left.
func refused(c *claim.Claim) bool {
	return c.Standing != nil && (c.Standing.OpenReason == claim.OpenRefused || c.Standing.Late)
}

// appealBy says what is to do about the appeal of the claim, and until when. One that was sent
// waits until its decision is due, or a remittance comes.
func appealBy(c *claim.Claim, w *Work) {
	a, zone := c.Appealing, c.Contract.Limits.Zone
	w.Amount = c.DeniedAmount()
	if !a.Sent() {
		w.Since, w.DueOn, w.DueBy = a.MadeAt, a.SendBy.On, sourceOf(a.SendBy.Source)
		w.Reason, w.Actions = "The appeal must be with the payer by "+words(a.SendBy.On)+": finish its letter, send it, and record that it was sent.", []string{"recordAppealSent", "updateAppeal"}
		if a.SendBy.Source == limit.Proposed {
			w.Reason += " The day is a proposal: confirm it with the payer."
		}
		return
	}
	w.DueOn, w.DueBy, w.Actions = limit.DecisionDue(a.SentOn), DueByPractice, []string{"recordAppealDecided"}
	w.Since = zone.Begins(w.DueOn)
	w.Reason = "The payer has not decided the appeal that was sent on " + words(a.SentOn) + " for 60 days: ask the payer, then record its decision."
	if a.Answered(c.SettledAt, zone) {
		w.Since = earlier(w.Since, c.SettledAt)
		w.Reason = "A remittance came after the appeal was sent: record what the payer decided about the appeal."
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// sourceOf returns the origin of a day that a deadline has.
func sourceOf(s limit.Source) DueBy {
	switch s {
	case limit.Person:
		return DueByPerson
	case limit.Contract, limit.Payer:
		return DueByPayer
	case limit.Proposed, limit.Unknown:
	}
	return DueByPractice
}
