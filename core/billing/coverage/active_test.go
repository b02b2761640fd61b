package coverage_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// TestAnActivePlanCovers has the first and the last day of plans, and the days beside them.
func TestAnActivePlanCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, on, from, to string
		days               []string // not covered, covered, covered, not covered
	}{
		{"with both dates", "2026-03-10", "2026-01-15", "2026-12-20", []string{"2026-01-14", "2026-01-15", "2026-12-20", "2026-12-21"}},
		{"without an end", "2026-03-10", "2020-02-01", "", []string{"2020-01-31", "2020-02-01", "2026-03-31", "2026-04-01"}},
		{"without a begin", "2026-03-10", "", "2026-06-30", []string{"2026-02-28", "2026-03-01", "2026-06-30", "2026-07-01"}},
		{"without dates", "2026-02-28", "", "", []string{"2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"}},
		{"without dates, in a December", "2026-12-01", "", "", []string{"2026-11-30", "2026-12-01", "2026-12-31", "2027-01-01"}},
	} {
		p := coverage.ActivePlan{On: day(c.on), From: dayOrNone(c.from), To: dayOrNone(c.to)}
		for i, d := range c.days {
			if want := i == 1 || i == 2; p.Covers(day(d)) != want {
				t.Errorf("%s: %s covered %v, want %v", c.what, d, !want, want)
			}
		}
	}
	p := coverage.ActivePlan{From: day("2026-01-01"), To: day("2026-12-31")}
	if p.Covers(day("2026-05-01")) {
		t.Error("an answer about no day covers one")
	}
	if p.On = day("2026-05-01"); p.Covers(billing.Date{}) {
		t.Error("a service without a date is covered")
	}
}

func dayOrNone(s string) (d billing.Date) {
	if s != "" {
		d = day(s)
	}
	return d
}
