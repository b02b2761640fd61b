package estimate

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Period is the yearly benefit period that the check was made in. The zero Period is not
// known.
type Period struct {
	From billing.Date // its first day
}

func yearOf(day billing.Date) Period {
	return Period{From: billing.Date{Year: day.Year, Month: 1, Day: 1}}
}

// years returns how many periods after this one the day is; less than 0 is before it.
func (p Period) years(day billing.Date) (n int) {
	for !day.Before(p.From.AddMonths(12 * (n + 1))) {
		n++
	}
	for day.Before(p.From.AddMonths(12 * n)) {
		n--
	}
	return n
}

// place is the benefit period of a service under a limit.
type place struct {
	year    int  // after the period of the check
	unknown bool // the period is not known, and the service is on another day than the check
	life    bool
}

// placeOf returns the benefit period of a service on the day.
func (p *Plan) placeOf(l *Limit, day billing.Date) place {
	if l.Period == coverage.PeriodLifetime {
		return place{life: true}
	}
	period := p.periodOf(l)
	if period.From.IsZero() {
		return place{unknown: day != p.CheckedOn}
	}
	return place{year: period.years(day)}
}

// periodOf returns the benefit period of a yearly limit that the check was made in.
func (p *Plan) periodOf(l *Limit) Period {
	switch {
	case !l.Span.From.IsZero():
		return Period{From: l.Span.From}
	case p.Period.From.IsZero() && l.Period == coverage.PeriodCalendarYear:
		return yearOf(p.CheckedOn)
	}
	return p.Period
}

// covers reports whether the limit counts for services of the day. A limit with a benefit
// period of its own gives way to one whose period has the day.
func (l *Limit) covers(day billing.Date, all []Limit) bool {
	if l.Span.From.IsZero() || within(l.Span, day) {
		return true
	}
	for i := range all {
		o := &all[i]
		if o.Level != l.Level || o.Category != l.Category || o.Code != l.Code || o.Span.From.IsZero() {
			continue
		}
		if within(o.Span, day) || l.Span.From.Before(o.Span.From) {
			return false // another one has the day, or is nearer to it
		}
	}
	return true
}

func within(s billing.DateSpan, day billing.Date) bool {
	return !day.Before(s.From) && !s.To.Before(day)
}
