package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// decidedElsewhere returns the decisions of other payers about the claim's services:
// the entries of the claims to the other payers, and those that the claim states. They
// have their sequence. What the claim states of a payer before was true when it was
// made; the entries of the claim to that payer, if there are any, count instead.
func (c *Claim) decidedElsewhere(beside []*Ledger) (all []*ledgerEntry) {
	for i := range c.OtherCoverage {
		o := &c.OtherCoverage[i]
		outdated := func(l *Ledger) bool { return l.decided() && l.claim.Turn() == o.Sequence && c.comesAfter(l.claim) }
		if o.Adjudication != nil && !slices.ContainsFunc(beside, outdated) {
			all = append(all, o.entry(c.Lines))
		}
	}
	for _, l := range beside {
		for _, e := range l.entries {
			here := *e
			here.numbers = c.LineNumbers(e.Claim)
			all = append(all, &here)
		}
	}
	return all
}

// decided reports whether the ledger has any entry.
func (l *Ledger) decided() bool { return len(l.entries) > 0 }

// comesAfter reports whether the claim is to a later payer than another one for the same
// services.
func (c *Claim) comesAfter(o *Claim) bool {
	return !c.SecondaryTo.IsZero() && o.Turn().Rank() < c.Turn().Rank()
}

// Linked reports whether the claims are to one payer and to the next for the same
// services, in either order. A claim whose place another one has taken, after it was
// voided, is not.
func (c *Claim) Linked(o *Claim) bool {
	return !c.ID.IsZero() && !o.ID.IsZero() && (c.SecondaryID == o.ID && o.SecondaryTo == c.ID || o.SecondaryID == c.ID && c.SecondaryTo == o.ID)
}

// Before returns the claims to the payers before for the same services, the last one
// first, and After those to the later payers. All has them by their IDs.
func (c *Claim) Before(all map[billing.ClaimID]*Claim) (before []*Claim) {
	for o := all[c.SecondaryTo]; o != nil && c.Linked(o); c, o = o, all[o.SecondaryTo] {
		before = append(before, o)
	}
	return before
}

// After returns the claims to the later payers; see Before.
func (c *Claim) After(all map[billing.ClaimID]*Claim) (after []*Claim) {
	for o := all[c.SecondaryID]; o != nil && c.Linked(o); c, o = o, all[o.SecondaryID] {
		after = append(after, o)
	}
	return after
}

// Beside returns the claims to the other payers for the same services.
func (c *Claim) Beside(all map[billing.ClaimID]*Claim) []*Claim {
	return append(c.Before(all), c.After(all)...)
}

// entry returns the decision that the coverage states, in the form of an entry. All
// of it stands. Lines are the claim's.
func (o *OtherCoverage) entry(lines []Line) *ledgerEntry {
	a := o.Adjudication
	r := &remit.Claim{
		PayerClaimNumber: a.PayerClaimNumber, Charge: a.Paid, Paid: a.Paid, Date: a.PaymentDate, Balanced: true, Adjustments: a.Adjustments,
	}
	e := &ledgerEntry{
		LedgerEntry: &remit.LedgerEntry{Claim: r, ERA: remit.Source{Payer: o.Payer, PayerName: o.Payer.Name}}, sequence: o.Sequence, level: true,
		cancelled: make([]bool, len(a.Lines)),
	}
	for i := range a.Lines {
		l := &a.Lines[i]
		line := remit.Line{ProcedureCode: l.ProcedureCode, Charge: l.Total(), Paid: l.Paid, Adjustments: l.Adjustments}
		if n := l.LineNumber; n > 0 && n <= len(lines) {
			line.SubmittedCode = lines[n-1].ProcedureCode
		}
		r.Lines = append(r.Lines, line)
		e.numbers, e.stands = append(e.numbers, l.LineNumber), append(e.stands, true)
	}
	for adjustment := range e.AllAdjustments() {
		r.Charge += adjustment.Amount
	}
	e.payer = e.ERA.PayerKey()
	return e
}

// paidElsewhere returns the payments that are not entries, reversals subtracted.
func (l *Ledger) paidElsewhere() (sum billing.Money) {
	for _, e := range l.others {
		sum += e.Paid
	}
	return sum
}

// decisions returns the entries and the other decisions, in the order of their
// payments.
func (l *Ledger) decisions() []*ledgerEntry {
	if len(l.others) == 0 {
		return l.entries
	}
	all := append(slices.Clone(l.entries), l.others...)
	slices.SortStableFunc(all, func(a, b *ledgerEntry) int { return inOrder(a.LedgerEntry, b.LedgerEntry) })
	return all
}
