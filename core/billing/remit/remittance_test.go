package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func cas(group, reason string, cents billing.Money) billing.Adjustment {
	return billing.Adjustment{Group: group, Reason: reason, Amount: cents}
}

func TestOutcomeOfARemittance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row     billing.RemittanceClaim
		denied  bool
		patient billing.Money
	}{
		"paid in part": {billing.RemittanceClaim{StatusCode: "1", Paid: 80_00, Adjustments: []billing.Adjustment{cas("PR", "2", 20_00)}}, false, 20_00},
		"paid, the patient's part in the lines": {billing.RemittanceClaim{StatusCode: "1", Paid: 75_00, Lines: []billing.ERALine{
			{Adjustments: []billing.Adjustment{cas("PR", "2", 20_00), cas("CO", "45", 4_00)}}, {Adjustments: []billing.Adjustment{cas("PR", "1", 1_00)}},
		}}, false, 21_00},
		"the adjustments go before the payer's own figure": {billing.RemittanceClaim{StatusCode: "1", Paid: 75_00, PatientResponsibility: money(0), Adjustments: []billing.Adjustment{
			cas("PR", "1", 1_00),
		}}, false, 1_00},
		"all deductible":   {billing.RemittanceClaim{StatusCode: "1", Adjustments: []billing.Adjustment{cas("PR", "1", 100_00)}}, false, 100_00},
		"all coinsurance":  {billing.RemittanceClaim{StatusCode: "2", Lines: []billing.ERALine{{Adjustments: []billing.Adjustment{cas("PR", "2", 100_00)}}}}, false, 100_00},
		"all copay":        {billing.RemittanceClaim{StatusCode: "3", Adjustments: []billing.Adjustment{cas("PR", "3", 100_00)}}, false, 100_00},
		"capitation":       {billing.RemittanceClaim{StatusCode: "1", Adjustments: []billing.Adjustment{cas("CO", "24", 100_00)}}, false, 0},
		"bundled":          {billing.RemittanceClaim{StatusCode: "1", Adjustments: []billing.Adjustment{cas("CO", "97", 100_00)}}, true, 0},
		"not covered":      {billing.RemittanceClaim{StatusCode: "1", Adjustments: []billing.Adjustment{cas("PR", "96", 100_00)}}, true, 100_00},
		"without a reason": {billing.RemittanceClaim{StatusCode: "1"}, true, 0},
		"denied":           {billing.RemittanceClaim{StatusCode: "4", Adjustments: []billing.Adjustment{cas("CO", "29", 100_00)}}, true, 0},
		"denied, but paid": {billing.RemittanceClaim{StatusCode: "4", Paid: 1}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[bool]billing.PaymentOutcome{true: billing.OutcomeDenied, false: billing.OutcomePaid}[c.denied]
			if got := c.row.Outcome(); got != want || c.row.Shares().PatientResponsibility != c.patient {
				t.Errorf("%s, the patient %s", got, c.row.Shares().PatientResponsibility)
			}
		})
	}
}

func TestEstimateOfARemittance(t *testing.T) {
	t.Parallel()
	adjusted := billing.RemittanceClaim{StatusCode: "25", Lines: []billing.ERALine{
		{Adjustments: []billing.Adjustment{cas("OA", "101", 550_00), cas("PR", "2", 550_00), cas("CO", "45", 100_00)}},
		{Adjustments: []billing.Adjustment{cas("PR", "96", 100_00), cas("OA", "23", 2)}},
	}}
	e := adjusted.Estimate(billing.ERAID{15: 14}, []int{2, 0})
	if e.ERAID != (billing.ERAID{15: 14}) || *e.Allowed != 1_200_00 || e.Pay != 550_00 || e.Patient != 650_00 || len(e.Lines) != 2 {
		t.Fatalf("%+v", e)
	}
	for i, want := range []billing.LineEstimate{{Number: 2, Pay: 550_00, Patient: 550_00}, {Number: 0, Patient: 100_00}} {
		got := e.Lines[i]
		if got.Number != want.Number || got.Pay != want.Pay || got.Patient != want.Patient || *got.Allowed != want.Pay+want.Patient {
			t.Errorf("line %d: %+v, allowed %s", i, got, got.Allowed)
		}
	}
	for name, r := range map[string]billing.RemittanceClaim{
		"an adjustment of the claim": {Adjustments: []billing.Adjustment{cas("OA", "101", 5), cas("PR", "1", 3)}},
		"the payment of the claim":   {Paid: 5, Adjustments: []billing.Adjustment{cas("PR", "1", 3)}},
		"the payment of a line":      {Paid: 5, Lines: []billing.ERALine{{Paid: 5, Adjustments: []billing.Adjustment{cas("PR", "1", 3)}}}},
	} {
		if e := r.Estimate(billing.ERAID{}, []int{1}); e.Pay != 5 || e.Patient != 3 || *e.Allowed != 8 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
