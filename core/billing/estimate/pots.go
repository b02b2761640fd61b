package estimate

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Range is an amount that lies between two.
type Range struct {
	Least billing.Money
	Most  billing.Money
}

// Exactly returns the range of one amount.
func Exactly(m billing.Money) Range { return Range{m, m} }

// Known reports whether the range is one amount.
func (r Range) Known() bool { return r.Least == r.Most }

// ends returns the ends of the range, one if they are the same.
func (r Range) ends() []billing.Money {
	if r.Known() {
		return []billing.Money{r.Least}
	}
	return []billing.Money{r.Least, r.Most}
}

// lower returns the range of the lesser of two amounts.
func (r Range) lower(o Range) Range { return Range{min(r.Least, o.Least), min(r.Most, o.Most)} }

func (r Range) plus(o Range) Range { return Range{r.Least + o.Least, r.Most + o.Most} }

// has reports whether an amount is within the range.
func (r Range) has(m billing.Money) bool { return r.Least <= m && m <= r.Most }

// unlimited is more than any fee.
const unlimited billing.Money = 1 << 50

// open reports whether nobody knows the most of the range, whatever was taken from it.
func (r Range) open() bool { return r.Most > unlimited/2 }

// orNil returns the range; nil if it is open.
func (r Range) orNil() *Range {
	if r.open() {
		return nil
	}
	return &r
}

// pot is what is left of a limit in one benefit period.
type pot struct {
	limit *Limit
	left  Range
	// decided is what the payer took from it after the check, and claimed what undecided claims use of it.
	decided Range
	claimed Range
	// shared is false if lines of the same pot may belong to different benefit periods.
	shared bool
	// twin is the pot of the other days, where nobody says when the benefit period begins: the day of the check
	// and any other may be in one period or in two. It is nil where the period is known.
	twin *pot
}

// ledger has what is left of a plan's limits while the lines use them.
type ledger struct {
	plan    *Plan
	side    side
	oneDate bool // all lines are of one day
	later   bool // another plan pays first, whose contract says what is written off
	pots    map[potKey]*pot
	missing map[string]*Limit
	covered []*Line // that came before and may be paid
	earlier []Earlier
}

type potKey struct {
	limit  *Limit
	place  place
	member billing.PatientID // whose own amount it is; zero for the patient, and for one of the family
}

func newLedger(p *Plan, s side, oneDate bool) *ledger {
	return &ledger{plan: p, side: s, oneDate: oneDate, pots: map[potKey]*pot{}, missing: map[string]*Limit{
		"deductibles": {Path: "deductibles"}, "maximums": {Path: "maximums"},
	}}
}

// pot returns what is left of a limit for services of the day. The check does not say what is left
// of another member's own amounts, so all of them is.
func (g *ledger) pot(l *Limit, t *target, deductible bool) *pot {
	at := g.plan.placeOf(l, t.day)
	key := potKey{l, at, t.member}
	if l.Level == coverage.LevelFamily {
		key.member = billing.PatientID{}
	}
	if g.pots[key] == nil {
		g.pots[key] = g.newPot(key, deductible)
		if twin := key; !at.life && g.plan.periodOf(l).From.IsZero() {
			twin.place.unknown = !at.unknown
			g.pots[twin] = g.newPot(twin, deductible)
			g.pots[key].twin, g.pots[twin].twin = g.pots[twin], g.pots[key]
		}
	}
	return g.pots[key]
}

func (g *ledger) newPot(key potKey, deductible bool) *pot {
	l := key.limit
	left := l.left(key.place)
	if key.member != (billing.PatientID{}) && l.Amount != nil {
		left = Exactly(max(0, *l.Amount))
	}
	if l.Amount == nil && l.Remaining == nil {
		left = Range{0, unlimited}
	}
	return &pot{limit: l, left: g.side.of(left, deductible), shared: !key.place.unknown || g.oneDate}
}

