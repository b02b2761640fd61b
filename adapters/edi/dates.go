package edi

import (
	"slices"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

// sentinel reports whether the day stands for "none", as 99990101 does.
func sentinel(d billing.Date) bool { return d.Year >= 9999 || d.Year < 1900 }

func sortLatestFirst(days *[]billing.Date) {
	slices.SortFunc(*days, func(a, b billing.Date) int { return b.Time().Compare(a.Time()) })
	*days = slices.Compact(*days)
}

// period is a span of days with either end open or set.
type period struct {
	from, to billing.Date
}

// covers reports whether the day is in the span.
func (p period) covers(day billing.Date) bool {
	return (p.from.IsZero() || !day.Before(p.from)) && (p.to.IsZero() || !p.to.Before(day))
}

// orElse fills the open ends.
func (p period) orElse(q period) period {
	if p.from.IsZero() {
		p.from = q.from
	}
	if p.to.IsZero() {
		p.to = q.to
	}
	return p
}

// coveragePeriod returns the period of coverage: eligibility (356, 357) first,
// then the plan (346, 347, 291), then, if benefit is set, the benefit (348, 349).
// A 291 of the service date alone repeats the inquiry and is skipped.
func coveragePeriod(dates []eligibility.Date, asked billing.Date, benefit bool) period {
	var out period
	begins, ends := []string{"356", "346", "291"}, []string{"357", "347"}
	if benefit {
		begins, ends = append(begins, "348"), append(ends, "349")
	}
	for _, qualifier := range begins {
		out = out.orElse(span(dates, qualifier, asked))
	}
	for _, qualifier := range ends {
		p := span(dates, qualifier, asked)
		if p.to.IsZero() {
			p.to = p.from
		}
		out = out.orElse(period{to: p.to})
	}
	return out
}

// span returns the first usable date of the qualifier: a day sets the start, a
// range both ends.
func span(dates []eligibility.Date, qualifier string, asked billing.Date) period {
	for _, d := range dates {
		from, to, ok := d.Span()
		if d.Qualifier != qualifier || !ok || qualifier == "291" && from == asked && to == asked {
			continue
		}
		p := period{from: from}
		if to != from {
			p.to = to
		}
		if sentinel(p.from) {
			p.from = billing.Date{}
		}
		if !p.to.IsZero() && sentinel(p.to) {
			p.to = billing.Date{}
		}
		if p != (period{}) {
			return p
		}
	}
	return period{}
}
