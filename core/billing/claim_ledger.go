package billing

import (
	"cmp"
	"slices"
	"strings"
)

// Ledger is what payers have decided about a claim: every claim of a remittance
// that was applied to it. Its figures are a function of the set of its entries.
// The order in which files came, and the order inside a file, do not change them.
type Ledger struct {
	claim   *Claim
	entries []*ledgerEntry // in the order of their payments
}

// ledgerEntry is an entry with its place among the others.
type ledgerEntry struct {
	*LedgerEntry

	payer       string // identifies it among the payers of the claim
	numbers     []int  // of the claim's lines, by line; 0 for none
	sequence    Sequence
	cancelledBy *LedgerEntry   // the reversal of all of it
	cancelled   []bool         // by line: a reversal takes the line back
	takenBack   []*ledgerEntry // by a reversal: the entries that it takes back, whole or in part

	stands []bool // by line: neither taken back nor replaced
	level  bool   // the same for the adjustments of the claim level, and for an entry without lines
}

// Ledger returns the ledger of the claim with the entries.
func (c *Claim) Ledger(applied []*LedgerEntry) *Ledger {
	l := &Ledger{claim: c}
	for _, e := range applied {
		l.entries = append(l.entries, newEntry(c, e))
	}
	slices.SortFunc(l.entries, func(a, b *ledgerEntry) int { return inOrder(a.LedgerEntry, b.LedgerEntry) })
	for _, e := range l.entries {
		if e.Reverses() {
			l.takeBack(e)
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

func newEntry(c *Claim, e *LedgerEntry) *ledgerEntry {
	n := &ledgerEntry{
		LedgerEntry: e, payer: e.ERA.payer(), numbers: e.LineNumbers, cancelled: make([]bool, len(e.Lines)), stands: make([]bool, len(e.Lines)),
	}
	if len(n.numbers) != len(e.Lines) {
		n.numbers = c.MatchLines(e.ERAClaim)
	}
	return n
}

// inOrder compares two entries: the earlier payment first, of one day the one that
// came first. In one remittance reversals are first.
func inOrder(a, b *LedgerEntry) int {
	return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(a.ERA.Arrival, b.ERA.Arrival), reversalsFirst(a.ERAClaim, b.ERAClaim))
}

func reversalsFirst(a, b *ERAClaim) int {
	switch {
	case a.Reverses() && !b.Reverses():
		return -1
	case b.Reverses() && !a.Reverses():
		return 1
	default:
		return cmp.Compare(a.Ordinal, b.Ordinal)
	}
}

// payer identifies the payer among the payers of a claim: by its entry in the
// directory, or else by its name.
func (s *ERASource) payer() string {
	if !s.Payer.ID.IsZero() {
		return s.Payer.ID.String()
	}
	return strings.ToUpper(strings.Join(strings.Fields(s.PayerName), " "))
}

// sequenceOf returns the sequence of an entry, given those before it: the one that
// it states, else the one that its payer had last, else that of the claim's payer,
// else the next.
func (l *Ledger) sequenceOf(i int) Sequence {
	e := l.entries[i]
	if s := e.StatedSequence(); s != "" {
		return s
	}
	last := 0
	for _, before := range slices.Backward(l.entries[:i]) {
		if before.Reverses() {
			continue
		}
		if before.payer == e.payer {
			return before.sequence
		}
		last = max(last, 1+slices.Index(Sequences(), before.sequence))
	}
	if l.claim.paysFirst(e.ERA) {
		return SequencePrimary
	}
	return Sequences()[min(last, len(Sequences())-1)]
}

// paysFirst reports whether the payer of the remittance is the one that the claim
// was sent to.
func (c *Claim) paysFirst(s ERASource) bool {
	return !s.Payer.ID.IsZero() && s.Payer.ID == c.Payer.ID || strings.EqualFold(s.PayerName, c.Payer.Name)
}

// Sequences lists the sequences in order.
func Sequences() []Sequence { return []Sequence{SequencePrimary, SequenceSecondary, SequenceTertiary} }

// takeBack cancels what a reversal takes back. A reversal repeats a claim with
// every sign inverted (005010X221A1, 1.10.2.8). It takes back an entry with its
// payer claim number and its amount, else all entries with the number when they
// add up to its amount, else the lines that it states. Without such entries it
// takes back others of the payer in the same way, if their charge agrees too. Of its
// own remittance, which may have the correction, it takes back only what it inverts
// to the cent.
func (l *Ledger) takeBack(r *ledgerEntry) {
	named, others, own := l.standing(r)
	either := append(slices.Clone(named), others...)
	_ = r.cancelCharge(named) || r.cancelAll(named) || r.cancelLines(named) || r.cancelAmount(named) ||
		r.cancelCharge(others) || r.cancelAll(either) || r.cancelLines(either) || r.cancelFirst(own, r.mirrors)
}

// standing returns the entries that a reversal may take back, the likeliest
// first: those before it from the latest on, then those of its day that came after
// it. A later payment is never taken back. Named are the ones with the payer claim
// number that the reversal states, own those of its own remittance.
func (l *Ledger) standing(r *ledgerEntry) (named, others, own []*ledgerEntry) {
	at := slices.Index(l.entries, r)
	for _, e := range append(reversed(l.entries[:at]), l.entries[at+1:]...) {
		switch {
		case e.Reverses() || e.cancelledBy != nil || e.payer != r.payer || r.Date.Before(e.Date):
		case e.ERA.ID == r.ERA.ID:
			own = append(own, e)
		case r.names(e):
			named = append(named, e)
		default:
			others = append(others, e)
		}
	}
	return named, others, own
}

// mirrors reports whether the reversal inverts the entry: charge, lines and every
// adjustment.
func (r *ledgerEntry) mirrors(e *ledgerEntry) bool {
	return r.Charge == -e.Charge && mirrored(r.Adjustments, e.Adjustments) &&
		slices.EqualFunc(r.Lines, e.Lines, func(a, b ERALine) bool {
			return a.billed() == b.billed() && a.Charge == -b.Charge && a.Paid == -b.Paid && mirrored(a.Adjustments, b.Adjustments)
		})
}

func mirrored(a, b []Adjustment) bool {
	return slices.EqualFunc(a, b, func(x, y Adjustment) bool { return x.Group == y.Group && x.Reason == y.Reason && x.Amount == -y.Amount })
}

func reversed(all []*ledgerEntry) []*ledgerEntry {
	back := slices.Clone(all)
	slices.Reverse(back)
	return back
}

// names reports whether the reversal states the payer claim number of the entry.
func (e *ledgerEntry) names(other *ledgerEntry) bool {
	n := other.PayerClaimNumber
	return n != "" && (n == e.PayerClaimNumber || n == e.Original) && e.payer == other.payer
}

// cancelCharge cancels the first entry with the amount, the charge and the lines of
// the reversal, or else the first with the amount and the charge.
func (r *ledgerEntry) cancelCharge(from []*ledgerEntry) bool {
	sameCharge := func(e *ledgerEntry) bool { return e.Charge.Abs() == r.Charge.Abs() }
	return r.cancelFirst(from, func(e *ledgerEntry) bool {
		found, _ := r.findLines([]*ledgerEntry{e})
		return sameCharge(e) && len(found) == len(e.Lines) && len(found) == len(r.Lines)
	}) || r.cancelFirst(from, sameCharge)
}

// cancelAmount cancels the first entry with the amount of the reversal.
func (r *ledgerEntry) cancelAmount(from []*ledgerEntry) bool {
	return r.cancelFirst(from, func(*ledgerEntry) bool { return r.Paid != 0 })
}

func (r *ledgerEntry) cancelFirst(from []*ledgerEntry, fits func(*ledgerEntry) bool) bool {
	i := slices.IndexFunc(from, func(e *ledgerEntry) bool { return e.left() == -r.Paid && fits(e) })
	if i < 0 {
		return false
	}
	from[i].cancel(r)
	return true
}

// cancelAll cancels the parts of a split claim.
func (r *ledgerEntry) cancelAll(from []*ledgerEntry) bool {
	var paid, charge Money
	for _, e := range from {
		paid += e.left()
		charge += e.Charge.Abs()
	}
	if len(from) < 2 || paid != -r.Paid || charge != r.Charge.Abs() {
		return false
	}
	for _, e := range from {
		e.cancel(r)
	}
	return true
}

// cancelLines cancels the lines that the reversal states. All must be found.
func (r *ledgerEntry) cancelLines(from []*ledgerEntry) bool {
	found, ok := r.findLines(from)
	if !ok {
		return false
	}
	for _, p := range found {
		p.of.cancelled[p.line] = true
		if r.takenBack = append(r.takenBack, p.of); !slices.Contains(p.of.cancelled, false) {
			p.of.cancelledBy = r.LedgerEntry
		}
	}
	return len(found) > 0
}

// place is a line of an entry.
type place struct {
	of   *ledgerEntry
	line int
}

// findLines returns the standing lines that the lines of the reversal take back. It
// reports false when one is not found.
func (r *ledgerEntry) findLines(from []*ledgerEntry) (found []place, ok bool) {
	for i := range r.Lines {
		at := slices.IndexFunc(from, func(e *ledgerEntry) bool {
			for n := range e.Lines {
				if p := (place{e, n}); r.takesBack(i, p) && !slices.Contains(found, p) {
					found = append(found, p)
					return true
				}
			}
			return false
		})
		if at < 0 {
			return nil, false
		}
	}
	return found, true
}

// takesBack reports whether line i of the reversal inverts a standing line.
func (r *ledgerEntry) takesBack(i int, p place) bool {
	gone, line := &r.Lines[i], &p.of.Lines[p.line]
	return !p.of.cancelled[p.line] && line.Paid == -gone.Paid && line.Charge.Abs() == gone.Charge.Abs() && r.same(i, p)
}

// left returns what was paid and not taken back.
func (e *ledgerEntry) left() Money {
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
	return e.Lines[i].billed() == p.of.Lines[p.line].billed()
}

// replace lets an entry stand, in place of what it states of earlier ones of the
// same payer and sequence. Entries of one remittance add up.
func (l *Ledger) replace(i int) {
	e := l.entries[i]
	for n := range e.Lines {
		e.stands[n] = !e.cancelled[n]
	}
	e.level = true
	whole := e.Charge == l.claim.Charge()
	for _, old := range l.entries[:i] {
		if old.sequence != e.sequence || old.payer != e.payer || old.ERA.ID == e.ERA.ID {
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
func (e *ledgerEntry) standing() (all []Adjustment) {
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

// Cancels reports whether the reversal, which the ledger has, takes anything
// back.
func (l *Ledger) Cancels(r *LedgerEntry) bool {
	e := l.find(r)
	return e != nil && len(e.takenBack) > 0
}

// Sequence returns the sequence of an entry.
func (l *Ledger) Sequence(r *LedgerEntry) Sequence {
	if e := l.find(r); e != nil {
		return e.sequence
	}
	return ""
}

func (l *Ledger) find(r *LedgerEntry) *ledgerEntry {
	for _, e := range l.entries {
		if e.ERA.ID == r.ERA.ID && e.Ordinal == r.Ordinal {
			return e
		}
	}
	return nil
}

// With returns the ledger with one more entry.
func (l *Ledger) With(r *LedgerEntry) *Ledger {
	return l.claim.Ledger(append(l.applied(nil), r))
}

// Without returns the ledger without an entry.
func (l *Ledger) Without(r *LedgerEntry) *Ledger {
	return l.claim.Ledger(l.applied(l.find(r)))
}

func (l *Ledger) applied(but *ledgerEntry) []*LedgerEntry {
	all := make([]*LedgerEntry, 0, len(l.entries)+1)
	for _, e := range l.entries {
		if e != but {
			all = append(all, e.LedgerEntry)
		}
	}
	return all
}

// Adjudication is an entry of a ledger as callers see it.
type Adjudication struct {
	*LedgerEntry

	Numbers     []int // of the claim's lines, by line; 0 for none
	Sequence    Sequence
	CancelledBy *LedgerEntry // nil when no reversal takes all of it back
}

// Adjudications returns the entries in the order of their payments.
func (l *Ledger) Adjudications() []Adjudication {
	all := make([]Adjudication, len(l.entries))
	for i, e := range l.entries {
		all[i] = Adjudication{e.LedgerEntry, e.numbers, e.sequence, e.cancelledBy}
	}
	return all
}
