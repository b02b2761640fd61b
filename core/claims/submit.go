package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Submit queues a validated claim for the next batch.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim in another state. A claim that waits for its enrollment alone keeps that it was
// submitted, although it is refused.
func (s *Service) Submit(ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID) (caller.Reply, error) {
	return s.change(ctx, call, id, nil, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		queued, err := c.Submit(tx.Clock.Now())
		if err == nil || !c.SubmitWhenReady {
			return []event.Event{queued}, err
		}
		if err := tx.Claims.Save(ctx, c.Claim); err != nil {
			return nil, err
		}
		return nil, &idempotency.RefusedError{Cause: err}
	})
}
