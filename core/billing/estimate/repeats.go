package estimate

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// cover remembers a line that the plan may pay, which counts for how often it pays for the
// lines that follow.
func (g *ledger) cover(l *Line, t *terms) {
	if t.struck == nil && t.maybe {
		g.covered = append(g.covered, l)
	}
}

// repeats returns the strike of a line whose service the lines before it have used up as often
// as the plan pays for it; nil if they have not. What the payer counts, or the last service
// that is known, comes before them. A limit by tooth counts services of the same tooth.
func (g *ledger) repeats(l *Line, s *Share) *strike {
	f := s.Frequency
	if f == nil || f.Count == nil {
		return nil
	}
	lines := 0
	var from billing.Date
	for _, before := range g.covered {
		elsewhere := s.LimitedPerPlace && (l.Tooth == "" || before.Tooth != l.Tooth)
		first, last := before.ServiceDate, l.ServiceDate
		if last.Before(first) {
			first, last = last, first
		}
		next, again := g.plan.renewed(f, first)
		if before.Code != l.Code || before.Person != l.Person || elsewhere || again && !last.Before(next) {
			continue
		}
		if lines += max(1, before.Quantity); from.IsZero() || next.Before(from) {
			from = next
		}
	}
	known := g.known(l, s)
	if lines == 0 || known+lines < *f.Count {
		return nil
	}
	if known > 0 && *f.Count > 1 {
		from = billing.Date{} // it depends on when those services were
	}
	return &strike{
		text: "An earlier line has this service, and the plan pays for it only " + often(f) + ".", path: s.Path + ".frequency", from: from, limit: true,
	}
}

// known returns how many services of the line's period are known beside the estimate.
func (g *ledger) known(l *Line, s *Share) int {
	f := s.Frequency
	present := f.Period != string(coverage.PeriodCalendarYear) || l.ServiceDate.Year == g.plan.CheckedOn.Year
	if f.Used != nil && present && !s.LimitedPerPlace {
		return *f.Used
	}
	last := l.LastService
	if last.IsZero() && !s.LimitedPerPlace {
		last = s.LastService
	}
	if next, again := g.plan.renewed(f, last); last.IsZero() || again && !l.ServiceDate.Before(next) {
		return 0
	}
	return 1
}

// renewed returns the day from which a service of a day no longer counts for how often the plan
// pays, and whether there is one. The day is zero for a period that is no number of months or
// years.
func (p *Plan) renewed(f *coverage.Frequency, on billing.Date) (from billing.Date, again bool) {
	switch _, unit := f.Span(); {
	case unit == coverage.PeriodUnitLifetime:
		return billing.Date{}, false
	case f.Period == string(coverage.PeriodPlanYear) && !p.Period.From.IsZero():
		return p.Period.From.AddMonths(12 * (p.Period.years(on) + 1)), true
	}
	return (&coverage.Frequency{Count: new(1), Period: f.Period}).Renewed(on), true
}
