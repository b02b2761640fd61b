package claim

import (
	"slices"
	"time"
)

// claimMove is a row of the state table: the trigger moves a claim from any
// state of From to To. When To is empty, the state does not change.
type claimMove struct {
	By   Trigger
	From []State
	To   State
}

// claimMoves is the state table of claims. A caller gets an error for any other
// pair of state and trigger. A file with such a pair changes nothing.
//
//nolint:gochecknoglobals // a constant table
var claimMoves = []claimMove{
	{triggerValidate, []State{"", Draft, NeedsAttention, Rejected}, Validated},
	{triggerFindings, []State{"", Draft, NeedsAttention, Rejected}, NeedsAttention},
	{TriggerDraft, []State{"", Draft, NeedsAttention, Rejected}, Draft},
	{TriggerEnrolled, []State{NeedsAttention}, Validated},
	{triggerEarlierDecided, []State{NeedsAttention}, Validated},
	{triggerEarlierChanged, []State{Validated, Queued}, NeedsAttention},
	{TriggerSubmit, []State{Validated}, Queued},
	{triggerReplace, []State{AcceptedPayer, Paid, Denied}, Queued},
	{TriggerSend, []State{Queued}, Submitted},
	{triggerFileRejected, []State{Submitted}, Queued},
	{triggerFileRejectedAgain, []State{Submitted}, NeedsAttention},
	{triggerClearinghouseAccept, []State{Submitted}, AcceptedClearinghouse},
	{TriggerPayerAccept, []State{Submitted, AcceptedClearinghouse}, AcceptedPayer},
	{triggerReject, []State{Submitted, AcceptedClearinghouse, AcceptedPayer}, Rejected},
	{triggerNotFound, []State{Submitted, AcceptedClearinghouse, AcceptedPayer}, NeedsAttention},
	{triggerStatus, []State{AcceptedPayer}, ""},
	{TriggerPay, decidable(Rejected), Paid},
	{triggerDeny, decidable(Rejected), Denied},
	{triggerReverse, decidable(), AcceptedPayer},
	{TriggerPay, settled(Reconciled), ""},
	{triggerDeny, settled(Reconciled), ""},
	{triggerReverse, settled(Rejected, Reconciled), ""},
	{triggerReturn, []State{Submitted, AcceptedClearinghouse, AcceptedPayer, Rejected, Returned}, Returned},
	{triggerReturn, settled(), ""},
	{TriggerReconcile, []State{Paid, Denied, Reconciled}, Reconciled},
	{TriggerReopen, []State{Reconciled}, ""},
	{triggerAskVoid, []State{Validated, Rejected, AcceptedClearinghouse, AcceptedPayer, Paid, Denied}, ""},
	{triggerVoidUnsent, []State{Draft, Validated, NeedsAttention, Queued, Rejected}, Voided},
	{triggerVoided, []State{Draft, Validated, NeedsAttention, Rejected, AcceptedClearinghouse, AcceptedPayer, Paid, Denied, Returned}, Voided},
	{triggerConvert, []State{AcceptedPayer, Returned}, ""},
	{triggerBillSecondary, decidable(Validated, NeedsAttention, Queued, Rejected, Reconciled), ""},
	{triggerErase, []State{Draft, Validated, NeedsAttention, Rejected}, Voided},
	{triggerErase, []State{AcceptedClearinghouse, AcceptedPayer, Paid, Denied, Reconciled, Voided, Returned}, ""},
}

// decidable returns the states in which a remittance decides the claim, and more.
func decidable(more ...State) []State {
	return append([]State{Submitted, AcceptedClearinghouse, AcceptedPayer, Paid, Denied}, more...)
}

// settled returns the states in which a remittance changes the figures of a claim
// that was sent, and not its state, and more.
func settled(more ...State) []State {
	return append([]State{Draft, Validated, NeedsAttention, Queued, Voided}, more...)
}

// may returns the state that the trigger moves the claim to, and whether it
// applies.
func (c *Claim) may(by Trigger) (to State, ok bool) {
	switch {
	case c.Kind == KindPredetermination && slices.Contains([]Trigger{TriggerPay, triggerDeny, triggerReverse, TriggerReconcile, TriggerReopen, triggerReplace, triggerBillSecondary, triggerEarlierDecided, triggerEarlierChanged}, by),
		c.Kind == KindClaim && slices.Contains([]Trigger{triggerReturn, triggerConvert}, by),
		c.Frequency == FrequencyVoid && slices.Contains(notOfVoids(), by),
		c.Frequency == FrequencyVoid && c.State == AcceptedPayer && (by == triggerReject || by == triggerNotFound): // the claim is voided
		return "", false
	}
	again := c.State == Reconciled && by == TriggerReconcile
	if slices.Contains(ofRemittances(), by) && c.SentAt.IsZero() || by == triggerVoidUnsent && !c.endsHere() || by == triggerAskVoid && c.endsHere() || again && !c.Unposted() && c.Open() == 0 {
		return "", false
	}
	if !c.ErasedAt.IsZero() && slices.Contains(ofErased(), by) {
		return "", false
	}
	for _, m := range claimMoves {
		if m.By == by && slices.Contains(m.From, c.State) {
			if m.To == "" || by == triggerErase && c.Frequency == FrequencyVoid {
				return c.State, true
			}
			return m.To, true
		}
	}
	return "", false
}

// ofRemittances returns the triggers of remittances, which are only about claims
// that were sent.
func ofRemittances() []Trigger {
	return []Trigger{TriggerPay, triggerDeny, triggerReverse, triggerReturn}
}

// notOfVoids returns the triggers that never apply to a void transaction. It is
// not paid, changed or voided.
func notOfVoids() []Trigger {
	return []Trigger{
		triggerValidate, triggerFindings, TriggerDraft, triggerReplace, TriggerPay, triggerDeny, triggerReverse, triggerReturn,
		TriggerReconcile, TriggerReopen, triggerAskVoid, triggerVoided, triggerConvert, triggerBillSecondary, TriggerEnrolled,
		triggerVoidUnsent, triggerEarlierDecided, triggerEarlierChanged,
	}
}

// move applies the trigger. It reports false, and changes nothing, when the
// trigger does not apply.
func (c *Claim) move(by Trigger, cause *Cause) bool {
	to, ok := c.may(by)
	if !ok {
		return false
	}
	cause.Previous = c.State
	c.UpdatedAt = cause.At
	if to != c.State || to == Reconciled && slices.Contains(append(ofRemittances(), TriggerReconcile), by) {
		c.State = to
		m := Move{State: to, At: cause.At, Cause: by}
		if cause.File != nil {
			m.File = cause.File.Name
		}
		c.History = append(slices.Clip(c.History), m)
	}
	c.forgetPlan()
	return true
}

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