// left returns what is left of the limit in a benefit period before any line.
func (l *Limit) left(at place) Range {
	full := Range{0, unlimited}
	if l.Amount != nil {
		full = Exactly(max(0, *l.Amount))
	}
	now := Range{0, full.Most}
	if l.Remaining != nil {
		now = Exactly(max(0, *l.Remaining))
	}
	switch {
	case at.unknown:
		return Range{min(now.Least, full.Least), max(now.Most, full.Most)}
	case at.year > 0:
		return full
	case at.year < 0:
		return Range{0, full.Most}
	}
	return now
}

// deductibles returns the deductibles of a line. One of the category or of the procedure
// stands beside the general one, which it cannot exceed.
func (g *ledger) deductibles(t *target) []*pot {
	own, general := g.matching(g.plan.Deductibles, t)
	if len(own)+len(general) == 0 && g.plan.lacks("deductibles") {
		general = []*Limit{g.missing["deductibles"]}
	}
	return g.potsOf(append(own, general...), t, true)
}

// maximums returns the maximums of a line. One that stands alone leaves the general one
// as it is, and so does a service that is exempt from it, or has a separate one.
func (g *ledger) maximums(t *target) []*pot {
	own, general := g.matching(g.plan.Maximums, t)
	share, _ := g.plan.shareOf(t)
	if share.MaximumSeparate && len(own) == 0 {
		own = append(own, g.separate(t))
	}
	if share.MaximumExempt || share.MaximumSeparate {
		return g.potsOf(own, t, false)
	}
	if len(own)+len(general) == 0 && g.plan.lacks("maximums") {
		general = []*Limit{g.missing["maximums"]}
	}
	for _, l := range own {
		if l.Alone {
			general = nil
		}
	}
	return g.potsOf(append(own, general...), t, false)
}

// separate returns the maximum of a category, or of a procedure without one, that the payer says there is,
// and whose amount it did not return.
func (g *ledger) separate(t *target) *Limit {
	l := &Limit{Path: "maximums", Category: t.category}
	if t.category == "" {
		l.Code = t.code
	}
	key := "maximums." + string(l.Category) + l.Code
	if g.missing[key] == nil {
		g.missing[key] = l
	}
	return g.missing[key]
}

// matching returns the limits of a line: those of its procedure or else of its category,
// and the general ones.
func (g *ledger) matching(all []Limit, t *target) (own, general []*Limit) {
	var byCode, byCategory []*Limit
	for i := range all {
		l := &all[i]
		if !l.covers(t.day, all) || t.family && l.Level != coverage.LevelFamily {
			continue
		}
		switch {
		case l.Code != "":
			if l.Code == t.code {
				byCode = append(byCode, l)
			}
		case l.Category != "":
			if l.Category == t.category {
				byCategory = append(byCategory, l)
			}
		default:
			general = append(general, l)
		}
	}
	if len(byCode) > 0 {
		return byCode, general
	}
	return byCategory, general
}

func (g *ledger) potsOf(limits []*Limit, t *target, deductible bool) (out []*pot) {
	for _, l := range limits {
		out = append(out, g.pot(l, t, deductible))
	}
	return out
}

// least returns the lowest of what is left in the pots, or none if there is no pot.
func least(pots []*pot, none billing.Money) Range {
	left := Exactly(unlimited)
	for _, p := range pots {
		left = left.lower(p.left)
	}
	if len(pots) == 0 {
		return Exactly(none)
	}
	return left
}

// use takes an amount from each of the pots, which together allow no more than the lowest
// of them has. Each end of what is left is that of the pot with the other ones at theirs.
func use(pots []*pot, amount Range) {
	after := make([]Range, len(pots))
	for i, p := range pots {
		most := amount
		for k, o := range pots {
			if k != i {
				most = most.lower(o.left)
			}
		}
		after[i] = Range{max(0, p.left.Least-most.Most), max(0, p.left.Most-most.Least)}
		if !p.shared {
			after[i].Most = p.left.Most
		}
		if p.twin != nil {
			p.twin.left.Least = max(0, p.twin.left.Least-most.Most)
		}
	}
	for i, p := range pots {
		p.left = after[i]
	}
}
