package httpapi

import (
	"bytes"
	"encoding/json"

	"github.com/molar-billing/molar/core/billing"
)

// rendered gives a use case the bytes to keep with what it makes: the resource
// in its shape, or the error as x would answer it.
func rendered[T, J any](x *exchange, status int, shape func(T) J) billing.Render[T] {
	return func(made T, err error) billing.Answer {
		if err != nil {
			code, body := x.failure(err)
			return billing.Answer{Status: code, Body: encoded(body)}
		}
		return billing.Answer{Status: status, Body: encoded(shape(made))}
	}
}

// kept replies with an answer that is kept.
func kept(a billing.Answer, replayed bool, err error) (*reply, error) {
	if err != nil {
		return nil, err
	}
	return &reply{status: a.Status, raw: a.Body, mime: "application/json", replayed: replayed}, nil
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
