package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Reopen returns a reconciled claim to the state that its payments give. It has no
// event.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim that is not reconciled.
func (s *Service) Reopen(ctx context.Context, call idempotency.Write[*billing.ClaimRecord], id billing.ClaimID) (billing.Reply, error) {
	return s.change(ctx, call, id, nil, func(_ context.Context, tx ports.Tx, c *billing.ClaimRecord) ([]billing.Event, error) {
		return nil, c.Reopen(tx.Clock.Now())
	})
}
