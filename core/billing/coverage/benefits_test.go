package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestSpanOfAFrequency(t *testing.T) {
	t.Parallel()
	type span struct {
		count int
		unit  billing.PeriodUnit
	}
	for period, want := range map[string]span{
		"calendar_year": {1, billing.PeriodUnitYear}, "plan_year": {1, billing.PeriodUnitBenefitPeriod}, "lifetime": {1, billing.PeriodUnitLifetime},
		"1 month": {1, billing.PeriodUnitMonth}, "36 months": {36, billing.PeriodUnitMonth}, "1 year": {1, billing.PeriodUnitYear},
		"2 calendar years": {2, billing.PeriodUnitYear}, "3 plan years": {3, billing.PeriodUnitBenefitPeriod},
		"6 weeks": {}, "1 visit": {}, "30 days": {}, "": {}, "months": {}, "0 months": {}, "-1 months": {},
	} {
		count, unit := (&billing.Frequency{Period: period}).Span()
		if got := (span{count, unit}); got != want {
			t.Errorf("%q is %v, want %v", period, got, want)
		}
	}
}
