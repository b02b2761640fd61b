package estimate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Earlier is a service of a claim that is known.
type Earlier struct {
	Line
	Since bool // it was sent after the check, so that the payer's count cannot have it
}

// cover remembers a line that the plan may pay, which counts for how often it pays for the
// lines that follow.
func (g *ledger) cover(l *Line, t *terms) {
	if t.struck == nil && t.maybe {
		g.covered = append(g.covered, l)
	}
}

// counted are services that count on the day of a line for how often the plan pays.
type counted struct {
	units int
	until billing.Date // the first day on which they do not; zero for none that is known
	line  bool         // an earlier line of the estimate
}

// count returns what counts on the day of the line for its frequency, and how many services that
// is. Of the payer's count and the services that are known, those beside the estimate are what is
// more: the payer's has them. Claims that were sent after the check, and earlier lines, come beside.
func (g *ledger) count(l *Line, s *Share) (all []counted, n int) {
	f := s.Frequency
	known, beside := 0, 0
	dated := map[billing.Date]bool{}
	add := func(on billing.Date, units int, sum *int, line bool) {
		until, counts := g.plan.renewed(f, on, l.ServiceDate)
		if on.IsZero() || !counts {
			return
		}
		*sum += units
		all = append(all, counted{units, until, line})
	}
	for i := range g.earlier {
		e := &g.earlier[i]
		if !e.is(l, s) || l.ServiceDate.Before(e.ServiceDate) || slices.ContainsFunc(g.earlier[:i], e.repeats) {
			continue
		}
		dated[e.ServiceDate] = true
		sum := &known
		if e.Since {
			sum = &beside
		}
		add(e.ServiceDate, max(1, e.Quantity), sum, false)
	}
	last := []billing.Date{l.LastService, l.PriorPlacement}
	if !s.LimitedPerPlace {
		last = append(last, s.LastService)
	}
	for _, on := range last {
		if !dated[on] && !l.ServiceDate.Before(on) {
			dated[on] = true
			add(on, 1, &known, false)
		}
	}
	if f.Used != nil && *f.Used > known && !s.LimitedPerPlace && l.ServiceDate.Before(cmp.Or(s.NextEligible, l.ServiceDate.AddDays(1))) {
		if until, counts := g.plan.renewed(f, g.plan.CheckedOn, l.ServiceDate); counts && (!calendar(f) || l.ServiceDate.Year >= g.plan.CheckedOn.Year) {
			if _, unit := f.Span(); unit == coverage.PeriodUnitMonth || unit == coverage.PeriodUnitYear && !calendar(f) {
				until = billing.Date{} // it depends on when those services were
			}
			all = append(all, counted{*f.Used - known, until, false})
			known = *f.Used
		}
	}
	for _, before := range g.covered {
		if before.Code == l.Code && before.Person == l.Person && (!s.LimitedPerPlace || before.same(&l.Place, f.Scope)) {
			first, day := before.ServiceDate, l.ServiceDate
			if day.Before(first) {
				first, day = day, first
			}
			if until, counts := g.plan.renewed(f, first, day); counts {
				beside += max(1, before.Quantity)
				all = append(all, counted{max(1, before.Quantity), until, true})
			}
		}
	}
	return all, known + beside
}

// repeats reports whether another claim has the same service, as one that was sent again has.
func (e *Earlier) repeats(o Earlier) bool {
	return e.Code == o.Code && e.Person == o.Person && e.ServiceDate == o.ServiceDate && e.Tooth == o.Tooth &&
		slices.Equal(e.Surfaces, o.Surfaces) && slices.Equal(e.Areas, o.Areas)
}

// is reports whether the service counts for the frequency of a line. Without a place that the
// plan names, one of another tooth does not: such a limit is seldom meant for the whole mouth.
func (e *Earlier) is(l *Line, s *Share) bool {
	if e.Code != l.Code || e.Person != l.Person {
		return false
	}
	if s.LimitedPerPlace {
		return e.same(&l.Place, s.Frequency.Scope)
	}
	return l.Tooth == "" || e.Tooth == l.Tooth
}

