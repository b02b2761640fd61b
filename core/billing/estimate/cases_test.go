package estimate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// hand is a case computed by hand. Each line of want is the outcome of a line, and after
// "=" the arithmetic, for the reader.
type hand struct {
	name   string
	plan   *estimate.Plan
	second *estimate.Plan
	how    estimate.Coordination
	sent   []estimate.Claimed
	paid   []estimate.Claimed // decided after the check
	paid2  []estimate.Claimed // by the second plan
	done   []string           // lines of claims that are known; "since" stands before those sent after the check
	lines  []string
	want   []string
}

func TestCasesByHand(t *testing.T) {
	t.Parallel()
	all := slices.Concat(published(), deductibles(), maximums(), shares(), missing(), conditional(), periods(), pairs(), frequencies(), counts(), places(), decided(), totals())
	if len(all) < 60 {
		t.Errorf("%d cases", len(all))
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := &estimate.Case{Plan: c.plan, Second: c.second, Coordination: c.how, Undecided: c.sent, Decided: c.paid, SecondDecided: c.paid2}
			for _, l := range c.done {
				l, since := strings.CutPrefix(l, "since ")
				in.Earlier = append(in.Earlier, estimate.Earlier{Line: line(l), Since: since})
			}
			for _, l := range c.lines {
				in.Lines = append(in.Lines, line(l))
			}
			e := estimate.Compute(in)
			for i, r := range e.Lines {
				addsUp(t, "least", r.Least)
				addsUp(t, "most", r.Most)
				want, _, _ := strings.Cut(c.want[i], " =")
				if got := shown(r.Least, r.Most); got != want {
					t.Errorf("line %d: %s\nwant    %s\nbecause %v", i, got, c.want[i], r.Because)
				}
			}
			addsUp(t, "least total", e.Least)
			addsUp(t, "most total", e.Most)
			if len(c.want) > len(e.Lines) {
				want, _, _ := strings.Cut(c.want[len(e.Lines)], " =")
				if got := "total " + shown(e.Least, e.Most); got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
			}
		})
	}
}

