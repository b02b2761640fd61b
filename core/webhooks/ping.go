package webhooks

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Ping posts an event of type ping to the endpoint now, even to a disabled one,
// and returns the attempt.
func (s *Service) Ping(
	ctx context.Context, call idempotency.Write[webhook.Attempt], id billing.WebhookEndpointID,
) (reply caller.Reply, err error) {
	var now time.Time
	var stamp billing.Real
	var work billing.JobID
	var e *webhook.Endpoint
	err = s.store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		kept, begun, err := idempotency.Reserve(ctx, tx, call.Request)
		if err != nil {
			return err
		}
		if kept != nil {
			reply = *kept
			return nil
		}
		now, stamp = tx.Clock.Now(), tx.Real.Now()
		work = billing.NewID[billing.JobID](stamp)
		if !begun.IsZero() && stamp.Sub(begun.Time()) < pingTime {
			return caller.ErrKeyInUse()
		}
		if err := call.Request.Faults.Err(); err != nil {
			return err
		}
		if e, err = tx.Endpoints.Get(ctx, id); err != nil {
			return err
		}
		return tx.Keys.Record(ctx, call.Request.Waiting(work, stamp.Time))
	})
	if err != nil || reply.Replayed {
		return reply, err
	}
	ping := e.Ping(stamp, now)
	attempt, err := post(ctx, s.sender, e, &ping, now, s.clock.Now(), currentSecret(s.store, call.Scope, id))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil { // not posted, or interrupted: the key counts as new, at once or after pingTime
		_ = s.store.InTx(context.WithoutCancel(ctx), call.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Release(ctx, call.Request.Key, work) })
		return reply, err
	}
	return idempotency.Once(ctx, s.store, call,
		func(context.Context, ports.Tx) (webhook.Attempt, error) { return attempt, nil })
}

// pingTime is longer than a ping takes. A key with an older ping belongs to a
// process that died, and may be used again.
const pingTime = 30 * time.Second
