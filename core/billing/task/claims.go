package task

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/remit"
)

// The times after which a claim that does not move needs a person. Practice, not a rule of
// payers: clearinghouses acknowledge within two days, and payers decide within 30 days of
// what they accept, as prompt-pay laws of most states ask of them.
const (
	draftAge  = 3 * day
	ackAge    = 2 * day
	decideAge = 30 * day
	attachAge = day
	day       = 24 * time.Hour
)

// OfAClaim returns the work that the stored claim makes.
func OfAClaim(c *claim.Claim) []Work {
	if !c.ErasedAt.IsZero() {
		return nil
	}
	return apply(claimRules, c, c.Decisions, changed(c), Work{
		Resource: Resource{OfClaim, c.ID}, OfficeID: c.OfficeID, Payer: c.Payer, Patient: c.PatientID, Amount: c.Charge(), Since: entered(c),
	})
}

// NextStep returns what a biller does next about a claim. Where the claim itself says that nobody has
// to do anything, its first task does that has come. A claim that is made or changed is not read with its tasks: the
// rules say them, of the whole claim. Lists read no history, which the rules need.
func NextStep(r *claim.Record) string {
	step := r.NextStep()
	if !claim.Idle(step) {
		return step
	}
	all := r.Tasks
	if all == nil {
		for _, w := range OfAClaim(r.Claim) {
			all = append(all, claim.OpenTask{Reason: w.Reason, From: w.Since})
		}
	}
	for _, t := range all {
		if !t.From.After(r.ReadAt) {
			return t.Reason
		}
	}
	return step
}

// changed returns when the claim came into its state, or its payer decided last.
func changed(c *claim.Claim) time.Time {
	since := entered(c)
	if c.SettledAt.After(since) {
		return c.SettledAt
	}
	return since
}

// entered returns when the claim came into its state.
func entered(c *claim.Claim) time.Time {
	since := c.CreatedAt
	for _, m := range slices.Backward(c.History) {
		if m.State != c.State {
			break
		}
		since = m.At
	}
	return since
}

// claimRules are the rules of claims.
//
//nolint:gochecknoglobals // a constant table
var claimRules = []rule[*claim.Claim]{
	{
		ClaimRejected, func(c *claim.Claim) bool { return c.State == claim.Rejected },
		func(c *claim.Claim, w *Work) {
			w.Reason, w.Actions = c.NextStep(), orVoid(c, "updateClaim")
			if c.Frequency == claim.FrequencyVoid { // nothing of it can be corrected, and what it voids is another claim
				w.Actions, w.Settles = []string{"getClaim"}, []decision.As{decision.Handled}
			}
		},
	},
	{
		ClaimHeld, func(c *claim.Claim) bool { return c.IsHeld() || c.State == claim.NeedsAttention && !c.WaitsByItself() },
		func(c *claim.Claim, w *Work) {
			if w.Reason, w.Actions = c.NextStep(), orVoid(c, "updateClaim"); c.IsHeld() {
				w.Since, w.Actions = c.Held.AsksFrom(), orVoid(c, "releaseClaim")
				if day := c.Held.Until; !day.IsZero() {
					w.DueOn, w.DueBy = day, DueByPerson
				}
			}
		},
	},
	{
		DraftOld, func(c *claim.Claim) bool { return c.State == claim.Draft },
		func(c *claim.Claim, w *Work) {
			w.Since = c.UpdatedAt.Add(draftAge)
			w.Reason, w.Actions = "The draft was left for three days: complete it, or void it.", orVoid(c, "updateClaim")
			if !c.Voidable() {
				w.Reason = "The draft was left for three days, and the payer has the claim that it replaces: complete it."
			}
		},
	},
	{
		Unacknowledged, func(c *claim.Claim) bool { return c.State == claim.Submitted },
		func(_ *claim.Claim, w *Work) {
			w.Since = w.Since.Add(ackAge)
			w.Reason, w.Actions = "The claim was not acknowledged for two days: ask the operator of the service to ask the clearinghouse.", []string{"getClaim"}
		},
	},
	{NoDecision, undecided, whyUndecided},
	{FilingLimit, unfiled, fileBy},
	{
		Denied, denied,
		func(c *claim.Claim, w *Work) {
			w.Amount = c.DeniedAmount()
			w.Reason, w.Actions = c.NextStep(), deniedActions(c)
			if left := c.Standing; left != nil && left.Late && c.Open() > 0 {
				w.Reason += " It also leaves " + left.LateAmount.Dollars() + " to the patient because a filing limit was missed, which is never the patient's to pay: appeal that."
			}
			if d := c.Deadlines(); refused(c) && d != nil && !d.Appeal.On.IsZero() {
				w.DueOn, w.DueBy = d.Appeal.On, sourceOf(d.Appeal.Source)
				w.Reason += " An appeal must be with the payer by " + words(d.Appeal.On) + "."
			}
		},
	},
	{AppealDue, func(c *claim.Claim) bool { return c.Appealing != nil && c.State != claim.Voided }, appealBy},
	{
		Underpaid, func(c *claim.Claim) bool { return c.Contracted().Underpaid() > 0 },
		func(c *claim.Claim, w *Work) {
			w.Amount, w.Since = c.Contracted().Underpaid(), c.SettledAt
			w.Reason, w.Actions = "The payer allows "+w.Amount.Dollars()+" less than its contract says: ask it to correct the payment, or accept the difference.", []string{"getClaim"}
		},
	},
	{
		Overpaid, func(c *claim.Claim) bool { return (c.Open() < 0 || c.State == claim.Voided) && c.Refund() > 0 },
		func(c *claim.Claim, w *Work) {
			w.Amount = c.Refund()
			if c.State == claim.Voided { // the payer's own remittance takes the payment back, as a rule
				w.Since = changed(c).Add(decideAge)
				w.Actions, w.Settles = []string{"getClaim"}, []decision.As{decision.Handled}
				w.Reason = "The claim is voided, and the payer has not taken " + w.Amount.Dollars() + " back for 30 days: ask it whether and how to return the money."
				return
			}
			if !c.SettledAt.IsZero() {
				w.Since = c.SettledAt
			}
			w.Reason, w.Actions = besideAppeal(c), []string{"reconcileClaim"}
		},
	},
	{
		ChangedAfterReconcile, (*claim.Claim).Unposted,
		func(c *claim.Claim, w *Work) {
			w.Amount, w.Since = c.Open().Abs(), c.SettledAt
			w.Reason, w.Actions = besideAppeal(c), []string{"reconcileClaim", "reopenClaim"}
			if c.Open() != 0 { // to reconcile it again also takes what is accepted of the amount
				w.Actions = []string{"reopenClaim", "reconcileClaim"}
			}
		},
	},
	{
		SecondaryToBill, func(c *claim.Claim) bool { return decided(c) && c.LeftToNext() > 0 },
		func(c *claim.Claim, w *Work) {
			w.Amount, w.next = c.LeftToNext(), c.Shown.PayerID()
			w.Reason, w.Actions = "The patient has another plan, and "+w.Amount.Dollars()+" is left: bill the next payer.", []string{"billSecondary"}
			if p := c.Shown; p != nil {
				w.Reason = "An active check shows a plan with " + p.Payer.Name + ", and " + w.Amount.Dollars() + " is left: bill it, or say that you will not."
				if p.Since.After(w.Since) {
					w.Since = p.Since
				}
			}
		},
	},
	{
		SecondaryOutdated, func(c *claim.Claim) bool { return c.Outdated() && (c.State == claim.AcceptedPayer || decided(c)) },
		func(c *claim.Claim, w *Work) {
			if at := c.OutdatedSince(); !at.IsZero() {
				w.Since = at
			}
			w.Reason, w.Actions = "The decision of the payer before changed after the claim was sent: replace the claim.", []string{"replaceClaim"}
		},
	},
}

