package billing

import (
	"slices"
)

// Review returns why a person must decide whether to apply the remittance, or the
// empty string when it can be applied. Found is how the claim was found. The ledger
// is without the remittance.
func (l *Ledger) Review(r *LedgerEntry, found MatchedBy) ReviewCode {
	c := l.claim
	switch {
	case !c.Suits(r.RemittanceClaim):
		return ReviewKindDiffers
	case found == MatchedByPayerNumber && !c.sameCharge(r.RemittanceClaim) && !c.sameLastName(r.RemittanceClaim):
		return ReviewPayerNumberOnly
	case !r.Balanced:
		return ReviewUnbalanced
	case c.EstimatedBy(r.RemittanceClaim):
		if c.patientDiffers(r.RemittanceClaim) && !c.sameCharge(r.RemittanceClaim) {
			return ReviewPatientAndCharge
		}
		return ""
	case r.Reverses() && !l.With(r).Cancels(r):
		if l.pays(r) {
			return ReviewReversalDiffers
		}
		return ReviewNoPayment
	case c.patientDiffers(r.RemittanceClaim) && l.chargeDiffers(r):
		return ReviewPatientAndCharge
	case l.repeats(r):
		return ReviewPaymentRepeated
	case l.overpays(r):
		return ReviewExceedsCharge
	default:
		return ""
	}
}

// overpays reports whether the payment comes beside another one of the same payer and
// sequence, which has another payer claim number and was not taken back, and the claim
// is then paid more than its charge.
func (l *Ledger) overpays(r *LedgerEntry) bool {
	if r.Reverses() || r.Paid <= 0 {
		return false
	}
	with := l.With(r)
	e := with.find(r)
	var paid Money
	beside := false
	for _, o := range with.entries {
		paid += o.Paid
		beside = beside || o != e && o.left() > 0 && o.payer == e.payer && o.sequence == e.sequence && o.PayerClaimNumber != e.PayerClaimNumber
	}
	return beside && paid > l.claim.Charge()
}

// pays reports whether a payment that the reversal names stands. A payment of a later
// day does not count.
func (l *Ledger) pays(r *LedgerEntry) bool {
	e := newEntry(l.claim, r)
	return slices.ContainsFunc(l.entries, func(o *ledgerEntry) bool {
		return !o.Reverses() && o.cancelledBy == nil && o.ERA.ID != r.ERA.ID && !r.Date.Before(o.Date) && e.names(o)
	})
}

// repeats reports whether a payment of the same payer, with the same number and the
// same amounts on the lines, stands under another trace.
func (l *Ledger) repeats(r *LedgerEntry) bool {
	if r.Reverses() || r.Paid == 0 {
		return false
	}
	e := newEntry(l.claim, r)
	return slices.ContainsFunc(l.entries, func(o *ledgerEntry) bool {
		return o.stand() && o.Paid == r.Paid && o.PayerClaimNumber == r.PayerClaimNumber &&
			o.payer == e.payer && o.ERA.TraceNumber != r.ERA.TraceNumber && o.samePaid(e)
	})
}

// samePaid reports whether both pay the same for each line.
func (e *ledgerEntry) samePaid(o *ledgerEntry) bool { return e.paysLike(o) && o.paysLike(e) }

// paysLike reports whether o pays the same for each line of e.
func (e *ledgerEntry) paysLike(o *ledgerEntry) bool {
	for i := range e.Lines {
		p := place{e, i}
		if e.paidFor(p) != o.paidFor(p) {
			return false
		}
	}
	return true
}

// paidFor returns what the entry pays for the service of the line.
func (e *ledgerEntry) paidFor(p place) (sum Money) {
	for i := range e.Lines {
		if e.same(i, p) {
			sum += e.Lines[i].Paid
		}
	}
	return sum
}

// Warnings returns what differs between an entry of the ledger and the claim. Given
// are warnings about its file.
func (l *Ledger) Warnings(r *LedgerEntry, given []WarningCode) []WarningCode {
	all, e := slices.Clone(given), l.find(r)
	if e == nil {
		e = newEntry(l.claim, r)
	}
	add := func(w WarningCode, when bool) {
		if when && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	c := l.claim
	add(WarnPatientDiffers, c.patientDiffers(r.RemittanceClaim))
	add(WarnChargeDiffers, l.chargeDiffers(r))
	for i := range r.Lines {
		add(WarnLineUnmatched, e.numbers[i] == 0)
		add(WarnProcedureUnknown, !c.bill(r.Lines[i].billed()))
	}
	if !r.Reverses() && r.PatientResponsibility != nil && !c.EstimatedBy(r.RemittanceClaim) {
		add(WarnPatientAmountDiffers, *r.PatientResponsibility != r.adjusted(Adjustment.ofPatient))
	}
	if s := l.Standing(); s != nil && c.Kind == KindClaim {
		add(WarnExceedsCharge, s.Exceeds)
		add(WarnPatientAmountCapped, s.Capped)
	}
	add(WarnPaymentRepeated, l.Without(r).repeats(r))
	return all
}

// chargeDiffers reports whether the charge is neither the claim's nor that of the
// lines that it pays.
func (l *Ledger) chargeDiffers(r *LedgerEntry) bool {
	if l.claim.sameCharge(r.RemittanceClaim) {
		return false
	}
	e, counted := newEntry(l.claim, r), map[int]bool{}
	var fees Money
	for _, n := range e.numbers {
		if n > 0 && !counted[n] {
			counted[n] = true
			fees += l.claim.Lines[n-1].Fee
		}
	}
	return fees == 0 || fees != r.Charge.Abs()
}
