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

	numbers     []int // of the claim's lines, by line; 0 for none
	sequence    Sequence
	cancelledBy *LedgerEntry // the reversal of all of it
	cancelled   []bool       // by line: a reversal takes the line back
	cancels     bool         // it is a reversal, and takes back an entry or some of its lines

	stands      []bool // by line: neither taken back nor replaced
	levelStands bool   // the same for the adjustments of the claim level, and for an entry without lines
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
		e.sequence = l.sequenceOf(i)
	}
	for i, e := range l.entries {
		if !e.Reverses() && e.cancelledBy == nil {
			l.replace(i)
		}
	}
	return l
}

func newEntry(c *Claim, e *LedgerEntry) *ledgerEntry {
	n := &ledgerEntry{
		LedgerEntry: e, numbers: e.LineNumbers, cancelled: make([]bool, len(e.Lines)), stands: make([]bool, len(e.Lines)),
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

// sequenceOf returns the sequence of an entry, given those before it. A reversal
// has the sequence of what it takes back.
func (l *Ledger) sequenceOf(i int) Sequence {
	e := l.entries[i]
	if s := e.StatedSequence(); s != "" {
		return s
	}
	if e.Reverses() {
		for _, other := range l.entries {
			if other.cancelledBy == e.LedgerEntry || other != e && !other.Reverses() && e.names(other) {
				return cmp.Or(other.sequence, other.StatedSequence(), SequencePrimary)
			}
		}
	}
	last := 0
	for _, before := range l.entries[:i] {
		if before.ERA.payer() == e.ERA.payer() {
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
// every sign inverted (005010X221A1, 1.10.2.8). It takes back an entry of the
// payer with the same amount, else all entries with its payer claim number when
// they add up to its amount, else the lines that it states. Of its own remittance,
// which may have the correction, it takes back only what it inverts to the cent.
func (l *Ledger) takeBack(r *ledgerEntry) {
	named, others, own := l.standing(r)
	_ = r.cancelCharge(named) || r.cancelAll(named) || r.cancelLines(named) || r.cancelAmount(named) ||
		r.cancelCharge(others) || r.cancelAmount(others) || r.cancelFirst(own, r.mirrors)
}

// standing returns the entries that a reversal may take back, the likeliest
// first: those before it from the latest on, then those after it. Named are the
// ones with the payer claim number that the reversal states, own those of its own
// remittance.
func (l *Ledger) standing(r *ledgerEntry) (named, others, own []*ledgerEntry) {
	at := slices.Index(l.entries, r)
	for _, e := range append(reversed(l.entries[:at]), l.entries[at+1:]...) {
		switch {
		case e.Reverses() || e.cancelledBy != nil || e.ERA.payer() != r.ERA.payer():
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
	return n != "" && (n == e.PayerClaimNumber || n == e.Original) && e.ERA.payer() == other.ERA.payer()
}

// cancelCharge cancels the first entry with the amount and the charge of the
// reversal.
func (r *ledgerEntry) cancelCharge(from []*ledgerEntry) bool {
	return r.cancelFirst(from, func(e *ledgerEntry) bool { return e.Charge.Abs() == r.Charge.Abs() })
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
	type place struct {
		e    *ledgerEntry
		line int
	}
	var found []place
	for i := range r.Lines {
		at := slices.IndexFunc(from, func(e *ledgerEntry) bool {
			n := e.lineLike(r, i)
			if n < 0 || slices.Contains(found, place{e, n}) {
				return false
			}
			found = append(found, place{e, n})
			return true
		})
		if at < 0 {
			return false
		}
	}
	for _, p := range found {
		p.e.cancelled[p.line] = true
		if !slices.Contains(p.e.cancelled, false) {
			p.e.cancelledBy = r.LedgerEntry
		}
	}
	r.cancels = len(found) > 0
	return r.cancels
}

// lineLike returns the index of the standing line that line i of the reversal
// takes back, or -1.
func (e *ledgerEntry) lineLike(r *ledgerEntry, i int) int {
	for n := range e.Lines {
		if !e.cancelled[n] && e.Lines[n].Paid == -r.Lines[i].Paid && e.key(n) == r.key(i) {
			return n
		}
	}
	return -1
}

// left returns what was paid and not taken back line by line.
func (e *ledgerEntry) left() Money {
	paid := e.Paid
	for i, gone := range e.cancelled {
		if gone {
			paid -= e.Lines[i].Paid
		}
	}
	return paid
}

func (e *ledgerEntry) cancel(r *ledgerEntry) { e.cancelledBy, r.cancels = r.LedgerEntry, true }

// lineKey identifies a line of the claim: by its number, or by its procedure when
// it matches none.
type lineKey struct {
	number    int
	procedure string
}

func (e *ledgerEntry) key(i int) lineKey {
	if n := e.numbers[i]; n > 0 {
		return lineKey{number: n}
	}
	return lineKey{procedure: e.Lines[i].billed()}
}

// replace lets an entry stand, in place of what it states of earlier ones of the
// same payer and sequence. Entries of one remittance add up.
func (l *Ledger) replace(i int) {
	e := l.entries[i]
	for n := range e.Lines {
		e.stands[n] = !e.cancelled[n]
	}
	e.levelStands = true
	whole := e.Charge == l.claim.Charge()
	for _, old := range l.entries[:i] {
		if old.sequence != e.sequence || old.ERA.payer() != e.ERA.payer() || old.ERA.ID == e.ERA.ID {
			continue
		}
		for n := range old.stands {
			old.stands[n] = old.stands[n] && !whole && !e.states(old.key(n))
		}
		if whole || old.PayerClaimNumber == e.PayerClaimNumber {
			old.levelStands = false
		}
	}
}

// states reports whether the entry decides the line. One without lines decides all.
func (e *ledgerEntry) states(k lineKey) bool {
	if len(e.Lines) == 0 {
		return true
	}
	for n := range e.Lines {
		if e.key(n) == k && !e.cancelled[n] {
			return true
		}
	}
	return false
}

// stand reports whether any part of the entry stands.
func (e *ledgerEntry) stand() bool {
	return slices.Contains(e.stands, true) || e.levelStands && (len(e.Lines) == 0 || len(e.Adjustments) > 0)
}

// Cancels reports whether the reversal, which the ledger has, takes anything
// back.
func (l *Ledger) Cancels(r *LedgerEntry) bool {
	e := l.find(r)
	return e != nil && e.cancels
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