// published has the cases that Open Dental describes for its own tests.
func published() []hand {
	no := new(false)
	return []hand{
		{
			name: "another member used most of the family maximum", plan: plan(pays("", 100), maximum(person, "1000", "1000"), maximum(family, "2500", "500")),
			lines: []string{"D2740 fee 830"}, want: []string{"P 500 O 330 = min(830, 1000, 2500-2000)"},
		},
		{
			name: "only a family maximum", plan: plan(pays("", 100), maximum(family, "400", "400")),
			lines: []string{"D2391 fee 500", "D2391 fee 500"}, want: []string{"P 400 O 100 = min(500, 400)", "P 0 O 500 = nothing is left", "total P 400 O 600"},
		},
		{
			name: "a procedure with a maximum of its own", plan: plan(pays(basic, 80), maximum(person, "200", "200"), most(ofCode(alone(limit(person, year, "2000", "2000")), "D2391"))),
			lines: []string{"D2391 fee 300", "D2330 fee 300"}, want: []string{"P 240 O 60 = 0.8 x 300, of 2000", "P 200 O 100 = min(240, 200)"},
		},
		{
			name: "orthodontics leaves the general maximum", plan: plan(pays("", 100), maximum(person, "100", "41"), most(of(alone(limit(person, life, "500", "152")), ortho))),
			lines: []string{"D0120 fee 60", "D8090 fee 200"}, want: []string{"P 41 O 19 = 100-59 is left", "P 152 O 48 = 500-348 is left"},
		},
		{
			name: "two crowns", plan: plan(pays(major, 50), maximum(person, "1300", "1300"), deductible(person, "25", "25")),
			lines: []string{"D2740 fee 800", "D2740 fee 800"}, want: []string{"D 25 P 387.50 O 412.50 = (800-25) x 0.5", "P 400 O 400 = 800 x 0.5"},
		},
		{
			name: "a code with a deductible of its own", plan: plan(pays("", 80), pays(diagnostic, 100), deductible(person, "50", "50"),
				first(of(limit(person, year, "0", "0"), diagnostic)), first(ofCode(limit(person, year, "45", "45"), "D0330"))),
			lines: []string{"D0330 fee 95", "D2391 fee 200"}, want: []string{"D 45 P 50 O 45 = 95-45", "D 5 P 156 O 44 = (200-(50-45)) x 0.8"},
		},
		{
			name: "no coverage for the code", plan: plan(pays("", 80), deductible(person, "50", "50"), code("D9310", estimate.Share{Covered: no})),
			lines: []string{"D9310 fee 55"}, want: []string{"P 0 O 55 = the deductible is not used"},
		},
		{
			name: "a copayment for each unit", plan: plan(deductible(person, "10", "10"), code("D4341", estimate.Share{Percent: new(80.0), Copay: new(dollars("5"))})),
			lines: []string{"D4341 fee 150 allowed 120 x3"}, want: []string{"D 10 W 30 P 76 O 44 = (120-10-3x5) x 0.8"},
		},
		{
			name: "no write-off past the maximum", plan: plan(pays("", 90), maximum(person, "100", "100"), noWriteOffBeyond),
			lines: []string{"D2391 fee 110 allowed 90", "D2391 fee 110 allowed 90", "D2391 fee 110 allowed 90"},
			want:  []string{"W 20 P 81 O 9 = 90 x 0.9", "W 20 P 19 O 71 = 100-81", "P 0 O 110 = nothing is left, and no write-off"},
		},
		{
			name: "the write-off stays past the maximum", plan: plan(pays("", 90), maximum(person, "100", "100")),
			lines: []string{"D2391 fee 110 allowed 90", "D2391 fee 110 allowed 90", "D2391 fee 110 allowed 90"},
			want:  []string{"W 20 P 81 O 9 = 90 x 0.9", "W 20 P 19 O 71 = 100-81", "W 20 P 0 O 90 = nothing is left"},
		},
		{
			name: "an alternate above the own allowance", plan: plan(pays("", 100)),
			lines: []string{"D2391 fee 140 allowed 80 alternate 100"}, want: []string{"W 60 P 80 O 0 = min(80, 100)"},
		},
		{
			name: "basic coordination", plan: plan(pays("", 50)), second: plan(pays("", 50)), how: estimate.Basic,
			lines: []string{"D2740 fee 1200 allowed 900 second 650"}, want: []string{"W 300 P 450 S 200 O 250 = S min(325, 650-450)"},
		},
		{
			name: "standard coordination", plan: plan(pays("", 50)), second: plan(pays("", 50)), how: estimate.Standard,
			lines: []string{"D2740 fee 1200 allowed 900 second 650"}, want: []string{"W 300 P 450 S 325 O 125 = S min(325, 450)"},
		},
		{
			name: "carve-out", plan: plan(pays("", 50), outOfNetwork), second: plan(pays("", 75), outOfNetwork), how: estimate.CarveOut,
			lines: []string{"D2740 fee 1200"}, want: []string{"P 600 S 300 O 300 = S 900-600"},
		},
	}
}

