package remittance

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// reasonForwarded carries a balance over to the provider's next payment.
const reasonForwarded = "FB"

// Settle computes the remittance's amounts from the line charges and adjustments, so
// that it balances. It sets the paid amounts of lines and claims, each claim's
// charge and patient responsibility, and the total. A claim without lines keeps
// its charge. A reversal states no patient responsibility.
func (r *Remittance) Settle() {
	for i := range r.Claims {
		r.Claims[i].settle()
	}
	r.SumUp()
}

// SumUp computes the total from what the claims are paid. The guide allows no negative
// total, so an adjustment forwards it to the provider's next payment.
func (r *Remittance) SumUp() {
	r.Adjustments = slices.DeleteFunc(r.Adjustments, func(a ProviderAdjustment) bool {
		return a.Reason == reasonForwarded && a.Reference == r.Trace.Number
	})
	r.Total = -r.AdjustmentsTotal()
	for i := range r.Claims {
		r.Total += r.Claims[i].Paid
	}
	if r.Total >= 0 {
		return
	}
	provider := r.Payee.ID
	if len(r.Adjustments) > 0 {
		provider = r.Adjustments[0].Provider
	}
	r.Adjustments = append(r.Adjustments, ProviderAdjustment{
		Provider: provider, Period: billing.Date{Year: r.Date.Year, Month: 12, Day: 31},
		Reason: reasonForwarded, Reference: r.Trace.Number, Amount: r.Total,
	})
	r.Total = 0
}

func (c *Claim) settle() {
	var charge billing.Money
	for i := range c.Services {
		s := &c.Services[i]
		s.Paid = s.equation().Due()
		charge += s.Charge
	}
	if len(c.Services) > 0 {
		c.Charge = charge
	}
	c.Paid = c.Charge - c.Adjusted("", "")
	c.PatientResponsibility = nil
	if c.Status != StatusReversal {
		c.PatientResponsibility = new(c.Adjusted(GroupPatient, ""))
	}
}

// Reversed returns the reversal of c. Every amount has the opposite sign, and the
// payer's number is that of c.
func (c *Claim) Reversed() *Claim {
	r := c.Clone()
	r.Status, r.PatientResponsibility, r.Findings = StatusReversal, nil, nil
	r.Charge, r.Paid, r.Amounts = -r.Charge, -r.Paid, nil
	reverse(r.Adjustments)
	for i := range r.Services {
		s := &r.Services[i]
		s.Charge, s.Paid, s.Amounts = -s.Charge, -s.Paid, nil
		reverse(s.Adjustments)
	}
	return r
}

func reverse(all []Adjustment) {
	for i := range all {
		all[i].Amount = -all[i].Amount
	}
}
