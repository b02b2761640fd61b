package estimate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// TestAmountsThatNoLineMatches computes with maximums for classes of services in the payer's own words:
// they are named, and where there are no others, what is left is unknown and not without a limit.
func TestAmountsThatNoLineMatches(t *testing.T) {
	t.Parallel()
	half := 50.0
	benefits := func(classes ...string) *coverage.Benefits {
		b := &coverage.Benefits{Status: coverage.Active, NetworkStatus: coverage.InNetwork, Coverage: []coverage.CategoryCoverage{{Category: coverage.CategoryMajor, PercentPaid: &half}}}
		for _, c := range classes {
			amount := billing.Money(1000_00)
			b.Maximums = append(b.Maximums, coverage.BenefitAmount{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: &amount, Remaining: &amount, AppliesTo: c})
		}
		return b
	}
	for name, test := range map[string]struct {
		classes   []string
		pays      estimate.Range
		uncertain int
	}{
		"only a class of the payer's": {[]string{"ENDO AND PERIO"}, estimate.Range{Least: 0, Most: 1500_00}, 1},
		"beside the general one":      {[]string{"", "ENDO AND PERIO"}, estimate.Exactly(1000_00), 1},
		"of the other network":        {[]string{"", "out of network"}, estimate.Exactly(1000_00), 0},
	} {
		p := estimate.FromBenefits(benefits(test.classes...), day("2026-06-15"), day("1985-04-12"))
		allowed := billing.Money(3000_00)
		e := estimate.Compute(&estimate.Case{Plan: p, Lines: []estimate.Line{{Code: "D2740", Fee: 3000_00, Allowed: &allowed, ServiceDate: day("2026-06-15")}}})
		got := estimate.Range{Least: e.Most.PlanPays, Most: e.Least.PlanPays}
		named := slices.DeleteFunc(slices.Clone(e.Uncertain), func(s string) bool { return !strings.Contains(s, `"ENDO AND PERIO"`) })
		if got != test.pays || len(named) != test.uncertain {
			t.Errorf("%s: the plan pays %s, want %s; uncertain: %q", name, got, test.pays, e.Uncertain)
		}
	}
}

// TestNetworkOfThePatientsChoice reads the amounts of the network that the caller names.
func TestNetworkOfThePatientsChoice(t *testing.T) {
	t.Parallel()
	amount := func(m billing.Money) *billing.Money { return &m }
	b := &coverage.Benefits{Status: coverage.Active, NetworkStatus: coverage.InNetwork, Maximums: []coverage.BenefitAmount{
		{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Remaining: amount(2000_00), AppliesTo: "in network"},
		{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Remaining: amount(700_00), AppliesTo: "out of network"},
	}}
	check := &coverage.Check{State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, Benefits: b.Data(), CompletedAt: day("2026-06-15").Time()}
	for in, want := range map[bool]billing.Money{true: 2000_00, false: 700_00} {
		p, err := estimate.PlanOf(check, &in)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Maximums) != 1 || p.InNetwork != in || *p.Maximums[0].Remaining != want {
			t.Errorf("in network %v: %+v", in, p.Maximums)
		}
	}
}
