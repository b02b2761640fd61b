package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Void creates the void transaction of a claim, and returns it, queued. The
// claim is voided once the payer has accepted it. A claim that no file has carried, or
// that was rejected, is voided at once, and returned, unless it replaces one that the
// payer has.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim that is on its way, for a replacement that has findings, and while another void is on its way.
func (s *Service) Void(ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) {
		now := tx.Clock.Now()
		c, err := s.lock(ctx, tx, call.Call, id, nil)
		if err != nil {
			return nil, err
		}
		if voided, ok := c.VoidUnsent(now); ok {
			if err := s.complete(ctx, tx, c); err != nil {
				return nil, err
			}
			if err := tx.Claims.Save(ctx, c.Claim); err != nil {
				return nil, err
			}
			return c, tx.Events.Append(ctx, voided)
		}
		void := billing.NewID[billing.ClaimID](tx.Real.Now())
		v, queued, err := c.Void(void, claim.NewControlNumber(void), call.Request.ID, now)
		if err != nil {
			return nil, err
		}
		if err := tx.Claims.Insert(ctx, v.Claim); err != nil {
			return nil, err
		}
		if err := s.hold(ctx, tx, v); err != nil {
			return nil, err
		}
		return v, tx.Events.Append(ctx, queued)
	})
}
