package remittance

import "github.com/molar-billing/molar/core/billing"

// reasonForwarded carries a balance over to the provider's next payment.
const reasonForwarded = "FB"

// Settle computes the figures of the remittance from the lines' charges and all
// adjustments, so that it balances: the paid amount of each line and claim, the
// charge and patient responsibility of each claim, and the total. A claim without
// lines keeps its charge; a reversal states no patient responsibility. The guide
// allows no negative total: it is forwarded to the provider's next payment by an
// adjustment.
func (r *Remittance) Settle() {
	var sum billing.Money
	for i := range r.Claims {
		c := &r.Claims[i]
		c.settle()
		sum += c.Paid
	}
	r.Total = sum - r.AdjustmentsTotal()
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

// Reversed returns the claim that takes c back: every amount with its sign
// reversed, under the payer's number of c.
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
