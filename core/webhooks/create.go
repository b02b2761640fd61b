package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
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
) (reply caller.Reply, err error) {
	if reply, err = s.replay(ctx, call.Call, true); err != nil || reply.Replayed {
		return reply, err
	}
	made := webhook.Endpoint{Scope: call.Scope, Status: webhook.EndpointEnabled, Secret: webhook.NewWebhookSecret(), CreatedBy: call.Principal.Maker()}
	if in.URL == nil {
		in.URL = new(string)
	}
	if err := s.judge(ctx, in, &made); err != nil {
		return reply, err
	}
	return s.reveal(ctx, call, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		made.CreatedAt = tx.Clock.Now()
		made.ID = billing.NewID[billing.WebhookEndpointID](tx.Real.Now())
		return &made, tx.Endpoints.Insert(ctx, &made)
	})
}
