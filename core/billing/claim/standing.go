package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Standing returns the figures, or nil when no adjudication stands.
func (l *Ledger) Standing() *Standing {
	var decisive *ledgerEntry
	for _, e := range l.entries {
		if e.stand() && (decisive == nil || e.decides() >= decisive.decides()) {
			decisive = e
		}
	}
	if decisive == nil {
		return nil
	}
	s := l.figures()
	s.Outcome, s.ERAID, s.PaymentDate, s.OpenReason = remit.OutcomeDenied, decisive.ERA.ID, decisive.Date, l.openReason()
	l.repeat(s)
	if decisive.decides() > refusal {
		s.Outcome = remit.OutcomePaid
	}
	return s
}

// figures returns the amounts of the standing.
func (l *Ledger) figures() *Standing {
	s := &Standing{LaterDecided: l.laterDecides()}
	for _, e := range l.entries {
		s.Paid += e.Paid
		s.CrossedOver = s.CrossedOver || e.CrossoverPayer != nil && e.cancelledBy == nil
	}
	for _, o := range l.beside {
		if o.claim.comesAfter(l.claim) {
			for _, e := range o.entries {
				s.PaidLater += e.Paid
			}
		}
	}
	l.sumPrimary(s)
	s.PatientResponsibility = l.patient().total()
	rest := l.claim.Charge() - s.Paid - l.paidElsewhere() - s.Contractual
	s.Exceeds = rest < 0
	if rest = max(rest, 0); s.PatientResponsibility > rest {
		s.PatientResponsibility, s.Capped = rest, true
	}
	return s
}

// The decisions of a payer, by their weight for the outcome of the claim.
const (
	refusal       = iota
	explainedZero // the plan explains that nothing was paid
	payment
)

// decides returns the entry's decision, as far as it stands.
func (e *ledgerEntry) decides() int {
	switch {
	case e.left() > 0:
		return payment
	case slices.ContainsFunc(e.standing(), remit.Adjustment.ExplainsZero):
		return explainedZero
	default:
		return refusal
	}
}

// sumPrimary sets the figures of the primary payer.
func (l *Ledger) sumPrimary(s *Standing) {
	var allowed billing.Money
	known, decided := true, false
	for _, e := range l.latest(billing.SequencePrimary) {
		decided = true
		contract, refused, amount, ok := e.primary()
		s.Contractual += contract
		s.NotPaid += refused
		allowed += amount
		known = known && ok
	}
	if known && decided {
		s.Allowed = &allowed
	}
}

// primary returns the standing figures of an entry of the primary payer. Ok is
// false when it pays without lines and does not state what it allows.
func (e *ledgerEntry) primary() (contract, refused, allowed billing.Money, ok bool) {
	all := e.standing()
	contract, refused = remit.Sum(all, remit.Adjustment.Contractual), remit.Sum(all, remit.Adjustment.NotPaid)
	if len(e.Lines) == 0 {
		allowed, ok = e.AllowedByLevel()
		return contract, refused, allowed, ok
	}
	stated := false
	for i, stands := range e.stands {
		if stands {
			allowed += e.Lines[i].AllowedAmount()
			stated = stated || e.Lines[i].Allowed != nil
		}
	}
	if !stated && e.levelStands() {
		allowed -= remit.Sum(e.Adjustments, remit.Adjustment.ReducesAllowed)
	}
	return contract, refused, allowed, true
}

// latest returns the standing entries of a sequence. When several payers have the
// sequence, they are those of the payer that decided last.
func (l *Ledger) latest(s billing.Sequence) (all []*ledgerEntry) {
	for _, e := range slices.Backward(l.decisions()) {
		if e.sequence == s && e.stand() && (len(all) == 0 || all[0].payer == e.payer) {
			all = append(all, e)
		}
	}
	return all
}

// patient returns what the payers leave to the patient: for each line the amount of the
// last payer in sequence that decided it, and the last payer's amount for the claim
// itself.
func (l *Ledger) patient() tally {
	owed := l.tally()
	var later []*ledgerEntry // of the payers after this one
	for _, s := range slices.Backward(billing.Sequences()) {
		entries := slices.DeleteFunc(l.latest(s), (*ledgerEntry).onlyRefuses)
		for _, e := range entries {
			if len(later) == 0 && e.levelStands() {
				owed.add(0, remit.Sum(e.Adjustments, remit.Adjustment.OfPatient))
			}
			for i, stands := range e.stands {
				decided := func(o *ledgerEntry) bool { return len(o.Lines) == 0 || o.decided(place{e, i}) }
				if stands && !slices.ContainsFunc(later, decided) {
					owed.add(e.numbers[i], remit.Sum(e.Lines[i].Adjustments, remit.Adjustment.OfPatient))
				}
			}
		}
		later = append(later, entries...)
	}
	return owed
}

// decided reports whether a standing line of the entry is about the same service.
func (e *ledgerEntry) decided(p place) bool {
	for i, stands := range e.stands {
		if stands && e.same(i, p) {
			return true
		}
	}
	return false
}

// onlyRefuses reports whether the payer pays nothing and leaves nothing to the
// patient: every adjustment is a refusal to pay, apart from what an earlier payer
// settled (OA-23).
func (e *ledgerEntry) onlyRefuses() bool {
	adjusted, refuses := false, false
	for a := range e.AllAdjustments() {
		if !a.NotPaid() && !a.SettledBefore() {
			return false
		}
		adjusted, refuses = true, refuses || a.NotPaid()
	}
	return e.Paid == 0 && (refuses || !adjusted)
}

// repeat sets what the standing repeats of this claim's own entries, and reports whether it changed.
func (l *Ledger) repeat(s *Standing) bool {
	was := *s
	all := l.refused()
	s.Act, s.Refused, s.FirstPass = all.First(), all.Refusals(), l.firstPass()
	late := l.tally()
	for _, e := range l.entries {
		e.addStanding(late, remit.Adjustment.LateToPatient)
	}
	s.LateAmount = max(0, min(late.total(), s.PatientResponsibility))
	s.Late = s.LateAmount > 0
	return !was.equal(s)
}

// refused adds up what the entries refuse.
func (l *Ledger) refused() remit.Acts {
	sums := remit.Acts{}
	for _, e := range l.entries {
		if e.levelStands() {
			sums.Add(e.Adjustments, e.Remarks)
		}
		for i, stands := range e.stands {
			if stands {
				sums.Add(e.Lines[i].Adjustments, slices.Concat(e.Lines[i].Remarks, e.Remarks))
			}
		}
	}
	return sums
}

// firstPass reports whether the claim was sent once and never rejected, and its payer's first
// decision is no denial, and was not taken back.
func (l *Ledger) firstPass() bool {
	rejected := func(m Move) bool { return m.State == Rejected }
	if l.claim.Frequency != FrequencyOriginal || len(l.entries) == 0 || slices.ContainsFunc(l.claim.History, rejected) {
		return false
	}
	first := l.entries[0]
	return !first.Reverses() && first.cancelledBy == nil && !slices.Contains(first.cancelled, true) && first.Outcome() != remit.OutcomeDenied
}
