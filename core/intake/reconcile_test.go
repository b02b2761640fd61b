package intake_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
)

func TestReconcileRequests(t *testing.T) {
	t.Parallel()
	first := intake.AcceptLineInput{LineNumber: new(1), Amount: "-12.50"}
	rest := intake.AcceptLineInput{Amount: "3.00"}
	accept := func(as, note string, lines ...intake.AcceptLineInput) *intake.AcceptOpenInput {
		return &intake.AcceptOpenInput{As: as, Note: &note, Lines: lines}
	}
	for name, c := range map[string]struct {
		in   *intake.AcceptOpenInput
		want []string
	}{
		"nothing":             {nil, nil},
		"lines and the rest":  {accept("other", " Agreed. ", first, rest), nil},
		"no note for others":  {accept("other", " ", first), []string{"accept_open.note required"}},
		"an unknown word":     {accept("lost", "x", first), []string{"accept_open.as not_allowed"}},
		"no word, no lines":   {accept("", "x"), []string{"accept_open.as required", "accept_open.lines required"}},
		"a line twice":        {accept("other", "x", first, rest, first), []string{"accept_open.lines.2.line_number conflict"}},
		"line 0":              {accept("other", "x", intake.AcceptLineInput{LineNumber: new(0), Amount: "1.00"}), []string{"accept_open.lines.0.line_number range"}},
		"amounts of no form":  {accept("other", "x", intake.AcceptLineInput{Amount: "1"}), []string{"accept_open.lines.0.amount format"}},
		"too many characters": {accept("other", strings.Repeat("é", 401), first), []string{"accept_open.note too_long"}},
		"too many lines":      {accept("other", "x", slices.Repeat([]intake.AcceptLineInput{rest}, 52)...), []string{"accept_open.lines too_many"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, faults := intake.ReconcileRequest{AcceptOpen: c.in}.Accepted()
			if !slices.Equal(found(faults), c.want) {
				t.Fatalf("faults %v, want %v", found(faults), c.want)
			}
			want := &claim.AcceptedOpen{As: claim.AcceptOther, Note: "Agreed.", Lines: []claim.LineAmount{{Number: 1, Amount: -12_50}, {Amount: 3_00}}}
			if c.want == nil && c.in != nil && !reflect.DeepEqual(a, want) {
				t.Errorf("%+v, want %+v", a, want)
			}
		})
	}
}
