package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
)

// pageJSON is a piece of a list.
type pageJSON[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

func page[T, J any](rows []T, shape func(T) J, next *string) *reply {
	return &reply{status: http.StatusOK, body: pageJSON[J]{mapped(rows, shape), next}}
}

// orNull is nil for the zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// listOf is an array, never null.
func listOf[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

type eventJSON struct {
	ID        billing.EventID   `json:"id"`
	Object    string            `json:"object"`
	Type      billing.EventType `json:"type"`
	Sequence  int               `json:"sequence"`
	CreatedAt string            `json:"created_at"`
	Data      json.RawMessage   `json:"data"`
}

func eventShape(e *billing.Event) eventJSON {
	return eventJSON{e.ID, "event", e.Type, e.Sequence, billing.Timestamp(e.CreatedAt), e.Data}
}

type payerJSON struct {
	ID      billing.PayerID `json:"id"`
	PayerID string          `json:"payer_id"`
	Name    string          `json:"name"`
}
