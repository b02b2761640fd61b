package billing

import "slices"

// claimMove is a row of the state table: the trigger moves a claim from any
// state of From to To. When To is empty, the state does not change.
type claimMove struct {
	By   ClaimTrigger
	From []ClaimState
	To   ClaimState
}

// claimMoves is the state table of claims. A caller gets an error for any other
// pair of state and trigger. A file with such a pair changes nothing.
//
//nolint:gochecknoglobals // a constant table
var claimMoves = []claimMove{
	{TriggerValidate, []ClaimState{"", ClaimDraft, ClaimNeedsAttention, ClaimRejected}, ClaimValidated},
	{TriggerFindings, []ClaimState{"", ClaimDraft, ClaimNeedsAttention, ClaimRejected}, ClaimNeedsAttention},
	{TriggerDraft, []ClaimState{"", ClaimDraft, ClaimNeedsAttention, ClaimRejected}, ClaimDraft},
	{TriggerEnrolled, []ClaimState{ClaimNeedsAttention}, ClaimValidated},
	{TriggerEarlierDecided, []ClaimState{ClaimNeedsAttention}, ClaimValidated},
	{TriggerEarlierChanged, []ClaimState{ClaimValidated, ClaimQueued}, ClaimNeedsAttention},
	{TriggerSubmit, []ClaimState{ClaimValidated}, ClaimQueued},
	{TriggerReplace, []ClaimState{ClaimAcceptedPayer, ClaimPaid, ClaimDenied}, ClaimQueued},
	{TriggerSend, []ClaimState{ClaimQueued}, ClaimSubmitted},
	{TriggerFileRejected, []ClaimState{ClaimSubmitted}, ClaimQueued},
	{TriggerFileRejectedAgain, []ClaimState{ClaimSubmitted}, ClaimNeedsAttention},
	{TriggerClearinghouseAccept, []ClaimState{ClaimSubmitted}, ClaimAcceptedClearinghouse},
	{TriggerPayerAccept, []ClaimState{ClaimSubmitted, ClaimAcceptedClearinghouse}, ClaimAcceptedPayer},
	{TriggerReject, []ClaimState{ClaimSubmitted, ClaimAcceptedClearinghouse, ClaimAcceptedPayer}, ClaimRejected},
	{TriggerNotFound, []ClaimState{ClaimSubmitted, ClaimAcceptedClearinghouse, ClaimAcceptedPayer}, ClaimNeedsAttention},
	{TriggerStatus, []ClaimState{ClaimAcceptedPayer}, ""},
	{TriggerPay, decidable(ClaimRejected), ClaimPaid},
	{TriggerDeny, decidable(ClaimRejected), ClaimDenied},
	{TriggerReverse, decidable(), ClaimAcceptedPayer},
	{TriggerPay, settled(ClaimReconciled), ""},
	{TriggerDeny, settled(ClaimReconciled), ""},
	{TriggerReverse, settled(ClaimRejected, ClaimReconciled), ""},
	{TriggerReturn, []ClaimState{ClaimSubmitted, ClaimAcceptedClearinghouse, ClaimAcceptedPayer, ClaimRejected, ClaimReturned}, ClaimReturned},
	{TriggerReturn, settled(), ""},
	{TriggerReconcile, []ClaimState{ClaimPaid, ClaimDenied, ClaimReconciled}, ClaimReconciled},
	{TriggerReopen, []ClaimState{ClaimReconciled}, ""},
	{TriggerAskVoid, []ClaimState{ClaimAcceptedClearinghouse, ClaimAcceptedPayer, ClaimPaid, ClaimDenied}, ""},
	{TriggerVoidUnsent, []ClaimState{ClaimDraft, ClaimValidated, ClaimNeedsAttention, ClaimQueued}, ClaimVoided},
	{TriggerVoided, []ClaimState{ClaimAcceptedClearinghouse, ClaimAcceptedPayer, ClaimPaid, ClaimDenied, ClaimReturned}, ClaimVoided},
	{TriggerConvert, []ClaimState{ClaimAcceptedPayer, ClaimReturned}, ""},
	{TriggerBillSecondary, decidable(ClaimValidated, ClaimNeedsAttention, ClaimQueued, ClaimRejected, ClaimReconciled), ""},
}

