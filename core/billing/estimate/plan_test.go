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
		p, err := planOf(check, &in)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Maximums) != 1 || p.InNetwork != in || *p.Maximums[0].Remaining != want {
			t.Errorf("in network %v: %+v", in, p.Maximums)
		}
	}
}

// TestOutOfNetwork reads the benefits out of network in place of those inside, value by value.
func TestOutOfNetwork(t *testing.T) {
	t.Parallel()
	percent := func(p float64) *float64 { return &p }
	amount := func(m billing.Money) *billing.Money { return &m }
	general := func(left billing.Money, applies string) coverage.BenefitAmount {
		return coverage.BenefitAmount{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: amount(2000_00), Remaining: amount(left), AppliesTo: applies}
	}
	b := &coverage.Benefits{
		Status: coverage.Active, NetworkStatus: coverage.InNetwork,
		Maximums: []coverage.BenefitAmount{general(1500_00, "in network"), general(300_00, "out of network"), general(900_00, "implants")},
		Coverage: []coverage.CategoryCoverage{
			{Category: coverage.CategoryMajor, PercentPaid: percent(50), Copay: amount(10_00), Notes: []string{"DEDUCTIBLE WAIVED"}},
			{Category: coverage.CategoryBasic, PercentPaid: percent(80)},
		},
		Procedures: []coverage.ProcedureBenefit{{Code: "D2740", PercentPaid: percent(60)}},
		OutOfNetwork: &coverage.OutsideNetwork{
			Maximums: []coverage.BenefitAmount{general(300_00, "")},
			Coverage: []coverage.CategoryCoverage{{Category: coverage.CategoryMajor, PercentPaid: percent(40)}},
		},
	}
	check := &coverage.Check{State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, Status: b.Status, Benefits: b.Data(), CompletedAt: day("2026-06-15").Time()}
	for _, c := range []struct {
		in   bool
		line string
		want string
	}{
		{true, "D2740 fee 500 allowed 500", "P 294 O 206"},     // (500-10) x 0.6, as the procedure has it
		{false, "D2740 fee 500 allowed 500", "P 196 O 304"},    // (500-10) x 0.4: the procedure's 60 are those inside
		{false, "D2740 fee 1000 allowed 1000", "P 300 O 700"},  // min(396, 300)
		{false, "D2330 fee 200 allowed 200", "P 160 O 40"},     // 200 x 0.8, as inside
		{true, "D2740 fee 3000 allowed 3000", "P 1500 O 1500"}, // min(1794, 1500)
	} {
		p, err := planOf(check, &c.in)
		if err != nil {
			t.Fatal(err)
		}
		e := estimate.Compute(&estimate.Case{Plan: p, Lines: []estimate.Line{line(c.line)}})
		if got := shown(e.Lines[0].Least, e.Lines[0].Most); got != c.want {
			t.Errorf("in network %v, %s: %s, want %s\nbecause %v", c.in, c.line, got, c.want, e.Lines[0].Because)
		}
		if !c.in && p.Maximums[0].Path != "out_of_network.maximums.0" {
			t.Errorf("the maximum is %+v", p.Maximums[0])
		}
	}
}

// TestExemptFromTheMaximum pays a category beyond the maximum if the payer says that it does not
// count toward it, and as if its use is known if the payer counts it.
func TestExemptFromTheMaximum(t *testing.T) {
	t.Parallel()
	full, none := 100.0, billing.Money(0)
	for note, want := range map[string]string{
		"EXEMPT FROM THE ANNUAL MAXIMUM":               "P 90 O 0",
		"DOES NOT APPLY TO MAXIMUM":                    "P 90 O 0",
		"NOT COUNTED TOWARD THE CALENDAR YEAR MAXIMUM": "P 90 O 0",
		"APPLIES TO THE ANNUAL MAXIMUM":                "P 0 O 90",
	} {
		p := estimate.FromBenefits(&coverage.Benefits{
			Status: coverage.Active, Maximums: []coverage.BenefitAmount{{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Remaining: &none}},
			Coverage: []coverage.CategoryCoverage{{
				Category: coverage.CategoryPreventive, PercentPaid: &full, Notes: []string{note},
				Frequency: &coverage.Frequency{Count: new(2), Used: new(1), Period: "calendar_year"},
			}},
		}, day("2026-06-15"), day("1985-04-12"))
		e := estimate.Compute(&estimate.Case{Plan: p, Lines: []estimate.Line{line("D1110 fee 90 allowed 90")}})
		if got := shown(e.Lines[0].Least, e.Lines[0].Most); got != want || len(e.Lines[0].Unless) > 0 {
			t.Errorf("%s: %s, want %s; unless %v", note, got, want, e.Lines[0].Unless)
		}
	}
}

