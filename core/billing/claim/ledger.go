package claim

import (
	"cmp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Ledger is what payers have decided about a claim: every remittance claim
// that was applied to it. Its figures are a function of the set of its entries.
// The order in which files came, and the order inside a file, do not change them.
//
// Decisions about the same services that are not entries count for what the patient
// owes, for what is allowed and for what is left of the charge: the entries of the
// claims to the other payers, and what the claim states of its other coverages. So the
// claims to all payers always say the same of the patient.
type Ledger struct {
	claim   *Claim
	entries []*ledgerEntry // in the order of their payments
	beside  []*Ledger      // of the claims to the other payers
	others  []*ledgerEntry // the decisions that are not entries
}

// ledgerEntry is an entry with its place among the others.
type ledgerEntry struct {
	*remit.LedgerEntry

	payer       string // identifies it among the payers of the claim
	numbers     []int  // of the claim's lines, by line; 0 for none
	sequence    billing.Sequence
	cancelledBy *remit.LedgerEntry // the reversal of all of it
	cancelled   []bool             // by line: a reversal takes the line back
	takenBack   []*ledgerEntry     // by a reversal: the entries that it takes back, whole or in part

	stands []bool // by line: neither taken back nor replaced
	level  bool   // the same for the adjustments of the claim level, and for an entry without lines
}

// Ledger returns the ledger of the claim with the entries, beside those of the claims to
// the other payers for the same services.
func (c *Claim) Ledger(applied []*remit.LedgerEntry, beside ...*Ledger) *Ledger {
	l := &Ledger{claim: c, beside: beside, others: c.decidedElsewhere(beside)}
	for _, e := range applied {
		l.entries = append(l.entries, newEntry(c, e))
	}
	slices.SortFunc(l.entries, func(a, b *ledgerEntry) int { return inOrder(a.LedgerEntry, b.LedgerEntry) })
	for _, e := range l.entries {
		if e.Reverses() {
			l.takeBack(reversal{e})
		}
	}
	for i, e := range l.entries {
		if !e.Reverses() {
			e.sequence = l.sequenceOf(i)
		}
	}
	for i, e := range l.entries {
		switch {
		case len(e.takenBack) > 0:
			e.sequence = e.takenBack[0].sequence
		case e.Reverses():
			e.sequence = l.sequenceOf(i)
		case e.cancelledBy == nil:
			l.replace(i)
		}
	}
	return l
}

func newEntry(c *Claim, e *remit.LedgerEntry) *ledgerEntry {
	return &ledgerEntry{
		LedgerEntry: e, payer: e.ERA.PayerKey(), numbers: c.LineNumbers(e.Claim), cancelled: make([]bool, len(e.Lines)), stands: make([]bool, len(e.Lines)),
	}
}

// inOrder compares two entries. The earlier payment comes first. Payments of one day
// are in the order of their arrival. In one remittance, reversals come first.
func inOrder(a, b *remit.LedgerEntry) int {
	return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(a.ERA.Arrival, b.ERA.Arrival), remit.ReversalsFirst(a.Claim, b.Claim))
}

// sequenceOf returns the sequence of an entry, given the entries before it. It is the
// one that the entry states, unless that cannot be. Otherwise it is the last one of the same payer, or else
// that of the claim's payer, or else the next.
func (l *Ledger) sequenceOf(i int) billing.Sequence {
	e := l.entries[i]
	stated := e.StatedSequence()
	later := stated == billing.SequencePrimary && l.comesLater(e)
	if stated != "" && !later {
		return stated
	}
	last := 1
	if !later {
		last = l.lastElsewhere()
	}
	for _, before := range slices.Backward(l.entries[:i]) {
		if before.Reverses() {
			continue
		}
		if before.payer == e.payer && (!later || before.sequence != billing.SequencePrimary) {
			return before.sequence
		}
		last = max(last, before.sequence.Rank())
	}
	if turn := l.claim.Turn(); l.claim.isFor(e.ERA) && (!later || turn != billing.SequencePrimary) {
		return turn
	}
	return billing.Sequences()[min(last, len(billing.Sequences())-1)]
}

