package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Reconcile records that the user has posted the payment. It has no event.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim in another state than paid or denied.
func (s *Service) Reconcile(ctx context.Context, call idempotency.Write[*billing.ClaimRecord], id billing.ClaimID) (billing.Reply, error) {
	return s.change(ctx, call, id, nil, func(_ context.Context, tx ports.Tx, c *billing.ClaimRecord) ([]billing.Event, error) {
		return nil, c.Reconcile(tx.Clock.Now())
	})
}
