package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func cas(group, reason string, cents billing.Money) billing.Adjustment {
	return billing.Adjustment{Group: group, Reason: reason, Amount: cents}
}

func TestWhatARemittanceDoesToAClaim(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row     billing.ERAClaim
		denied  bool
		patient billing.Money
	}{
		"paid in part": {billing.ERAClaim{StatusCode: "1", Charge: 100_00, Paid: 80_00, PatientResponsibility: money(20_00)}, false, 20_00},
		"paid, the patient's part in the lines": {billing.ERAClaim{StatusCode: "1", Charge: 100_00, Paid: 75_00, Lines: []billing.ERALine{
			{Adjustments: []billing.Adjustment{cas("PR", "2", 20_00), cas("CO", "45", 4_00)}}, {Adjustments: []billing.Adjustment{cas("PR", "1", 1_00)}},
		}}, false, 21_00},
		"the payer's own figure goes before the lines": {billing.ERAClaim{StatusCode: "1", Paid: 75_00, PatientResponsibility: money(0), Adjustments: []billing.Adjustment{
			cas("PR", "1", 1_00),
		}}, false, 0},
		"all deductible":   {billing.ERAClaim{StatusCode: "1", Charge: 100_00, Adjustments: []billing.Adjustment{cas("PR", "1", 100_00)}}, false, 100_00},
		"all coinsurance":  {billing.ERAClaim{StatusCode: "2", Charge: 100_00, Lines: []billing.ERALine{{Adjustments: []billing.Adjustment{cas("PR", "2", 100_00)}}}}, false, 100_00},
		"all copay":        {billing.ERAClaim{StatusCode: "3", Charge: 100_00, Adjustments: []billing.Adjustment{cas("PR", "3", 100_00)}}, false, 100_00},
		"all written off":  {billing.ERAClaim{StatusCode: "1", Charge: 100_00, Adjustments: []billing.Adjustment{cas("CO", "97", 100_00)}}, true, 0},
		"not covered":      {billing.ERAClaim{StatusCode: "1", Charge: 100_00, Adjustments: []billing.Adjustment{cas("PR", "96", 100_00)}}, true, 100_00},
		"nothing said":     {billing.ERAClaim{StatusCode: "1", Charge: 100_00}, true, 0},
		"denied":           {billing.ERAClaim{StatusCode: "4", Charge: 100_00, Adjustments: []billing.Adjustment{cas("PR", "1", 100_00)}}, true, 100_00},
		"denied, but paid": {billing.ERAClaim{StatusCode: "4", Charge: 100_00, Paid: 1}, true, 0},
		"forwarded":        {billing.ERAClaim{StatusCode: "19", Charge: 100_00, Paid: 1}, false, 0},
		"reversed": {billing.ERAClaim{StatusCode: "22", Charge: -100_00, Paid: -80_00, Adjustments: []billing.Adjustment{
			cas("PR", "2", -20_00),
		}}, false, -20_00},
		"reversed, with the first figure repeated": {billing.ERAClaim{
			StatusCode: "22", Charge: -100_00, Paid: -80_00, PatientResponsibility: money(20_00), Adjustments: []billing.Adjustment{cas("PR", "2", -20_00)},
		}, false, -20_00},
		"a denial reversed": {billing.ERAClaim{StatusCode: "22", Charge: -100_00}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.row.Ordinal, c.row.PayerClaimNumber, c.row.Original, c.row.Allowed = 7, "PAYER-1", "PAYER-0", money(90_00)
			c.row.Date = billing.Date{Year: 2026, Month: 3, Day: 21}
			era := billing.ERAID{15: 14}
			want := billing.ClaimPayment{
				ERAID: era, Ordinal: 7, StatusCode: c.row.StatusCode, Paid: c.row.Paid, Allowed: c.row.Allowed, PatientResponsibility: c.patient,
				Date: c.row.Date, PayerClaimNumber: "PAYER-1", Original: "PAYER-0", Denied: c.denied,
			}
			if got := c.row.Payment(era); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestWhatARemittanceEstimates(t *testing.T) {
	t.Parallel()
	row := billing.ERAClaim{StatusCode: "25", Charge: 1_300_00, Lines: []billing.ERALine{
		{Number: 2, Charge: 1_200_00, Adjustments: []billing.Adjustment{cas("OA", "101", 550_00), cas("PR", "2", 550_00), cas("CO", "45", 100_00)}},
		{Number: 1, Charge: 100_00, Adjustments: []billing.Adjustment{cas("PR", "96", 100_00), cas("CO", "101", 1), cas("OA", "23", 2)}},
	}}
	e := row.Estimate(billing.ERAID{15: 14})
	if e.ERAID != (billing.ERAID{15: 14}) || *e.Allowed != 1_200_00 || e.Pay != 550_00 || e.Patient != 650_00 || len(e.Lines) != 2 {
		t.Fatalf("%+v", e)
	}
	for i, want := range []billing.LineEstimate{{Number: 2, Pay: 550_00, Patient: 550_00}, {Number: 1, Patient: 100_00}} {
		got := e.Lines[i]
		if got.Number != want.Number || got.Pay != want.Pay || got.Patient != want.Patient || *got.Allowed != want.Pay+want.Patient {
			t.Errorf("line %d: %+v, allowed %s", i, got, got.Allowed)
		}
	}
	whole := billing.ERAClaim{StatusCode: "25", Adjustments: []billing.Adjustment{cas("OA", "101", 5), cas("PR", "1", 3)}}
	if e := whole.Estimate(billing.ERAID{}); e.Pay != 5 || e.Patient != 3 || *e.Allowed != 8 || e.Lines != nil {
		t.Errorf("without lines: %+v", e)
	}
	if !row.Estimates() || row.Reverses() {
		t.Error("status 25 is an estimate and no reversal")
	}
}
