package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// maxResend is the most deliveries that one request queues again.
const maxResend = 100_000

// Resend queues events again and returns the number of deliveries.
func (s *Service) Resend(ctx context.Context, call idempotency.Write[int], in intake.ResendRequest) (caller.Reply, error) {
	f, faults := in.Filter()
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (int, error) {
		return tx.Deliveries.Resend(ctx, f, tx.Clock.Now(), maxResend)
	})
}

// ResendListed queues the events of the selected deliveries again, and returns
// the number of new deliveries.
func (s *Service) ResendListed(ctx context.Context, call idempotency.Write[int], in intake.DeliveriesResendRequest) (caller.Reply, error) {
	f, faults := in.Filter()
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (int, error) {
		return tx.Deliveries.ResendListed(ctx, f, tx.Clock.Now(), maxResend)
	})
}
