package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
)

// replying is the call as a use case takes it, which renders the bytes to keep
// with what it makes: the resource in its shape, or the error as x replies it.
func replying[T, J any](x *exchange, status int, shape func(T) J) idempotency.Write[T] {
	return idempotency.Write[T]{Call: x.call, Render: func(made T, failure error) billing.Reply {
		if failure != nil {
			code, body := x.failure(failure)
			return billing.Reply{Status: code, Body: encoded(body)}
		}
		return billing.Reply{Status: status, Body: encoded(shape(made))}
	}}
}

// removing is the call of an operation that leaves nothing to show.
func removing[T any](x *exchange) idempotency.Write[T] {
	return idempotency.Write[T]{Call: x.call, Render: func(T, error) billing.Reply { return billing.Reply{Status: http.StatusNoContent} }}
}

// kept replies with a reply that is kept.
func kept(r billing.Reply, err error) (*reply, error) {
	if err != nil {
		return nil, err
	}
	return &reply{status: r.Status, raw: r.Body, mime: "application/json", replayed: r.Replayed}, nil
}

// encoded is v as JSON, with a line feed at its end.
func encoded(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // shapes hold nothing that cannot be written; finish answers 500
	}
	return b.Bytes()
}
