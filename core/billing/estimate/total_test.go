package estimate_test

import "github.com/molar-billing/molar/core/billing/estimate"

// totals has cases whose total is not the sum of the ends of its lines.
func totals() (out []hand) {
	first := func() *estimate.Plan {
		return plan(pays("", 80), maximum(person, "300", "300"), deductible(person, "60", "?"))
	}
	two := []string{"D2391 fee 200", "D2740 fee 300"}
	// P is 200 x 0.8 and min(300 x 0.8, 300-160), or (200-60) x 0.8 and min(300 x 0.8, 300-112).
	lines := []string{"P 160 O 40 | D 60 P 112 O 88", "P 188 O 112 | P 140 O 160"}
	out = append(out,
		hand{name: "the total of one plan", plan: first(), lines: two, want: append(lines[:2:2], "total P 300 O 200 | D 60 P 300 O 200 = 160+140, or 112+188")},
		hand{
			name: "the total with an inactive second plan", plan: first(), second: plan(inactive, pays("", 80)), lines: two,
			want: append(lines[:2:2], "total P 300 O 200 = as without it"),
		},
		hand{
			name: "the total with a second plan", plan: first(), second: plan(pays("", 10)), lines: two,
			want: []string{"P 160 S 20 O 20 | D 60 P 112 S 20 O 68", "P 188 S 30 O 82 | P 140 S 30 O 130", "total P 300 S 50 O 150 = 500-300-(200+300) x 0.1"},
		},
	)
	filling := "D2391 fee 200 allowed 150 second ?"
	for _, c := range []struct {
		name   string
		second *estimate.Plan
	}{
		{"a second plan's maximum bounds the total", plan(pays("", 80), maximum(person, "100", "100"))},
		{"a second plan's family maximum bounds the total", plan(pays("", 80), maximum(person, "900", "900"), maximum(family, "100", "100"))},
		{"a second plan's maximum of a category bounds the total", plan(pays("", 80), maximum(person, "900", "900"), most(of(limit(person, year, "100", "100"), basic)))},
	} {
		line := "W 50 P 75 S 75 O 0 | W 50 P 75 O 75"
		out = append(out, hand{
			name: c.name, plan: plan(pays("", 50)), second: c.second, lines: []string{filling, filling, filling},
			want: []string{line, line, line, "total W 150 P 225 S 100 O 125 | W 150 P 225 O 225 = 600-150-225, less at most 100"},
		})
	}
	return out
}