func deductibles() []hand {
	return []hand{
		{
			name: "the individual deductible is met first", plan: plan(pays("", 80), deductible(person, "50", "20"), deductible(family, "150", "100")),
			lines: []string{"D2391 fee 200"}, want: []string{"D 20 P 144 O 56 = (200-20) x 0.8"},
		},
		{
			name: "the family deductible is met first", plan: plan(pays("", 80), deductible(person, "50", "50"), deductible(family, "150", "10")),
			lines: []string{"D2391 fee 200", "D2391 fee 200"}, want: []string{"D 10 P 152 O 48 = (200-10) x 0.8", "P 160 O 40 = the family has met it"},
		},
		{
			name: "a deductible above the allowance", plan: plan(pays("", 80), deductible(person, "100", "100")),
			lines: []string{"D0120 fee 60 allowed 40", "D2391 fee 200"}, want: []string{"D 40 W 20 P 0 O 40 = min(100, 40)", "D 60 P 112 O 88 = (200-60) x 0.8"},
		},
		{
			name: "a category's deductible alone", plan: plan(pays("", 80), first(of(limit(person, year, "50", "50"), major))),
			lines: []string{"D2391 fee 100", "D2740 fee 500"}, want: []string{"P 80 O 20 = basic has none", "D 50 P 360 O 140 = (500-50) x 0.8"},
		},
		{
			name: "a category's deductible above what is left", plan: plan(pays("", 80), deductible(person, "50", "30"), first(of(limit(person, year, "100", "100"), major))),
			lines: []string{"D2740 fee 500"}, want: []string{"D 30 P 376 O 124 = min(100, 30); (500-30) x 0.8"},
		},
		{
			name: "a waived deductible", plan: plan(deductible(person, "50", "50"), code("D1110", estimate.Share{Percent: new(100.0), DeductibleWaived: true}), pays(basic, 80)),
			lines: []string{"D1110 fee 100", "D2391 fee 100"}, want: []string{"P 100 O 0 = waived", "D 50 P 40 O 60 = (100-50) x 0.8"},
		},
		{
			name: "a lifetime deductible that is met", plan: plan(pays("", 100), first(limit(person, life, "50", "0"))),
			lines: []string{"D2391 fee 100 on 2027-02-01"}, want: []string{"P 100 O 0 = it does not come again"},
		},
		{
			name: "a service that is not covered leaves the deductible", plan: plan(pays(basic, 80), pays(major, 0), deductible(person, "50", "50")),
			lines: []string{"D2740 fee 900", "D2391 fee 150"}, want: []string{"P 0 O 900 = not covered", "D 50 P 80 O 70 = (150-50) x 0.8"},
		},
		{
			name: "half a cent is rounded up", plan: plan(pays("", 50)),
			lines: []string{"D0120 fee 33.33"}, want: []string{"P 16.67 O 16.66 = 16.665, and the patient takes the rest"},
		},
		{
			name: "a third of a percent", plan: plan(pays("", 33.33)),
			lines: []string{"D0120 fee 100"}, want: []string{"P 33.33 O 66.67 = 100 x 0.3333"},
		},
	}
}

func maximums() []hand {
	return []hand{
		{
			name: "the year's maximum is used up", plan: plan(pays("", 100), maximum(person, "1500", "0")),
			lines: []string{"D2391 fee 200 allowed 150"}, want: []string{"W 50 P 0 O 150 = nothing is left"},
		},
		{
			name: "a category's maximum within the general one", plan: plan(pays("", 100), maximum(person, "1000", "1000"), most(of(limit(person, year, "300", "300"), major))),
			lines: []string{"D2740 fee 500", "D2391 fee 800"}, want: []string{"P 300 O 200 = min(500, 300)", "P 700 O 100 = 1000-300"},
		},
		{
			name: "a category's maximum that stands alone", plan: plan(pays("", 100), maximum(person, "1000", "1000"), most(of(alone(limit(person, year, "300", "300")), major))),
			lines: []string{"D2740 fee 500", "D2391 fee 800"}, want: []string{"P 300 O 200 = min(500, 300)", "P 800 O 0 = 1000 is left as it was"},
		},
		{
			name: "lines compete in their order", plan: plan(pays("", 50), maximum(person, "500", "500")),
			lines: []string{"D2740 fee 800", "D2750 fee 800"}, want: []string{"P 400 O 400 = 800 x 0.5", "P 100 O 700 = 500-400"},
		},
		{
			name: "a lifetime maximum for orthodontics", plan: plan(pays(ortho, 50), maximum(person, "2000", "0"), most(of(alone(limit(person, life, "1500", "1500")), ortho))),
			lines: []string{"D8080 fee 5000"}, want: []string{"P 1500 O 3500 = min(2500, 1500); the general maximum does not count"},
		},
		{
			name: "undecided claims use the maximum", plan: plan(pays("", 80), maximum(person, "1000", "300")),
			sent:  []estimate.Claimed{{Code: "D2740", ServiceDate: day("2026-06-01"), Pays: estimate.Exactly(dollars("250"))}},
			lines: []string{"D2391 fee 200"}, want: []string{"P 50 O 150 = 300-250"},
		},
		{
			name: "undecided claims use the deductible", plan: plan(pays("", 80), deductible(person, "50", "50")),
			sent:  []estimate.Claimed{{Code: "D2740", ServiceDate: day("2026-06-01"), Deductible: estimate.Exactly(dollars("50")), Pays: estimate.Exactly(dollars("250"))}},
			lines: []string{"D2391 fee 200"}, want: []string{"P 160 O 40 = the deductible is on its way"},
		},
		{
			name: "the family's undecided claims use the family's maximum", plan: plan(pays("", 100), maximum(person, "1000", "1000"), maximum(family, "2000", "400")),
			sent:  []estimate.Claimed{{Code: "D2740", ServiceDate: day("2026-06-01"), Pays: estimate.Exactly(dollars("300")), Family: true}},
			lines: []string{"D2391 fee 200"}, want: []string{"P 100 O 100 = min(1000, 400-300)"},
		},
		{
			name: "an undecided claim with a range", plan: plan(pays("", 100), maximum(person, "1000", "300")),
			sent:  []estimate.Claimed{{Code: "D2740", ServiceDate: day("2026-06-01"), Pays: estimate.Range{Least: dollars("100"), Most: dollars("250")}}},
			lines: []string{"D2391 fee 200"}, want: []string{"P 200 O 0 | P 50 O 150 = 300-100 and 300-250"},
		},
	}
}

