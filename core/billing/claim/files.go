package claim

import (
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Sent records that the network has the batch with the claim. It reports false
// when the claim is not waiting in that batch.
func (c *Claim) Sent(b *clearing.Batch, at time.Time) (event.Event, bool) {
	cause := Cause{File: &b.File, At: at}
	if c.BatchID != b.ID || !c.move(TriggerSend, &cause) {
		return event.Event{}, false
	}
	if c.SentAt.IsZero() {
		c.SentAt = at
	}
	return c.Event(event.ClaimSubmitted, cause), true
}

// FileRejected returns the claim to the queue after its file was rejected. In live
// mode it does so once: a claim whose next file is rejected, too, needs attention.
// cause.File is the rejection, and why its errors. It reports false when another file
// has the claim.
func (c *Claim) FileRejected(b *clearing.Batch, why []string, cause Cause) (event.Event, bool) {
	by, e := triggerFileRejected, event.ClaimQueued
	switch {
	case c.Scope.Mode != billing.ModeLive || !c.fileRejectedBefore():
	case c.Frequency == FrequencyVoid: // a caller cannot correct a void, and voids the claim again
		by, e = triggerReject, event.ClaimRejected
	default:
		by, e = triggerFileRejectedAgain, event.ClaimNeedsAttention
	}
	if c.BatchID != b.ID || c.State != Submitted || !c.move(by, &cause) {
		return event.Event{}, false
	}
	if by == triggerFileRejected {
		c.BatchID = billing.FileID{}
	} else {
		c.Findings = append([]Finding{fileRejected(why)}, c.outdated()...)
	}
	return c.Event(e, cause), true
}

// fileRejectedBefore reports whether a file with the claim was rejected since a caller
// last sent the claim.
func (c *Claim) fileRejectedBefore() bool {
	for _, m := range slices.Backward(c.History) {
		if m.Cause == TriggerSubmit || m.Cause == triggerReplace || m.Cause == triggerAskVoid {
			return false
		}
		if m.Cause == triggerFileRejected {
			return true
		}
	}
	return false
}

// maxFileErrors is the number of a file's errors that a finding names. A file may have
// thousands, and most are about other claims.
const maxFileErrors = 5

func fileRejected(why []string) Finding {
	message := "The clearinghouse rejected two files in a row that carried the claim."
	if len(why) > 0 {
		message += " Errors of the last file: " + strings.Join(why[:min(len(why), maxFileErrors)], "; ") + "."
	}
	return Finding{
		Code: "file_rejected", Message: message,
		Fix: "Correct what the errors name, then save the claim and submit it. If they name nothing of this claim, ask the operator to read the acknowledgement of its batch.",
	}
}

// Reported applies a 277's report on the claim. It reports false when the report
// changes nothing, because it is old or late.
func (c *Claim) Reported(r *clearing.ClaimReport, cause Cause) (event.Event, bool) {
	by, e := triggerOf(r)
	if by == triggerNotFound && c.Frequency == FrequencyVoid {
		by, e = triggerReject, event.ClaimRejected // a caller cannot correct a void, and voids the claim again
	}
	cause.Status = &r.Status
	moved := by != "" && c.move(by, &cause)
	if !moved && by == TriggerPayerAccept { // a second acceptance, from a payer that has the claim
		e, moved = event.ClaimStatusUpdated, c.move(triggerStatus, &cause)
	}
	if !moved {
		return event.Event{}, false
	}
	if r.PayerClaimNumber != "" && r.Side == clearing.SidePayer {
		c.PayerClaimNumber = r.PayerClaimNumber
	}
	if by == triggerReject || by == triggerNotFound {
		c.Findings = append(c.findingsOf(r), c.outdated()...)
	}
	return c.Event(e, cause), true
}

// Returned applies a payer's estimate to a predetermination. It reports false for
// any other claim, and for one that awaits no estimate.
func (c *Claim) Returned(e remit.ClaimEstimate, cause Cause) (event.Event, bool) {
	if !c.move(triggerReturn, &cause) {
		return event.Event{}, false
	}
	e.ReturnedAt = cause.At
	c.Estimate = &e
	return c.returnedEvent(cause, e), true
}

// Voided voids the claim after the payer accepted the void transaction. It reports
// false when the claim can no longer be voided.
func (c *Claim) Voided(cause Cause) (event.Event, bool) {
	if !c.move(triggerVoided, &cause) {
		return event.Event{}, false
	}
	return c.Event(event.ClaimVoided, cause), true
}
