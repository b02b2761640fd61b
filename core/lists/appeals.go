package lists

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/ports"
)

// PaidAfter sets on appeals what remittances paid after they were sent. It asks once for all claims.
func PaidAfter(ctx context.Context, tx ports.Tx, appeals ...*appeal.Appeal) error {
	var of []billing.ClaimID
	for _, a := range appeals {
		if !a.SentOn.IsZero() && !slices.Contains(of, a.ClaimID) {
			of = append(of, a.ClaimID)
		}
	}
	if len(of) == 0 {
		return nil
	}
	entries, err := tx.RemittanceClaims.Ledger(ctx, of)
	for _, a := range appeals {
		a.SetPaid(entries[a.ClaimID])
	}
	return err
}
