package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Adjustments reads what payers say outside the claims of their payments.
type Adjustments interface {
	// Named returns our claims that have one of the numbers: as their control number,
	// compared without case, or as a number that the payer has given them.
	Named(ctx context.Context, payer remit.Source, numbers []string) (map[string][]billing.ClaimID, error)

	// Forwarded returns the balances that the payer carried from one payment to another,
	// in the order of the payments, of the remittances that stand.
	Forwarded(ctx context.Context, payer remit.Source) ([]remit.Forwarded, error)
}
