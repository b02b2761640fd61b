package webhooks_test

import (
	"encoding/json"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/webhooks"
)

// call returns a request with the key. Every request of a kind has the same
// content.
func call(key string) caller.Request {
	return caller.Request{ID: billing.NewID[billing.RequestID](billing.RealAt(time.Now())), Key: key, Fingerprint: [32]byte{1}}
}

// write is a call whose reply is rendered by render.
func write[T any](scope billing.Scope, req caller.Request, render func(T, error) caller.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: caller.Call{Scope: scope, Request: req}, Render: render}
}

// shown is the content of these tests' replies.
type shown struct {
	Endpoint string         `json:"endpoint"`
	URL      string         `json:"url"`
	Status   string         `json:"status"`
	Secret   webhook.Secret `json:"secret"`
	Code     int            `json:"code"`
	Error    string         `json:"error"`
	Queued   int            `json:"queued"`
}

// outcome is the result of a request.
type outcome struct {
	shown
	replayed bool
	err      error
}

func replyOf(s shown) caller.Reply {
	body, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return caller.Reply{Status: 200, Body: body}
}

func endpointShown(e *webhook.Endpoint, _ error) caller.Reply {
	return replyOf(shown{Endpoint: e.ID.String(), URL: e.URL, Status: string(e.Status)})
}

func revealedShown(r webhooks.Revealed, _ error) caller.Reply {
	return replyOf(shown{Endpoint: r.Endpoint.ID.String(), URL: r.Endpoint.URL, Status: string(r.Endpoint.Status), Secret: r.Secret})
}

func attemptShown(a webhook.Attempt, _ error) caller.Reply {
	return replyOf(shown{Code: a.Status, Error: a.Error})
}

func came(r caller.Reply, err error) (o outcome) {
	if err == nil {
		err = json.Unmarshal(r.Body, &o.shown)
	}
	o.replayed, o.err = r.Replayed, err
	return o
}

func (b *fixture) create(key string, in intake.EndpointRequest) outcome {
	return came(b.service.Create(b.t.Context(), write(b.scope, call(key), revealedShown), in))
}

func (b *fixture) rotate(key string, e *webhook.Endpoint) outcome {
	return came(b.service.RotateSecret(b.t.Context(), write(e.Scope, call(key), revealedShown), e.ID))
}

func (b *fixture) set(key string, e *webhook.Endpoint, status webhook.EndpointStatus) outcome {
	return came(b.service.SetStatus(b.t.Context(), write(e.Scope, call(key), endpointShown), e.ID, status))
}

// status enables or disables the endpoint.
func (b *fixture) status(e *webhook.Endpoint, status webhook.EndpointStatus) {
	if o := b.set(b.key(), e, status); o.err != nil || o.Status != string(status) {
		b.t.Errorf("the endpoint is to be %s: %+v", status, o)
	}
}

func (b *fixture) change(key string, e *webhook.Endpoint, in intake.EndpointRequest) outcome {
	return came(b.service.Change(b.t.Context(), write(e.Scope, call(key), endpointShown), e.ID, in))
}

func (b *fixture) remove(key string, e *webhook.Endpoint) outcome {
	return came(b.service.Delete(b.t.Context(), write(e.Scope, call(key), endpointShown), e.ID))
}

func (b *fixture) ping(key string, e *webhook.Endpoint) outcome {
	return came(b.service.Ping(b.t.Context(), write(e.Scope, call(key), attemptShown), e.ID))
}
