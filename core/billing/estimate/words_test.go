package estimate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// because returns the steps of the last line, with their paths.
func because(c *estimate.Case, lines ...string) (out []string) {
	for _, l := range lines {
		c.Lines = append(c.Lines, line(l))
	}
	e := estimate.Compute(c)
	for _, s := range e.Lines[len(e.Lines)-1].Because {
		out = append(out, strings.TrimSpace(s.Text+" "+s.Path))
	}
	return out
}

// TestReasonsOfSeveralRules has a line that two rules strike, one after the other.
func TestReasonsOfSeveralRules(t *testing.T) {
	t.Parallel()
	got := because(&estimate.Case{Plan: plan(both(atMost("D1110", 1, "calendar_year", "", used(1)), waits("2026-08-01"), ends("2026-12-31")))}, "D1110 fee 80")
	want := []string{
		"The plan allows $80.00 of the fee of $80.00.",
		"A waiting period lasts until August 1, 2026. plan_rules.waiting_period",
		"On August 1, 2026, another rule counts. The plan pays for this service again from January 1, 2027. procedures.D1110.frequency",
		"On January 1, 2027, another rule counts. The coverage ends on December 31, 2026, before the service. coverage_termination_date",
		"The plan pays $0.00.",
		"The patient pays $80.00.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("because\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWarnings has the approvals that either plan wants, but not that it wants none.
func TestWarnings(t *testing.T) {
	t.Parallel()
	approval := func(words string) change {
		return func(p *estimate.Plan) { p.Rules.PreAuthorization = words }
	}
	for _, c := range []struct {
		first, second string
		want          []string
	}{
		{"PRE-AUTHORIZATION REQUIRED FOR MAJOR", "", []string{"The plan may want to approve this service first: PRE-AUTHORIZATION REQUIRED FOR MAJOR"}},
		{"", "PREDETERMINATION REQUIRED", []string{"The second plan may want to approve this service first: PREDETERMINATION REQUIRED"}},
		{"PRE-AUTHORIZATION IS NOT REQUIRED", "No pre-authorization", nil},
		{"NO PRE-AUTHORIZATION. PREDETERMINATION ABOVE $300", "", []string{"The plan may want to approve this service first: NO PRE-AUTHORIZATION. PREDETERMINATION ABOVE $300"}},
		{"Not required for preventive; required for major", "", []string{"The plan may want to approve this service first: Not required for preventive; required for major"}},
	} {
		e := estimate.Compute(&estimate.Case{Plan: plan(approval(c.first)), Second: plan(approval(c.second)), Lines: []estimate.Line{line("D2740 fee 100")}})
		if got := e.Lines[0].Warnings; !slices.Equal(got, c.want) {
			t.Errorf("%q and %q: %q", c.first, c.second, got)
		}
	}
}

// TestPaidWhenSeated warns of a plan that pays for a crown, a bridge or a denture once it is seated. Most pay by the day of the preparation.
func TestPaidWhenSeated(t *testing.T) {
	t.Parallel()
	paidOn := func(day string) change { return func(p *estimate.Plan) { p.Rules.MajorServicesPaidOn = day } }
	for _, c := range []struct {
		first, second, line string
		want                []string
	}{
		{"seat_date", "", "D2740 fee 100", []string{"The plan pays for this service on the seat date, not the prep date: use the seat date as the date of service."}},
		{"prep_date", "", "D6750 fee 100", nil},
		{"", "seat_date", "D5110 fee 100", []string{"The second plan pays for this service on the seat date, not the prep date: use the seat date as the date of service."}},
		{"seat_date", "", "D1110 fee 100", nil},
		{"seat_date", "", "D7140 fee 100", nil},
		{"seat_date", "", "D2950 fee 100", nil}, // the core below a crown
		{"seat_date", "", "D5410 fee 100", nil}, // a denture is adjusted
		{"seat_date", "", "D6010 fee 100", nil}, // an implant is placed
		{"seat_date", "", "D6930 fee 100", nil}, // a bridge is cemented again
	} {
		e := estimate.Compute(&estimate.Case{Plan: plan(paidOn(c.first)), Second: plan(paidOn(c.second)), Lines: []estimate.Line{line(c.line)}})
		if got := e.Lines[0].Warnings; !slices.Equal(got, c.want) {
			t.Errorf("%q and %q, %s: %q", c.first, c.second, c.line, got)
		}
	}
}

// TestReasonsOfTheSecondPlan has how each way of coordination comes to its amount: two plans of 50 percent, with
// allowances of 900 and 650. The paths of the second plan are in another check.
func TestReasonsOfTheSecondPlan(t *testing.T) {
	t.Parallel()
	const crown = "D2740 fee 1200 allowed 900 second 650"
	begin := []string{
		"The plan allows $900.00 of the fee of $1,200.00.",
		"The plan pays 50 percent. coverage",
		"The plan pays $450.00.",
		"The office writes off $300.00.",
		"The second plan allows $650.00 of the fee of $1,200.00.",
	}
	half := []string{"The second plan pays 50 percent.", "Alone, the second plan would pay $325.00."}
	for _, c := range []struct {
		name   string
		how    estimate.Coordination
		second *estimate.Plan
		line   string
		want   []string
	}{
		{"standard", estimate.Standard, plan(pays("", 50)), crown, append(half[:2:2],
			"It pays that, up to what is left to pay after the first plan: $450.00.", "The second plan pays $325.00.", "The patient pays $125.00.")},
		{"basic", estimate.Basic, plan(pays("", 50)), crown, append(half[:2:2],
			"Both plans together pay no more than the second plan allows. After the $450.00 of the first plan, $200.00 of that is left.",
			"The second plan pays $200.00.", "The patient pays $250.00.")},
		{"carve-out", estimate.CarveOut, plan(pays("", 50)), crown, append(half[:2:2],
			"From that it takes off what the first plan pays: $450.00.", "The second plan pays $0.00.", "The patient pays $450.00.")},
		{"non-duplication", estimate.NonDuplication, plan(pays("", 50)), crown, append(half[:2:2],
			"It pays only the part of that above the $450.00 of the first plan.", "The second plan pays $0.00.", "The patient pays $450.00.")},
		{"its own deductible and maximum", estimate.Standard, plan(pays("", 80), deductible(person, "50", "50"), maximum(person, "1000", "100")), crown, []string{
			"Of the second plan's deductible, $50.00 is left to pay.", "The second plan pays 80 percent of the rest.", "Of the second plan's maximum, $100.00 is left.",
			"Alone, the second plan would pay $100.00.", "It pays that, up to what is left to pay after the first plan: $450.00.",
			"The second plan pays $100.00.", "The patient pays $350.00.",
		}},
		{"its maximum is used up", estimate.Standard, plan(pays("", 80), deductible(person, "50", "0"), maximum(person, "1000", "0")), crown, []string{
			"The second plan's deductible is met.", "The second plan pays 80 percent.", "The second plan's maximum is used up.",
			"Alone, the second plan would pay $0.00.", "The second plan pays $0.00.", "The patient pays $450.00.",
		}},
		{"carve-out of what is left", estimate.CarveOut, plan(pays("", 100)), "D2740 fee 1200 allowed 900 second 1200", []string{
			"The second plan pays 100 percent.", "Alone, the second plan would pay $1,200.00.", "From that it takes off what the first plan pays: $450.00.",
			"No more than $450.00 is left to pay.", "The second plan pays $450.00.", "The patient pays $0.00.",
		}},
		{"not active", estimate.Standard, plan(inactive), crown, []string{
			"The second plan pays nothing. The plan is not active, so it pays nothing.", "The second plan pays $0.00.", "The patient pays $450.00.",
		}},
	} {
		got := because(&estimate.Case{Plan: plan(pays("", 50)), Second: c.second, Coordination: c.how}, c.line)
		want := slices.Concat(begin, c.want)
		want[4] = strings.Replace(want[4], "$650.00", map[bool]string{true: "$650.00", false: "$1,200.00"}[c.line == crown], 1)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestReasonsBeyondALimit says between the allowance and what the patient pays that the office may charge its fee.
func TestReasonsBeyondALimit(t *testing.T) {
	t.Parallel()
	const whole, maybe, part = "A limit of the plan is reached, so the office may charge its whole fee of $110.00.",
		"If a limit of the plan is reached, the office may charge its whole fee of $110.00.", "For what is beyond the limit of the plan, the office may charge its fee."
	once := code("D1110", estimate.Share{Percent: new(100.0), Frequency: &coverage.Frequency{Count: new(1), Period: "calendar_year"}})
	for _, c := range []struct {
		name string
		plan *estimate.Plan
		line string
		want string
	}{
		{"the maximum is used up", plan(pays("", 90), maximum(person, "100", "0"), noWriteOffBeyond), "D2391 fee 110 allowed 90", whole},
		{"it may be", plan(pays("", 90), maximum(person, "100", "?"), noWriteOffBeyond), "D2391 fee 110 allowed 90", maybe},
		{"it is not", plan(pays("", 90), maximum(person, "100", "50"), noWriteOffBeyond), "D2391 fee 110 allowed 90", ""},
		{"the write-off stays", plan(pays("", 90), maximum(person, "100", "0")), "D2391 fee 110 allowed 90", ""},
		{"the fee is allowed", plan(pays("", 90), maximum(person, "100", "0"), noWriteOffBeyond), "D2391 fee 110 allowed 110", ""},
		{"too often", plan(once, noWriteOffBeyond), "D1110 fee 110 allowed 90 last 2026-02-01", whole},
		{"one of two is too often", plan(once, noWriteOffBeyond), "D1110 fee 220 allowed 180 x2", part},
	} {
		got := because(&estimate.Case{Plan: c.plan}, c.line)
		if n := len(got); c.want == "" && strings.Contains(strings.Join(got, ""), "may charge") || c.want != "" && got[n-2] != c.want {
			t.Errorf("%s:\n%s\nwant %q before the last", c.name, strings.Join(got, "\n"), c.want)
		}
	}
}

// TestReasonOfACopayment says whose copayment counts, and why not all of it does.
func TestReasonOfACopayment(t *testing.T) {
	t.Parallel()
	benefits := func(own *billing.Money) *estimate.Plan {
		return estimate.FromBenefits(&coverage.Benefits{
			Status: coverage.Active, NetworkStatus: coverage.InNetwork, Procedures: []coverage.ProcedureBenefit{{Code: "D0120", Copay: own}},
			Coverage:    []coverage.CategoryCoverage{{Category: diagnostic, PercentPaid: new(100.0), Copay: new(dollars("5"))}},
			Deductibles: []coverage.BenefitAmount{{Level: person, Period: year, Amount: new(dollars("3")), Remaining: new(dollars("3")), AppliesTo: "diagnostic"}},
		}, day("2026-06-15"), day("1985-04-12"))
	}
	for _, c := range []struct {
		plan *estimate.Plan
		line string
		want string
	}{
		{benefits(nil), "D0120 fee 60 allowed 40", "The patient pays a copayment of $5.00. coverage.diagnostic"},
		{benefits(new(dollars("7"))), "D0120 fee 60 allowed 40", "The patient pays a copayment of $7.00. procedures.D0120"},
		{benefits(nil), "D0120 fee 60 allowed 4", "Of the copayment of $5.00, $1.00 counts: what the deductible leaves of what the plan allows. coverage.diagnostic"},
		{plan(code("D0120", estimate.Share{Percent: new(100.0), Copay: new(dollars("5"))})), "D0120 fee 60 allowed 4", "Of the copayment of $5.00, $4.00 counts: no more than the plan allows. procedures.D0120"},
		{plan(code("D0120", estimate.Share{Percent: new(100.0), Copay: new(dollars("5"))})), "D0120 fee 60 allowed ?", "The patient pays a copayment of $5.00. procedures.D0120"},
	} {
		if got := because(&estimate.Case{Plan: c.plan}, c.line); !slices.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nwant %q", c.line, strings.Join(got, "\n"), c.want)
		}
	}
}

// TestUncertainOfALaterPeriod names the full amount only if the payer returned it.
func TestUncertainOfALaterPeriod(t *testing.T) {
	t.Parallel()
	undated := func(p *estimate.Plan) { p.Period = estimate.Period{} }
	planYear := func(amount, left string) change { return most(limit(person, coverage.PeriodPlanYear, amount, left)) }
	later := "The payer did not return how much of the maximum is left on the day of the service. maximums.0"
	if got := because(&estimate.Case{Plan: plan(pays("", 80), maximum(person, "?", "300"))}, "D2391 fee 200 on 2027-02-01"); !slices.Contains(got, later) {
		t.Errorf("no %q in %q", later, got)
	}
	for _, c := range []struct {
		plan *estimate.Plan
		on   string
		want string
	}{
		{plan(pays("", 80), maximum(person, "1000", "300")), "2027-02-01", "The service is in a later benefit period, so the full maximum counts."},
		{plan(pays("", 80), maximum(person, "?", "300")), "2027-02-01", "The service is in a later benefit period, and the payer did not return the full maximum, which counts then."},
		{plan(pays("", 80), undated, planYear("1000", "300")), "2026-08-01", "The payer did not return when the benefit period begins, so the full maximum may count."},
		{plan(pays("", 80), undated, planYear("?", "300")), "2026-08-01", "The payer did not return when the benefit period begins, nor the full maximum."},
	} {
		in := &estimate.Case{Plan: c.plan, Lines: []estimate.Line{line("D2391 fee 200 on " + c.on)}}
		if got := estimate.Compute(in).Lines[0].Uncertain; !slices.Equal(got, []string{c.want}) {
			t.Errorf("on %s: %q, want %q", c.on, got, c.want)
		}
	}
}

// TestUncertainOfAPlanThatWasNotActive names the day that the check is about, and what is left to ask.
func TestUncertainOfAPlanThatWasNotActive(t *testing.T) {
	t.Parallel()
	begins := plan(pays("", 80), inactive, covers("2026-07-01", ""), func(p *estimate.Plan) { p.AskedFor = day("2026-06-20") })
	in := &estimate.Case{Plan: begins, Lines: []estimate.Line{line("D2391 fee 200 on 2026-06-30"), line("D2391 fee 200 on 2026-07-01")}}
	lines := estimate.Compute(in).Lines
	if got, want := lines[0].PaidFrom, day("2026-07-01"); got != want {
		t.Errorf("paid from %v, want %v", got, want)
	}
	want := []string{"The payer says that the plan is not active on June 20, 2026. Its dates cover the service: check again for that day."}
	if got := lines[1].Uncertain; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
