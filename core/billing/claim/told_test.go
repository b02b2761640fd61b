package claim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestTold finds the services of an estimate in the lines of its claim: those of the same tooth first, then those of any.
func TestTold(t *testing.T) {
	t.Parallel()
	crown := func(tooth string) claim.Line { return claim.Line{ProcedureCode: "D2740", Quantity: 1, Tooth: tooth} }
	service := func(code, tooth string, n int) estimate.Service {
		return estimate.Service{Code: code, Quantity: n, Tooth: tooth}
	}
	c := &claim.Claim{}
	c.Lines = []claim.Line{crown("4"), crown("3"), {ProcedureCode: "D0220", Quantity: 2}, {ProcedureCode: "D1110", Quantity: 1}}
	e := &estimate.Record{}
	e.Services = []estimate.Service{service("D2740", "", 1), service("D2740", "4", 1), service("D0220", "", 3)}
	// The first crown of the estimate has no tooth, and leaves tooth 4 to the second. Of the films there are others.
	if got := c.Told(e); !slices.Equal(got, []int{1, 0, -1, -1}) {
		t.Errorf("%v", got)
	}
	e.Payer.ID = billing.NewID[billing.PayerID](billing.RealAt(time.Now()))
	if got := c.Told(e); !slices.Equal(got, []int{-1, -1, -1, -1}) {
		t.Errorf("of another payer: %v", got)
	}
}

// TestLeft is what the payers before a claim's leave to it: neither what they pay nor what their contracts take off.
func TestLeft(t *testing.T) {
	t.Parallel()
	contract := func(m billing.Money) []remit.Adjustment {
		return []remit.Adjustment{{Group: "CO", Reason: "45", Amount: m}, {Group: "PR", Reason: "2", Amount: 1_00}}
	}
	for name, x := range map[string]struct {
		of    *claim.CoverageAdjudication
		lines []billing.Money
		all   billing.Money
	}{
		"not decided":   {nil, []billing.Money{500_00, 300_00}, 800_00},
		"without lines": {&claim.CoverageAdjudication{Paid: 650_00, Adjustments: contract(50_00)}, []billing.Money{100_00, 100_00}, 100_00},
		"by line": {
			&claim.CoverageAdjudication{Paid: 400_00, Lines: []claim.CoverageLine{
				{LineNumber: 1, Paid: 400_00, Adjustments: contract(60_00)}, {LineNumber: 2, Adjustments: contract(200_00)},
			}},
			[]billing.Money{40_00, 100_00},
			140_00,
		},
		"more than the charge": {&claim.CoverageAdjudication{Paid: 900_00}, []billing.Money{0, 0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &claim.Content{Coverage: billing.SequenceSecondary, Lines: []claim.Line{{Fee: 500_00}, {Fee: 300_00}}}
			c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: x.of}}
			if lines, all := c.Left(); !slices.Equal(lines, x.lines) || all != x.all {
				t.Errorf("%v of %v, want %v of %v", lines, all, x.lines, x.all)
			}
		})
	}
}
