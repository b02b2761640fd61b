// Package posting says which claims are reconciled when their remittance is posted, and which are
// reopened when it is unposted.
package posting

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Settled reports whether the posting of a remittance reconciles the claim: nothing is open, no
// other payer is to be billed, no payer request or appeal is open, and nothing is left to the patient
// because a filing limit was missed, unless a person accepted that. Otherwise it returns why the claim is
// left out; nothing for one that needs no posting, because it is reconciled or asks for an estimate.
func Settled(r *claim.Record, requested bool) (why remit.LeftOutReason, settled bool) {
	if r.Kind != claim.KindClaim || r.State == claim.Reconciled && !r.Unposted() {
		return "", false
	}
	switch {
	case !r.ReviewERA.IsZero():
		return remit.LeftNeedsReview, false
	case r.State == claim.Reconciled:
		return remit.LeftChanged, false
	case r.State != claim.Paid && r.State != claim.Denied:
		return remit.LeftNotDecided, false
	case r.Open() < 0:
		return remit.LeftOverpaid, false
	case r.Open() > 0:
		return remit.LeftOpen, false
	case r.ToNext() > 0:
		return remit.LeftSecondary, false
	case requested:
		return remit.LeftRequest, false
	case r.Appealing != nil:
		return remit.LeftAppeal, false
	case r.DeniedAmount() > 0 && !r.AcceptsDenial():
		return remit.LeftLate, false
	}
	return "", true
}

// Reopened reports whether a person has ever reopened the claim. No rule reconciles it again.
func Reopened(c *claim.Claim) bool {
	return slices.ContainsFunc(c.History, func(m claim.Move) bool { return m.Cause == claim.TriggerReopen && m.By != "" })
}

// Reconcile reconciles a settled claim because the remittance was posted. By is the key or the user;
// empty for a rule.
func Reconcile(r *claim.Record, e *remit.ERA, by string, at time.Time) error {
	if err := r.Reconcile(nil, by, at); err != nil {
		return err
	}
	r.ReconciledWith = e.ID
	r.History[len(r.History)-1].File = e.File.Name
	return nil
}

// Reopen reopens a claim because the remittance was unposted whose posting reconciled it. A claim
// that a person changed since then stays as it is, and Reopen returns false.
func Reopen(r *claim.Record, by string, at time.Time) (bool, error) {
	r.ReconciledWith = billing.ERAID{}
	if r.State != claim.Reconciled || changed(r.Claim) {
		return false, nil
	}
	return true, r.Reopen(by, at)
}

// changed reports whether a person did something with the claim after it was reconciled.
func changed(c *claim.Claim) bool {
	for _, m := range slices.Backward(c.History) {
		if m.Cause == claim.TriggerReconcile {
			return false
		}
		if m.By != "" {
			return true
		}
	}
	return false
}