// decidable returns the states in which a remittance decides the claim, and more.
func decidable(more ...ClaimState) []ClaimState {
	return append([]ClaimState{ClaimSubmitted, ClaimAcceptedClearinghouse, ClaimAcceptedPayer, ClaimPaid, ClaimDenied}, more...)
}

// settled returns the states in which a remittance changes the figures of a claim
// that was sent, and not its state, and more.
func settled(more ...ClaimState) []ClaimState {
	return append([]ClaimState{ClaimDraft, ClaimValidated, ClaimNeedsAttention, ClaimQueued, ClaimVoided}, more...)
}

// may returns the state that the trigger moves the claim to, and whether it
// applies.
func (c *Claim) may(by ClaimTrigger) (to ClaimState, ok bool) {
	switch {
	case c.Kind == KindPredetermination && slices.Contains([]ClaimTrigger{TriggerPay, TriggerDeny, TriggerReverse, TriggerReconcile, TriggerReopen, TriggerReplace, TriggerBillSecondary, TriggerEarlierDecided, TriggerEarlierChanged}, by),
		c.Kind == KindClaim && slices.Contains([]ClaimTrigger{TriggerReturn, TriggerConvert}, by),
		c.Frequency == FrequencyVoid && slices.Contains(notOfVoids(), by),
		c.Frequency == FrequencyVoid && c.State == ClaimAcceptedPayer && (by == TriggerReject || by == TriggerNotFound): // the claim is voided
		return "", false
	}
	again := c.State == ClaimReconciled && by == TriggerReconcile
	if slices.Contains(ofRemittances(), by) && c.SentAt.IsZero() || by == TriggerVoidUnsent && !c.unsent() || again && !c.Unposted() && c.Open() == 0 {
		return "", false
	}
	for _, m := range claimMoves {
		if m.By == by && slices.Contains(m.From, c.State) {
			if m.To == "" {
				return c.State, true
			}
			return m.To, true
		}
	}
	return "", false
}

// unsent reports whether no file has ever carried the claim.
func (c *Claim) unsent() bool { return c.SentAt.IsZero() && c.BatchID.IsZero() }

// ofRemittances returns the triggers of remittances, which are only about claims
// that were sent.
func ofRemittances() []ClaimTrigger {
	return []ClaimTrigger{TriggerPay, TriggerDeny, TriggerReverse, TriggerReturn}
}

// notOfVoids returns the triggers that never apply to a void transaction. It is
// not paid, changed or voided.
func notOfVoids() []ClaimTrigger {
	return []ClaimTrigger{
		TriggerValidate, TriggerFindings, TriggerDraft, TriggerReplace, TriggerPay, TriggerDeny, TriggerReverse, TriggerReturn,
		TriggerReconcile, TriggerReopen, TriggerAskVoid, TriggerVoided, TriggerConvert, TriggerBillSecondary, TriggerEnrolled,
		TriggerVoidUnsent, TriggerEarlierDecided, TriggerEarlierChanged,
	}
}

// move applies the trigger. It reports false, and changes nothing, when the
// trigger does not apply.
func (c *Claim) move(by ClaimTrigger, cause *ClaimCause) bool {
	to, ok := c.may(by)
	if !ok {
		return false
	}
	cause.Previous = c.State
	c.UpdatedAt = cause.At
	if to != c.State || to == ClaimReconciled && slices.Contains(append(ofRemittances(), TriggerReconcile), by) {
		c.State = to
		m := ClaimMove{State: to, At: cause.At, Cause: by}
		if cause.File != nil {
			m.File = cause.File.Name
		}
		c.History = append(slices.Clip(c.History), m)
	}
	return true
}
