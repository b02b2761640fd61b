package estimate_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// TestReadingsByHand has plans of which the payer also said other values. Each end is that of the
// reading in which the patient pays the least or the most.
func TestReadingsByHand(t *testing.T) {
	t.Parallel()
	no := new(false)
	for _, c := range []struct {
		name     string
		readings []*estimate.Plan // the first is the answer
		second   []*estimate.Plan
		lines    []string
		want     []string
	}{
		{
			name: "another percent", readings: []*estimate.Plan{plan(pays(major, 50)), plan(pays(major, 60))},
			lines: []string{"D2740 fee 1000"}, want: []string{"P 600 O 400 | P 500 O 500 = 0.6 x 1000, 0.5 x 1000", "total P 600 O 400 | P 500 O 500"},
		},
		{
			name: "not covered after all", readings: []*estimate.Plan{plan(pays(major, 50)), plan(func(p *estimate.Plan) { p.Categories[major] = estimate.Share{Covered: no} })},
			lines: []string{"D2740 fee 1000"}, want: []string{"P 500 O 500 | P 0 O 1000"},
		},
		{
			name: "less is left of the maximum", readings: []*estimate.Plan{plan(pays(major, 50), maximum(person, "1500", "1000")), plan(pays(major, 50), maximum(person, "1500", "300"))},
			lines: []string{"D2740 fee 1000", "D2740 fee 1000"},
			want:  []string{"P 500 O 500 | P 300 O 700", "P 500 O 500 | P 0 O 1000", "total P 1000 O 1000 | P 300 O 1700"},
		},
		{
			name: "the deductible is met after all", readings: []*estimate.Plan{plan(pays(basic, 80), deductible(person, "50", "50")), plan(pays(basic, 80), deductible(person, "50", "0"))},
			lines: []string{"D2391 fee 150"}, want: []string{"P 120 O 30 | D 50 P 80 O 70 = 0.8 x 150, 0.8 x 100"},
		},
		{
			name: "two values at once have all four ends", readings: []*estimate.Plan{plan(pays(basic, 80), deductible(person, "50", "50")), plan(pays(basic, 50), deductible(person, "50", "0"))},
			lines: []string{"D2391 fee 150"}, want: []string{"P 120 O 30 | D 50 P 50 O 100 = 0.8 x 150, 0.5 x 100"},
		},
		{
			name: "inactive after all", readings: []*estimate.Plan{plan(pays(basic, 80)), plan(pays(basic, 80), func(p *estimate.Plan) { p.Status = coverage.Inactive })},
			lines: []string{"D2391 fee 150"}, want: []string{"P 120 O 30 | P 0 O 150"},
		},
		{
			name: "a copayment that nobody returned", readings: []*estimate.Plan{plan(code("D2391", estimate.Share{Percent: new(80.0)})), plan(code("D2391", estimate.Share{Percent: new(80.0), Copay: new(dollars("20"))}))},
			lines: []string{"D2391 fee 120"}, want: []string{"P 96 O 24 | P 80 O 40 = 0.8 x 120, 0.8 x 100"},
		},
		{
			name: "an age limit", readings: []*estimate.Plan{
				plan(code("D1351", estimate.Share{Percent: new(100.0), MaxAge: new(15)}), born("2008-06-15")), plan(code("D1351", estimate.Share{Percent: new(100.0), MaxAge: new(18)}), born("2008-06-15")),
			},
			lines: []string{"D1351 fee 60"}, want: []string{"P 60 O 0 | P 0 O 60"},
		},
		{
			name: "a frequency", readings: []*estimate.Plan{plan(often("12 months")), plan(often("60 months"))},
			lines: []string{"D2740 fee 1000 last 2024-06-15"}, want: []string{"P 500 O 500 | P 0 O 1000"},
		},
		{
			name: "three percents", readings: []*estimate.Plan{plan(pays(major, 50)), plan(pays(major, 60)), plan(pays(major, 40))},
			lines: []string{"D2740 fee 1000"}, want: []string{"P 600 O 400 | P 400 O 600"},
		},
		{
			name: "six percents", readings: []*estimate.Plan{plan(pays(major, 50)), plan(pays(major, 60)), plan(pays(major, 40)), plan(pays(major, 70)), plan(pays(major, 30)), plan(pays(major, 45))},
			lines: []string{"D2740 fee 1000"}, want: []string{"P 700 O 300 | P 300 O 700"},
		},
		{
			name: "the second plan", readings: []*estimate.Plan{plan(pays(major, 50))}, second: []*estimate.Plan{plan(pays(major, 50)), plan(pays(major, 20))},
			lines: []string{"D2740 fee 1000"}, want: []string{"P 500 S 500 O 0 | P 500 S 200 O 300"},
		},
	} {
		in := &estimate.Case{
			Plan: c.readings[0], Readings: c.readings[1:],
			Said: []estimate.Said{{Path: "coverage.major.percent_paid", By: coverage.ByPhone, On: day("2026-06-01"), Contradicts: true}},
		}
		if len(c.second) > 0 {
			in.Second, in.Seconds = c.second[0], c.second[1:]
		}
		for _, l := range c.lines {
			in.Lines = append(in.Lines, line(l))
		}
		e := estimate.Compute(in)
		for i, want := range c.want {
			want, _, _ = strings.Cut(want, " =")
			got := "total " + shown(e.Least, e.Most)
			if i < len(e.Lines) {
				got = shown(e.Lines[i].Least, e.Lines[i].Most)
				addsUp(t, c.name, e.Lines[i].Least)
				addsUp(t, c.name, e.Lines[i].Most)
			}
			if got != want {
				t.Errorf("%s, line %d: %s, want %s", c.name, i, got, want)
			}
		}
		addsUp(t, c.name, e.Least)
		addsUp(t, c.name, e.Most)
		if c.name == "another percent" {
			var steps []string
			for _, s := range e.Lines[0].Because {
				steps = append(steps, s.Text)
			}
			want := "The plan pays 50 percent.|Or, as the payer also said: The plan pays 60 percent.|The plan pays $500.00 to $600.00.|The patient pays $400.00 to $500.00."
			if got := strings.Join(steps, "|"); !strings.HasSuffix(got, want) {
				t.Error(got)
			}
			if got := strings.Join(e.Lines[0].Uncertain, "|"); got != "The payer said another value by phone on 2026-06-01 than it said before, and both count (coverage.major.percent_paid)." {
				t.Error(got)
			}
		}
	}
}

func born(text string) change { return func(p *estimate.Plan) { p.Born = day(text) } }

func often(period string) change {
	return code("D2740", estimate.Share{Percent: new(50.0), Frequency: &coverage.Frequency{Count: new(1), Period: period}})
}
