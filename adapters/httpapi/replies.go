package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
)

// replying returns the call for a use case, with the function that renders its
// reply: the resource in its shape, or the error.
func replying[T, J any](x *exchange, status int, shape func(T) J) idempotency.Write[T] {
	return idempotency.Write[T]{Call: x.call, Render: func(made T, failure error) caller.Reply {
		if failure != nil {
			code, body := x.failure(failure)
			return caller.Reply{Status: code, Body: encoded(body)}
		}
		body := encoded(shape(made))
		return caller.Reply{Status: status, Body: body, Resource: firstID(body), Shown: shows(body)}
	}}
}

// removing returns the call of an operation without a reply body.
func removing[T any](x *exchange) idempotency.Write[T] {
	return idempotency.Write[T]{Call: x.call, Render: func(T, error) caller.Reply { return caller.Reply{Status: http.StatusNoContent} }}
}

// making makes a resource as the body says, and replies with it. The body has none of the
// fields in without.
func making[In, T, J any](
	status int, do func(context.Context, idempotency.Write[T], In) (caller.Reply, error), shape func(T) J, without ...string,
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		in := readBody[In](x, without...)
		return kept(do(x.ctx, replying(x, status, shape), in))
	}
}

// amending changes the resource that the path names, or makes another of it, as the body
// says.
func amending[ID billing.ID[K], In, T, J any, K billing.Kind](
	status int, do func(context.Context, idempotency.Write[T], ID, In) (caller.Reply, error), shape func(T) J,
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		in := readBody[In](x)
		return kept(do(x.ctx, replying(x, status, shape), pathID[ID, K](x, "id"), in))
	}
}

// acting acts on the resource that the path names, and replies with it. The body says
// nothing.
func acting[ID billing.ID[K], T, J any, K billing.Kind](
	change func(context.Context, idempotency.Write[T], ID) (caller.Reply, error), shape func(T) J,
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		return kept(change(x.ctx, replying(x, http.StatusOK, shape), pathID[ID, K](x, "id")))
	}
}

// deleting removes the resource that the path names.
func deleting[ID billing.ID[K], T any, K billing.Kind](
	remove func(context.Context, idempotency.Write[T], ID) (caller.Reply, error),
) func(*exchange) (*reply, error) {
	return withoutQuery(func(x *exchange) (*reply, error) { return kept(remove(x.ctx, removing[T](x), pathID[ID, K](x, "id"))) })
}

// kept returns the stored reply of an operation.
func kept(r caller.Reply, err error) (*reply, error) {
	if err != nil {
		return nil, err
	}
	return &reply{status: r.Status, raw: r.Body, mime: "application/json", replayed: r.Replayed}, nil
}

// encoded returns v as JSON, with a line feed at its end.
func encoded(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // shapes always encode; finish replies with 500
	}
	return b.Bytes()
}
