package estimate_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// TestUndecidedAsLines compares services of undecided claims with the same ones as earlier lines.
func TestUndecidedAsLines(t *testing.T) {
	t.Parallel()
	general := plan(pays("", 80), pays(preventive, 100), deductible(person, "50", "50"))
	for name, c := range map[string]struct {
		plan *estimate.Plan
		sent []string
		line string
		want string
	}{
		// The crown uses the deductible, or, where nothing is allowed for it, the cleaning does.
		"a claim of a range and one that is known": {general, []string{"D2740 fee 890 allowed ?", "D1110 fee 100 allowed 80"}, "D2391 fee 200 allowed 150", "W 50 P 120 O 30"},
		// (150-50) x 0.8, or 150 x 0.8.
		"a claim of a range": {general, []string{"D2740 fee 890 allowed ?"}, "D2391 fee 200 allowed 150", "W 50 P 120 O 30 | D 50 W 50 P 80 O 70"},
		"a claim that uses a part of the deductible": {
			general, []string{"D1110 fee 100 allowed 20"}, "D2391 fee 200 allowed 150", "D 30 W 50 P 96 O 54", // (150-30) x 0.8
		},
		"a claim that uses the maximum": {
			plan(pays("", 80), maximum(person, "1000", "300")), []string{"D2740 fee 250"}, "D2391 fee 200", "P 100 O 100", // 300-250 x 0.8
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []estimate.Line
			for _, text := range c.sent {
				sent = append(sent, line(text))
			}
			uses := (&estimate.Case{Plan: c.plan, Lines: sent}).Uses()
			apart := estimate.Compute(&estimate.Case{Plan: c.plan, Undecided: uses, Lines: []estimate.Line{line(c.line)}}).Lines[0]
			after := estimate.Compute(&estimate.Case{Plan: c.plan, Lines: append(sent, line(c.line))}).Lines[len(sent)]
			for what, got := range map[string]estimate.Result{"undecided": apart, "as lines": after} {
				if shown(got.Least, got.Most) != c.want {
					t.Errorf("%s: %s\nwant %s\nbecause %v", what, shown(got.Least, got.Most), c.want, got.Because)
				}
			}
		})
	}
}

// TestUndecidedOfFamily bounds what a claim of another member uses by that member's own amounts.
func TestUndecidedOfFamily(t *testing.T) {
	t.Parallel()
	p := plan(pays("", 80), deductible(person, "50", "0"), deductible(family, "150", "100"), maximum(person, "200", "0"), maximum(family, "2000", "1000"))
	crown := line("D2740 fee 890")
	crown.Family, crown.Person = true, billing.PatientID{15: 7}
	uses := (&estimate.Case{Plan: p, Lines: []estimate.Line{crown}}).Uses()
	want := estimate.Claimed{Code: "D2740", ServiceDate: crown.ServiceDate, Family: true, Deductible: estimate.Exactly(50_00), Pays: estimate.Exactly(200_00)}
	if len(uses) != 1 || uses[0] != want {
		t.Errorf("the claim uses %+v, want %+v", uses, want)
	}
}

// TestUndecidedOfALaterPayer bounds each line by what the payers before leave of it, before the next line uses what is left.
func TestUndecidedOfALaterPayer(t *testing.T) {
	t.Parallel()
	p := plan(pays("", 100), maximum(person, "200", "0"), maximum(family, "300", "300"))
	var sent []estimate.Line
	for _, left := range []billing.Money{10_00, 100_00} {
		l := line("D2391 fee 150")
		l.Family, l.Person, l.Left = true, billing.PatientID{15: 7}, &left
		sent = append(sent, l)
	}
	uses := (&estimate.Case{Plan: p, Lines: sent}).Uses()
	if got := uses[0].Pays.Most + uses[1].Pays.Most; got != 110_00 || uses[0].Pays.Least != 0 {
		t.Errorf("the claim uses %+v, at most %s; want at most 110.00", uses, got)
	}
}
