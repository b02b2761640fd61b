package estimate

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Claimed is what a service of a claim uses of what the check says is left.
type Claimed struct {
	Code        string // empty for a decision about a whole claim
	ServiceDate billing.Date
	Deductible  Range // of a decision one amount, less than 0 where the payer took back what it had decided
	Pays        Range
	Family      bool // of another member of the family
}

func (c *Claimed) target() *target {
	return &target{code: c.Code, category: CategoryOf(c.Code), day: c.ServiceDate, family: c.Family}
}

// takeClaims takes what claims use of what the check says is left.
func (g *ledger) takeClaims(decided, undecided []Claimed) {
	for i := range decided {
		d := &decided[i]
		decide(g.deductibles(d.target()), d.Deductible.Most)
		decide(g.maximums(d.target()), d.Pays.Most)
	}
	for i := range undecided {
		u := &undecided[i]
		claim(g.deductibles(u.target()), u.Deductible)
		claim(g.maximums(u.target()), g.side.of(u.Pays, true))
	}
}

// Uses returns what each of the lines uses of the first plan: the amounts that the deductible counts
// for, and the benefits. What is left of both bounds them, as it does for lines.
func (c *Case) Uses() (out []Claimed) {
	r := newRun(c, bothSides, bothSides)
	for i := range c.Lines {
		l := &c.Lines[i]
		r.uses = Claimed{Code: l.Code, ServiceDate: l.ServiceDate, Family: l.Family}
		r.ends(l)
		out = append(out, r.uses)
	}
	return out
}

// record adds what a line uses. Amounts of another member's own bound it here, since only those of
// the family are the patient's as well.
func (c *Claimed) record(t *terms, deductible, benefit Range) {
	if c.Family {
		own := func(pots []*pot) []*pot {
			return slices.DeleteFunc(slices.Clone(pots), func(p *pot) bool { return p.limit.Level == coverage.LevelFamily })
		}
		deductible = deductible.lower(least(own(t.deductibles), unlimited))
		benefit = benefit.lower(least(own(t.maximums), unlimited))
	}
	c.Deductible, c.Pays = c.Deductible.plus(deductible), c.Pays.plus(benefit)
}

// decide takes from each of the pots what the payer decided after the check. What it took back is
// left again, at most the whole amount.
func decide(pots []*pot, amount billing.Money) {
	for _, p := range pots {
		whole := unlimited
		if p.limit.Amount != nil {
			whole = *p.limit.Amount
		}
		after := func(left, amount billing.Money) billing.Money { return max(0, min(left-amount, max(left, whole))) }
		certain := Exactly(amount)
		maybe := Range{min(0, amount), max(0, amount)}
		take := func(p *pot, amount Range) {
			p.left = Range{after(p.left.Least, amount.Most), after(p.left.Most, amount.Least)}
			p.decided = p.decided.plus(amount)
		}
		if p.shared {
			take(p, certain)
		} else {
			take(p, maybe)
		}
		if p.twin != nil {
			take(p.twin, maybe)
		}
	}
}

// claim takes an amount that an undecided claim uses from each of the pots.
func claim(pots []*pot, amount Range) {
	all := slices.Clone(pots)
	for _, p := range pots {
		if p.twin != nil {
			all = append(all, p.twin)
		}
	}
	before := make([]Range, len(all))
	for i, p := range all {
		before[i] = p.left
	}
	use(pots, amount)
	for i, p := range all {
		p.claimed.Least += before[i].Most - p.left.Most
		p.claimed.Most += before[i].Least - p.left.Least
	}
}
