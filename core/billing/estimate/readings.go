package estimate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Compute returns the estimate of a case. Where a payer said two values, each end is that of
// the reading in which the patient pays the least or the most.
func Compute(c *Case) *Estimate {
	var all []*Estimate
	for _, first := range spread(append([]*Plan{c.Plan}, c.Readings...)) {
		for _, second := range spread(append([]*Plan{c.Second}, c.Seconds...)) {
			one := *c
			one.Plan, one.Second = first, second
			all = append(all, one.compute())
		}
	}
	e := joinReadings(all, c.Second != nil)
	for i := range e.Lines {
		l := &e.Lines[i]
		for k := range c.Said {
			if slices.ContainsFunc(l.Because, func(s Step) bool { return c.Said[k].at(s.Path) }) {
				l.Uncertain = union(l.Uncertain, []string{c.Said[k].words()})
			}
		}
	}
	return e
}

// mostReadings is how many readings of an answer are computed one by one. Of more, the best and
// the worst values of all are.
const mostReadings = 4

// spread returns the readings of a plan with two more, if they differ: one with the best of each value
// for the patient, and one with the worst.
func spread(all []*Plan) []*Plan {
	if len(all) < 2 { // nothing differs
		return all
	}
	good, bad := all[0].along(all, best), all[0].along(all, worst)
	if len(all) > mostReadings {
		all = all[:1]
	}
	return append(slices.Clone(all), good, bad)
}

// along returns the plan with the values of all readings at the end that the side takes. What
// is no amount and no percent stays as in the plan itself: each reading is computed alone, too.
func (p *Plan) along(all []*Plan, s side) *Plan {
	out := *p
	out.Deductibles, out.Maximums = slices.Clone(p.Deductibles), slices.Clone(p.Maximums)
	out.Categories, out.Procedures = maps.Clone(p.Categories), maps.Clone(p.Procedures)
	for _, o := range all {
		limitsAlong(out.Deductibles, o.Deductibles, s, true)
		limitsAlong(out.Maximums, o.Maximums, s, false)
		for k, share := range o.Categories {
			out.Categories[k] = out.Categories[k].along(share, s)
		}
		for k, share := range o.Procedures {
			out.Procedures[k] = out.Procedures[k].along(share, s)
		}
		rank := func(status coverage.Status) int {
			return slices.Index([]coverage.Status{coverage.Active, coverage.Unknown, coverage.Inactive}, status)
		}
		if better := rank(o.Status) < rank(out.Status); o.Status != out.Status && better == (s == best) {
			out.Status = o.Status
		}
		if !o.Effective.IsZero() && !out.Effective.IsZero() && o.Effective != out.Effective && o.Effective.Before(out.Effective) == (s == best) {
			out.Effective = o.Effective
		}
		if !o.Terminates.IsZero() && !out.Terminates.IsZero() && o.Terminates != out.Terminates && out.Terminates.Before(o.Terminates) == (s == best) {
			out.Terminates = o.Terminates
		}
	}
	return &out
}

// limitsAlong takes the ends of amounts, which both readings have in the same order.
func limitsAlong(to, from []Limit, s side, lowIsBest bool) {
	for i := range min(len(to), len(from)) {
		to[i].Amount = end(to[i].Amount, from[i].Amount, s, lowIsBest)
		to[i].Remaining = end(to[i].Remaining, from[i].Remaining, s, lowIsBest)
	}
}

// end returns the value that the side takes of two. One that is missing leaves the range open.
func end[T cmp.Ordered](x, y *T, s side, lowIsBest bool) *T {
	switch {
	case x == nil || y == nil:
		return nil
	case (*y < *x) == ((s == best) == lowIsBest):
		return y
	}
	return x
}

// along takes the ends of a share and another reading of it.
func (s Share) along(o Share, side side) Share {
	s.Percent = end(s.paid(), o.paid(), side, false)
	if s.Copay != nil || o.Copay != nil {
		s.Copay = end(new(orNone(s.Copay)), new(orNone(o.Copay)), side, true)
		s.CopayPath = cmp.Or(s.CopayPath, o.CopayPath)
	}
	switch {
	case s.Covered == nil || o.Covered == nil:
		s.Covered = nil
	case *s.Covered != *o.Covered:
		s.Covered = new(side == best)
	}
	if s.MaxAge == nil || o.MaxAge == nil {
		if side == best {
			s.MaxAge = nil
		} else {
			s.MaxAge = cmp.Or(s.MaxAge, o.MaxAge)
		}
	} else {
		s.MaxAge = end(s.MaxAge, o.MaxAge, side, false)
	}
	return s
}

// paid returns the percent, which is 0 for what is not covered.
func (s *Share) paid() *float64 {
	if s.Percent == nil && s.Covered != nil && !*s.Covered {
		return new(0.0)
	}
	return s.Percent
}

func orNone(m *billing.Money) billing.Money {
	if m == nil {
		return 0
	}
	return *m
}

// join makes one estimate of those of all readings: each line and the total have the ends that
// any reading has.
func joinReadings(all []*Estimate, two bool) *Estimate {
	e := *all[0]
	e.Lines = slices.Clone(e.Lines)
	for _, o := range all[1:] {
		e.Least, e.Most = lower(e.Least, o.Least), higher(e.Most, o.Most)
		e.Uncertain = union(e.Uncertain, o.Uncertain)
		for i := range e.Lines {
			l, r := &e.Lines[i], &o.Lines[i]
			l.Least, l.Most, l.pays = lower(l.Least, r.Least), higher(l.Most, r.Most), l.pays.or(r.pays)
			l.Uncertain = union(l.Uncertain, r.Uncertain)
			l.DeductibleLeft, l.MaximumLeft = l.DeductibleLeft.with(r.DeductibleLeft), l.MaximumLeft.with(r.MaximumLeft)
			l.reasons, l.seconds, l.beyond = alsoSaid(l.reasons, r.reasons), alsoSaid(l.seconds, r.seconds), alsoSaid(l.beyond, r.beyond)
		}
	}
	for i := range e.Lines {
		l := &e.Lines[i]
		l.Because = append(slices.Clip(l.reasons), outcome(l, two)...)
	}
	return &e
}

// alsoSaid adds the steps of another reading that differ.
func alsoSaid(steps, others []Step) []Step {
	for _, step := range others {
		if !slices.ContainsFunc(steps, func(s Step) bool { return strings.TrimPrefix(s.Text, otherwise) == step.Text }) {
			step.Text = otherwise + step.Text
			steps = append(slices.Clip(steps), step)
		}
	}
	return steps
}

// otherwise begins a step of another reading.
const otherwise = "Or, as the payer also said: "

func lower(x, y Scenario) Scenario {
	if y.PatientPays < x.PatientPays {
		return y
	}
	return x
}

func higher(x, y Scenario) Scenario {
	if y.PatientPays > x.PatientPays {
		return y
	}
	return x
}

func union(x, y []string) []string {
	for _, text := range y {
		if !slices.Contains(x, text) {
			x = append(slices.Clip(x), text)
		}
	}
	return x
}

// with returns the range that has both; nil if neither is known.
func (r *Range) with(o *Range) *Range {
	if r == nil || o == nil {
		return cmp.Or(r, o)
	}
	return &Range{min(r.Least, o.Least), max(r.Most, o.Most)}
}
