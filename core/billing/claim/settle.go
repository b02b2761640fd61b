package claim

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Settle sets the figures after the entry was added to the ledger. A claim that
// the payer can still decide moves to the state that the figures give. Settle
// reports false, and changes nothing, for a claim that remittances cannot be about.
func (c *Claim) Settle(l *Ledger, e *remit.LedgerEntry, cause Cause) (event.Event, bool) {
	ev := event.ClaimPaid
	switch {
	case e.Reverses():
		ev = event.ClaimPaymentReversed
	case e.Outcome() == remit.OutcomeDenied:
		ev = event.ClaimDenied
	}
	if !c.settle(l, &cause, e.Reverses()) {
		return event.Event{}, false
	}
	if n := l.payerNumber(); n != "" {
		c.PayerClaimNumber = n
	}
	return c.paymentEvent(ev, cause, e.Payment(), c.Standing), true
}

// Unsettle sets the figures after the entry was removed from the ledger.
func (c *Claim) Unsettle(l *Ledger, e *remit.LedgerEntry, cause Cause) (event.Event, bool) {
	if !c.settle(l, &cause, !e.Reverses()) {
		return event.Event{}, false
	}
	p := e.Payment()
	p.Paid, p.PatientResponsibility = -p.Paid, -p.PatientResponsibility
	if p.Allowed != nil {
		p.Allowed = new(-*p.Allowed)
	}
	return c.paymentEvent(event.ClaimPaymentReversed, cause, p, c.Standing), true
}

// settle sets the figures. The history says of less than before that it was taken back,
// also when a payment or a denial stands after it.
func (c *Claim) settle(l *Ledger, cause *Cause, less bool) bool {
	s, steps := l.Standing(), len(c.History)
	if !c.move(s.decision(), cause) {
		return false
	}
	if less && len(c.History) > steps {
		c.History[steps].Cause = triggerReverse
	}
	c.Standing = s
	c.settledAt(cause.At)
	c.SetElsewhere(l)
	c.Recount(l)
	return true
}

// Share sets the figures after the claim to the other payer for the same services was
// decided. The state stays. Share reports whether the figures changed.
func (c *Claim) Share(l *Ledger, at time.Time) bool {
	s, open := l.Standing(), c.Open()
	decided := s != nil && c.Standing != nil
	changed := decided && !s.equal(c.Standing)
	posts := changed && !s.equal(c.Standing.with(s))
	if changed {
		c.Standing = s
	}
	c.SetElsewhere(l)
	posts = posts || c.Open() != open
	if !changed && !posts {
		return false
	}
	if c.UpdatedAt = at; decided && posts {
		c.settledAt(at)
	}
	return true
}

// settledAt records when the figures changed: after the claim was reconciled, also at the
// same instant, because the clock of the sandbox may stand.
func (c *Claim) settledAt(at time.Time) {
	if c.SettledAt = at; !at.After(c.ReconciledAt) {
		c.SettledAt = c.ReconciledAt.Add(time.Microsecond)
	}
}

// Restate sets what the claim repeats of its ledger, after the payer sent the same again in
// another remittance. Its figures are the same, so nothing happened to it.
func (c *Claim) Restate(l *Ledger) {
	if c.Kind == KindClaim {
		c.Standing = l.Standing()
		c.Recount(l)
	} else if c.Estimate != nil && c.ConvertedTo.IsZero() {
		c.Estimate = l.estimate()
	}
}

// decision returns the trigger that the figures give; nil stands for none.
func (s *Standing) decision() Trigger {
	switch {
	case s == nil:
		return triggerReverse
	case s.Outcome == remit.OutcomeDenied:
		return triggerDeny
	default:
		return TriggerPay
	}
}

// Unreturn removes the estimate of a remittance that the ledger no longer has. A
// predetermination that was not converted shows the estimate before it, or waits for
// one again.
func (c *Claim) Unreturn(l *Ledger, era billing.ERAID, at time.Time) {
	if c.Estimate == nil || c.Estimate.ERAID != era || !c.ConvertedTo.IsZero() {
		return
	}
	c.Estimate, c.UpdatedAt = l.estimate(), at
	if c.Estimate == nil && c.State == Returned {
		c.State = AcceptedPayer
	}
}

// estimate returns the latest estimate; nil when there is none.
func (l *Ledger) estimate() *remit.ClaimEstimate {
	for _, e := range slices.Backward(l.entries) {
		if l.claim.EstimatedBy(e.Claim) {
			s := e.Estimate(e.ERA.ID, e.numbers)
			s.ReturnedAt = e.AppliedAt
			return &s
		}
	}
	return nil
}

// Reopen returns a reconciled claim to the state that its figures give. It takes back what
// was accepted. By is the key or the user.
func (r *Record) Reopen(by string, at time.Time) error {
	if _, err := r.ask(TriggerReopen, at); err != nil {
		return err
	}
	to := map[Trigger]State{TriggerPay: Paid, triggerDeny: Denied, triggerReverse: AcceptedPayer}[r.Standing.decision()]
	r.State, r.ReconciledAt, r.ReconciledWith, r.Accepted = to, time.Time{}, billing.ERAID{}, nil
	r.History = append(slices.Clip(r.History), Move{State: to, At: at, Cause: TriggerReopen, By: by})
	return nil
}

// Noted adds what a person did, and what does not move the claim, to the history.
func (c *Claim) Noted(by Trigger, cause Cause, principal caller.Principal, note string) {
	m := Move{State: c.State, At: cause.At, Cause: by, By: principal.ID, Note: note}
	if cause.File != nil {
		m.File = cause.File.Name
	}
	c.History, c.UpdatedAt = append(slices.Clip(c.History), m), cause.At
}