func shares() []hand {
	return []hand{
		{
			name: "the percent of the procedure comes first", plan: plan(pays("", 10), pays(basic, 80), code("D2391", estimate.Share{Percent: new(60.0)})),
			lines: []string{"D2391 fee 100", "D2330 fee 100", "D9310 fee 100"},
			want:  []string{"P 60 O 40 = procedure", "P 80 O 20 = category", "P 10 O 90 = general"},
		},
		{
			name: "a covered procedure has the percent of its category", plan: plan(pays(basic, 80), code("D2391", estimate.Share{Covered: new(true)})),
			lines: []string{"D2391 fee 100"}, want: []string{"P 80 O 20 = 100 x 0.8"},
		},
		{
			name: "an excluded procedure of a covered category", plan: plan(pays(basic, 80), code("D2391", estimate.Share{Covered: new(false)})),
			lines: []string{"D2391 fee 100 allowed 70"}, want: []string{"W 30 P 0 O 70 = not covered"},
		},
		{
			name: "an allowance above the fee", plan: plan(pays("", 50)),
			lines: []string{"D2391 fee 100 allowed 130"}, want: []string{"P 50 O 50 = min(130, 100) x 0.5"},
		},
		{
			name: "out of network", plan: plan(pays("", 50), outOfNetwork),
			lines: []string{"D2391 fee 100 allowed 70"}, want: []string{"P 35 O 65 = 70 x 0.5; no write-off"},
		},
		{
			name: "an alternate benefit", plan: plan(pays("", 50)),
			lines: []string{"D2391 fee 200 allowed 150 alternate 100"}, want: []string{"W 50 P 50 O 100 = 100 x 0.5; 150-50"},
		},
		{
			name: "a copayment above what is left", plan: plan(code("D1110", estimate.Share{Percent: new(100.0), Copay: new(dollars("50"))})),
			lines: []string{"D1110 fee 80 allowed 40"}, want: []string{"W 40 P 0 O 40 = min(50, 40)"},
		},
		{
			name: "a copayment before the percent", plan: plan(code("D1110", estimate.Share{Percent: new(50.0), Copay: new(dollars("20"))})),
			lines: []string{"D1110 fee 100"}, want: []string{"P 40 O 60 = (100-20) x 0.5"},
		},
		{
			name: "a free service", plan: plan(pays("", 80), deductible(person, "50", "50")),
			lines: []string{"D0120 fee 0", "D2391 fee 100"}, want: []string{"P 0 O 0", "D 50 P 40 O 60 = (100-50) x 0.8"},
		},
		{
			name: "an inactive plan", plan: plan(pays("", 100), func(p *estimate.Plan) { p.Status = coverage.Inactive }),
			lines: []string{"D1110 fee 100 allowed 80"}, want: []string{"W 20 P 0 O 80 = not active"},
		},
	}
}

