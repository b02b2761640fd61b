package estimate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// took is what the payer decided of a service after the check.
func took(code, on, pays, deductible string) estimate.Claimed {
	return estimate.Claimed{Code: code, ServiceDate: day(on), Pays: estimate.Exactly(dollars(pays)), Deductible: estimate.Exactly(dollars(deductible))}
}

// decided has claims that were decided after the check, and benefit years that nobody knows.
func decided() []hand {
	half := pays("", 50)
	ofFamily := took("D2740", "2026-06-10", "300", "50")
	ofFamily.Family = true
	undated := func(p *estimate.Plan) { p.Period = estimate.Period{} }
	planYear := func(amount, left string) change {
		return most(limit(person, coverage.PeriodPlanYear, amount, left))
	}
	return []hand{
		{
			name: "a decided claim uses the maximum", plan: plan(half, maximum(person, "1000", "300")), paid: []estimate.Claimed{took("D2740", "2026-06-10", "220.50", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 79.50 O 120.50 = min(200 x 0.5, 300-220.50)"},
		},
		{
			name: "a decided claim uses the deductible", plan: plan(half, deductible(person, "50", "50")), paid: []estimate.Claimed{took("D2391", "2026-06-10", "0", "30")},
			lines: []string{"D2391 fee 200"}, want: []string{"D 20 P 90 O 110 = (200-20) x 0.5, of a deductible of 50-30"},
		},
		{
			name: "a claim of last year uses nothing of this year", plan: plan(half, maximum(person, "1000", "300"), deductible(person, "50", "50")),
			paid: []estimate.Claimed{took("D2740", "2025-12-30", "300", "50")}, lines: []string{"D2391 fee 200"}, want: []string{"D 50 P 75 O 125 = (200-50) x 0.5"},
		},
		{
			name: "a claim of the family uses the family's amounts", plan: plan(half, maximum(person, "1000", "1000"), maximum(family, "2000", "350"), deductible(person, "50", "50"), deductible(family, "150", "60")),
			paid: []estimate.Claimed{ofFamily}, lines: []string{"D2391 fee 200"}, want: []string{"D 10 P 50 O 150 = min((200-10) x 0.5, 350-300), of a deductible of min(50, 60-50)"},
		},
		{
			name: "a claim of orthodontics uses its own lifetime maximum", plan: plan(pays(basic, 80), pays(ortho, 50), maximum(person, "1000", "1000"), most(of(alone(limit(person, life, "1500", "1500")), ortho))),
			paid: []estimate.Claimed{took("D8080", "2026-06-10", "1200", "0")}, lines: []string{"D8670 fee 1000", "D2391 fee 200"},
			want: []string{"P 300 O 700 = min(500, 1500-1200)", "P 160 O 40 = 1000 are left"},
		},
		{
			name: "more was paid than was left", plan: plan(half, maximum(person, "1000", "100")), paid: []estimate.Claimed{took("D2740", "2026-06-10", "150", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 0 O 200 = max(0, 100-150)"},
		},
		{
			name: "the payer took back a payment", plan: plan(half, maximum(person, "1000", "300")), paid: []estimate.Claimed{took("D2740", "2026-05-10", "-200", "0")},
			lines: []string{"D2740 fee 1200"}, want: []string{"P 500 O 700 = min(600, 300+200)"},
		},
		{
			name: "never more than the whole is left", plan: plan(half, maximum(person, "1000", "900")), paid: []estimate.Claimed{took("D2740", "2026-05-10", "-200", "0")},
			lines: []string{"D2740 fee 3000"}, want: []string{"P 1000 O 2000 = min(1500, 1000)"},
		},
		{
			name: "one claim is decided and one is not", plan: plan(half, maximum(person, "1000", "300"), deductible(person, "50", "50")),
			paid: []estimate.Claimed{took("D2740", "2026-06-10", "100", "50")}, sent: []estimate.Claimed{took("D2740", "2026-06-11", "120", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 80 O 120 = min(100, 300-100-120)"},
		},
		{
			name: "what is left was not returned", plan: plan(half, maximum(person, "1000", "?")), paid: []estimate.Claimed{took("D2740", "2026-06-10", "930", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 70 O 130 | P 0 O 200 = at most 1000-930 are left"},
		},
		{
			name: "a decision about a whole claim", plan: plan(half, maximum(person, "1000", "300")), paid: []estimate.Claimed{took("", "2026-06-10", "240", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 60 O 140 = 300-240"},
		},
		{
			name: "the second plan decided a claim", plan: plan(half), second: plan(pays("", 100), maximum(person, "1000", "300")), paid2: []estimate.Claimed{took("D2740", "2026-06-10", "260", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 100 S 40 O 60 = min(100, 300-260)"},
		},
		{
			name: "a claim in a benefit year that may be another", plan: plan(half, undated, planYear("1000", "300")), paid: []estimate.Claimed{took("D2740", "2026-06-10", "260", "0")},
			lines: []string{"D2391 fee 200"}, want: []string{"P 100 O 100 | P 40 O 160 = 300 or 300-260"},
		},
		{
			name: "lines in benefit years that may be two", plan: plan(half, undated, planYear("1000", "300")),
			lines: []string{"D2740 fee 500", "D2740 fee 500 on 2026-08-01"}, want: []string{"P 250 O 250", "P 250 O 250 | P 50 O 450 = of 1000 or of 300-250"},
		},
	}
}

// TestDecidedIsAStep says what claims that were decided after the check used.
func TestDecidedIsAStep(t *testing.T) {
	t.Parallel()
	for paid, want := range map[string]string{
		"220.50":  "Claims that the payer has decided after the check used $220.50 of the maximum.",
		"-220.50": "The payer has taken back after the check what claims used: $220.50 of the maximum.",
	} {
		e := estimate.Compute(&estimate.Case{
			Plan: plan(pays("", 50), maximum(person, "1000", "300")), Decided: []estimate.Claimed{took("D2740", "2026-06-10", paid, "0")}, Lines: []estimate.Line{line("D2391 fee 200")},
		})
		if !slices.ContainsFunc(e.Lines[0].Because, func(s estimate.Step) bool {
			return s.Text == want && s.Path == "maximums.0" && strings.HasSuffix(want, s.Amount.String()+" of the maximum.")
		}) {
			t.Errorf("no %q in %+v", want, e.Lines[0].Because)
		}
	}
}
