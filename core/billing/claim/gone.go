package claim

import (
	"slices"
	"time"
)

// cameBack returns when the claim, or its file, was rejected after it was sent last; zero while a payer or a
// clearinghouse has it as it was sent, and for a claim that was never sent.
func (c *Claim) cameBack() time.Time {
	for _, m := range slices.Backward(c.History) {
		switch m.Cause { //nolint:exhaustive // the others say nothing of who has it
		case triggerReject, triggerNotFound, triggerFileRejected, triggerFileRejectedAgain:
			return m.At
		case TriggerSend, triggerReplace, triggerClearinghouseAccept, TriggerPayerAccept, TriggerPay, triggerDeny, triggerReverse, triggerReturn:
			return time.Time{}
		}
	}
	return time.Time{}
}

// Unfiled reports whether its payer does not have the claim: it was never sent, or was rejected and not sent again.
// A payer that decided it after all has it.
func (c *Claim) Unfiled() bool {
	switch c.State { //nolint:exhaustive // the payer has the others, or gets none
	case Rejected:
		return true
	case Draft, Validated, NeedsAttention, Queued:
		back := c.cameBack()
		return c.SentAt.IsZero() || !back.IsZero() && !c.SettledAt.After(back)
	default:
		return false
	}
}

// endsHere reports whether no payer has to void the claim: no file has carried it, or it came back, is in no file
// again, and replaces nothing that the payer has.
func (c *Claim) endsHere() bool {
	if c.SentAt.IsZero() {
		return c.BatchID.IsZero()
	}
	return c.Frequency == FrequencyOriginal && c.SettledAt.IsZero() && !c.cameBack().IsZero() && (c.State != Queued || c.BatchID.IsZero())
}

// Voidable reports whether the claim can be voided now, if no void of it is on its way.
func (c *Claim) Voidable() bool {
	_, here := c.may(triggerVoidUnsent)
	_, asks := c.may(triggerAskVoid)
	return here || asks
}

// endedHere reports whether the claim was voided without its payer.
func (c *Claim) endedHere() bool {
	return slices.ContainsFunc(c.History, func(m Move) bool { return m.Cause == triggerVoidUnsent })
}
