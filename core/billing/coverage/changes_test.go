package coverage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// TestChanges has two answers of a payer about a patient, and what differs.
func TestChanges(t *testing.T) {
	t.Parallel()
	money := func(cents billing.Money) *billing.Money { return &cents }
	percent := func(p float64) *float64 { return &p }
	year := func(left billing.Money, applies string) coverage.BenefitAmount {
		return coverage.BenefitAmount{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: money(2000_00), Remaining: money(left), AppliesTo: applies}
	}
	plan := func(change func(b *coverage.Benefits)) *coverage.Benefits {
		b := &coverage.Benefits{
			Status: coverage.Active, Plan: coverage.Plan{Name: "PPO"}, Maximums: []coverage.BenefitAmount{year(1500_00, ""), year(700_00, "implants")},
			Coverage:   []coverage.CategoryCoverage{{Category: coverage.CategoryMajor, PercentPaid: percent(50), Frequency: &coverage.Frequency{Count: new(1), Period: "60 months"}}},
			Procedures: []coverage.ProcedureBenefit{{Code: "D1110", PercentPaid: percent(100)}, {Code: "D2740"}},
		}
		change(b)
		return b
	}
	for name, c := range map[string]struct {
		change func(b *coverage.Benefits)
		want   string
	}{
		"nothing": {func(*coverage.Benefits) {}, ""},
		"an amount, at another place": {func(b *coverage.Benefits) {
			b.Maximums = []coverage.BenefitAmount{year(700_00, "implants"), year(900_00, "")}
		}, `maximums.1.remaining "1500.00" "900.00"`},
		"an amount more":   {func(b *coverage.Benefits) { b.Maximums = append(b.Maximums, year(1_00, "basic")) }, `maximums.2 null {"amount":"2000.00","applies_to":"basic","level":"individual","period":"calendar_year","remaining":"1.00","used":null}`},
		"an amount less":   {func(b *coverage.Benefits) { b.Maximums = b.Maximums[:1] }, `maximums {"amount":"2000.00","applies_to":"implants","level":"individual","period":"calendar_year","remaining":"700.00","used":null} null`},
		"all amounts gone": {func(b *coverage.Benefits) { b.Maximums = nil }, "maximums " + `{"amount":"2000.00","applies_to":null,"level":"individual","period":"calendar_year","remaining":"1500.00","used":null} null; ` + `maximums {"amount":"2000.00","applies_to":"implants","level":"individual","period":"calendar_year","remaining":"700.00","used":null} null`},
		"a percent":        {func(b *coverage.Benefits) { b.Coverage[0].PercentPaid = percent(60) }, `coverage.major.percent_paid 50 60`},
		"a frequency, whose parts too": {func(b *coverage.Benefits) {
			b.Coverage[0].Frequency = &coverage.Frequency{Count: new(1), Period: "plan_year"}
		}, `coverage.major.frequency.period "60 months" "plan_year"`},
		"a frequency gone":      {func(b *coverage.Benefits) { b.Coverage[0].Frequency = nil }, `coverage.major.frequency {"count":1,"period":"60 months","period_count":60,"period_unit":"month","scope":null,"used":null} null`},
		"a procedure not asked": {func(b *coverage.Benefits) { b.Procedures = b.Procedures[1:] }, ""},
		"a procedure's date": {func(b *coverage.Benefits) {
			b.Procedures[0].NextEligibleDate = billing.Date{Year: 2027, Month: 1, Day: 1}
		}, `procedures.D1110.next_eligible_date null "2027-01-01"`},
		"a wait, a status and a note": {func(b *coverage.Benefits) {
			b.Status, b.PayerNotes = coverage.Inactive, []string{"CALL US"}
			b.WaitingPeriods = []coverage.WaitingPeriod{{Category: coverage.CategoryMajor, Months: 6}}
		}, `payer_notes [] ["CALL US"]; status "active" "inactive"; waiting_periods null [{"category":"major","months":6,"until":null}]`},
		"what follows from others": {func(b *coverage.Benefits) {
			b.NotReturned, b.Differences = []string{"maximums"}, []coverage.Difference{{Field: "subscriber.member_id", Sent: "1", Returned: "2"}}
		}, ""},
	} {
		before := plan(func(*coverage.Benefits) {})
		check := &coverage.Check{ID: billing.NewID[billing.CheckID](billing.RealAt(time.Now())), State: coverage.CheckPending}
		background := coverage.Background{Check: billing.NewID[billing.CheckID](billing.RealAt(time.Now())), Status: before.Status, Benefits: before.Data()}
		after := plan(c.change)
		if err := check.Complete(coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: after}, background, time.Now()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range check.Changes {
			got = append(got, x.Path+" "+string(x.Before)+" "+string(x.After))
		}
		if text := strings.Join(got, "; "); text != c.want || check.ComparedWith != background.Check {
			t.Errorf("%s:\n%s, want\n%s", name, text, c.want)
		}
	}
}
