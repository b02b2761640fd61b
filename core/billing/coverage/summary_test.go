package coverage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// TestSummaryOfTheVisit has what a list says is left for a visit, by an answer of November 30, 2026. In a later
// benefit period all of a yearly amount is left; a lifetime's goes on.
func TestSummaryOfTheVisit(t *testing.T) {
	t.Parallel()
	const person, family, year, planYear, life = coverage.LevelIndividual, coverage.LevelFamily, coverage.PeriodCalendarYear, coverage.PeriodPlanYear, coverage.PeriodLifetime
	type amounts = []coverage.BenefitAmount
	calendar := &coverage.Benefits{
		Status:      coverage.Active,
		Maximums:    amounts{amount(person, life, 2000, 700, "orthodontics"), amount(person, year, 1500, 230, ""), amount(family, year, 4000, 900, "")},
		Deductibles: amounts{amount(person, year, 50, 0, "")},
	}
	fiscal := &coverage.Benefits{
		Status:      coverage.Active,
		Plan:        coverage.Plan{BenefitPeriod: "2026-07-01 to 2027-06-30"},
		Maximums:    amounts{amount(person, planYear, 1500, 230, "")},
		Deductibles: amounts{amount(person, planYear, 50, 20, "")},
	}
	past := &coverage.Benefits{Status: coverage.Active, Plan: coverage.Plan{BenefitPeriod: "2025-03-01 to 2026-02-28"}, Maximums: fiscal.Maximums, Deductibles: fiscal.Deductibles}
	words := &coverage.Benefits{Status: coverage.Active, Plan: coverage.Plan{BenefitPeriod: "CALENDAR YEAR"}, Maximums: fiscal.Maximums, Deductibles: fiscal.Deductibles}
	unnamed := &coverage.Benefits{Status: coverage.Active, Maximums: fiscal.Maximums, Deductibles: fiscal.Deductibles}
	unknown := &coverage.Benefits{Status: coverage.Active, Maximums: amounts{amount(person, year, -1, 230, "")}, Deductibles: amounts{amount(person, year, 50, -1, "")}}
	ended := &coverage.Benefits{Status: coverage.Inactive, Maximums: calendar.Maximums, Deductibles: calendar.Deductibles}
	for _, c := range []struct {
		of                  *coverage.Benefits
		on                  string
		maximum, deductible string
	}{
		{calendar, "2026-11-30", "230.00", "0.00"},
		{ended, "2026-11-30", "-", "-"}, // nothing is left for a patient who is not covered
		{calendar, "2026-12-31", "230.00", "0.00"},
		{calendar, "2027-01-01", "1500.00", "50.00"},
		{calendar, "2027-03-01", "1500.00", "50.00"},
		{fiscal, "2027-03-01", "230.00", "20.00"},
		{fiscal, "2027-07-01", "1500.00", "50.00"},
		{past, "2027-02-28", "230.00", "20.00"},
		{past, "2027-03-01", "1500.00", "50.00"}, // the payer named the year before
		{words, "2026-12-31", "230.00", "20.00"},
		{words, "2027-01-01", "1500.00", "50.00"},
		{unnamed, "2026-12-31", "230.00", "20.00"},
		{unnamed, "2027-01-01", "-", "-"}, // nobody said when the year begins
		{unknown, "2026-12-01", "230.00", "-"},
		{unknown, "2027-01-05", "-", "50.00"}, // nobody said how much a year has
	} {
		check := checkOn(nil)
		check.Inquiry.ServiceDate = day(c.on)
		if err := check.Complete(coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: c.of}, coverage.Background{}, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
		s := check.Summary()
		shown := func(m *billing.Money) string {
			if m == nil {
				return "-"
			}
			return m.String()
		}
		if got, want := fmt.Sprint(shown(s.MaximumLeft), " ", shown(s.DeductibleLeft)), c.maximum+" "+c.deductible; got != want {
			t.Errorf("on %s: %s, want %s; %+v", c.on, got, want, s.Verdict)
		}
	}
}
