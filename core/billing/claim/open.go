package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// SetElsewhere sets what the ledger settles and the claim's figures do not have.
func (c *Claim) SetElsewhere(l *Ledger) { c.Elsewhere = l.settled() - c.Standing.settled() }

// Open returns what is left of the claim's charge.
func (l *Ledger) Open() billing.Money { return l.claim.Charge() - l.settled() - l.claim.AcceptedSum() }

// settled returns the part of the charge that is settled, without the accepted amounts
// of the claim itself. Those of the claims to the other payers count for all.
func (l *Ledger) settled() billing.Money {
	sum := l.figures().settled() + l.paidElsewhere() + l.settledBefore().total()
	for _, o := range l.beside {
		sum += o.claim.AcceptedSum()
	}
	return sum
}

// OpenLines returns what is open of each line. Amounts that are on no line are left out,
// unless the claim has only one.
func (l *Ledger) OpenLines() []billing.Money {
	c := l.claim
	if len(c.Lines) == 1 {
		return []billing.Money{l.Open()}
	}
	settled := l.tally()
	for _, e := range l.decisions() {
		e.addPaid(settled)
	}
	for _, e := range l.latest(billing.SequencePrimary) {
		e.addStanding(settled, remit.Adjustment.Contractual)
	}
	patient := l.patient()
	for n := range settled[1:] {
		rest := c.Lines[n].Fee - settled[n+1]
		settled.add(n+1, min(patient[n+1], max(rest, 0)))
	}
	accepted := c.Accepted
	for _, o := range l.beside {
		accepted = slices.Concat(accepted, o.claim.Accepted)
	}
	for _, a := range accepted {
		for _, line := range a.Lines {
			settled.add(line.Number, line.Amount)
		}
	}
	open, before := make([]billing.Money, len(c.Lines)), l.settledBefore()
	for n := range open {
		open[n] = c.Lines[n].Fee - settled[n+1] - before[n+1]
	}
	return open
}

// tally has amounts by the lines of a claim. The first one is on no line: the payer
// states it for the whole claim, or on a line that matches none.
type tally []billing.Money

func (l *Ledger) tally() tally { return make(tally, 1+len(l.claim.Lines)) }

func (t tally) add(number int, m billing.Money) {
	if number >= len(t) {
		number = 0
	}
	t[number] += m
}

func (t tally) total() (sum billing.Money) {
	for _, m := range t {
		sum += m
	}
	return sum
}

// addPaid adds what the lines of the entry pay. A reversal adds nothing, nor do the lines
// that it takes back.
func (e *ledgerEntry) addPaid(to tally) {
	for i := range e.Lines {
		if !e.gone(i) && len(e.takenBack) == 0 {
			to.add(e.numbers[i], e.Lines[i].Paid)
		}
	}
}

// addStanding adds the adjustments of the entry that stand.
func (e *ledgerEntry) addStanding(to tally, fits func(remit.Adjustment) bool) {
	if e.levelStands() {
		to.add(0, remit.Sum(e.Adjustments, fits))
	}
	for i, stands := range e.stands {
		if stands {
			to.add(e.numbers[i], remit.Sum(e.Lines[i].Adjustments, fits))
		}
	}
}

// settledBefore returns what the first payer that decided says earlier ones settled
// (OA-23). Where decisions of earlier payers are known, these count instead.
func (l *Ledger) settledBefore() tally {
	t := l.tally()
	for _, s := range billing.Sequences() {
		decided := func(e *ledgerEntry) bool { return !e.Reverses() && e.sequence == s }
		if slices.ContainsFunc(l.decisions(), decided) {
			for _, e := range l.latest(s) {
				e.addStanding(t, remit.Adjustment.SettledBefore)
			}
			break
		}
	}
	return t
}

// openReason returns the reason of whatever is open.
func (l *Ledger) openReason() OpenReason {
	for n := range l.claim.Lines {
		decided := func(e *ledgerEntry) bool {
			return e.about(n+1, func(i int) bool { return e.stands[i] }) || len(e.Lines) == 0 && e.levelStands()
		}
		takenBack := func(e *ledgerEntry) bool { return e.about(n+1, e.gone) || len(e.Lines) == 0 && e.cancelledBy != nil }
		switch {
		case slices.ContainsFunc(l.decisions(), decided):
		case slices.ContainsFunc(l.decisions(), takenBack):
			return openTakenBack
		default:
			return openUndecided
		}
	}
	reason := OpenReason("")
	for _, e := range l.decisions() {
		switch {
		case remit.Sum(e.standing(), remit.Adjustment.NotPaid) != 0:
			return OpenRefused
		case e.sequence != billing.SequencePrimary && remit.Sum(e.standing(), remit.Adjustment.Contractual) != 0:
			reason = openDiscount
		}
	}
	return reason
}

// about reports whether a line of the entry that is as given matches the line of the
// claim.
func (e *ledgerEntry) about(number int, is func(i int) bool) bool {
	for i, n := range e.numbers {
		if n == number && is(i) {
			return true
		}
	}
	return false
}

// gone reports whether a reversal takes the line back.
func (e *ledgerEntry) gone(i int) bool { return e.cancelledBy != nil || e.cancelled[i] }
