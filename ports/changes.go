package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// Changes has what changed in the scopes that are watched, across scopes.
type Changes interface {
	// Watch makes every transaction in the scopes record what it changes, at least
	// for the time of the lease. The record is complete from some transaction on:
	// call Watch again until After says so.
	Watch(ctx context.Context, scopes []billing.Scope, lease time.Duration) error

	// After returns what transactions changed that the mark does not include and
	// that are committed, for each of the scopes, at most limit rows each, and the
	// mark that includes them. A change never appears twice when each mark is used
	// once. The zero mark is before all records.
	After(ctx context.Context, scopes []billing.Scope, mark event.Mark, limit int) ([]event.ScopeChanges, event.Mark, error)

	// Forget deletes what was recorded before the given time, a limited number a call,
	// and the watches that expired before then. It returns how many changes.
	Forget(ctx context.Context, before time.Time) (int, error)
}
