// Package lists reads a page of a list, for the use cases that have one.
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
	err = store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		rows, err = list(ctx, tx)
		return err
	})
	rows, next = billing.Cut(rows, p.Limit, T.Position)
	return rows, next, err
}
