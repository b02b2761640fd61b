package billing

import "time"

// Judged applies the findings of the rules to a claim that was made or changed.
// A draft keeps them and stays a draft. Judged returns an event for each new
// state.
func (r *ClaimRecord) Judged(findings []Finding, draft bool, at time.Time) ([]Event, error) {
	by, event := TriggerValidate, EventClaimValidated
	switch {
	case draft:
		by, event = TriggerDraft, ""
	case len(findings) > 0:
		by, event = TriggerFindings, EventClaimNeedsAttention
	}
	cause, err := r.ask(by, at)
	if err != nil {
		return nil, err
	}
	if r.Findings = findings; !r.Awaits() {
		r.SetElsewhere(r.Claim.Ledger(nil)) // what the content says of other payers
	}
	if event == "" || cause.Previous == r.State {
		return nil, nil
	}
	return []Event{r.Event(event, cause)}, nil
}

// Submit queues a validated claim for the next batch. One that waits for its enrollment
// alone is refused, and queued once the enrollment is active: SubmitWhenReady.
func (r *ClaimRecord) Submit(at time.Time) (Event, error) {
	cause := ClaimCause{At: at}
	if !r.queue(&cause) {
		if !r.SubmitWhenReady && r.AwaitsEnrollment() {
			r.SubmitWhenReady, r.UpdatedAt = true, at
		}
		return Event{}, errClaimState(TriggerSubmit, r)
	}
	return r.Event(EventClaimQueued, cause), nil
}

// Replace replaces the content that the payer has and queues the claim again,
// with the same ID and control number. The content must have no findings.
func (r *ClaimRecord) Replace(content ClaimContent, at time.Time) (Event, error) {
	cause, err := r.ask(TriggerReplace, at)
	if err != nil {
		return Event{}, err
	}
	r.ClaimContent, r.Frequency = content, FrequencyReplacement
	r.Findings, r.BatchID = nil, FileID{}
	return r.Event(EventClaimQueued, cause), nil
}

// Void returns a queued transaction that voids the claim, with a control number
// of its own. The claim does not change until the payer accepts the void.
func (r *ClaimRecord) Void(id ClaimID, controlNumber string, request RequestID, at time.Time) (*ClaimRecord, Event, error) {
	if _, err := r.ask(TriggerAskVoid, at); err != nil {
		return nil, Event{}, err
	}
	v := &Claim{
		ID: id, Scope: r.Scope, Kind: r.Kind, Frequency: FrequencyVoid, ParentID: r.ID, PatientControlNumber: controlNumber,
		RequestID: request, CreatedAt: at, ClaimContent: r.ClaimContent,
		ClaimProgress: ClaimProgress{
			State: ClaimQueued, PayerClaimNumber: r.PayerClaimNumber, UpdatedAt: at,
			History: []ClaimMove{{State: ClaimQueued, At: at, Cause: TriggerAskVoid}},
		},
	}
	return &ClaimRecord{Claim: v, OfficeName: r.OfficeName, Provider: r.Provider}, v.Event(EventClaimQueued, ClaimCause{At: at}), nil
}

// VoidUnsent voids a claim that no file has carried: no payer has to void it. It reports
// false for any other claim.
func (r *ClaimRecord) VoidUnsent(at time.Time) (Event, bool) {
	cause := ClaimCause{At: at}
	if !r.move(TriggerVoidUnsent, &cause) {
		return Event{}, false
	}
	r.SubmitWhenReady = false
	return r.Event(EventClaimVoided, cause), true
}

// Convert returns a claim for services of the predetermination that are done. Days
// are the service dates by line number, from 1. Lines without one are left out.
// The rules have not judged the claim.
func (r *ClaimRecord) Convert(id ClaimID, controlNumber string, days map[int]Date, request RequestID, at time.Time) (*Claim, error) {
	if !r.ConvertedTo.IsZero() {
		return nil, &Error{Code: CodeConflict, Message: "The predetermination was already converted. converted_to is the ID of the new claim."}
	}
	if _, err := r.ask(TriggerConvert, at); err != nil {
		return nil, err
	}
	next := &Claim{
		ID: id, Scope: r.Scope, Kind: KindClaim, Frequency: FrequencyOriginal, ConvertedFrom: r.ID, PatientControlNumber: controlNumber,
		RequestID: request, CreatedAt: at, ClaimContent: r.ClaimContent, ClaimProgress: ClaimProgress{UpdatedAt: at},
	}
	if r.PayerClaimNumber != "" { // the payer's number of its estimate
		next.PredeterminationNumber = r.PayerClaimNumber
	}
	next.Lines = nil
	for i, l := range r.Lines {
		if day, ok := days[i+1]; ok {
			l.ServiceDate = day
			next.Lines = append(next.Lines, l)
		}
	}
	r.ConvertedTo = id
	return next, nil
}

// Reconcile records that the user has posted the payment. What is open must be accepted:
// nil accepts nothing. By is the key or the user.
//
// Errors: CodeConflict for another state, or an open amount that is not accepted;
// CodeInvalidRequest for another amount than the open one.
func (r *ClaimRecord) Reconcile(accept *AcceptedOpen, by string, at time.Time) error {
	if _, err := r.ask(TriggerReconcile, at); err != nil {
		return err
	}
	if err := r.accept(accept); err != nil {
		return err
	}
	r.ReconciledAt = at
	step := &r.History[len(r.History)-1]
	if step.By = by; accept != nil {
		step.Note = accept.Note
	}
	return nil
}

// ask applies a trigger of a caller. It returns CodeConflict, with the reason,
// when the claim's state does not allow the trigger.
func (r *ClaimRecord) ask(by ClaimTrigger, at time.Time) (ClaimCause, error) {
	cause := ClaimCause{At: at}
	voided := r.HasVoid && by == TriggerReplace // the payer may process void and replacement in any order
	if voided || !r.move(by, &cause) {
		return cause, errClaimState(by, r)
	}
	return cause, nil
}
