package billing

// CanMatch reports whether a person's match to our claim changes anything. It reports
// false when the remittance claim is applied to that claim, or is forwarded and
// matched to it. It returns CodeConflict when it is applied to another claim, or the
// work on it has not ended.
func (r *RemittanceClaim) CanMatch(e *ERA, to ClaimID) (bool, error) {
	if r.decided() && r.ClaimID == to {
		return false, nil
	}
	return true, r.canFinish(e)
}

// CanApply reports whether a person's decision to apply it to the claim that it matches
// changes anything. It reports false when it is applied or forwarded. It returns
// CodeConflict when it matches no claim, or the work on it has not ended.
func (r *RemittanceClaim) CanApply(e *ERA) (bool, error) {
	if r.decided() {
		return false, nil
	}
	err := r.canFinish(e)
	if err == nil && r.ClaimID.IsZero() {
		err = &Error{Code: CodeConflict, Message: "It matches no claim. Match it to a claim, which applies it too."}
	}
	return true, err
}

// CanIgnore reports whether a person's decision to finish it without applying it changes
// anything. It reports false when it is ignored. It returns CodeConflict when it is
// applied, or the work on it has not ended.
func (r *RemittanceClaim) CanIgnore(e *ERA) (bool, error) {
	if r.Status == RemitIgnored {
		return false, nil
	}
	return true, r.canFinish(e)
}

// CanUnapply reports whether a person's decision to reverse its application changes
// anything. It reports false when the application was reversed. It returns CodeConflict
// when it is not applied, or the remittance is posted.
func (r *RemittanceClaim) CanUnapply(e *ERA) (bool, error) {
	switch {
	case r.Review == ReviewUnapplied:
		return false, nil
	case r.Status != RemitApplied:
		return true, &Error{Code: CodeConflict, Message: "It is not applied to a claim. Its status is " + string(r.Status) + "."}
	case e.State == ERAPosted:
		return true, &Error{Code: CodeConflict, Message: "The remittance is posted. Unpost it first, so that the practice's books can be corrected."}
	default:
		return true, nil
	}
}

// decided reports whether it is applied, or the payer forwarded it.
func (r *RemittanceClaim) decided() bool {
	return r.Status == RemitApplied || r.Status == RemitForwarded
}

// canFinish returns CodeConflict when it is applied, or the work on it has not ended.
func (r *RemittanceClaim) canFinish(e *ERA) error {
	switch {
	case r.Status == RemitApplied:
		return &Error{Code: CodeConflict, Message: "It is applied to " + r.ClaimID.String() + ". Unapply it first."}
	case r.Status == RemitPending && e.Stage != ERADone:
		return &Error{Code: CodeConflict, Message: "Molar is about to apply it. Read it again in a minute."}
	default:
		return nil
	}
}
