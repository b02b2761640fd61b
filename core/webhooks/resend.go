package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// maxResend bounds what one request queues again.
const maxResend = 100_000

// Resend queues events again, and answers how many deliveries that makes.
func (s *Service) Resend(
	ctx context.Context, scope billing.Scope, req billing.Request, f billing.ResendFilter, faults billing.Faults, render billing.Render[int],
) (billing.Answer, bool, error) {
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (int, error) {
		if err := faults.Err(); err != nil {
			return 0, err
		}
		return tx.Deliveries.Resend(ctx, f, tx.Clock.Now(), maxResend)
	})
}
