package remit

import "github.com/molar-billing/molar/core/billing"

// CanMatch reports whether a person's match to our claim changes anything. It reports
// false when the remittance claim is applied to that claim, or is forwarded and
// matched to it. It returns CodeConflict when it is applied to another claim, or the
// work on it has not ended.
func (r *Claim) CanMatch(e *ERA, to billing.ClaimID) (bool, error) {
	if r.decided() && r.ClaimID == to {
		return false, nil
	}
	return true, r.canFinish(e)
}

// CanApply reports whether a person's decision to apply it to the claim that it matches
// changes anything. It reports false when it is applied or forwarded. It returns
// CodeConflict when it matches no claim, or the work on it has not ended.
func (r *Claim) CanApply(e *ERA) (bool, error) {
	if r.decided() {
		return false, nil
	}
	err := r.canFinish(e)
	if err == nil && r.ClaimID.IsZero() {
		err = &billing.Error{Code: billing.CodeConflict, Message: "It matches no claim. Match it to a claim, which applies it too."}
	}
	return true, err
}

// CanIgnore reports whether a person's decision to finish it without applying it changes
// anything. It reports false when it is ignored. It returns CodeConflict when it is
// applied, or the work on it has not ended.
func (r *Claim) CanIgnore(e *ERA) (bool, error) {
	if r.Status == StatusIgnored {
		return false, nil
	}
	return true, r.canFinish(e)
}

// CanUnapply reports whether a person's decision to reverse its application changes
// anything. It reports false when the application was reversed. It returns CodeConflict
// when it is not applied, or the remittance is posted.
func (r *Claim) CanUnapply(e *ERA) (bool, error) {
	switch {
	case r.Review == ReviewUnapplied:
		return false, nil
	case r.Status != StatusApplied:
		return true, &billing.Error{Code: billing.CodeConflict, Message: "It is not applied to a claim. Its status is " + string(r.Status) + "."}
	case e.State == Posted:
		return true, &billing.Error{Code: billing.CodeConflict, Message: "The remittance is posted. Unpost it first, so that the practice's books can be corrected."}
	default:
		return true, nil
	}
}

// decided reports whether it is applied, or the payer forwarded it.
func (r *Claim) decided() bool {
	return r.Status == StatusApplied || r.Status == StatusForwarded
}

// canFinish returns CodeConflict when it is applied, or the work on it has not ended.
func (r *Claim) canFinish(e *ERA) error {
	switch {
	case r.Status == StatusApplied:
		return &billing.Error{Code: billing.CodeConflict, Message: "It is applied to " + r.ClaimID.String() + ". Unapply it first."}
	case r.Status == StatusPending && e.Stage != Done:
		return &billing.Error{Code: billing.CodeConflict, Message: "Molar is about to apply it. Read it again in a minute."}
	default:
		return nil
	}
}
