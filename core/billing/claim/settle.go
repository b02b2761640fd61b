package billing

import (
	"slices"
	"time"
)

// Settle sets the figures after the entry was added to the ledger. A claim that
// the payer can still decide moves to the state that the figures give. Settle
// reports false, and changes nothing, for a claim that remittances cannot be about.
func (c *Claim) Settle(l *Ledger, e *LedgerEntry, cause ClaimCause) (Event, bool) {
	event := EventClaimPaid
	switch {
	case e.Reverses():
		event = EventClaimPaymentReversed
	case e.Outcome() == OutcomeDenied:
		event = EventClaimDenied
	}
	if !c.settle(l, &cause) {
		return Event{}, false
	}
	if n := l.payerNumber(); n != "" {
		c.PayerClaimNumber = n
	}
	return c.PaymentEvent(event, cause, e.Payment(), c.Standing), true
}

// Unsettle sets the figures after the entry was removed from the ledger.
func (c *Claim) Unsettle(l *Ledger, e *LedgerEntry, cause ClaimCause) (Event, bool) {
	if !c.settle(l, &cause) {
		return Event{}, false
	}
	p := e.Payment()
	p.Paid, p.PatientResponsibility = -p.Paid, -p.PatientResponsibility
	if p.Allowed != nil {
		p.Allowed = new(-*p.Allowed)
	}
	return c.PaymentEvent(EventClaimPaymentReversed, cause, p, c.Standing), true
}

func (c *Claim) settle(l *Ledger, cause *ClaimCause) bool {
	s := l.Standing()
	if !c.move(s.decision(), cause) {
		return false
	}
	c.Standing, c.SettledAt = s, cause.At
	c.SetElsewhere(l)
	return true
}

// Share sets the figures after the claim to the other payer for the same services was
// decided. The state stays. Share reports whether the figures changed.
func (c *Claim) Share(l *Ledger, at time.Time) bool {
	s, open := l.Standing(), c.Open()
	decided := s != nil && c.Standing != nil
	changed := decided && !s.equal(c.Standing)
	if changed {
		c.Standing = s
	}
	c.SetElsewhere(l)
	if changed = changed || c.Open() != open; !changed {
		return false
	}
	if c.UpdatedAt = at; decided {
		c.SettledAt = at
	}
	return true
}

// Restate sets what the claim repeats of its ledger, after the payer sent the same again in
// another remittance. Its figures are the same, so nothing happened to it.
func (c *Claim) Restate(l *Ledger) {
	if c.Kind == KindClaim {
		c.Standing = l.Standing()
	} else if c.Estimate != nil && c.ConvertedTo.IsZero() {
		c.Estimate = l.estimate()
	}
}

// decision returns the trigger that the figures give; nil stands for none.
func (s *ClaimStanding) decision() ClaimTrigger {
	switch {
	case s == nil:
		return TriggerReverse
	case s.Outcome == OutcomeDenied:
		return TriggerDeny
	default:
		return TriggerPay
	}
}

// Unreturn removes the estimate of a remittance that the ledger no longer has. A
// predetermination that was not converted shows the estimate before it, or waits for
// one again.
func (c *Claim) Unreturn(l *Ledger, era ERAID, at time.Time) {
	if c.Estimate == nil || c.Estimate.ERAID != era || !c.ConvertedTo.IsZero() {
		return
	}
	c.Estimate, c.UpdatedAt = l.estimate(), at
	if c.Estimate == nil && c.State == ClaimReturned {
		c.State = ClaimAcceptedPayer
	}
}

// estimate returns the latest estimate; nil when there is none.
func (l *Ledger) estimate() *ClaimEstimate {
	for _, e := range slices.Backward(l.entries) {
		if l.claim.EstimatedBy(e.RemittanceClaim) {
			s := e.Estimate(e.ERA.ID, e.numbers)
			s.ReturnedAt = e.AppliedAt
			return &s
		}
	}
	return nil
}

// Reopen returns a reconciled claim to the state that its figures give. It takes back what
// was accepted. By is the key or the user.
func (r *ClaimRecord) Reopen(by string, at time.Time) error {
	if _, err := r.ask(TriggerReopen, at); err != nil {
		return err
	}
	to := map[ClaimTrigger]ClaimState{TriggerPay: ClaimPaid, TriggerDeny: ClaimDenied, TriggerReverse: ClaimAcceptedPayer}[r.Standing.decision()]
	r.State, r.ReconciledAt, r.Accepted = to, time.Time{}, nil
	r.History = append(slices.Clip(r.History), ClaimMove{State: to, At: at, Cause: TriggerReopen, By: by})
	return nil
}

// Noted adds what a person did with a remittance of the claim to the history.
func (c *Claim) Noted(by ClaimTrigger, cause ClaimCause, principal Principal, note string) {
	m := ClaimMove{State: c.State, At: cause.At, Cause: by, By: principal.ID, Note: note}
	if cause.File != nil {
		m.File = cause.File.Name
	}
	c.History, c.UpdatedAt = append(slices.Clip(c.History), m), cause.At
}
