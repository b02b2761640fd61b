package edi

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

// dayIn reads a day in words of a payer, as 2006-01-02, 20060102 or 01/02/2006. It is zero
// for anything else, and for a sentinel.
func dayIn(text string) billing.Date {
	for _, layout := range []string{time.DateOnly, "20060102", "01/02/2006"} {
		if t, err := time.Parse(layout, text); err == nil && !sentinel(billing.DateOf(t)) {
			return billing.DateOf(t)
		}
	}
	return billing.Date{}
}

// sentinel reports whether a payer sent the day to mean "no date", as 99990101.
func sentinel(d billing.Date) bool { return d.Year >= 9999 || d.Year < 1900 }

func sortLatestFirst(days *[]billing.Date) {
	slices.SortFunc(*days, func(a, b billing.Date) int { return b.Time().Compare(a.Time()) })
	*days = slices.Compact(*days)
}

// period is a span of days. A zero end is open.
type period struct {
	from, to billing.Date
}

// covers reports whether the day is in the period.
func (p period) covers(day billing.Date) bool {
	return (p.from.IsZero() || !day.Before(p.from)) && (p.to.IsZero() || !p.to.Before(day))
}

// orElse returns the period with its open ends taken from q.
func (p period) orElse(q period) period {
	if p.from.IsZero() {
		p.from = q.from
	}
	if p.to.IsZero() {
		p.to = q.to
	}
	return p
}

// coveragePeriod returns the period of coverage. It prefers the eligibility dates
// (356, 357) to the plan dates (346, 347, 291). If benefit is set, the benefit
// dates (348, 349) come last. Span skips a 291 that
// only repeats the inquiry.
func coveragePeriod(dates []eligibility.Date, asked billing.Date, benefit bool) period {
	var out period
	if len(dates) == 0 {
		return out
	}
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

// span returns the period of the first usable date with the qualifier. A single
// day sets only the start; a range sets both ends. Payers repeat a date of the
// inquiry as a 291 or 307: a single day from the service date on does not count.
func span(dates []eligibility.Date, qualifier string, asked billing.Date) period {
	for _, d := range dates {
		from, to, ok := d.Span()
		if d.Qualifier != qualifier || !ok {
			continue
		}
		if (qualifier == "291" || qualifier == "307") && from == to && !asked.IsZero() && !from.Before(asked) {
			continue // it repeats the service date, or the day of the inquiry
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
