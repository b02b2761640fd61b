package httpapi

import (
	"bytes"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
)

// pageJSON is a page of a list.
type pageJSON[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

func page[T, J any](rows []T, shape func(T) J, next *string) *reply {
	return &reply{status: http.StatusOK, body: pageJSON[J]{mapped(rows, shape), next}}
}

// orNull returns nil for the zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// listOf returns an array, never null.
func listOf[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// rawReply returns a resource as its stored bytes.
func rawReply(b []byte) *reply {
	return &reply{status: http.StatusOK, raw: append(b, '\n'), mime: "application/json"}
}

// rawPage returns a page of rows in such bytes.
func rawPage[T any, B ~[]byte](rows []T, shape func(T) B, next *string) *reply {
	b := []byte(`{"data":[`)
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, shape(row)...)
	}
	b = append(b, `],"next_cursor":`...)
	b = append(b, bytes.TrimSuffix(encoded(next), []byte("\n"))...)
	return rawReply(append(b, '}'))
}

type payerJSON struct {
	ID      billing.PayerID `json:"id"`
	PayerID string          `json:"payer_id"`
	Name    string          `json:"name"`
}
