package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Create makes an enabled endpoint with a secret.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// what is wrong with the URL among them, CodeUnavailable when the URL's host
// cannot be looked up now, and CodeConflict when the organization has as many
// endpoints as it may have.
func (s *Service) Create(
	ctx context.Context, scope billing.Scope, req billing.Request, in billing.EndpointRequest, render billing.Render[Revealed],
) (answer billing.Answer, replayed bool, err error) {
	if answer, replayed, err = s.replay(ctx, scope, req); err != nil || replayed {
		return answer, replayed, err
	}
	made := billing.WebhookEndpoint{Scope: scope, Status: billing.EndpointEnabled, Secret: billing.NewWebhookSecret()}
	if in.URL == nil {
		in.URL = new(string)
	}
	if err := s.judge(ctx, in, &made); err != nil {
		return answer, false, err
	}
	return s.reveal(ctx, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		made.CreatedAt = tx.Clock.Now()
		made.ID = billing.NewID[billing.WebhookEndpointID](made.CreatedAt)
		return &made, tx.Endpoints.Insert(ctx, &made)
	})
}
