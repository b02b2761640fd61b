package estimate_test

import (
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

func conditional() []hand {
	once := &coverage.Frequency{Count: new(1), Period: "60 months", Scope: "per tooth"}
	crown := code("D2740", estimate.Share{Percent: new(50.0), Frequency: once, LimitedPerPlace: true})
	clause := func(p *estimate.Plan) { p.Rules.MissingToothClause = "MISSING TOOTH CLAUSE APPLIES" }
	return []hand{
		{
			name: "a frequency without earlier services", plan: plan(crown),
			lines: []string{"D2740 fee 1000 allowed 800"}, want: []string{"W 200 P 400 O 400 = it does not strike"},
		},
		{
			name: "a frequency that strikes", plan: plan(crown),
			lines: []string{"D2740 fee 1000 allowed 800 last 2022-01-01"}, want: []string{"W 200 P 0 O 800 = paid from 2027-01-01"},
		},
		{
			name: "a frequency that strikes ends the write-off", plan: plan(crown, noWriteOffBeyond),
			lines: []string{"D2740 fee 1000 allowed 800 prior 2022-01-01"}, want: []string{"P 0 O 1000 = beyond the limit"},
		},
		{
			name: "a frequency that is over", plan: plan(crown),
			lines: []string{"D2740 fee 1000 allowed 800 last 2021-06-15"}, want: []string{"W 200 P 400 O 400 = 60 months later to the day"},
		},
		{
			name:  "two cleanings where the plan pays once in 6 months",
			plan:  plan(code("D1110", estimate.Share{Percent: new(100.0), Frequency: &coverage.Frequency{Count: new(1), Period: "6 months"}})),
			lines: []string{"D1110 fee 100 allowed 80", "D1110 fee 100 allowed 80", "D1110 fee 100 allowed 80 on 2026-12-15", "D1110 fee 100 allowed 80 on 2026-12-14"},
			want:  []string{"W 20 P 80 O 0", "W 20 P 0 O 80 = the second", "W 20 P 80 O 0 = 6 months later to the day", "W 20 P 0 O 80 = a day too early for either"},
		},
		{
			name:  "a third cleaning where the plan pays twice a year",
			plan:  plan(code("D1110", estimate.Share{Percent: new(100.0), Frequency: &coverage.Frequency{Count: new(2), Period: "calendar_year"}})),
			lines: []string{"D1110 fee 100", "D1110 fee 100 on 2026-12-31", "D1110 fee 100 on 2026-12-31", "D1110 fee 100 on 2027-01-01"},
			want:  []string{"P 100 O 0", "P 100 O 0", "P 0 O 100 = the third", "P 100 O 0 = the next year"},
		},
		{
			name:  "the payer's count comes before the lines",
			plan:  plan(code("D1110", estimate.Share{Percent: new(100.0), Frequency: &coverage.Frequency{Count: new(2), Used: new(1), Period: "calendar_year"}})),
			lines: []string{"D1110 fee 100", "D1110 fee 100"}, want: []string{"P 100 O 0 = the second of the year", "P 0 O 100 = the third"},
		},
		{
			name: "two crowns, of two teeth and of one", plan: plan(crown),
			lines: []string{"D2740 fee 1000 tooth 3", "D2740 fee 1000 tooth 14", "D2740 fee 1000 tooth 3", "D2740 fee 1000"},
			want:  []string{"P 500 O 500", "P 500 O 500 = another tooth", "P 0 O 1000 = the same tooth", "P 500 O 500 = it may be another tooth"},
		},
		{
			name: "a line that is not paid uses no service", plan: plan(code("D1110", estimate.Share{
				Percent: new(100.0), Frequency: &coverage.Frequency{Count: new(1), Period: "lifetime"}, NextEligible: day("2026-10-15"),
			})),
			lines: []string{"D1110 fee 100", "D1110 fee 100 on 2026-10-15", "D1110 fee 100 on 2040-10-15"}, want: []string{"P 0 O 100 = too early", "P 100 O 0", "P 0 O 100 = once in a lifetime"},
		},
		{
			name: "the payer's next date", plan: plan(code("D1110", estimate.Share{Percent: new(100.0), NextEligible: day("2026-10-15")})),
			lines: []string{"D1110 fee 100", "D1110 fee 100 on 2026-10-15"}, want: []string{"P 0 O 100 = too early", "P 100 O 0 = on the day"},
		},
		{
			name: "the payer's next date for another tooth", plan: plan(code("D2740", estimate.Share{Percent: new(50.0), NextEligible: day("2026-10-15"), LimitedPerPlace: true})),
			lines: []string{"D2740 fee 1000"}, want: []string{"P 500 O 500 = it may be another tooth"},
		},
		{
			name: "an age limit", plan: plan(code("D1206", estimate.Share{Percent: new(100.0), MaxAge: new(18)}), func(p *estimate.Plan) { p.Born = day("1985-04-12") }),
			lines: []string{"D1206 fee 50 allowed 40"}, want: []string{"W 10 P 0 O 40 = 41 years"},
		},
		{
			name: "an age limit that just does not strike", plan: plan(code("D1206", estimate.Share{Percent: new(100.0), MaxAge: new(18)}), func(p *estimate.Plan) { p.Born = day("2007-06-16") }),
			lines: []string{"D1206 fee 50", "D1206 fee 50 on 2026-06-16"}, want: []string{"P 50 O 0 = 18 years", "P 0 O 50 = 19 years"},
		},
		{
			name: "a waiting period with its end", plan: plan(pays(major, 50), func(p *estimate.Plan) { p.Waits = []estimate.Wait{{Category: major, From: day("2026-12-01")}} }),
			lines: []string{"D2740 fee 1000", "D2740 fee 1000 on 2026-12-01"}, want: []string{"P 0 O 1000 = it waits", "P 500 O 500 = the first day"},
		},
		{
			name: "a waiting period from the begin of the coverage", plan: plan(pays(major, 50), func(p *estimate.Plan) {
				p.Effective, p.Waits = day("2026-01-01"), []estimate.Wait{{Category: major, Months: 12}}
			}),
			lines: []string{"D2740 fee 1000", "D2391 fee 0"}, want: []string{"P 0 O 1000 = until 2027-01-01", "P 0 O 0"},
		},
		{
			name: "a tooth lost before the coverage", plan: plan(pays(prostho, 50), clause),
			lines: []string{"D6240 fee 1000 lost 2019-05-05", "D6240 fee 1000 lost 2021-05-05", "D6240 fee 1000"},
			want:  []string{"P 0 O 1000 = before 2020", "P 500 O 500 = after", "P 500 O 500 = not known, see unless"},
		},
		{
			name: "after the end of the coverage", plan: plan(pays("", 100), func(p *estimate.Plan) { p.Terminates = day("2026-06-30") }),
			lines: []string{"D1110 fee 100 on 2026-06-30", "D1110 fee 100 on 2026-07-01"}, want: []string{"P 100 O 0 = the last day", "P 0 O 100 = ended"},
		},
		{
			name: "before the begin of the coverage", plan: plan(pays("", 100), func(p *estimate.Plan) { p.Effective = day("2026-07-01") }),
			lines: []string{"D1110 fee 100", "D1110 fee 100 on 2026-07-01"}, want: []string{"P 0 O 100 = not yet", "P 100 O 0 = the first day"},
		},
		{
			name: "a payer who does not know whether the plan is active", plan: plan(pays("", 80), func(p *estimate.Plan) { p.Status = coverage.Unknown }),
			lines: []string{"D2391 fee 100"}, want: []string{"P 80 O 20 | P 0 O 100 = active or not"},
		},
	}
}

func periods() []hand {
	unknown := func(p *estimate.Plan) { p.Period = estimate.Period{} }
	planYear := func(p *estimate.Plan) { p.Period = estimate.Period{From: day("2025-07-01")} }
	return []hand{
		{
			name: "next year's maximum", plan: plan(pays("", 100), maximum(person, "1000", "0")),
			lines: []string{"D2391 fee 300 on 2026-12-31", "D2391 fee 300 on 2027-01-01"}, want: []string{"P 0 O 300 = this year's", "P 300 O 0 = next year's 1000"},
		},
		{
			name: "next year's deductible", plan: plan(pays("", 80), deductible(person, "50", "0")),
			lines: []string{"D2391 fee 300", "D2391 fee 300 on 2027-01-02"}, want: []string{"P 240 O 60 = met", "D 50 P 200 O 100 = (300-50) x 0.8"},
		},
		{
			name: "a plan that begins after the check", plan: plan(pays("", 80), maximum(person, "1000", "1000"), inactive, covers("2026-07-01", "")),
			lines: []string{"D2391 fee 300 on 2026-06-30", "D2391 fee 300 on 2026-07-01"}, want: []string{"P 0 O 300 = not yet", "P 240 O 60 = 300 x 0.8"},
		},
		{
			name: "a plan that ended before the check", plan: plan(pays("", 80), maximum(person, "1000", "100"), inactive, covers("2020-01-01", "2026-05-31")),
			lines: []string{"D2391 fee 300 on 2026-05-31", "D2391 fee 300 on 2026-06-01"}, want: []string{"P 100 O 200 = min(240, 100) on the last day", "P 0 O 300 = ended"},
		},
		{
			name: "a plan that is not active within its dates", plan: plan(pays("", 80), inactive, covers("2020-01-01", "2026-06-15")),
			lines: []string{"D2391 fee 300 on 2026-06-14"}, want: []string{"P 0 O 300 = its dates do not say why"},
		},
		{
			name: "a lifetime maximum goes on", plan: plan(pays("", 100), most(limit(person, life, "1000", "100"))),
			lines: []string{"D8090 fee 300 on 2027-03-01"}, want: []string{"P 100 O 200 = what is left"},
		},
		{
			name: "a plan year", plan: plan(pays("", 100), planYear, most(limit(person, coverage.PeriodPlanYear, "1500", "420"))),
			lines: []string{"D2391 fee 1000 on 2026-06-30", "D2391 fee 1000 on 2026-07-01"}, want: []string{"P 420 O 580 = the last day", "P 1000 O 0 = the next plan year"},
		},
		{
			name: "an unknown benefit period", plan: plan(pays("", 100), unknown, most(limit(person, coverage.PeriodPlanYear, "1500", "420"))),
			lines: []string{"D2391 fee 1000 on 2026-09-01"}, want: []string{"P 1000 O 0 | P 420 O 580 = 1500 or 420 is left"},
		},
		{
			name: "a plan year on the day of the check", plan: plan(pays("", 100), unknown, most(limit(person, coverage.PeriodPlanYear, "1500", "420"))),
			lines: []string{"D2391 fee 1000"}, want: []string{"P 420 O 580 = today's period"},
		},
	}
}

func pairs() []hand {
	full, none := plan(pays("", 100)), plan(pays("", 0))
	return []hand{
		{
			name: "the second plan pays the rest", plan: plan(pays("", 50)), second: full,
			lines: []string{"D2391 fee 100"}, want: []string{"P 50 S 50 O 0 = min(100, 50)"},
		},
		{
			name: "the second plan covers nothing", plan: plan(pays("", 50)), second: none,
			lines: []string{"D2391 fee 100"}, want: []string{"P 50 O 50 = none"},
		},
		{
			name: "non-duplication", plan: plan(pays("", 50)), second: plan(pays("", 80)), how: estimate.NonDuplication,
			lines: []string{"D2391 fee 100"}, want: []string{"P 50 S 30 O 20 = 80-50"},
		},
		{
			name: "non-duplication with a better first plan", plan: plan(pays("", 80)), second: plan(pays("", 50)), how: estimate.NonDuplication,
			lines: []string{"D2391 fee 100"}, want: []string{"P 80 O 20 = 50 is below 80"},
		},
		{
			name: "basic with a lower allowance", plan: plan(pays("", 80)), second: plan(pays("", 100)), how: estimate.Basic,
			lines: []string{"D2391 fee 200 allowed 150 second 100"}, want: []string{"W 50 P 120 O 30 = 100-120 is below 0"},
		},
		{
			name: "the second plan has its own deductible", plan: plan(pays("", 50)), second: plan(pays("", 80), deductible(person, "50", "50")),
			lines: []string{"D2391 fee 100", "D2391 fee 100"}, want: []string{"P 50 S 40 O 10 = (100-50) x 0.8", "P 50 S 50 O 0 = min(80, 50)"},
		},
		{
			name: "the second plan has its own maximum", plan: plan(pays("", 50)), second: plan(pays("", 100), maximum(person, "60", "60")),
			lines: []string{"D2391 fee 100", "D2391 fee 100"}, want: []string{"P 50 S 50 O 0 = min(100, 50, 60)", "P 50 S 10 O 40 = 60-50"},
		},
		{
			name: "an inactive first plan", plan: plan(func(p *estimate.Plan) { p.Status = coverage.Inactive }), second: plan(pays("", 80)),
			lines: []string{"D2391 fee 100 allowed 90"}, want: []string{"W 10 P 0 S 72 O 18 = 90 x 0.8"},
		},
		{
			name: "a second plan without a percent", plan: plan(pays("", 50)), second: plan(code("D2391", estimate.Share{Covered: new(true)})),
			lines: []string{"D2391 fee 100"}, want: []string{"P 50 S 50 O 0 | P 50 O 50 = min(100, 50) or 0"},
		},
		{
			name: "a second plan without an allowance", plan: plan(pays("", 50)), second: plan(pays("", 50)),
			lines: []string{"D2740 fee 1200 allowed 900 second ?"}, want: []string{"W 300 P 450 S 450 O 0 | W 300 P 450 O 450 = S from 0 to min(1200 x 0.5, 450)"},
		},
		{
			name: "basic with a second plan without an allowance", plan: plan(pays("", 50)), second: plan(pays("", 80)), how: estimate.Basic,
			lines: []string{"D2740 fee 1000 second ?"}, want: []string{"P 500 S 500 O 0 | P 500 O 500 = S from 0 to min(800, 1000-500)"},
		},
		{
			name: "carve-out with a second plan without an allowance", plan: plan(pays("", 50), outOfNetwork), second: plan(pays("", 75), outOfNetwork), how: estimate.CarveOut,
			lines: []string{"D2740 fee 1200 second ?"}, want: []string{"P 600 S 300 O 300 | P 600 O 600 = S from 0 to 1200 x 0.75-600"},
		},
		{
			name: "without an allowance, the second plan's maximum", plan: plan(pays("", 50)), second: plan(pays("", 100), maximum(person, "1000", "150")),
			lines: []string{"D2391 fee 200 second ?", "D2391 fee 200"},
			want:  []string{"P 100 S 100 O 0 | P 100 O 100 = S from 0 to 100", "P 100 S 100 O 0 | P 100 S 50 O 50 = of 150 or of 150-100"},
		},
		{
			name: "only the first plan pays an alternate benefit", plan: plan(pays("", 50)), second: plan(pays("", 50)),
			lines: []string{"D2740 fee 1000 allowed 800 alternate1 500"}, want: []string{"W 200 P 250 S 400 O 150 = 500 x 0.5, then 800 x 0.5"},
		},
		{
			name: "the patient pays the same, whichever plan pays", plan: plan(pays("", 50), maximum(person, "300", "?")), second: plan(pays("", 50)), how: estimate.CarveOut,
			lines: []string{"D2740 fee 1200 allowed 900 second 650"}, want: []string{"W 300 P 300 S 25 O 575 | W 300 P 0 S 325 O 575 = 325 in all"},
		},
		{
			name: "both plans used up", plan: plan(pays("", 100), maximum(person, "10", "0")), second: plan(pays("", 100), maximum(person, "10", "0")),
			lines: []string{"D2391 fee 100"}, want: []string{"P 0 O 100"},
		},
	}
}
