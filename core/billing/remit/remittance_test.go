package remit_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

func cas(group, reason string, cents billing.Money) remit.Adjustment {
	return remit.Adjustment{Group: group, Reason: reason, Amount: cents}
}

func TestOutcomeOfARemittance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row     remit.Claim
		denied  bool
		patient billing.Money
	}{
		"paid in part": {remit.Claim{StatusCode: "1", Paid: 80_00, Adjustments: []remit.Adjustment{cas("PR", "2", 20_00)}}, false, 20_00},
		"paid, the patient's part in the lines": {remit.Claim{StatusCode: "1", Paid: 75_00, Lines: []remit.Line{
			{Adjustments: []remit.Adjustment{cas("PR", "2", 20_00), cas("CO", "45", 4_00)}}, {Adjustments: []remit.Adjustment{cas("PR", "1", 1_00)}},
		}}, false, 21_00},
		"the adjustments go before the payer's own figure": {remit.Claim{StatusCode: "1", Paid: 75_00, PatientResponsibility: money(0), Adjustments: []remit.Adjustment{
			cas("PR", "1", 1_00),
		}}, false, 1_00},
		"all deductible":   {remit.Claim{StatusCode: "1", Adjustments: []remit.Adjustment{cas("PR", "1", 100_00)}}, false, 100_00},
		"all coinsurance":  {remit.Claim{StatusCode: "2", Lines: []remit.Line{{Adjustments: []remit.Adjustment{cas("PR", "2", 100_00)}}}}, false, 100_00},
		"all copay":        {remit.Claim{StatusCode: "3", Adjustments: []remit.Adjustment{cas("PR", "3", 100_00)}}, false, 100_00},
		"capitation":       {remit.Claim{StatusCode: "1", Adjustments: []remit.Adjustment{cas("CO", "24", 100_00)}}, false, 0},
		"bundled":          {remit.Claim{StatusCode: "1", Adjustments: []remit.Adjustment{cas("CO", "97", 100_00)}}, true, 0},
		"not covered":      {remit.Claim{StatusCode: "1", Adjustments: []remit.Adjustment{cas("PR", "96", 100_00)}}, true, 100_00},
		"without a reason": {remit.Claim{StatusCode: "1"}, true, 0},
		"denied":           {remit.Claim{StatusCode: "4", Adjustments: []remit.Adjustment{cas("CO", "29", 100_00)}}, true, 0},
		"denied, but paid": {remit.Claim{StatusCode: "4", Paid: 1}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[bool]remit.PaymentOutcome{true: remit.OutcomeDenied, false: remit.OutcomePaid}[c.denied]
			if got := c.row.Outcome(); got != want || c.row.Shares().PatientResponsibility != c.patient {
				t.Errorf("%s, the patient %s", got, c.row.Shares().PatientResponsibility)
			}
		})
	}
}

func TestEstimateOfARemittance(t *testing.T) {
	t.Parallel()
	adjusted := remit.Claim{StatusCode: "25", Lines: []remit.Line{
		{Adjustments: []remit.Adjustment{cas("OA", "101", 550_00), cas("PR", "2", 550_00), cas("CO", "45", 100_00)}},
		{Adjustments: []remit.Adjustment{cas("PR", "96", 100_00), cas("OA", "23", 2)}},
	}}
	e := adjusted.Estimate(billing.ERAID{15: 14}, []int{2, 0})
	if e.ERAID != (billing.ERAID{15: 14}) || *e.Allowed != 1_200_00 || e.Pay != 550_00 || e.Patient != 650_00 || len(e.Lines) != 2 {
		t.Fatalf("%+v", e)
	}
	for i, want := range []remit.LineEstimate{{Number: 2, Pay: 550_00, Patient: 550_00}, {Number: 0, Patient: 100_00}} {
		got := e.Lines[i]
		if got.Number != want.Number || got.Pay != want.Pay || got.Patient != want.Patient || *got.Allowed != want.Pay+want.Patient {
			t.Errorf("line %d: %+v, allowed %s", i, got, got.Allowed)
		}
	}
	for name, r := range map[string]remit.Claim{
		"an adjustment of the claim": {Adjustments: []remit.Adjustment{cas("OA", "101", 5), cas("PR", "1", 3)}},
		"the payment of the claim":   {Paid: 5, Adjustments: []remit.Adjustment{cas("PR", "1", 3)}},
		"the payment of a line":      {Paid: 5, Lines: []remit.Line{{Paid: 5, Adjustments: []remit.Adjustment{cas("PR", "1", 3)}}}},
	} {
		if e := r.Estimate(billing.ERAID{}, []int{1}); e.Pay != 5 || e.Patient != 3 || *e.Allowed != 8 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
