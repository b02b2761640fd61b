package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Delete deletes an endpoint and its queued deliveries.
func (s *Service) Delete(ctx context.Context, call idempotency.Write[*webhook.Endpoint], id billing.WebhookEndpointID) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		e, err := tx.Endpoints.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		return e, tx.Endpoints.Delete(ctx, id)
	})
}
