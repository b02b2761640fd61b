package estimate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// atMost is a procedure that the plan pays in full, a number of times in a period.
func atMost(c string, count int, period, scope string, all ...func(*estimate.Share)) change {
	s := estimate.Share{Percent: new(100.0), Frequency: &coverage.Frequency{Count: &count, Period: period, Scope: scope}, LimitedPerPlace: scope != ""}
	for _, f := range all {
		f(&s)
	}
	return code(c, s)
}

func used(n int) func(*estimate.Share) { return func(s *estimate.Share) { s.Frequency.Used = &n } }
func lastBy(on string) func(*estimate.Share) {
	return func(s *estimate.Share) { s.LastService = day(on) }
}

// frequencies has each sort of period, with the day before the plan pays again and that day.
func frequencies() (all []hand) {
	for _, c := range []struct{ period, last, before, on string }{
		{"calendar_year", "2026-01-05", "2026-12-31", "2027-01-01"},
		{"1 calendar year", "2025-12-31", "2025-12-31", "2026-06-15"},
		{"2 calendar years", "2025-06-01", "2026-12-31", "2027-01-01"},
		{"12 months", "2025-09-10", "2026-09-09", "2026-09-10"},
		{"5 years", "2022-02-28", "2027-02-27", "2027-02-28"},
		{"180 days", "2026-06-01", "2026-11-27", "2026-11-28"},
		{"4 weeks", "2026-06-01", "2026-06-28", "2026-06-29"},
	} {
		all = append(all, hand{
			name: "once in " + c.period, plan: plan(atMost("D0210", 1, c.period, "")),
			lines: []string{"D0210 fee 80 last " + c.last + " on " + c.before, "D0210 fee 80 last " + c.last + " on " + c.on},
			want:  []string{"P 0 O 80 = the last day", "P 80 O 0 = again"},
		})
	}
	planYear := func(p *estimate.Plan) { p.Period.From = day("2025-07-01") }
	return append(all, []hand{
		{
			name: "a service after the last day does not count", plan: plan(atMost("D0210", 1, "lifetime", "")),
			lines: []string{"D0210 fee 80 last 2027-01-01"}, want: []string{"P 80 O 0"},
		},
		{
			name: "once a plan year", plan: plan(atMost("D0210", 1, "plan_year", ""), planYear),
			lines: []string{"D0210 fee 80 last 2025-08-01 on 2026-06-30", "D0210 fee 80 last 2025-08-01 on 2026-07-01"}, want: []string{"P 0 O 80 = the last day", "P 80 O 0 = the next one"},
		},
		{
			name: "once a plan year that is not known", plan: plan(atMost("D0210", 1, "plan_year", ""), func(p *estimate.Plan) { p.Period = estimate.Period{} }),
			lines: []string{"D0210 fee 80 last 2026-06-01"}, want: []string{"P 80 O 0 = see unless"},
		},
		{
			name: "once in a lifetime", plan: plan(atMost("D1351", 1, "lifetime", "per tooth")),
			lines: []string{"D1351 fee 60 allowed 50 tooth 3 last 2010-01-01", "D1351 fee 60 allowed 50 tooth 14 prior 2010-01-01", "D1351 fee 60 allowed 50 tooth 19"},
			want:  []string{"W 10 P 0 O 50 = it was done", "W 10 P 0 O 50 = it was placed before", "W 10 P 50 O 0"},
		},
		{
			name: "once in a lifetime, by the payer's date", plan: plan(atMost("D0210", 1, "lifetime", "", lastBy("2020-01-01"))),
			lines: []string{"D0210 fee 80"}, want: []string{"P 0 O 80 = it was done"},
		},
		{
			name: "once in a lifetime, by the payer's count", plan: plan(atMost("D0210", 1, "lifetime", "", used(1))),
			lines: []string{"D0210 fee 80 on 2031-01-01"}, want: []string{"P 0 O 80 = used up"},
		},
		{
			name: "once in 5 years, by the payer's count", plan: plan(atMost("D0210", 1, "5 years", "", used(1))),
			lines: []string{"D0210 fee 80", "D0210 fee 80 on 2031-06-15"}, want: []string{"P 0 O 80 = used up", "P 80 O 0 = five years after the check"},
		},
		{
			name: "the payer's count of a category", plan: plan(func(p *estimate.Plan) {
				p.Categories[preventive] = estimate.Share{Percent: new(100.0), Frequency: &coverage.Frequency{Count: new(2), Used: new(2), Period: "calendar_year"}, FrequencyPath: "coverage.preventive.frequency"}
			}),
			lines: []string{"D1110 fee 100 allowed 80", "D1110 fee 100 allowed 80 on 2027-01-01"}, want: []string{"W 20 P 0 O 80 = used up", "W 20 P 80 O 0 = the next year"},
		},
		{
			name: "never", plan: plan(atMost("D0210", 0, "calendar_year", "")), lines: []string{"D0210 fee 80"}, want: []string{"P 0 O 80"},
		},
	}...)
}

