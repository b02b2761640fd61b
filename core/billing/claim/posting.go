package claim

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Settled reports whether a posting reconciles the claim: nothing is open, no other payer is to
// be billed, and no payer request is open. Otherwise it returns why the claim is left out;
// nothing for one that needs no posting, because it is reconciled or asks for an estimate.
func (r *Record) Settled(requested bool) (why remit.LeftOutReason, settled bool) {
	if r.Kind != KindClaim || r.State == Reconciled && !r.Unposted() {
		return "", false
	}
	_, can := r.may(TriggerReconcile)
	switch {
	case !r.ReviewERA.IsZero():
		return remit.LeftNeedsReview, false
	case r.State == Reconciled:
		return remit.LeftChanged, false
	case !can:
		return remit.LeftNotDecided, false
	case r.Open() < 0:
		return remit.LeftOverpaid, false
	case r.Open() > 0:
		return remit.LeftOpen, false
	case r.LeftToNext() > 0:
		return remit.LeftSecondary, false
	case requested:
		return remit.LeftRequest, false
	}
	return "", true
}

// Reopened reports whether a person has ever reopened the claim. No rule reconciles it again.
func (c *Claim) Reopened() bool {
	return slices.ContainsFunc(c.History, func(m Move) bool { return m.Cause == TriggerReopen && m.By != "" })
}

// ReconcileWith reconciles a settled claim because the remittance was posted. By is the key or
// the user; empty for a rule.
func (r *Record) ReconcileWith(e *remit.ERA, by string, at time.Time) error {
	if err := r.Reconcile(nil, by, at); err != nil {
		return err
	}
	r.ReconciledWith = e.ID
	r.History[len(r.History)-1].File = e.File.Name
	return nil
}

// UnpostedWith reopens the claim because the remittance was unposted whose posting reconciled
// it. A claim that a person changed since then stays as it is, and it returns false.
func (r *Record) UnpostedWith(by string, at time.Time) (bool, error) {
	r.ReconciledWith = billing.ERAID{}
	if r.State != Reconciled || r.changedSinceReconciled() {
		return false, nil
	}
	return true, r.Reopen(by, at)
}

// changedSinceReconciled reports whether a person did something with the claim after it was
// reconciled.
func (c *Claim) changedSinceReconciled() bool {
	for _, m := range slices.Backward(c.History) {
		if m.Cause == TriggerReconcile {
			return false
		}
		if m.By != "" {
			return true
		}
	}
	return false
}
