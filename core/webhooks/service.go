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
	"time"

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

// Get reads an endpoint. An absent one is CodeNotFound.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.WebhookEndpointID) (e *billing.WebhookEndpoint, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		e, err = tx.Endpoints.Get(ctx, id)
		return err
	})
	return e, err
}

// List reads every endpoint of the scope, newest first; there are few.
func (s *Service) List(ctx context.Context, scope billing.Scope) (all []*billing.WebhookEndpoint, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		all, err = tx.Endpoints.List(ctx)
		return err
	})
	return all, err
}

// Deliveries reads a page of what was sent to an endpoint, newest first, and
// where the next page starts: nil after the last. An absent endpoint is
// CodeNotFound.
func (s *Service) Deliveries(
	ctx context.Context, scope billing.Scope, id billing.WebhookEndpointID, p billing.Page,
) (page []*billing.Delivery, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Endpoints.Get(ctx, id); err != nil {
			return err
		}
		page, err = tx.Deliveries.List(ctx, id, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(d *billing.Delivery) billing.Position {
		return billing.Position{Time: d.CreatedAt, ID: d.ID}
	})
	return page, next, err
}

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

// judge puts what the request says into a new endpoint, and asks whether its URL
// may be called when it says one. The host is looked up, so this is done outside
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

// SetStatus enables or disables an endpoint. An enabled one starts anew: what it
// had failed at before does not count, and what waited for it goes out.
func (s *Service) SetStatus(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.WebhookEndpointID, status billing.EndpointStatus,
	faults billing.Faults, render billing.Render[*billing.WebhookEndpoint],
) (billing.Answer, bool, error) {
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		return s.alter(ctx, tx, id, faults, func(e *billing.WebhookEndpoint) {
			if status == billing.EndpointEnabled && e.Status != status {
				e.Health = billing.EndpointHealth{}
			}
			e.Status = status
		})
	})
}

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

// Delete removes an endpoint, and what was queued for it.
func (s *Service) Delete(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.WebhookEndpointID,
	render billing.Render[*billing.WebhookEndpoint],
) (billing.Answer, bool, error) {
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.WebhookEndpoint, error) {
		e, err := tx.Endpoints.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		return e, tx.Endpoints.Delete(ctx, id)
	})
}

// Ping posts an event of type ping to the endpoint, now, also when it is
// disabled, and answers what came of that.
func (s *Service) Ping(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.WebhookEndpointID, faults billing.Faults,
	render billing.Render[billing.Attempt],
) (answer billing.Answer, replayed bool, err error) {
	var now time.Time
	var work billing.JobID
	var e *billing.WebhookEndpoint
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		kept, posting, err := idempotency.Claim(ctx, tx, req)
		if err != nil {
			return err
		}
		if replayed = kept != nil; replayed {
			answer = *kept
			return nil
		}
		now = tx.Clock.Now()
		work = billing.NewID[billing.JobID](now)
		if !posting.IsZero() && now.Sub(posting.Time()) < pingTime {
			return billing.ErrKeyInUse()
		}
		if err := faults.Err(); err != nil {
			return err
		}
		if e, err = tx.Endpoints.Get(ctx, id); err != nil {
			return err
		}
		return tx.Keys.Record(ctx, req.Waiting(work, now))
	})
	if err != nil || replayed {
		return answer, replayed, err
	}
	ping := e.Ping(now)
	attempt, err := post(ctx, s.sender, e, &ping, now, s.clock.Now(), currentSecret(s.store, scope, id))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil { // it was not posted, or cut off: the key is as new, and if not now, then soon
		_ = s.store.InTx(context.WithoutCancel(ctx), scope, func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Release(ctx, req.Key, work) })
		return answer, false, err
	}
	return idempotency.Once(ctx, s.store, scope, req, render,
		func(context.Context, ports.Tx) (billing.Attempt, error) { return attempt, nil })
}

// pingTime is longer than a ping takes. A key whose ping is older belongs to a
// process that died, and may be used again.
const pingTime = 30 * time.Second

// post posts an event to the endpoint once. The attempt is made at a time of the
// database's; the message says the time of this machine, because a receiver
// compares that with its own. The error is that of reading the secret; nothing
// was posted then.
func post(
	ctx context.Context, sender ports.WebhookSender, e *billing.WebhookEndpoint, event *billing.Event, at, dated time.Time,
	secret ports.CurrentSecret,
) (billing.Attempt, error) {
	attempt, err := sender.Post(ctx, e.Message(event, dated), secret)
	attempt.At = at
	if errors.Is(err, billing.ErrMalformedSecret) { // it was encrypted with another key
		return billing.Attempt{At: at, Error: "the endpoint's secret cannot be used; rotate it"}, nil
	}
	return attempt, err
}

// currentSecret reads the secret that the endpoint has when it is called.
func currentSecret(store ports.Store, scope billing.Scope, id billing.WebhookEndpointID) ports.CurrentSecret {
	return func(ctx context.Context) (secret billing.WebhookSecret, err error) {
		err = store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			e, err := tx.Endpoints.Get(ctx, id)
			if err == nil {
				secret = e.Secret
			}
			return err
		})
		return secret, err
	}
}

// maxResend bounds what one request queues again.
const maxResend = 100_000

// Resend queues events again, and answers how many deliveries that makes.
func (s *Service) Resend(
	ctx context.Context, scope billing.Scope, req billing.Request, f billing.ResendFilter, faults billing.Faults, render billing.Render[int],
) (billing.Answer, bool, error) {
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (int, error) {
		if err := faults.Err(); err != nil {
			return 0, err
		}
		return tx.Deliveries.Resend(ctx, f, tx.Clock.Now(), maxResend)
	})
}

// KeepDeliveries is how long a settled delivery can be looked up.
const KeepDeliveries = 30 * 24 * time.Hour

// Sweep forgets deliveries that were settled long ago, and answers how many.
func (s *Service) Sweep(ctx context.Context) (forgotten int, err error) {
	for {
		var n int
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
			n, err = tx.Forget.Deliveries(ctx, tx.Clock.Now().Add(-KeepDeliveries))
			return err
		})
		if forgotten += n; err != nil || n == 0 {
			return forgotten, err
		}
	}
}
