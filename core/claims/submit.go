package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Submit queues a validated claim for the next batch.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim in another state.
func (s *Service) Submit(ctx context.Context, call idempotency.Write[*billing.ClaimRecord], id billing.ClaimID) (billing.Reply, error) {
	return s.change(ctx, call, id, nil, func(_ context.Context, tx ports.Tx, c *billing.ClaimRecord) ([]billing.Event, error) {
		queued, err := c.Submit(tx.Clock.Now())
		return []billing.Event{queued}, err
	})
}