// counts has plans that pay more than once.
func counts() []hand {
	twice := atMost("D1110", 2, "calendar_year", "")
	return []hand{
		{
			name: "two claims of the year, after the check", plan: plan(twice), done: []string{"since D1110 on 2026-02-05", "since D1110 on 2026-05-08"},
			lines: []string{"D1110 fee 100 allowed 80", "D1110 fee 100 allowed 80 on 2027-01-01"}, want: []string{"W 20 P 0 O 80 = the third", "W 20 P 80 O 0 = the next year"},
		},
		{
			name: "one claim of the year", plan: plan(twice), done: []string{"D1110 on 2026-02-05", "D1110 on 2025-12-30"},
			lines: []string{"D1110 fee 80", "D1110 fee 80"}, want: []string{"P 80 O 0 = the second", "P 0 O 80 = the third"},
		},
		{
			name: "the payer has counted what was sent before the check", plan: plan(atMost("D1110", 2, "calendar_year", "", used(1))), done: []string{"D1110 on 2026-02-05"},
			lines: []string{"D1110 fee 80"}, want: []string{"P 80 O 0 = one of two"},
		},
		{
			name: "the payer cannot have counted what was sent after the check", plan: plan(atMost("D1110", 2, "calendar_year", "", used(1))), done: []string{"since D1110 on 2026-02-05"},
			lines: []string{"D1110 fee 80"}, want: []string{"P 0 O 80 = two of two"},
		},
		{
			name: "a count of none and two claims after the check", plan: plan(atMost("D1110", 2, "12 months", "", used(0))), done: []string{"since D1110 on 2025-07-01", "since D1110 on 2026-05-08"},
			lines: []string{"D1110 fee 80", "D1110 fee 80 on 2026-07-01"}, want: []string{"P 0 O 80 = two in 12 months", "P 80 O 0 = one is over"},
		},
		{
			name: "a claim of the same day", plan: plan(atMost("D1110", 1, "6 months", "")), done: []string{"since D1110 on 2026-06-15"},
			lines: []string{"D1110 fee 80", "D1110 fee 80 on 2026-06-14"}, want: []string{"P 0 O 80 = it is the first", "P 80 O 0 = a day before the claim's"},
		},
		{
			name: "two teeth of one day", plan: plan(atMost("D0220", 2, "calendar_year", "")), done: []string{"D0220 on 2026-02-05 tooth 3", "D0220 on 2026-02-05 tooth 14"},
			lines: []string{"D0220 fee 80"}, want: []string{"P 0 O 80 = the third"},
		},
		{
			name: "a service that two claims have", plan: plan(atMost("D0220", 2, "calendar_year", "")), done: []string{"D0220 on 2026-02-05 tooth 3", "D0220 on 2026-02-05 tooth 3"},
			lines: []string{"D0220 fee 80"}, want: []string{"P 80 O 0 = the second"},
		},
		{
			name: "a claim for another procedure", plan: plan(twice), done: []string{"D1120 on 2026-02-05", "D1120 on 2026-03-05"}, lines: []string{"D1110 fee 80"}, want: []string{"P 80 O 0"},
		},
		{
			name: "more units than the plan pays for", plan: plan(atMost("D0220", 2, "calendar_year", "")),
			lines: []string{"D0220 fee 90 allowed 60 x3", "D0220 fee 30 allowed 20"}, want: []string{"W 30 P 40 O 20 = two of three", "W 10 P 0 O 20 = the fourth"},
		},
		{
			name: "units that do not divide the amount", plan: plan(atMost("D0220", 2, "calendar_year", "")),
			lines: []string{"D0220 fee 100 x3"}, want: []string{"P 66.67 O 33.33 = 100 x 2 / 3, half up"},
		},
		{
			name: "more units than are left", plan: plan(atMost("D0220", 2, "calendar_year", "", used(1)), deductible(person, "10", "10")),
			lines: []string{"D0220 fee 100 allowed 100.01 x3"}, want: []string{"D 10 P 23.33 O 76.67 = 33.33-10; 66.67 for two"},
		},
		{
			name: "units beyond the limit have no write-off", plan: plan(atMost("D0220", 1, "calendar_year", ""), noWriteOffBeyond),
			lines: []string{"D0220 fee 90 allowed 60 x3"}, want: []string{"W 10 P 20 O 60 = 30-10; 60 for two"},
		},
	}
}

