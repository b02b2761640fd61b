package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Delete deletes an endpoint and its queued deliveries.
func (s *Service) Delete(ctx context.Context, call idempotency.Write[*billing.WebhookEndpoint], id billing.WebhookEndpointID) (billing.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		e, err := tx.Endpoints.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		return e, tx.Endpoints.Delete(ctx, id)
	})
}
