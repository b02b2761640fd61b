// Package lists reads a page of a list, or a value, in a transaction of its own.
package lists

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Row is a row of a list, which knows its place there.
type Row interface{ Position() billing.Position }

// Page reads a page of the scope, and the start of the next page: nil after the last.
// The list gets the page, and reads one row more than its limit if there is one.
func Page[T Row](
	ctx context.Context, store ports.Store, scope billing.Scope, p billing.Page, list func(context.Context, ports.Tx) ([]T, error),
) (rows []T, next *billing.Position, err error) {
	return PageBy(ctx, store, scope, p, T.Position, list)
}

// PageBy is Page for a list in another order: at returns the place of a row there.
func PageBy[T any](
	ctx context.Context, store ports.Store, scope billing.Scope, p billing.Page, at func(T) billing.Position,
	list func(context.Context, ports.Tx) ([]T, error),
) (rows []T, next *billing.Position, err error) {
	rows, err = Read(ctx, store, scope, list)
	rows, next = billing.Cut(rows, p.Limit, at)
	return rows, next, err
}

// Read returns what read reads of the scope.
func Read[T any](
	ctx context.Context, store ports.Store, scope billing.Scope, read func(context.Context, ports.Tx) (T, error),
) (found T, err error) {
	err = store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		found, err = read(ctx, tx)
		return err
	})
	return found, err
}

// Across returns what read reads across scopes.
func Across[T any](ctx context.Context, store ports.Store, read func(context.Context, ports.SystemTx) (T, error)) (found T, err error) {
	err = store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		found, err = read(ctx, tx)
		return err
	})
	return found, err
}
