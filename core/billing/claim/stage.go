package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// Stage returns how far the clearinghouse and the payer have come with the claim as it was
// sent. It reports false while no file has the claim as it is.
func (c *Claim) Stage() (at scenario.Stage, sent bool) {
	if c.SentAt.IsZero() || c.BatchID.IsZero() || c.State == Queued || c.atHand() && c.State != Rejected {
		return scenario.Over, false
	}
	at = scenario.Sent
	for _, m := range slices.Backward(c.History) {
		stage, known := stageAfter(m.Cause)
		if !known {
			continue
		}
		if at = stage; at == scenario.Decided && c.Kind == KindClaim && c.Standing == nil {
			at = scenario.Reversed
		}
		break
	}
	if c.State == Voided && at != scenario.Decided || c.Frequency == FrequencyVoid && at == scenario.Accepted {
		at = scenario.Over
	}
	return at, true
}

// Files returns the names of the files that carried the claim.
func (c *Claim) Files() (names []string) {
	for _, m := range c.History {
		if m.Cause == TriggerSend {
			names = append(names, m.File)
		}
	}
	return names
}

// stageAfter returns the stage of a claim after a file, and false for what is no file of the
// clearinghouse. After a reversal, a part of the decision may stand.
func stageAfter(by Trigger) (at scenario.Stage, known bool) {
	switch by { //nolint:exhaustive // the others are no files
	case TriggerSend:
		return scenario.Sent, true
	case triggerClearinghouseAccept:
		return scenario.Forwarded, true
	case TriggerPayerAccept:
		return scenario.Accepted, true
	case TriggerPay, triggerDeny, triggerReverse, triggerReturn:
		return scenario.Decided, true
	case triggerReject:
		return scenario.Over, true
	}
	return at, false
}

// Follows reports whether the step can come at the stage of the claim. Nothing is paid for a
// predetermination, and only it is estimated.
func (c *Claim) Follows(s *scenario.ClaimStep) bool {
	at, _ := c.Stage()
	_, follows := at.Follow(s)
	switch s.Do { //nolint:exhaustive // the others suit both kinds
	case scenario.Estimate:
		return follows && c.Kind == KindPredetermination
	case scenario.Reverse, scenario.TakeBack:
		return follows && c.Kind == KindClaim
	}
	return follows
}

// Decision returns the latest decision of the claim's payer that stands: the entries of one
// remittance, with the reversals, which may take back a part of it. It is empty if none
// stands.
func (l *Ledger) Decision() (all []*remit.LedgerEntry) {
	var last *remit.LedgerEntry
	for _, e := range l.entries {
		if !e.Reverses() && e.stand() && l.claim.isFor(e.ERA) {
			last = e.LedgerEntry
		}
	}
	if last == nil {
		return nil
	}
	for _, e := range l.entries {
		if e.Reverses() || e.ERA.ID == last.ERA.ID && e.stand() {
			all = append(all, e.LedgerEntry)
		}
	}
	return all
}
