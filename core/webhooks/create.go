package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Create creates an enabled endpoint with a secret.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// including those of the URL, CodeUnavailable when the URL's host cannot be
// looked up now, CodeConflict when the organization has the maximum number of
// endpoints, and CodePermissionDenied as Organization.AllowsEndpoint.
func (s *Service) Create(
	ctx context.Context, call idempotency.Write[Revealed], in intake.EndpointRequest,
) (reply billing.Reply, err error) {
	if reply, err = s.replay(ctx, call.Call, true); err != nil || reply.Replayed {
		return reply, err
	}
	made := billing.WebhookEndpoint{Scope: call.Scope, Status: billing.EndpointEnabled, Secret: billing.NewWebhookSecret(), CreatedBy: call.Principal.Maker()}
	if in.URL == nil {
		in.URL = new(string)
	}
	if err := s.judge(ctx, in, &made); err != nil {
		return reply, err
	}
	return s.reveal(ctx, call, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		made.CreatedAt = tx.Clock.Now()
		made.ID = billing.NewID[billing.WebhookEndpointID](made.CreatedAt)
		return &made, tx.Endpoints.Insert(ctx, &made)
	})
}
