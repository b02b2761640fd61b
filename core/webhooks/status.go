package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// SetStatus enables or disables an endpoint. Enabling one clears its failures
// and sends its waiting deliveries.
func (s *Service) SetStatus(
	ctx context.Context, call idempotency.Write[*billing.WebhookEndpoint], id billing.WebhookEndpointID, status billing.EndpointStatus,
) (billing.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		if status == billing.EndpointEnabled {
			if err := allow(ctx, tx, call.Call); err != nil {
				return nil, err
			}
		}
		return s.alter(ctx, tx, id, func(e *billing.WebhookEndpoint) {
			e.SetStatus(status)
		})
	})
}
