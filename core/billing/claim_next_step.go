package billing

import "cmp"

// NextStep is one sentence on what happens next, or what the user has to do.
func (c *Claim) NextStep() string {
	switch c.State {
	case ClaimDraft:
		return "Complete the draft with PATCH; it is validated when it is sent without draft."
	case ClaimNeedsAttention:
		return "Mend what findings names, with PATCH; the claim is then validated again."
	case ClaimValidated:
		return "Submit it when it is to be sent to the payer."
	case ClaimQueued:
		if c.Scope.Mode == ModeLive {
			return "It waits until a clearinghouse is configured for live mode."
		}
		return "It goes out with the next batch; nothing is to be done."
	case ClaimSubmitted:
		return "The clearinghouse has the file and will say whether it takes the claim; nothing is to be done."
	case ClaimAcceptedClearinghouse:
		return "The payer will say whether it takes the claim; nothing is to be done."
	case ClaimAcceptedPayer:
		switch {
		case c.Frequency == FrequencyVoid:
			return "The payer has taken the claim back; nothing is to be done."
		case c.Kind == KindPredetermination:
			return "The payer will answer with an estimate; nothing is to be done."
		default:
			return "The payer will decide and send a remittance; nothing is to be done."
		}
	case ClaimRejected:
		if c.Frequency == FrequencyVoid {
			return "Void the claim in parent_id once more if it is still to be taken back; nothing is to be done with this transaction."
		}
		return "Mend what findings names, with PATCH, and submit it again."
	case ClaimVoided:
		return "The payer has taken the claim back; make a new claim if the services are still to be billed."
	case ClaimPaid:
		return "Post the payment in the practice's books, then reconcile the claim."
	case ClaimDenied:
		return "Read the adjustments in the remittance: replace the claim, or bill the patient and reconcile it."
	case ClaimReconciled:
		return "The claim is settled; nothing is to be done."
	case ClaimReturned:
		if !c.ConvertedTo.IsZero() {
			return "It was converted; follow the claim in converted_to."
		}
		return "Convert it to a claim when the services are done."
	default:
		return ""
	}
}

// errClaimState is the error, with CodeConflict, of asking for what the claim's
// state does not allow.
func errClaimState(by ClaimTrigger, r *ClaimRecord) error {
	return &Error{Code: CodeConflict, Message: precondition(by) + " This one is " + string(r.State) + kindWords(r) + ": " + r.NextStep()}
}

func kindWords(r *ClaimRecord) string {
	switch {
	case r.HasVoid:
		return ", and has a void"
	case r.Frequency == FrequencyVoid:
		return ", and the void of another claim"
	case r.Kind == KindPredetermination:
		return ", and a predetermination"
	default:
		return ""
	}
}

// precondition says in which states callers can pull the trigger.
func precondition(by ClaimTrigger) string {
	words := map[ClaimTrigger]string{
		TriggerSubmit:    "A claim can be submitted when it is validated.",
		TriggerReplace:   "A claim can be replaced when the payer has it, accepted_payer, paid or denied, and is not asked to void it.",
		TriggerReconcile: "A claim can be reconciled when it is paid or denied.",
		TriggerAskVoid:   "A claim can be voided when it was accepted, paid or denied.",
		TriggerConvert:   "A predetermination can be converted when the payer has accepted or returned it.",
	}
	return cmp.Or(words[by], "A claim can be changed while it is a draft, needs attention or is rejected.")
}
