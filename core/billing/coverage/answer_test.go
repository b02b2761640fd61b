package coverage_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

func TestAnswerReadsWhatACheckStores(t *testing.T) {
	t.Parallel()
	b := &coverage.Benefits{
		Status: coverage.Active, CoverageEffectiveDate: billing.Date{Year: 2026, Month: 1, Day: 1}, NetworkStatus: coverage.InNetwork,
		Plan:        coverage.Plan{Name: "PPO", Type: "PPO", GroupNumber: "1", BenefitPeriod: "calendar_year"},
		Maximums:    []coverage.BenefitAmount{{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: new(billing.Money(100000)), AppliesTo: "basic"}},
		Deductibles: []coverage.BenefitAmount{{Level: coverage.LevelFamily, Period: coverage.PeriodLifetime, Used: new(billing.Money(1)), Remaining: new(billing.Money(2))}},
		Coverage: []coverage.CategoryCoverage{{
			Category: coverage.CategoryBasic, PercentPaid: new(80.0), Covered: new(true),
			Frequency: &coverage.Frequency{Count: new(2), Period: "12 months", Scope: "per tooth"}, Notes: []string{"note"},
		}},
		Procedures: []coverage.ProcedureBenefit{{
			Code: "D2740", Description: "a crown", PercentPaid: new(50.0), Covered: new(true), MaxAge: new(18), Note: "n",
			LastServiceDate: billing.Date{Year: 2020, Month: 2, Day: 3}, NextEligibleDate: billing.Date{Year: 2027, Month: 2, Day: 3}, Status: coverage.ProcedureNotDueYet,
		}},
		PlanRules:  coverage.PlanRules{MissingToothClause: "a", WaitingPeriod: "b", PreAuthorization: "c", CoordinationOfBenefits: "d", MajorServicesPaidOn: "prep_date"},
		PayerNotes: []string{"x"}, NotReturned: []string{"coverage_termination_date"},
	}
	c := &coverage.Check{State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, Status: b.Status, Benefits: b.Data()}
	got, err := c.Answer()
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != b.Status || !bytes.Equal(got.Data(), b.Data()) {
		t.Errorf("Answer() = %s\nwant %s", got.Data(), b.Data())
	}
	c.Outcome = coverage.OutcomeRejected
	if _, err := c.Answer(); !errors.Is(err, coverage.ErrNotAnswered) {
		t.Errorf("a rejected check: %v", err)
	}
}
