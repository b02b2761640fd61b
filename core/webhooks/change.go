package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Change changes the URL, the description or the event types of an endpoint.
func (s *Service) Change(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.WebhookEndpointID, in billing.EndpointRequest,
	render billing.Render[*billing.WebhookEndpoint],
) (answer billing.Answer, replayed bool, err error) {
	if answer, replayed, err = s.replay(ctx, scope, req); err != nil || replayed {
		return answer, replayed, err
	}
	if err := s.judge(ctx, in, &billing.WebhookEndpoint{}); err != nil {
		return answer, false, err
	}
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		return s.alter(ctx, tx, id, nil, func(e *billing.WebhookEndpoint) {
			before := e.URL
			in.Apply(e) // without faults, as judged above
			if e.URL != before {
				e.Health = billing.EndpointHealth{}
			}
		})
	})
}
