package remittance_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	r := full()
	c := r.Claims[0]
	if c.Charge != 260_00 || c.Services[0].Paid != 115_99 || c.Services[1].Paid != 61_00 || c.Paid != 171_99 || *c.PatientResponsibility != 54_01 {
		t.Errorf("claim %+v", c)
	}
	if r.Total != 171_99-12_50+1_05 {
		t.Errorf("total %s", r.Total)
	}
	bareClaim := remittance.Remittance{Claims: []remittance.Claim{{Status: "1", Charge: 100_00, Adjustments: []remittance.Adjustment{{Group: "PR", Reason: "3", Amount: 15_00}}}}}
	bareClaim.Settle()
	if c := bareClaim.Claims[0]; c.Charge != 100_00 || c.Paid != 85_00 || *c.PatientResponsibility != 15_00 || bareClaim.Total != 85_00 {
		t.Errorf("claim without lines %+v", c)
	}
}

// TestReversal takes a payment back in a remittance of its own: its total may
// not be negative, so what is owed is carried over.
func TestReversal(t *testing.T) {
	t.Parallel()
	paid := full()
	r := full()
	r.Adjustments, r.Claims = nil, []remittance.Claim{*paid.Claims[0].Reversed()}
	r.Settle()
	c := r.Claims[0]
	if c.Status != remittance.StatusReversal || c.Charge != -260_00 || c.Paid != -171_99 || c.PatientResponsibility != nil || c.Services[0].Adjustments[0].Amount != -30_00 {
		t.Errorf("reversal %+v", c)
	}
	want := remittance.ProviderAdjustment{
		Provider: "1234567893", Period: billing.Date{Year: 2026, Month: 12, Day: 31}, Reason: "FB", Reference: "EFT-907", Amount: -171_99,
	}
	if r.Total != 0 || len(r.Adjustments) != 1 || r.Adjustments[0] != want {
		t.Errorf("total %s, provider adjustments %+v", r.Total, r.Adjustments)
	}
	if original := paid.Claims[0]; original.Paid != 171_99 || original.Services[0].Adjustments[0].Amount != 30_00 {
		t.Error("the claim itself was turned round")
	}
	if back := c.Reversed(); back.Paid != paid.Claims[0].Paid || back.Charge != paid.Claims[0].Charge {
		t.Errorf("turned round twice: %s", back.Paid)
	}
}
