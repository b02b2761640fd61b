package lists

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/ports"
)

// PaidAfter sets on appeals what remittances paid after they were sent. It asks for the remittances of
// all claims at once.
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
	if err != nil {
		return err
	}
	zones := map[billing.ClaimID]limit.Zone{}
	for _, id := range of {
		c, err := tx.Claims.Get(ctx, id)
		if err != nil {
			return err
		}
		zones[id] = c.Contract.Limits.Zone
	}
	for _, a := range appeals {
		a.SetPaid(entries[a.ClaimID], zones[a.ClaimID])
	}
	return nil
}
