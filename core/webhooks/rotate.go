package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// RotateSecret replaces the secret of an endpoint. The new one signs everything
// from now on.
func (s *Service) RotateSecret(ctx context.Context, call idempotency.Write[Revealed], id billing.WebhookEndpointID) (caller.Reply, error) {
	return s.reveal(ctx, call, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		return s.alter(ctx, tx, id, func(e *webhook.Endpoint) { e.Secret = webhook.NewWebhookSecret() })
	})
}
