// Package webhooks posts events to the endpoints that callers register.
//
// An event is queued for the endpoints in the commit of the change that it
// tells of. Each endpoint has a lane, which one Dispatcher holds at a time and
// works off with a bounded number of posts under way, so that a slow endpoint
// keeps nobody waiting but itself. When a delivery comes next is a column, not a
// timer: any dispatcher can go on where another died.
package webhooks

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of webhook endpoints and their deliveries.
type Service struct {
	store  ports.Store
	sender ports.WebhookSender
	clock  ports.Clock
}

// New makes the use cases.
func New(store ports.Store, sender ports.WebhookSender, clock ports.Clock) *Service {
	return &Service{store, sender, clock}
}

// Revealed is an endpoint as the reply shows it that makes its secret, or
// replaces it. The reply that is kept for replays has no secret.
type Revealed struct {
	Endpoint *billing.WebhookEndpoint
	Secret   billing.WebhookSecret // empty when it cannot be shown any more
}

// judge puts what the request says into a new endpoint, and asks whether its URL
// may be called when it names one. The host is looked up, so this is done outside
// of transactions.
func (s *Service) judge(ctx context.Context, in billing.EndpointRequest, e *billing.WebhookEndpoint) error {
	faults := in.Apply(e)
	if e.URL == "" {
		return faults.Err()
	}
	err := s.sender.Check(ctx, e.URL)
	if refused, ok := errors.AsType[*billing.Error](err); ok && refused.Code == billing.CodeInvalidRequest {
		for _, f := range refused.Faults {
			faults.Add(f.Field, f.Code, f.Message)
		}
		err = nil
	}
	if err != nil && len(faults) == 0 {
		return err
	}
	return faults.Err()
}

// replay is the answer that the request got before, before anything outside of
// a transaction is done for it.
func (s *Service) replay(ctx context.Context, scope billing.Scope, req billing.Request) (answer billing.Answer, replayed bool, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		kept, _, err := idempotency.Claim(ctx, tx, req)
		if replayed = kept != nil; replayed {
			answer = *kept
		}
		return err
	})
	return answer, replayed, err
}

// reveal makes a change whose answer shows the endpoint's secret, at most once
// for the request's key. The answer that is kept does not show it.
func (s *Service) reveal(
	ctx context.Context, scope billing.Scope, req billing.Request, render billing.Render[Revealed],
	change func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error),
) (answer billing.Answer, replayed bool, err error) {
	var shown billing.Answer
	hidden := func(e *billing.WebhookEndpoint, err error) billing.Answer {
		shown = render(Revealed{e, e.Secret}, err)
		return render(Revealed{Endpoint: e}, err)
	}
	answer, replayed, err = idempotency.Once(ctx, s.store, scope, req, hidden, change)
	if err == nil && !replayed {
		answer = shown
	}
	return answer, replayed, err
}

// alter changes an endpoint under its lock.
func (s *Service) alter(
	ctx context.Context, tx ports.Tx, id billing.WebhookEndpointID, faults billing.Faults, change func(*billing.WebhookEndpoint),
) (*billing.WebhookEndpoint, error) {
	if err := faults.Err(); err != nil {
		return nil, err
	}
	e, err := tx.Endpoints.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	change(e)
	return e, tx.Endpoints.Save(ctx, e)
}
