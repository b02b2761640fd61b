package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// RotateSecret gives the endpoint a new secret, which signs everything from now
// on.
func (s *Service) RotateSecret(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.WebhookEndpointID, faults billing.Faults,
	render billing.Render[Revealed],
) (billing.Answer, bool, error) {
	return s.reveal(ctx, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		return s.alter(ctx, tx, id, faults, func(e *billing.WebhookEndpoint) { e.Secret = billing.NewWebhookSecret() })
	})
}
