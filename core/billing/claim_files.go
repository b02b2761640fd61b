package billing

import "time"

// Sent notes that the batch with the claim was handed to the network. It
// reports false when the claim does not wait for that.
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

// Requeue puts the claim back into the queue, because its file was rejected
// (cause.File is the rejection). It reports false when another file is on its way.
func (c *Claim) Requeue(b *Batch, cause ClaimCause) (Event, bool) {
	if c.BatchID != b.ID || !c.move(TriggerFileRejected, &cause) {
		return Event{}, false
	}
	c.BatchID = FileID{}
	return c.Event(EventClaimQueued, cause), true
}

// Reported applies what a 277 says of the claim. It reports false when that
// changes nothing: it is no news, or it comes too late.
func (c *Claim) Reported(r *ClaimReport, cause ClaimCause) (Event, bool) {
	by, event := r.trigger()
	if by == TriggerNotFound && c.Frequency == FrequencyVoid {
		by, event = TriggerReject, EventClaimRejected // a caller cannot correct the transaction, and voids the claim once more
	}
	cause.Status = &r.Status
	moved := by != "" && c.move(by, &cause)
	if !moved && by == TriggerPayerAccept { // once more, from a payer that has the claim
		event, moved = EventClaimStatusUpdated, c.move(TriggerStatus, &cause)
	}
	if !moved {
		return Event{}, false
	}
	if r.PayerClaimNumber != "" && r.Side == SidePayer {
		c.PayerClaimNumber = r.PayerClaimNumber
	}
	if by == TriggerReject || by == TriggerNotFound {
		c.Findings = []Finding{r.finding()}
	}
	return c.Event(event, cause), true
}

// Returned applies a payer's estimate to a predetermination. It reports false
// when the claim is none, or does not wait for one.
func (c *Claim) Returned(e ClaimEstimate, cause ClaimCause) (Event, bool) {
	if !c.move(TriggerReturn, &cause) {
		return Event{}, false
	}
	e.ReturnedAt = cause.At
	c.Estimate = &e
	return c.ReturnedEvent(cause, e), true
}

// Voided takes the claim back, because the payer has accepted the transaction
// that voids it. It reports false when the claim cannot be voided any more.
func (c *Claim) Voided(cause ClaimCause) (Event, bool) {
	if !c.move(TriggerVoided, &cause) {
		return Event{}, false
	}
	return c.Event(EventClaimVoided, cause), true
}
