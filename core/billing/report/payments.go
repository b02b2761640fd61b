package report

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Payments are what the remittances of a period that stand pay, and by what that differs from what they pay on claims.
type Payments struct {
	Total       billing.Money // what the bank should have received
	Remittances int
	Adjusted    []Adjusted // the provider adjustments, by reason
	Unapplied   remit.Unapplied
}

// Adjusted is what the provider adjustments of one reason took from payments. Below 0 they raised them.
type Adjusted struct {
	Reason      string // WO recovery, FB forwarded, L6 interest, ...
	Amount      billing.Money
	Remittances int
}

// AdjustedTotal returns what all provider adjustments took from payments.
func (p *Payments) AdjustedTotal() (sum billing.Money) {
	for _, a := range p.Adjusted {
		sum += a.Amount
	}
	return sum
}
