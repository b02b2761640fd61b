package billing

import "slices"

// PaymentOutcome is the payer's decision on a claim.
type PaymentOutcome string

// The outcomes.
const (
	OutcomePaid   PaymentOutcome = "paid"
	OutcomeDenied PaymentOutcome = "denied"
)

// ClaimStanding is a claim's own figures after everything that its ledger has.
type ClaimStanding struct {
	Outcome               PaymentOutcome // of the latest standing adjudication that paid
	ERAID                 ERAID          // of that adjudication; of the latest one when none paid
	PaymentDate           Date           // of that adjudication; zero when its remittance has none
	Paid                  Money          // by all payers, reversals subtracted
	Allowed               *Money         // by the primary payer; nil when its remittances do not say
	PatientResponsibility Money
	Contractual           Money // the write-off: what the primary payer's contract takes off the charge
	NotPaid               Money // what the primary payer refuses to pay

	Capped  bool `json:",omitempty"` // the payers leave more to the patient than remains of the charge
	Exceeds bool `json:",omitempty"` // payments and write-off exceed the charge
}

// Standing returns the figures, or nil when no adjudication stands.
func (l *Ledger) Standing() *ClaimStanding {
	var decisive *ledgerEntry
	s := ClaimStanding{Outcome: OutcomeDenied}
	for _, e := range l.entries {
		s.Paid += e.Paid
		if !e.stand() {
			continue
		}
		switch {
		case e.Paid > 0, decisive == nil, decisive.Paid <= 0 && (e.explainsZero() || !decisive.explainsZero()):
			decisive = e
		}
	}
	if decisive == nil {
		return nil
	}
	s.ERAID, s.PaymentDate = decisive.ERA.ID, decisive.Date
	if decisive.Paid > 0 || decisive.explainsZero() {
		s.Outcome = OutcomePaid
	}
	l.sumPrimary(&s)
	s.PatientResponsibility = l.patient()
	rest := l.claim.Charge() - s.Paid - s.Contractual
	s.Exceeds = rest < 0
	if rest = max(rest, 0); s.PatientResponsibility > rest {
		s.PatientResponsibility, s.Capped = rest, true
	}
	return &s
}

// sumPrimary sets the figures of the primary payer.
func (l *Ledger) sumPrimary(s *ClaimStanding) {
	var allowed Money
	known, any := true, false
	for _, e := range l.latest(SequencePrimary) {
		any = true
		contract, refused, amount, ok := e.primary()
		s.Contractual += contract
		s.NotPaid += refused
		allowed += amount
		known = known && ok
	}
	if known && any {
		s.Allowed = &allowed
	}
}

// primary returns the standing figures of an entry of the primary payer. Ok is
// false when it has no lines and does not state what it allows.
func (e *ledgerEntry) primary() (contract, refused, allowed Money, ok bool) {
	var level []Adjustment
	if e.levelStands {
		level = e.Adjustments
	}
	contract, refused = sumOf(level, Adjustment.Contractual), sumOf(level, Adjustment.NotPaid)
	if len(e.Lines) == 0 {
		if e.Allowed == nil {
			return contract, refused, 0, !e.levelStands
		}
		return contract, refused, *e.Allowed, true
	}
	stated := false
	for i := range e.Lines {
		if !e.stands[i] {
			continue
		}
		line := &e.Lines[i]
		contract += sumOf(line.Adjustments, Adjustment.Contractual)
		refused += sumOf(line.Adjustments, Adjustment.NotPaid)
		allowed += line.AllowedAmount()
		stated = stated || line.Allowed != nil
	}
	if !stated {
		allowed -= sumOf(level, Adjustment.reducesAllowed)
	}
	return contract, refused, allowed, true
}

// latest returns the standing entries of a sequence. When several payers have the
// sequence, they are those of the payer that decided last.
func (l *Ledger) latest(s Sequence) (all []*ledgerEntry) {
	for _, e := range l.entries {
		if e.sequence != s || !e.stand() {
			continue
		}
		if len(all) > 0 && all[0].ERA.payer() != e.ERA.payer() {
			all = nil
		}
		all = append(all, e)
	}
	return all
}

// patient returns the sum of what the payers leave to the patient: for each line
// the amount of the last payer in sequence that decided it, and the last payer's
// amount for the claim itself.
func (l *Ledger) patient() (sum Money) {
	decided := map[lineKey]bool{} // by a later payer
	all, level := false, false
	for _, s := range slices.Backward(Sequences()) {
		entries := slices.DeleteFunc(l.latest(s), func(e *ledgerEntry) bool { return e.onlyRefuses() })
		now := map[lineKey]bool{}
		for _, e := range entries {
			if !level && e.levelStands {
				sum += sumOf(e.Adjustments, Adjustment.ofPatient)
			}
			for i := range e.Lines {
				if k := e.key(i); e.stands[i] && !all && !decided[k] {
					sum += sumOf(e.Lines[i].Adjustments, Adjustment.ofPatient)
					now[k] = true
				}
			}
		}
		for k := range now {
			decided[k] = true
		}
		level = level || len(entries) > 0
		all = all || slices.ContainsFunc(entries, func(e *ledgerEntry) bool { return len(e.Lines) == 0 })
	}
	return sum
}

// onlyRefuses reports whether the payer pays nothing and leaves nothing to the
// patient: every adjustment is a refusal to pay.
func (e *ledgerEntry) onlyRefuses() bool {
	if e.Paid != 0 {
		return false
	}
	for a := range e.allAdjustments() {
		if !a.NotPaid() {
			return false
		}
	}
	return true
}
