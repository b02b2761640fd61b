package webhooks_test

import (
	"encoding/json"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/webhooks"
)

// call is a request with the key. Every request of a kind means the same.
func call(key string) billing.Request {
	return billing.Request{ID: billing.NewID[billing.RequestID](time.Now()), Key: key, Fingerprint: [32]byte{1}}
}

// shown is what the answers of these tests show.
type shown struct {
	Endpoint string                `json:"endpoint"`
	URL      string                `json:"url"`
	Status   string                `json:"status"`
	Secret   billing.WebhookSecret `json:"secret"`
	Code     int                   `json:"code"`
	Error    string                `json:"error"`
	Queued   int                   `json:"queued"`
}

// outcome is what a request came to.
type outcome struct {
	shown
	replayed bool
	err      error
}

func answered(s shown) billing.Answer {
	body, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return billing.Answer{Status: 200, Body: body}
}

func endpointShown(e *billing.WebhookEndpoint, _ error) billing.Answer {
	return answered(shown{Endpoint: e.ID.String(), URL: e.URL, Status: string(e.Status)})
}

func revealedShown(r webhooks.Revealed, _ error) billing.Answer {
	return answered(shown{Endpoint: r.Endpoint.ID.String(), URL: r.Endpoint.URL, Status: string(r.Endpoint.Status), Secret: r.Secret})
}

func attemptShown(a billing.Attempt, _ error) billing.Answer {
	return answered(shown{Code: a.Status, Error: a.Error})
}

func queuedShown(n int, _ error) billing.Answer { return answered(shown{Queued: n}) }

func came(a billing.Answer, replayed bool, err error) (o outcome) {
	if err == nil {
		err = json.Unmarshal(a.Body, &o.shown)
	}
	o.replayed, o.err = replayed, err
	return o
}

func (b *bench) create(key string, in billing.EndpointRequest) outcome {
	return came(b.service.Create(b.t.Context(), b.scope, call(key), in, revealedShown))
}

func (b *bench) rotate(key string, e *billing.WebhookEndpoint) outcome {
	return came(b.service.RotateSecret(b.t.Context(), e.Scope, call(key), e.ID, nil, revealedShown))
}

func (b *bench) set(key string, e *billing.WebhookEndpoint, status billing.EndpointStatus) outcome {
	return came(b.service.SetStatus(b.t.Context(), e.Scope, call(key), e.ID, status, nil, endpointShown))
}

// status enables or disables the endpoint.
func (b *bench) status(e *billing.WebhookEndpoint, status billing.EndpointStatus) {
	if o := b.set(b.key(), e, status); o.err != nil || o.Status != string(status) {
		b.t.Errorf("the endpoint is to be %s: %+v", status, o)
	}
}

func (b *bench) change(key string, e *billing.WebhookEndpoint, in billing.EndpointRequest) outcome {
	return came(b.service.Change(b.t.Context(), e.Scope, call(key), e.ID, in, endpointShown))
}

func (b *bench) remove(key string, e *billing.WebhookEndpoint) outcome {
	return came(b.service.Delete(b.t.Context(), e.Scope, call(key), e.ID, endpointShown))
}

func (b *bench) ping(key string, e *billing.WebhookEndpoint) outcome {
	return came(b.service.Ping(b.t.Context(), e.Scope, call(key), e.ID, nil, attemptShown))
}

func (b *bench) resend(key string, f billing.ResendFilter) outcome {
	return came(b.service.Resend(b.t.Context(), b.scope, call(key), f, nil, queuedShown))
}
