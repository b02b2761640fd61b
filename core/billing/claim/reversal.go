package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// reversal is an entry that takes back others.
type reversal struct{ *ledgerEntry }

// takeBack cancels what a reversal takes back. A reversal repeats a claim with every
// sign inverted (005010X221A1, 1.10.2.8). It takes back an entry with its payer claim
// number and amount. Otherwise it takes back all entries with the number, if they add
// up to the amount, or else the lines that it states. Without such entries, it takes
// back others of the payer in the same way, if their charge agrees too. Its own
// remittance may have the correction. From it, it takes back only exact opposites.
func (l *Ledger) takeBack(r reversal) {
	named, others, own := l.standing(r)
	either := append(slices.Clone(named), others...)
	_ = r.cancelCharge(named) || r.cancelAll(named) || r.cancelLines(named) || r.cancelAmount(named) ||
		r.cancelCharge(others) || r.cancelAll(either) || r.cancelLines(either) || r.cancelFirst(own, r.mirrors)
}

// standing returns the entries that a reversal may take back, the likeliest first.
// Those before it come first, the latest one at the front, and then those of its day
// that came after it. A later payment is never taken back. Named have the payer claim
// number that the reversal states. Own are in its own remittance.
func (l *Ledger) standing(r reversal) (named, others, own []*ledgerEntry) {
	at := slices.Index(l.entries, r.ledgerEntry)
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
func (r reversal) mirrors(e *ledgerEntry) bool {
	return r.Charge == -e.Charge && mirrored(r.Adjustments, e.Adjustments) &&
		slices.EqualFunc(r.Lines, e.Lines, func(a, b remit.Line) bool {
			return a.Billed() == b.Billed() && a.Charge == -b.Charge && a.Paid == -b.Paid && mirrored(a.Adjustments, b.Adjustments)
		})
}

func mirrored(a, b []remit.Adjustment) bool {
	return slices.EqualFunc(a, b, func(x, y remit.Adjustment) bool {
		return x.Group == y.Group && x.Reason == y.Reason && x.Amount == -y.Amount
	})
}

func reversed(all []*ledgerEntry) []*ledgerEntry {
	back := slices.Clone(all)
	slices.Reverse(back)
	return back
}

// cancelCharge cancels the first entry with the amount, the charge and the lines of
// the reversal, or else the first with the amount and the charge.
func (r reversal) cancelCharge(from []*ledgerEntry) bool {
	sameCharge := func(e *ledgerEntry) bool { return e.Charge.Abs() == r.Charge.Abs() }
	return r.cancelFirst(from, func(e *ledgerEntry) bool {
		found, _ := r.findLines([]*ledgerEntry{e})
		return sameCharge(e) && len(found) == len(e.Lines) && len(found) == len(r.Lines)
	}) || r.cancelFirst(from, sameCharge)
}

// cancelAmount cancels the first entry with the amount of the reversal.
func (r reversal) cancelAmount(from []*ledgerEntry) bool {
	return r.cancelFirst(from, func(*ledgerEntry) bool { return r.Paid != 0 })
}

func (r reversal) cancelFirst(from []*ledgerEntry, fits func(*ledgerEntry) bool) bool {
	i := slices.IndexFunc(from, func(e *ledgerEntry) bool { return e.left() == -r.Paid && fits(e) })
	if i < 0 {
		return false
	}
	from[i].cancel(r.ledgerEntry)
	return true
}

// cancelAll cancels the parts of a split claim.
func (r reversal) cancelAll(from []*ledgerEntry) bool {
	var paid, charge billing.Money
	for _, e := range from {
		paid += e.left()
		charge += e.Charge.Abs()
	}
	if len(from) < 2 || paid != -r.Paid || charge != r.Charge.Abs() {
		return false
	}
	for _, e := range from {
		e.cancel(r.ledgerEntry)
	}
	return true
}

// cancelLines cancels the lines that the reversal states. All must be found.
func (r reversal) cancelLines(from []*ledgerEntry) bool {
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
func (r reversal) findLines(from []*ledgerEntry) (found []place, ok bool) {
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
func (r reversal) takesBack(i int, p place) bool {
	gone, line := &r.Lines[i], &p.of.Lines[p.line]
	return !p.of.cancelled[p.line] && line.Paid == -gone.Paid && line.Charge.Abs() == gone.Charge.Abs() && r.same(i, p)
}