// places has limits by place, for lines that compete and for claims.
func places() []hand {
	both := func(c, scope string, lines, want []string) hand {
		return hand{name: "once " + scope, plan: plan(atMost(c, 1, "24 months", scope)), lines: lines, want: want}
	}
	paid, not := "P 80 O 0", "P 0 O 80"
	return []hand{
		both("D4341", "per quadrant", []string{"D4341 fee 80 area 10", "D4341 fee 80 area 10", "D4341 fee 80 area 20", "D4341 fee 80 tooth 3", "D4341 fee 80 tooth 14", "D4341 fee 80"}, []string{paid, not, paid, not, not, paid}),
		both("D4341", "per sextant", []string{"D4341 fee 80 area 03", "D4341 fee 80 tooth 5", "D4341 fee 80 tooth 6", "D4341 fee 80 area 04"}, []string{paid, not, paid, not}),
		both("D5211", "per arch", []string{"D5211 fee 80 area 01", "D5211 fee 80 area 20", "D5211 fee 80 tooth A", "D5211 fee 80 tooth 30", "D5211 fee 80 area 02"}, []string{paid, not, not, paid, not}),
		both("D2391", "per surface", []string{"D2391 fee 80 tooth 3 surface O", "D2391 fee 80 tooth 3 surface M", "D2391 fee 80 tooth 3 surface O", "D2391 fee 80 tooth 4 surface O"}, []string{paid, paid, not, paid}),
		both("D2930", "per tooth", []string{"D2930 fee 80 tooth A", "D2930 fee 80 tooth A", "D2930 fee 80 tooth 4"}, []string{paid, not, paid}),
		{
			name: "claims by quadrant", plan: plan(atMost("D4341", 1, "24 months", "per quadrant")), done: []string{"D4341 on 2026-01-05 area 10"},
			lines: []string{"D4341 fee 80 area 10", "D4341 fee 80 area 30"}, want: []string{not, paid},
		},
		{
			name: "without a place that the plan names, a claim for another tooth does not count", plan: plan(atMost("D2740", 1, "60 months", "")), done: []string{"D2740 on 2024-01-05 tooth 3"},
			lines: []string{"D2740 fee 80 tooth 14", "D2740 fee 80 tooth 3"}, want: []string{paid, not},
		},
	}
}

func both(all ...change) change {
	return func(p *estimate.Plan) {
		for _, c := range all {
			c(p)
		}
	}
}

func waits(until string) change {
	return func(p *estimate.Plan) { p.Waits = []estimate.Wait{{Category: preventive, From: day(until)}} }
}

func ends(on string) change { return func(p *estimate.Plan) { p.Terminates = day(on) } }