// lastElsewhere returns the number of the last sequence of the decisions that are not
// entries; 0 for none.
func (l *Ledger) lastElsewhere() (last int) {
	for _, o := range l.others {
		last = max(last, o.sequence.Rank())
	}
	return last
}

// comesLater reports whether an entry that says that it is the primary payer's is the one of
// a later payer: many payers always say that. An earlier payer settled a part (OA-23), the
// claim was sent to this payer as a later one, or the payer that it was sent to has decided
// it, too. Only the entries and the claim count, so that the claims for the same services
// agree.
func (l *Ledger) comesLater(e *ledgerEntry) bool {
	asked := func(o *ledgerEntry) bool { return !o.Reverses() && l.claim.isFor(o.ERA) }
	switch {
	case e.SettledBefore():
		return true
	case l.claim.Turn() != billing.SequencePrimary:
		return l.claim.isFor(e.ERA)
	default:
		return !l.claim.isFor(e.ERA) && slices.ContainsFunc(l.entries, asked)
	}
}

// isFor reports whether the payer of the remittance is the one that the claim was
// sent to.
func (c *Claim) isFor(s remit.Source) bool {
	return !s.Payer.ID.IsZero() && s.Payer.ID == c.Payer.ID || strings.EqualFold(s.PayerName, c.Payer.Name)
}

// names reports whether the reversal states the payer claim number of the entry.
func (e *ledgerEntry) names(other *ledgerEntry) bool {
	n := other.PayerClaimNumber
	return n != "" && (n == e.PayerClaimNumber || n == e.Original) && e.payer == other.payer
}

// left returns what was paid and not taken back.
func (e *ledgerEntry) left() billing.Money {
	if e.cancelledBy != nil {
		return 0
	}
	paid := e.Paid
	for i, gone := range e.cancelled {
		if gone {
			paid -= e.Lines[i].Paid
		}
	}
	return paid
}

// cancel takes back the entry.
func (e *ledgerEntry) cancel(r *ledgerEntry) {
	e.cancelledBy, r.takenBack = r.LedgerEntry, append(r.takenBack, e)
}

// same reports whether line i and another entry's line are about one service: both
// match the same line of the claim. When one of them matches none, both have the
// same procedure.
func (e *ledgerEntry) same(i int, p place) bool {
	if n, m := e.numbers[i], p.of.numbers[p.line]; n > 0 && m > 0 {
		return n == m
	}
	return e.Lines[i].Billed() == p.of.Lines[p.line].Billed()
}

// replace makes an entry stand. It replaces the same services in earlier entries of
// the same payer and sequence. Parts of one remittance add up. Of several entries of
// one remittance for the whole claim, the last one stands.
func (l *Ledger) replace(i int) {
	e := l.entries[i]
	for n := range e.Lines {
		e.stands[n] = !e.cancelled[n]
	}
	e.level = true
	whole := e.Charge == l.claim.Charge()
	for _, old := range l.entries[:i] {
		part := old.ERA.ID == e.ERA.ID && (!whole || old.Charge != e.Charge)
		if old.sequence != e.sequence || old.payer != e.payer || part {
			continue
		}
		// The payer decides the same part of the claim again, and not line by line.
		again := old.PayerClaimNumber == e.PayerClaimNumber && (len(e.Lines) == 0 || len(old.Lines) == 0)
		for n := range old.stands {
			old.stands[n] = old.stands[n] && !whole && !again && !e.states(place{old, n})
		}
		if whole || again || old.PayerClaimNumber == e.PayerClaimNumber && len(e.Adjustments) > 0 {
			old.level = false
		}
	}
}

// states reports whether a line of the entry that is not taken back is about the
// same service.
func (e *ledgerEntry) states(p place) bool {
	for i := range e.Lines {
		if !e.cancelled[i] && e.same(i, p) {
			return true
		}
	}
	return false
}

// levelStands reports whether the claim level stands. It falls with the last line.
func (e *ledgerEntry) levelStands() bool {
	return e.level && (len(e.Lines) == 0 || slices.Contains(e.stands, true))
}

