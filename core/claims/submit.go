package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Submit queues a validated claim for the next batch.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim in another state.
func (s *Service) Submit(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.ClaimID, render billing.Render[*billing.ClaimRecord],
) (billing.Answer, bool, error) {
	return s.change(ctx, scope, req, id, nil, render, func(_ context.Context, tx ports.Tx, c *billing.ClaimRecord) ([]billing.Event, error) {
		queued, err := c.Submit(tx.Clock.Now())
		return []billing.Event{queued}, err
	})
}
