package billing

import "time"

// Sent records that the network has the batch with the claim. It reports false
// when the claim is not waiting in that batch.
func (c *Claim) Sent(b *Batch, at time.Time) (Event, bool) {
	cause := ClaimCause{File: &b.File, At: at}
	if c.BatchID != b.ID || !c.move(TriggerSend, &cause) {
		return Event{}, false
	}
	if c.SentAt.IsZero() {
		c.SentAt = at
	}
	return c.Event(EventClaimSubmitted, cause), true
}

// Requeue returns the claim to the queue after its file was rejected. cause.File is
// the rejection. It reports false when another file has the claim.
func (c *Claim) Requeue(b *Batch, cause ClaimCause) (Event, bool) {
	if c.BatchID != b.ID || !c.move(TriggerFileRejected, &cause) {
		return Event{}, false
	}
	c.BatchID = FileID{}
	return c.Event(EventClaimQueued, cause), true
}

// Reported applies a 277's report on the claim. It reports false when the report
// changes nothing, because it is old or late.
func (c *Claim) Reported(r *ClaimReport, cause ClaimCause) (Event, bool) {
	by, event := r.trigger()
	if by == TriggerNotFound && c.Frequency == FrequencyVoid {
		by, event = TriggerReject, EventClaimRejected // a caller cannot correct a void, and voids the claim again
	}
	cause.Status = &r.Status
	moved := by != "" && c.move(by, &cause)
	if !moved && by == TriggerPayerAccept { // a second acceptance, from a payer that has the claim
		event, moved = EventClaimStatusUpdated, c.move(TriggerStatus, &cause)
	}
	if !moved {
		return Event{}, false
	}
	if r.PayerClaimNumber != "" && r.Side == SidePayer {
		c.PayerClaimNumber = r.PayerClaimNumber
	}
	if by == TriggerReject || by == TriggerNotFound {
		c.Findings = r.findings(c)
	}
	return c.Event(event, cause), true
}

// Returned applies a payer's estimate to a predetermination. It reports false for
// any other claim, and for one that awaits no estimate.
func (c *Claim) Returned(e ClaimEstimate, cause ClaimCause) (Event, bool) {
	if !c.move(TriggerReturn, &cause) {
		return Event{}, false
	}
	e.ReturnedAt = cause.At
	c.Estimate = &e
	return c.ReturnedEvent(cause, e), true
}

// Voided voids the claim after the payer accepted the void transaction. It reports
// false when the claim can no longer be voided.
func (c *Claim) Voided(cause ClaimCause) (Event, bool) {
	if !c.move(TriggerVoided, &cause) {
		return Event{}, false
	}
	return c.Event(EventClaimVoided, cause), true
}