// stand reports whether any part of the entry stands.
func (e *ledgerEntry) stand() bool { return e.levelStands() || slices.Contains(e.stands, true) }

// standing returns the adjustments that stand.
func (e *ledgerEntry) standing() (all []remit.Adjustment) {
	if e.levelStands() {
		all = append(all, e.Adjustments...)
	}
	for i, stands := range e.stands {
		if stands {
			all = append(all, e.Lines[i].Adjustments...)
		}
	}
	return all
}

// cancels reports whether the reversal takes anything back. The reversal is in the
// ledger.
func (l *Ledger) cancels(r *remit.LedgerEntry) bool {
	e := l.find(r)
	return e != nil && len(e.takenBack) > 0
}

// maxEntries limits the work of folding a ledger. No claim has had nearly as many
// remittances.
const maxEntries = 200

// Full reports whether the ledger has so many entries that only a person adds more.
func (l *Ledger) Full() bool { return len(l.entries) >= maxEntries }

// payerNumber returns the primary payer's latest number for the claim.
func (l *Ledger) payerNumber() string {
	for _, e := range slices.Backward(l.entries) {
		if e.sequence == billing.SequencePrimary && e.PayerClaimNumber != "" {
			return e.PayerClaimNumber
		}
	}
	return ""
}

// TakenBackBy returns the first reversal that takes back any of the entry, or nil.
func (l *Ledger) TakenBackBy(r *remit.LedgerEntry) *remit.LedgerEntry {
	of := l.find(r)
	for _, e := range l.entries {
		if of != nil && slices.Contains(e.takenBack, of) {
			return e.LedgerEntry
		}
	}
	return nil
}

// Sequence returns the sequence of an entry.
func (l *Ledger) Sequence(r *remit.LedgerEntry) billing.Sequence {
	if e := l.find(r); e != nil {
		return e.sequence
	}
	return ""
}

func (l *Ledger) find(r *remit.LedgerEntry) *ledgerEntry {
	for _, e := range l.entries {
		if e.ERA.ID == r.ERA.ID && e.Ordinal == r.Ordinal {
			return e
		}
	}
	return nil
}

// With returns the ledger with one more entry.
func (l *Ledger) With(r *remit.LedgerEntry) *Ledger {
	return l.claim.Ledger(append(l.applied(nil), r), l.beside...)
}

// Beside returns the ledger with those of the claims to the other payers for the same
// services.
func (l *Ledger) Beside(others ...*Ledger) *Ledger {
	return l.claim.Ledger(l.applied(nil), others...)
}

// Earlier returns the ledgers of the claims to the payers before, of those beside.
func (l *Ledger) Earlier() (all []*Ledger) {
	if l == nil {
		return nil
	}
	for _, o := range l.beside {
		if l.claim.comesAfter(o.claim) {
			all = append(all, o)
		}
	}
	return all
}

// Without returns the ledger without an entry.
func (l *Ledger) Without(r *remit.LedgerEntry) *Ledger {
	return l.claim.Ledger(l.applied(l.find(r)), l.beside...)
}

func (l *Ledger) applied(but *ledgerEntry) []*remit.LedgerEntry {
	all := make([]*remit.LedgerEntry, 0, len(l.entries)+1)
	for _, e := range l.entries {
		if e != but {
			all = append(all, e.LedgerEntry)
		}
	}
	return all
}

// Adjudication is an entry of a ledger as callers see it.
type Adjudication struct {
	*remit.LedgerEntry

	Numbers     []int // of the claim's lines, by line; 0 for none
	Sequence    billing.Sequence
	CancelledBy *remit.LedgerEntry // nil when no reversal takes all of it back
}

// Adjudications returns the entries in the order of their payments.
func (l *Ledger) Adjudications() []Adjudication {
	all := make([]Adjudication, len(l.entries))
	for i, e := range l.entries {
		all[i] = Adjudication{e.LedgerEntry, e.numbers, e.sequence, e.cancelledBy}
	}
	return all
}
