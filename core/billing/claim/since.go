package claim

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Since tells what a claim uses of what its payer said is left, when it answered a check at a time, which
// was a day at the office. Decided is what the payer has decided after that, as far as it stands, less what
// stood before: the answer has the latter. Undecided are the positions of the lines that were sent after the check
// and that the payer still decides. What it took back to decide it again is in neither.
func (c *Claim) Since(entries []*remit.LedgerEntry, answered time.Time, day billing.Date) (decided []estimate.Claimed, undecided []int) {
	before := slices.DeleteFunc(slices.Clone(entries), func(e *remit.LedgerEntry) bool { return c.decidedAfter(e, answered, day) })
	was, is := c.Ledger(before).use(), c.Ledger(entries).use()
	for n := range is.paid {
		switch {
		case n > 0 && !is.decided[n] && c.State != Voided:
			if !was.decided[n] && !c.SentAt.Before(answered) && c.stillDecided() {
				undecided = append(undecided, n-1)
			}
			continue
		case is.paid[n] == was.paid[n] && is.deductible[n] == was.deductible[n]:
			continue
		}
		one := estimate.Claimed{
			ServiceDate: c.ServiceDates().From, Deductible: estimate.Exactly(is.deductible[n] - was.deductible[n]), Pays: estimate.Exactly(is.paid[n] - was.paid[n]),
		}
		if i := max(n-1, 0); n > 0 || len(c.Lines) == 1 {
			one.Code, one.ServiceDate = c.Lines[i].ProcedureCode, c.Lines[i].ServiceDate
		}
		decided = append(decided, one)
	}
	return decided, undecided
}

// Refused returns the positions of the lines that the payer refused to pay for, as its decisions stand. They do
// not count as services that were done before.
func (c *Claim) Refused(entries []*remit.LedgerEntry) (refused []int) {
	l := c.Ledger(entries)
	for i := range c.Lines {
		if d := l.decisionOf(i + 1); d != nil && d.Paid == 0 && slices.ContainsFunc(d.reasons, refuses) {
			refused = append(refused, i)
		}
	}
	return refused
}

// decidedAfter reports whether the payer decided an entry after it answered a check. A remittance that came
// after it has earlier decisions if the payment is dated before, unless the claim was sent after the check.
func (c *Claim) decidedAfter(e *remit.LedgerEntry, answered time.Time, day billing.Date) bool {
	return !e.ERA.ReceivedAt.Before(answered) && (!c.SentAt.Before(answered) || e.Date.IsZero() || !e.Date.Before(day))
}

// stillDecided reports whether the payer decides lines of the claim that no remittance has.
func (c *Claim) stillDecided() bool {
	return slices.Contains([]State{Submitted, AcceptedClearinghouse, AcceptedPayer, Paid, Denied}, c.State)
}

// deducts reports whether the amount is the patient's because of the deductible.
func deducts(a remit.Adjustment) bool { return a.OfPatient() && a.Reason == "1" }

// use is what the decisions of the claim's own payer use of its plan, by the lines of the claim.
type use struct {
	paid, deductible tally
	decided          []bool
}

func (l *Ledger) use() use {
	u := use{l.tally(), l.tally(), make([]bool, 1+len(l.claim.Lines))}
	for _, e := range l.latest(l.claim.Turn()) {
		if e.levelStands() {
			rest := e.Paid
			for i := range e.Lines {
				rest -= e.Lines[i].Paid
			}
			u.paid.add(0, rest)
			u.deductible.add(0, remit.Sum(e.Adjustments, deducts))
		}
		for i, stands := range e.stands {
			if stands {
				u.paid.add(e.numbers[i], e.Lines[i].Paid)
				u.deductible.add(e.numbers[i], remit.Sum(e.Lines[i].Adjustments, deducts))
			}
		}
		for n := range u.decided {
			u.decided[n] = u.decided[n] || len(e.Lines) == 0 || e.about(n, func(i int) bool { return e.stands[i] })
		}
	}
	return u
}