// left returns how many services of the line the plan still pays for, by what is known. It is at
// most the units of the line, and all of them where the plan states no frequency.
func (g *ledger) left(l *Line, s *Share) int {
	units := max(1, l.Quantity)
	if s.Frequency == nil || s.Frequency.Count == nil {
		return units
	}
	_, n := g.count(l, s)
	return max(0, min(units, *s.Frequency.Count-n))
}

// repeats returns the strike of a line whose service is done as often as the plan pays for it, by
// what is known, or that is not due yet by the payer's own date; nil if it may be paid.
func (g *ledger) repeats(l *Line, s *Share) (out *strike) {
	if f := s.Frequency; f != nil && f.Count != nil && g.left(l, s) == 0 {
		all, n := g.count(l, s)
		out = &strike{path: s.FrequencyPath, from: freed(all, n-*f.Count+1), limit: true}
		switch {
		case *f.Count == 0:
			out.text = "The plan pays for no service of this kind."
		case slices.ContainsFunc(all, func(c counted) bool { return c.line }):
			out.text = "An earlier line has this service, and the plan pays for it only " + often(f) + "."
		case out.from.IsZero():
			out.text = "This service was done before, and the plan pays for it only " + often(f) + "."
		default:
			out.text = "The plan pays for this service again from " + inWords(out.from) + "."
		}
	}
	if next := s.NextEligible; !s.LimitedPerPlace && l.ServiceDate.Before(next) && (out == nil || !out.from.IsZero() && out.from.Before(next)) {
		out = &strike{text: "The plan pays for this service again from " + inWords(next) + ".", path: s.Path + ".next_eligible_date", from: next, limit: true}
	}
	return out
}

// freed returns the first day on which a number of services no longer count; zero if that is not known.
func freed(all []counted, n int) (day billing.Date) {
	never := billing.Date{Year: math.MaxInt}
	slices.SortStableFunc(all, func(a, b counted) int { return cmp.Or(a.until, never).Compare(cmp.Or(b.until, never)) })
	for _, c := range all {
		if day, n = c.until, n-c.units; n <= 0 {
			return day
		}
	}
	return billing.Date{}
}

// renewed reports whether a service of a day counts on another one, and the first day on which it does
// not: zero for never. A period of visits counts nothing, and so does a plan year that is not known.
func (p *Plan) renewed(f *coverage.Frequency, on, day billing.Date) (until billing.Date, counts bool) {
	n, unit := f.Span()
	switch {
	case unit == coverage.PeriodUnitLifetime:
		return billing.Date{}, true
	case unit == coverage.PeriodUnitBenefitPeriod && p.Period.From.IsZero():
		return billing.Date{}, false
	case unit == coverage.PeriodUnitBenefitPeriod:
		until = p.Period.From.AddMonths(12 * (p.Period.years(on) + n))
	case unit == coverage.PeriodUnitYear && calendar(f):
		until = billing.Date{Year: on.Year + n, Month: 1, Day: 1}
	case unit == coverage.PeriodUnitYear:
		until = on.AddMonths(12 * n)
	case unit == coverage.PeriodUnitMonth:
		until = on.AddMonths(n)
	default:
		until = on.AddDays(daysOf(f))
	}
	return until, day.Before(until)
}

// calendar reports whether the period is of calendar years.
func calendar(f *coverage.Frequency) bool { return strings.Contains(f.Period, "calendar") }

// daysOf returns the length of a period of days or weeks; 0 for another one.
func daysOf(f *coverage.Frequency) int {
	number, name, _ := strings.Cut(f.Period, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n * map[string]int{"day": 1, "week": 7}[strings.TrimSuffix(name, "s")]
}
