// Package webhooks posts events to the endpoints that callers register.
//
// An event is queued for the endpoints in the commit of its change. Each
// endpoint has a lane, which one Dispatcher holds at a time. A lane has a
// limited number of running posts, so that a slow endpoint delays only itself.
// The time of the next delivery is a column, not a timer: any dispatcher can
// continue where another died.
package webhooks

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of webhook endpoints and their deliveries.
type Service struct {
	store  ports.Store
	sender ports.WebhookSender
	clock  ports.Clock
}

// New creates the use cases.
func New(store ports.Store, sender ports.WebhookSender, clock ports.Clock) *Service {
	return &Service{store, sender, clock}
}

// Revealed is the result of creating or replacing a secret. The reply that is
// stored for replays has no secret.
type Revealed struct {
	Endpoint *webhook.Endpoint
	Secret   webhook.Secret // empty when it can no longer be shown
}

// judge applies the request to a new endpoint, and checks the URL if the
// request has one. That looks up the host, so it happens outside transactions.
func (s *Service) judge(ctx context.Context, in intake.EndpointRequest, e *webhook.Endpoint) error {
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

// replay returns the stored reply of the request, before any work outside a
// transaction. A request that chooses what an endpoint gets is refused, if there is none,
// unless the organization allows it.
func (s *Service) replay(ctx context.Context, call caller.Call, chooses bool) (reply caller.Reply, err error) {
	err = s.store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		kept, _, err := idempotency.Reserve(ctx, tx, call.Request)
		if kept != nil {
			reply = *kept
		} else if err == nil && chooses {
			err = allow(ctx, tx, call)
		}
		return err
	})
	return reply, err
}

// allow returns CodePermissionDenied as Organization.AllowsEndpoint does.
func allow(ctx context.Context, tx ports.Tx, call caller.Call) error {
	org, err := tx.Organization.Get(ctx)
	if err != nil {
		return err
	}
	return org.AllowsEndpoint(call.Key)
}

// reveal makes a change whose reply shows the endpoint's secret, at most once
// for the call's key. The stored reply does not show it.
func (s *Service) reveal(
	ctx context.Context, call idempotency.Write[Revealed], change func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error),
) (caller.Reply, error) {
	hide := func(r Revealed) Revealed { return Revealed{Endpoint: r.Endpoint} }
	return idempotency.Reveal(ctx, s.store, call, hide, func(ctx context.Context, tx ports.Tx) (Revealed, error) {
		e, err := change(ctx, tx)
		if err != nil {
			return Revealed{}, err
		}
		return Revealed{e, e.Secret}, nil
	})
}

// alter changes a locked endpoint.
func (s *Service) alter(
	ctx context.Context, tx ports.Tx, id billing.WebhookEndpointID, change func(*webhook.Endpoint),
) (*webhook.Endpoint, error) {
	e, err := tx.Endpoints.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	change(e)
	return e, tx.Endpoints.Save(ctx, e)
}
