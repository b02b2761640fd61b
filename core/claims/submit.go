package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Submit queues a validated claim for the next batch. The request may say why it goes without
// what its payer wants to see, which the history keeps.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound, and
// CodeConflict for a claim in another state. A claim that waits for its enrollment alone keeps that it was
// submitted, although it is refused.
func (s *Service) Submit(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.SubmitRequest,
) (caller.Reply, error) {
	ignored, faults := in.Ignored()
	return s.change(ctx, call, id, faults, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if err := s.ignores(ctx, tx, c, ignored, call.Principal); err != nil {
			return nil, err
		}
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

// ignores keeps why a claim goes without what its payer wants to see.
func (*Service) ignores(ctx context.Context, tx ports.Tx, c *claim.Record, reasons map[advice.Code]string, by caller.Principal) (err error) {
	if len(reasons) == 0 {
		return nil
	}
	if c.Attachments, err = attachmentsOf(ctx, tx, c.ID); err != nil {
		return err
	}
	c.IgnoreAdvice(reasons, by, tx.Clock.Now())
	return nil
}