// besideAppeal returns what a biller does about the claim apart from its appeal, which has a task of its own.
func besideAppeal(c *claim.Claim) string {
	of := *c
	of.Appealing = nil
	return of.NextStep()
}

// askVoid is the operation that voids a claim. A list leaves it out while a void is on its way.
const askVoid = "voidClaim"

// orVoid returns an operation, and that to void the claim where the state of the claim allows it.
func orVoid(c *claim.Claim, action string) []string {
	if c.Voidable() {
		return []string{action, askVoid}
	}
	return []string{action}
}

// denied reports whether a decided claim has money open without an appeal, or leaves to the patient what missed a
// filing limit. Of services that a later payer decided, too,
// the same money is open on the claim to that payer, which has the task.
func denied(c *claim.Claim) bool {
	passed := c.Standing != nil && c.Standing.LaterDecided && !c.SecondaryID.IsZero()
	return decided(c) && c.DeniedAmount() > 0 && c.Appealing == nil && !passed
}

// decided reports whether a payer decided the claim, and nobody reconciled it.
func decided(c *claim.Claim) bool { return c.State == claim.Paid || c.State == claim.Denied }

// deniedActions returns the operations about a denial. What its act needs comes first.
func deniedActions(c *claim.Claim) []string {
	all := []string{"replaceClaim", "reconcileClaim"}
	if c.Standing != nil && c.Standing.Late {
		return append([]string{"createAppeal"}, all...)
	}
	if c.Standing == nil || c.Standing.OpenReason != claim.OpenRefused {
		return all
	}
	switch c.Standing.Act {
	case remit.ActSend:
		return append([]string{"createAttachment"}, all...)
	case remit.ActBillNext:
		if c.LeftToNext() > 0 {
			return append([]string{"billSecondary"}, all...)
		}
	case remit.ActWriteOff:
		return []string{"reconcileClaim", "replaceClaim"}
	case remit.ActAppeal:
		return append([]string{"createAppeal"}, all...)
	case remit.ActNone:
		return append([]string{"getClaim"}, all...)
	case remit.ActCorrect, remit.ActBillPatient:
	}
	return all
}