// TestMaximumsThatStandAlone has maximums beside a general one. That of a procedure and that of orthodontics do not
// use it; that of another category does, unless the payer says that it is separate. A separate one whose amount was not
// returned is a range.
func TestMaximumsThatStandAlone(t *testing.T) {
	t.Parallel()
	type amounts = []coverage.BenefitAmount
	amount := func(m billing.Money, period coverage.BenefitPeriod, applies string) coverage.BenefitAmount {
		return coverage.BenefitAmount{Level: coverage.LevelIndividual, Period: period, Amount: &m, Remaining: &m, AppliesTo: applies}
	}
	for _, c := range []struct {
		name     string
		maximums amounts
		notes    []string // of major services
		lines    []string
		want     []string
	}{
		{
			"a procedure's above the general one",
			amounts{amount(200_00, year, ""), amount(2000_00, year, "D2740")},
			nil,
			[]string{"D2740 fee 300", "D2750 fee 300"},
			[]string{"P 240 O 60 = 0.8 x 300", "P 200 O 100 = min(240, 200)"},
		},
		{
			"a procedure's below the general one",
			amounts{amount(300_00, year, ""), amount(200_00, year, "D2740")},
			nil,
			[]string{"D2740 fee 300", "D2750 fee 300"},
			[]string{"P 200 O 100 = min(240, 200)", "P 240 O 60 = 300 is left as it was"},
		},
		{
			"that of orthodontics for a year",
			amounts{amount(100_00, year, ""), amount(500_00, year, "orthodontics")},
			nil,
			[]string{"D0120 fee 59", "D8080 fee 348"},
			[]string{"P 59 O 0", "P 348 O 0 = min(348, 500)"},
		},
		{
			"that of orthodontics for a lifetime",
			amounts{amount(100_00, year, ""), amount(500_00, life, "orthodontics")},
			nil,
			[]string{"D0120 fee 59", "D8080 fee 348"},
			[]string{"P 59 O 0", "P 348 O 0 = min(348, 500)"},
		},
		{
			"a category's within the general one",
			amounts{amount(300_00, year, ""), amount(200_00, year, "major")},
			[]string{"CROWNS ON SEAT DATE"},
			[]string{"D2740 fee 300", "D0120 fee 200"},
			[]string{"P 200 O 100 = min(240, 200)", "P 100 O 100 = 300-200"},
		},
		{
			"a category's that is separate",
			amounts{amount(300_00, year, ""), amount(200_00, year, "major")},
			[]string{"Separate maximum"},
			[]string{"D2740 fee 300", "D0120 fee 300"},
			[]string{"P 200 O 100 = min(240, 200)", "P 300 O 0 = 300 is left as it was"},
		},
		{
			"separate from the year's",
			amounts{amount(300_00, year, ""), amount(200_00, year, "major")},
			[]string{"SEPARATE FROM ANNUAL MAX"},
			[]string{"D2740 fee 300", "D0120 fee 300"},
			[]string{"P 200 O 100", "P 300 O 0"},
		},
		{
			"not subject to the year's",
			amounts{amount(100_00, year, "")},
			[]string{"Not subject to the annual maximum"},
			[]string{"D2740 fee 300", "D0120 fee 300"},
			[]string{"P 240 O 60 = no maximum", "P 100 O 200"},
		},
		{
			"separate, and not returned",
			amounts{amount(100_00, year, "")},
			[]string{"SEPARATE ANNUAL MAXIMUM"},
			[]string{"D2740 fee 300", "D0120 fee 300"},
			[]string{"P 240 O 60 | P 0 O 300 = nobody knows its amount", "P 100 O 200 = 100 is left as it was"},
		},
		{
			"not separate",
			amounts{amount(300_00, year, ""), amount(200_00, year, "major")},
			[]string{"NO SEPARATE MAXIMUM"},
			[]string{"D2740 fee 300", "D0120 fee 200"},
			[]string{"P 200 O 100", "P 100 O 100"},
		},
		{
			"separate by network",
			amounts{amount(300_00, year, ""), amount(200_00, year, "major")},
			[]string{"SEPARATE MAXIMUMS IN AND OUT OF NETWORK"},
			[]string{"D2740 fee 300", "D0120 fee 200"},
			[]string{"P 200 O 100", "P 100 O 100"},
		},
	} {
		b := &coverage.Benefits{Status: coverage.Active, NetworkStatus: coverage.InNetwork, Maximums: c.maximums, Coverage: []coverage.CategoryCoverage{
			{Category: diagnostic, PercentPaid: new(100.0)}, {Category: ortho, PercentPaid: new(100.0)}, {Category: major, PercentPaid: new(80.0), Notes: c.notes},
		}}
		in := &estimate.Case{Plan: estimate.FromBenefits(b, day("2026-06-15"), day("1985-04-12"))}
		for _, l := range c.lines {
			in.Lines = append(in.Lines, line(l))
		}
		for i, r := range estimate.Compute(in).Lines {
			want, _, _ := strings.Cut(c.want[i], " =")
			if got := shown(r.Least, r.Most); got != want {
				t.Errorf("%s, line %d: %s, want %s\nbecause %v", c.name, i, got, c.want[i], r.Because)
			}
		}
	}
}
