package billing

import (
	"slices"
	"time"
)

// ClaimPayment is the effect of one remittance on a claim.
type ClaimPayment struct {
	ERAID                 ERAID
	Ordinal               int    // of the claim in the remittance
	StatusCode            string // CLP02: 1 to 3 processed, 4 denied, 22 a reversal
	Paid                  Money  // negative for a reversal
	Allowed               *Money // nil when the remittance has none
	PatientResponsibility Money
	Date                  Date   // of the payment; zero when the remittance has none
	PayerClaimNumber      string // CLP07
	Original              string // REF F8
	Denied                bool
	Cancelled             bool // a reversal canceled the payment, or the payment is a reversal
}

// Reverses reports whether the payment reverses an earlier one.
func (p *ClaimPayment) Reverses() bool { return p.StatusCode == claimReversed }

// PaymentOutcome is the payer's decision on a claim.
type PaymentOutcome string

// The outcomes.
const (
	OutcomePaid   PaymentOutcome = "paid"
	OutcomeDenied PaymentOutcome = "denied"
)

// ClaimStanding is a claim's own figures after all payments applied to it,
// reversals subtracted.
type ClaimStanding struct {
	Outcome               PaymentOutcome // of the latest payment that no reversal cancels
	ERAID                 ERAID          // of that payment
	PaymentDate           Date           // of that payment; zero when its remittance has none
	Paid                  Money
	Allowed               *Money // nil when the remittance has none
	PatientResponsibility Money
}

// ClaimEstimate is a payer's response to a predetermination: the amounts that
// it would pay.
type ClaimEstimate struct {
	ERAID      ERAID
	Allowed    *Money // nil when the remittance has none
	Pay        Money
	Patient    Money
	ReturnedAt time.Time
	Lines      []LineEstimate
}

// LineEstimate is the estimate for a line.
type LineEstimate struct {
	Number  int    // of the line, from 1
	Allowed *Money // nil when the remittance has none
	Pay     Money
	Patient Money
}

// CanApply reports whether a payment or an estimate of a remittance applies to the
// claim in its present state.
func (c *Claim) CanApply(r *ERAClaim) bool {
	if r.Estimates() {
		_, ok := c.may(TriggerReturn)
		return ok
	}
	if _, ok := c.may(TriggerPay); !ok {
		return false
	}
	return !r.Reverses() || c.reversed(r.Payment(ERAID{})) >= 0
}

// Pay applies a payment, a denial, or the reversal of one. It reports false,
// and changes nothing, when the claim's state does not allow it or a reversal
// finds no payment.
func (c *Claim) Pay(p ClaimPayment, cause ClaimCause) (Event, bool) {
	cancels := -1
	if p.Reverses() {
		if cancels = c.reversed(p); cancels < 0 {
			return Event{}, false
		}
	}
	next := *c
	next.Payments = append(slices.Clone(c.Payments), p)
	if cancels >= 0 {
		next.Payments[cancels].Cancelled, next.Payments[len(c.Payments)].Cancelled = true, true
	}
	standing := next.Standing()
	by, event := TriggerReverse, EventClaimPaymentReversed
	switch {
	case standing == nil:
	case standing.Outcome == OutcomeDenied:
		by = TriggerDeny
	default:
		by = TriggerPay
	}
	switch {
	case p.Reverses():
	case p.Denied:
		event = EventClaimDenied
	default:
		event = EventClaimPaid
	}
	if !next.move(by, &cause) {
		return Event{}, false
	}
	if p.PayerClaimNumber != "" {
		next.PayerClaimNumber = p.PayerClaimNumber
	}
	*c = next
	return c.PaymentEvent(event, cause, p, standing), true
}

// reversed returns the index of the payment that a reversal cancels, or -1. It is
// the latest that stands with the same amount, preferably with the payer's same
// number. A reversal repeats the claim with every sign inverted (005010X221A1,
// 1.10.2.8).
func (c *Claim) reversed(p ClaimPayment) int {
	found := -1
	for i, have := range slices.Backward(c.Payments) {
		if have.Cancelled || have.Reverses() || have.Paid != -p.Paid {
			continue
		}
		if number := have.PayerClaimNumber; number != "" && (number == p.PayerClaimNumber || number == p.Original) {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// Standing returns the claim's figures after all payments, or nil when none
// stands. A payment and its reversal are left out, because some payers do not
// invert the sign of the patient's share. A denial without an allowed amount
// does not clear the amount that a payment set.
func (c *Claim) Standing() *ClaimStanding {
	var s ClaimStanding
	known, stated := true, false
	var allowed Money
	for i := range c.Payments {
		p := &c.Payments[i]
		if p.Cancelled {
			continue
		}
		s.Paid += p.Paid
		s.PatientResponsibility += p.PatientResponsibility
		s.ERAID, s.PaymentDate, s.Outcome = p.ERAID, p.Date, OutcomePaid
		if p.Denied {
			s.Outcome = OutcomeDenied
		}
		switch {
		case p.Allowed != nil:
			allowed += *p.Allowed
			stated = true
		case !p.Denied:
			known = false
		}
	}
	if s.Outcome == "" {
		return nil
	}
	if known && stated {
		s.Allowed = &allowed
	}
	return &s
}
