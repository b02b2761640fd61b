package estimate

import (
	"cmp"
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// totals adds up the lines. Where the patient's total moves one way with each value that is
// missing, its ends are those of two runs with every value at one end. Elsewhere the sums
// of the ends of the lines bound it, and so does what is left of the maximums.
func (c *Case) totals(lines []joined) (low, high Scenario) {
	var sum joined
	for _, l := range lines {
		sum = sum.plus(l)
	}
	if c.Second != nil {
		return c.totalsOfTwo(lines, sum)
	}
	low, high = sum.least, sum.most
	if low != high && c.movesOneWay() {
		// Where the patient pays the same, the lines add up to the total.
		if good, _ := c.totalAt(best, best); good.PatientPays != low.PatientPays {
			low = good
		}
		if _, bad := c.totalAt(worst, worst); bad.PatientPays != high.PatientPays {
			high = bad
		}
	}
	most := newRun(c, bothSides, bothSides).first.mostOf(c.Lines, func(i int) billing.Money { return lines[i].pays.first.Most })
	return low.within(most, sum.pays.writeOff.Most), high.within(most, sum.pays.writeOff.Most)
}

// totalAt returns the totals with every missing value of each plan at one end.
func (c *Case) totalAt(first, second side) (low, high Scenario) {
	r := newRun(c, first, second)
	for i := range c.Lines {
		one := r.ends(&c.Lines[i])
		low, high = low.plus(one.least), high.plus(one.most)
	}
	return low, high
}

// totalsOfTwo returns the totals under two plans. The second one changes nothing of what the first
// one pays, so the patient pays what the first one leaves, less what the second one pays. That bounds
// the total beside the sums of the lines, whose ends may be of several scenarios.
func (c *Case) totalsOfTwo(lines []joined, sum joined) (low, high Scenario) {
	alone := *c
	alone.Second = nil
	r := newRun(&alone, bothSides, bothSides)
	var firsts []joined
	for i := range c.Lines {
		firsts = append(firsts, r.ends(&c.Lines[i]))
	}
	low, high = alone.totals(firsts)
	first, second := Exactly(low.PlanPays), sum.pays.second
	first = *first.with(new(Exactly(high.PlanPays)))
	second.Most = newRun(c, bothSides, bothSides).second.mostOf(c.Lines, func(i int) billing.Money { return lines[i].pays.second.Most })
	low = low.leaving(max(sum.least.PatientPays, low.PatientPays-second.Most))
	high = high.leaving(min(sum.most.PatientPays, high.PatientPays-second.Least))
	// Those of one run are what may happen. The lines add up to their sums, if these may, too.
	take := func(to *Scenario, s Scenario) {
		if s.PatientPays == to.PatientPays && first.has(s.PlanPays) && second.has(s.SecondPlanPays) {
			*to = s
		}
	}
	for _, sides := range [][2]side{{worst, worst}, {worst, best}, {best, worst}, {best, best}} {
		least, most := c.totalAt(sides[0], sides[1])
		take(&low, least)
		take(&high, most)
	}
	take(&low, sum.least)
	take(&high, sum.most)
	return low, high
}

// leaving returns the scenario of the first plan in which the second one leaves an amount to the patient.
func (s Scenario) leaving(amount billing.Money) Scenario {
	s.SecondPlanPays = max(0, s.PatientPays-amount)
	s.PlanPays -= max(0, amount-s.PatientPays)
	s.PatientPays = amount
	return s
}

// within returns the scenario in which the plan pays no more than an amount: the rest is written off
// as far as that is possible, and the patient's beyond.
func (s Scenario) within(most, writeOff billing.Money) Scenario {
	over := max(0, s.PlanPays-most)
	off := max(0, min(over, writeOff-s.WriteOff))
	s.PlanPays, s.WriteOff, s.PatientPays = s.PlanPays-over, s.WriteOff+off, s.PatientPays+over-off
	return s
}

// mostOf returns the most that the plan pays for all lines, of which it pays up to an amount each: at most
// what is left of each maximum for the lines that use it.
func (g *ledger) mostOf(lines []Line, each func(i int) billing.Money) billing.Money {
	users := map[*pot][]int{}
	var pots []*pot
	for i := range lines {
		for _, p := range g.termsOf(&lines[i]).maximums {
			if p.shared && !slices.Contains(pots, p) {
				pots = append(pots, p)
			}
			users[p] = append(users[p], i)
		}
	}
	// By how many lines use them, those with the least left first.
	bound := func(few int) (most billing.Money) {
		slices.SortStableFunc(pots, func(a, b *pot) int {
			return cmp.Or(few*cmp.Compare(len(users[a]), len(users[b])), cmp.Compare(a.left.Most, b.left.Most))
		})
		free := make([]billing.Money, len(lines)) // what no maximum bounds yet
		for i := range lines {
			free[i] = each(i)
		}
		for _, p := range pots {
			var all billing.Money
			for _, i := range users[p] {
				all += free[i]
			}
			if p.left.Most < all {
				most += p.left.Most
				for _, i := range users[p] {
					free[i] = 0
				}
			}
		}
		for _, m := range free {
			most += m
		}
		return most
	}
	return min(bound(1), bound(-1))
}

// movesOneWay reports whether no missing value can move the patient's total both ways. With
// two plans, a first plan that pays more now leaves less for a later line. So does a
// lifetime maximum with several dates. A used-up maximum may end the write-off. And a
// category's deductible may use up the general one on a line for which nothing is left.
func (c *Case) movesOneWay() bool {
	if c.Second != nil || c.Plan.NoWriteOffBeyondLimits || !c.oneDate() || slices.ContainsFunc(c.Lines, func(l Line) bool { return l.NoWriteOffBeyond }) {
		return false
	}
	for i := range c.Plan.Deductibles {
		if d := &c.Plan.Deductibles[i]; (d.Category != "" || d.Code != "") && d.Remaining == nil {
			return false
		}
	}
	return true
}
