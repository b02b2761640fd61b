package billing

import "slices"

// ClaimTrigger is a cause that can move a claim from one state to another.
type ClaimTrigger string

// The triggers. Files apply theirs as they arrive, in any order.
const (
	TriggerValidate            ClaimTrigger = "validation"             // made or changed, without findings
	TriggerFindings            ClaimTrigger = "findings"               // made or changed, with findings
	TriggerDraft               ClaimTrigger = "draft"                  // made or changed as a draft
	TriggerSubmit              ClaimTrigger = "submit"                 // a caller sends it
	TriggerReplace             ClaimTrigger = "replace"                // a caller replaces the content that the payer has
	TriggerSend                ClaimTrigger = "send"                   // the network has its file
	TriggerFileRejected        ClaimTrigger = "file_rejected"          // a 997 or 999 rejects the file
	TriggerFileRejectedAgain   ClaimTrigger = "file_rejected_again"    // so does one of live mode with the next file
	TriggerClearinghouseAccept ClaimTrigger = "clearinghouse_accepted" // a 277CA of the clearinghouse
	TriggerPayerAccept         ClaimTrigger = "payer_accepted"         // a 277CA of the payer
	TriggerReject              ClaimTrigger = "rejected"               // a 277CA, of either
	TriggerNotFound            ClaimTrigger = "not_found"              // a 277CA with category A4
	TriggerStatus              ClaimTrigger = "status"                 // a later 277
	TriggerPay                 ClaimTrigger = "payment"                // an 835, after which a payment stands
	TriggerDeny                ClaimTrigger = "denial"                 // an 835, after which a denial stands
	TriggerReverse             ClaimTrigger = "reversal"               // an 835, after which nothing stands
	TriggerReturn              ClaimTrigger = "estimate"               // an 835 with CLP02 25
	TriggerReconcile           ClaimTrigger = "reconcile"              // the user has posted the payment, again if it changed or is open
	TriggerAskVoid             ClaimTrigger = "void"                   // a void transaction is made
	TriggerVoided              ClaimTrigger = "voided"                 // the payer has accepted the void transaction
	TriggerConvert             ClaimTrigger = "convert"                // the predetermination becomes a claim
	TriggerBillSecondary       ClaimTrigger = "bill_secondary"         // the services are billed to the next payer, too
	TriggerReopen              ClaimTrigger = "reopen"                 // the user opens a reconciled claim again
	TriggerMatch               ClaimTrigger = "match"                  // a person matched a remittance claim
	TriggerApply               ClaimTrigger = "apply"                  // a person applied one that needed review
	TriggerIgnore              ClaimTrigger = "ignore"                 // a person finished one without applying it
	TriggerUnapply             ClaimTrigger = "unapply"                // a person took an application back
	TriggerEnrolled            ClaimTrigger = "enrollment"             // the enrollment that it waited for is active
	TriggerWithdraw            ClaimTrigger = "submit_withdrawn"       // it is no longer submitted by itself
	TriggerVoidUnsent          ClaimTrigger = "void_unsent"            // a caller voids a claim that was never sent
	TriggerEarlierDecided      ClaimTrigger = "earlier_payer_decided"  // it has the decision of the payer before
	TriggerEarlierChanged      ClaimTrigger = "earlier_payer_changed"  // it lacks one that it can be sent with
	TriggerCorrect             ClaimTrigger = "correct"                // a person replaced a remittance by its correction
)

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