// TestPaidFrom says from when a line is paid, as far as that is known.
func TestPaidFrom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan change
		done []string
		line string
		want string
	}{
		"a month":                   {atMost("D0210", 1, "12 months", ""), []string{"D0210 on 2026-02-03"}, "D0210", "2027-02-03"},
		"two of two claims":         {atMost("D1110", 2, "12 months", ""), []string{"D1110 on 2026-02-03", "D1110 on 2026-05-04"}, "D1110", "2027-02-03"},
		"three of two claims":       {atMost("D1110", 2, "12 months", ""), []string{"D1110 on 2026-02-03", "D1110 on 2026-04-01", "D1110 on 2026-05-04"}, "D1110", "2027-04-01"},
		"the payer's count":         {atMost("D1110", 2, "calendar_year", "", used(2)), nil, "D1110", "2027-01-01"},
		"the payer's rolling count": {atMost("D1110", 2, "12 months", "", used(2)), nil, "D1110", "0000-00-00"},
		"a waiting period that ends before the next year": {both(atMost("D1110", 1, "calendar_year", "", used(1)), waits("2026-08-01")), nil, "D1110", "2027-01-01"},
		"a waiting period that ends after it":             {both(atMost("D1110", 1, "calendar_year", "", used(1)), waits("2027-03-01")), nil, "D1110", "2027-03-01"},
		"a coverage that ends before the next year":       {both(atMost("D1110", 1, "calendar_year", "", used(1)), ends("2026-12-31")), nil, "D1110", "0000-00-00"},
		"a coverage that ends with the waiting period":    {both(atMost("D1110", 1, "calendar_year", ""), waits("2026-08-01"), ends("2026-07-31")), nil, "D1110", "0000-00-00"},
		"too old by then": {both(atMost("D1110", 1, "calendar_year", "", used(1), func(s *estimate.Share) { s.MaxAge = new(14) }), func(p *estimate.Plan) { p.Born = day("2011-12-31") }), nil, "D1110", "0000-00-00"},
		"a waiting period, and a clause that does not end": {both(pays(prostho, 50), func(p *estimate.Plan) {
			p.Waits = []estimate.Wait{{Category: prostho, From: day("2026-08-01")}}
			p.Rules.MissingToothClause = "applies"
		}), nil, "D6240 lost 2019-01-01", "0000-00-00"},
		"a lifetime": {atMost("D1351", 1, "lifetime", "", used(1)), nil, "D1351", "0000-00-00"},
	} {
		in := &estimate.Case{Plan: plan(c.plan), Lines: []estimate.Line{line(c.line + " fee 80")}}
		for _, l := range c.done {
			in.Earlier = append(in.Earlier, estimate.Earlier{Line: line(l)})
		}
		r := estimate.Compute(in).Lines[0]
		if r.PaidFrom.String() != c.want && (!r.PaidFrom.IsZero() || c.want != "0000-00-00") || r.Most.PlanPays != 0 {
			t.Errorf("%s: %+v, want from %s", name, r, c.want)
		}
	}
}

// TestWhatIsKnownOfServices has a condition for what nobody knows, also beside one known service of two.
func TestWhatIsKnownOfServices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan change
		line string
		want bool
	}{
		"nothing":                  {atMost("D1110", 2, "calendar_year", ""), "D1110", true},
		"one of two":               {atMost("D1110", 2, "calendar_year", ""), "D1110 last 2026-01-05", true},
		"one of two, by the payer": {atMost("D1110", 2, "calendar_year", "", lastBy("2026-01-05")), "D1110", true},
		"the payer's count":        {atMost("D1110", 2, "calendar_year", "", used(1)), "D1110", false},
		"a day after the service":  {atMost("D1110", 1, "6 months", ""), "D1110 last 2027-01-05", true},
		"the last one":             {atMost("D1110", 1, "6 months", ""), "D1110 last 2025-01-05", false},
	} {
		r := estimate.Compute(&estimate.Case{Plan: plan(c.plan), Lines: []estimate.Line{line(c.line + " fee 80")}}).Lines[0]
		if got := slices.ContainsFunc(r.Unless, func(u estimate.Unless) bool {
			return strings.HasPrefix(u.Text, "it was done before") && u.Path == "procedures.D1110.frequency" && u.PatientPays == estimate.Exactly(dollars("80"))
		}); got != c.want {
			t.Errorf("%s: unless %+v", name, r.Unless)
		}
	}
}
