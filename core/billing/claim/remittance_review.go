package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Review returns why a person must decide whether to apply the remittance, or the
// empty string when it can be applied. Found is how the claim was found. The ledger
// is without the remittance.
func (l *Ledger) Review(r *remit.LedgerEntry, found remit.MatchedBy) remit.ReviewCode {
	c := l.claim
	switch {
	case !c.Suits(r.Claim):
		return remit.ReviewKindDiffers
	case found == remit.MatchedByPayerNumber && !c.sameCharge(r.Claim) && !c.sameLastName(r.Claim):
		return remit.ReviewPayerNumberOnly
	case !r.Balanced:
		return remit.ReviewUnbalanced
	case c.EstimatedBy(r.Claim):
		if c.patientDiffers(r.Claim) && !c.sameCharge(r.Claim) {
			return remit.ReviewPatientAndCharge
		}
		return ""
	case r.Reverses() && !l.With(r).cancels(r):
		if l.pays(r) {
			return remit.ReviewReversalDiffers
		}
		return remit.ReviewNoPayment
	case c.patientDiffers(r.Claim) && l.chargeDiffers(r):
		return remit.ReviewPatientAndCharge
	case l.repeats(r):
		return remit.ReviewPaymentRepeated
	case l.overpays(r):
		return remit.ReviewExceedsCharge
	default:
		return ""
	}
}

// overpays reports whether the payment comes beside another one of the same payer and
// sequence, which has another payer claim number and was not taken back, and the claim
// is then paid more than its charge.
func (l *Ledger) overpays(r *remit.LedgerEntry) bool {
	if r.Reverses() || r.Paid <= 0 {
		return false
	}
	with := l.With(r)
	e := with.find(r)
	var paid billing.Money
	beside := false
	for _, o := range with.entries {
		paid += o.Paid
		beside = beside || o != e && o.left() > 0 && o.payer == e.payer && o.sequence == e.sequence && o.PayerClaimNumber != e.PayerClaimNumber
	}
	return beside && paid > l.claim.Charge()
}

// pays reports whether a payment that the reversal names stands. A payment of a later
// day does not count.
func (l *Ledger) pays(r *remit.LedgerEntry) bool {
	e := newEntry(l.claim, r)
	return slices.ContainsFunc(l.entries, func(o *ledgerEntry) bool {
		return !o.Reverses() && o.cancelledBy == nil && o.ERA.ID != r.ERA.ID && !r.Date.Before(o.Date) && e.names(o)
	})
}

// repeats reports whether a payment of the same payer, with the same number and the
// same amounts on the lines, stands under another trace.
func (l *Ledger) repeats(r *remit.LedgerEntry) bool {
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
func (e *ledgerEntry) paidFor(p place) (sum billing.Money) {
	for i := range e.Lines {
		if e.same(i, p) {
			sum += e.Lines[i].Paid
		}
	}
	return sum
}

// Warnings returns what differs between an entry of the ledger and the claim. Given
// are warnings about its file.
func (l *Ledger) Warnings(r *remit.LedgerEntry, given []remit.WarningCode) []remit.WarningCode {
	all, e := slices.Clone(given), l.find(r)
	if e == nil {
		e = newEntry(l.claim, r)
	}
	add := func(w remit.WarningCode, when bool) {
		if when && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	c := l.claim
	add(remit.WarnPatientDiffers, c.patientDiffers(r.Claim))
	add(remit.WarnChargeDiffers, l.chargeDiffers(r))
	for i := range r.Lines {
		add(remit.WarnLineUnmatched, e.numbers[i] == 0)
		add(remit.WarnProcedureUnknown, !c.bill(r.Lines[i].Billed()))
	}
	if !r.Reverses() && r.PatientResponsibility != nil && !c.EstimatedBy(r.Claim) {
		add(remit.WarnPatientAmountDiffers, *r.PatientResponsibility != r.Adjusted(remit.Adjustment.OfPatient))
	}
	if s := l.Standing(); s != nil && c.Kind == KindClaim {
		add(remit.WarnExceedsCharge, s.Exceeds)
		add(remit.WarnPatientAmountCapped, s.Capped)
	}
	add(remit.WarnPaymentRepeated, l.Without(r).repeats(r))
	return all
}

// chargeDiffers reports whether the charge is neither the claim's nor that of the
// lines that it pays.
func (l *Ledger) chargeDiffers(r *remit.LedgerEntry) bool {
	if l.claim.sameCharge(r.Claim) {
		return false
	}
	e, counted := newEntry(l.claim, r), map[int]bool{}
	var fees billing.Money
	for _, n := range e.numbers {
		if n > 0 && !counted[n] {
			counted[n] = true
			fees += l.claim.Lines[n-1].Fee
		}
	}
	return fees == 0 || fees != r.Charge.Abs()
}
