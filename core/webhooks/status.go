package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// SetStatus enables or disables an endpoint. Enabling one clears its failures
// and sends its waiting deliveries.
func (s *Service) SetStatus(
	ctx context.Context, call idempotency.Write[*webhook.Endpoint], id billing.WebhookEndpointID, status webhook.EndpointStatus,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		if status == webhook.EndpointEnabled {
			if err := allow(ctx, tx, call.Call); err != nil {
				return nil, err
			}
		}
		return s.alter(ctx, tx, id, func(e *webhook.Endpoint) {
			e.SetStatus(status)
		})
	})
}
