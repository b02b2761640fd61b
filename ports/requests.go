package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// Requests reads the request log of the transaction's scope.
type Requests interface {
	// Get reads an entry. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.RequestID) (*caller.LoggedRequest, error)

	// List reads a page of entries, newest first, and one extra row when there is
	// a next page.
	List(ctx context.Context, f caller.RequestFilter, p billing.Page) ([]*caller.LoggedRequest, error)
}

// RequestLog writes the request log, across scopes. An entry never changes.
type RequestLog interface {
	// Insert stores the entries that the log does not have yet. A crash of the
	// server may lose them.
	Insert(ctx context.Context, entries []*caller.LoggedRequest) error

	// Written returns the entries that were committed with the use of an
	// idempotency key, as far as they were known then: those of uses at or after
	// the first time and before the second, oldest first, a limited number a call.
	// It returns the time from which the next call continues.
	Written(ctx context.Context, after, before time.Time) ([]*caller.LoggedRequest, time.Time, error)
}
