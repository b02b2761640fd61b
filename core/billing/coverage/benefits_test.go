package coverage_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
)

func TestSpanOfAFrequency(t *testing.T) {
	t.Parallel()
	type span struct {
		count int
		unit  coverage.PeriodUnit
	}
	for period, want := range map[string]span{
		"calendar_year": {1, coverage.PeriodUnitYear}, "plan_year": {1, coverage.PeriodUnitBenefitPeriod}, "lifetime": {1, coverage.PeriodUnitLifetime},
		"1 month": {1, coverage.PeriodUnitMonth}, "36 months": {36, coverage.PeriodUnitMonth}, "1 year": {1, coverage.PeriodUnitYear},
		"2 calendar years": {2, coverage.PeriodUnitYear}, "3 plan years": {3, coverage.PeriodUnitBenefitPeriod},
		"6 weeks": {}, "1 visit": {}, "30 days": {}, "": {}, "months": {}, "0 months": {}, "-1 months": {},
	} {
		count, unit := (&coverage.Frequency{Period: period}).Span()
		if got := (span{count, unit}); got != want {
			t.Errorf("%q is %v, want %v", period, got, want)
		}
	}
}
