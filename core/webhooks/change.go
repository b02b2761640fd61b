package webhooks

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Change changes the URL, the description or the event types of an endpoint.
func (s *Service) Change(
	ctx context.Context, call idempotency.Write[*webhook.Endpoint], id billing.WebhookEndpointID, in intake.EndpointRequest,
) (reply caller.Reply, err error) {
	if reply, err = s.replay(ctx, call.Call, in.URL != nil || in.EventTypes != nil || in.EveryType); err != nil || reply.Replayed {
		return reply, err
	}
	if err := s.judge(ctx, in, &webhook.Endpoint{}); err != nil {
		return reply, err
	}
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		return s.alter(ctx, tx, id, func(e *webhook.Endpoint) {
			before := e.URL
			in.Apply(e) // without faults, as judged above
			if e.URL != before {
				e.Health, e.DeliveredAt = webhook.EndpointHealth{}, time.Time{}
			}
		})
	})
}