func missing() []hand {
	return []hand{
		{
			name: "no percent", plan: plan(code("D2391", estimate.Share{Covered: new(true)})),
			lines: []string{"D2391 fee 100 allowed 80"}, want: []string{"W 20 P 80 O 0 | W 20 P 0 O 80 = 100 and 0 percent"},
		},
		{
			name: "no allowance", plan: plan(pays("", 80)),
			lines: []string{"D2391 fee 100 allowed ?"}, want: []string{"W 100 P 0 O 0 | P 80 O 20 = at most the fee stands in"},
		},
		{
			name: "no allowance out of network", plan: plan(pays("", 80), outOfNetwork),
			lines: []string{"D2391 fee 100 allowed ?"}, want: []string{"P 80 O 20 | P 0 O 100 = the plan may allow nothing"},
		},
		{
			name: "no remaining maximum", plan: plan(pays("", 80), maximum(person, "50", "?")),
			lines: []string{"D2391 fee 100"}, want: []string{"P 50 O 50 | P 0 O 100 = 50 or nothing is left"},
		},
		{
			name: "no maximums", plan: plan(pays("", 80), lacks("maximums")),
			lines: []string{"D2391 fee 100"}, want: []string{"P 80 O 20 | P 0 O 100 = all or nothing is left"},
		},
		{
			name: "no deductibles", plan: plan(pays("", 80), lacks("deductibles")),
			lines: []string{"D2391 fee 100"}, want: []string{"P 80 O 20 | D 100 P 0 O 100 = none, or all of the allowance"},
		},
		{
			name: "no remaining deductible", plan: plan(pays("", 80), deductible(person, "50", "?")),
			lines: []string{"D2391 fee 100", "D2391 fee 100"},
			want:  []string{"P 80 O 20 | D 50 P 40 O 60 = 0 or 50 is left", "P 80 O 20 = the first line has met it", "total P 160 O 40 | D 50 P 120 O 80"},
		},
		{
			name: "no allowance of the alternate", plan: plan(pays("", 50)),
			lines: []string{"D2391 fee 200 allowed 150 alternate ?"}, want: []string{"W 50 P 75 O 75 | W 50 P 0 O 150 = 150 x 0.5, or nothing"},
		},
		{
			name: "a missing percent moves what is left", plan: plan(code("D2740", estimate.Share{Covered: new(true)}), pays(basic, 100), maximum(person, "100", "100")),
			lines: []string{"D2740 fee 100", "D2391 fee 100"},
			want:  []string{"P 100 O 0 | P 0 O 100 = 100 and 0 percent", "P 100 O 0 | P 0 O 100 = 100 or 0 is left", "total P 100 O 100 = one of the two lines is paid"},
		},
		{
			name: "no percent and no coverage", plan: plan(deductible(person, "50", "50"), pays(basic, 100)),
			lines: []string{"D2740 fee 100", "D2391 fee 100"},
			want: []string{
				"D 50 P 50 O 50 | P 0 O 100 = covered at 100 percent, or not", "P 100 O 0 | D 50 P 50 O 50 = the deductible is met, or not",
				"total D 50 P 150 O 50 | D 50 P 50 O 150",
			},
		},
		{
			name: "a missing deductible of a category whose maximum is used up", plan: plan(pays("", 100), maximum(person, "1000", "1000"), deductible(person, "10", "10"),
				first(of(limit(person, year, "10", "?"), major)), most(of(limit(person, year, "500", "0"), major))),
			lines: []string{"D2740 fee 100", "D1110 fee 100"},
			want: []string{
				"P 0 O 100 = nothing is left", "P 100 O 0 | D 10 P 90 O 10 = the crown has used the deductible, or not", "total P 100 O 100 | D 10 P 90 O 110",
			},
		},
		{
			name: "a missing allowance of the first plan uses up the second one", plan: plan(pays(major, 50), pays(basic, 0), maximum(person, "50", "50")),
			second: plan(pays("", 100), maximum(person, "40", "40")), how: estimate.NonDuplication,
			lines: []string{"D2740 fee 200 allowed ? second 60", "D2391 fee 100"},
			want: []string{
				"W 200 P 0 O 0 | P 50 O 150 = allowed 0 or 200; the second pays 40-50", "P 0 S 40 O 60 | P 0 O 100 = with 40 allowed, the second has paid 20",
			},
		},
	}
}
