package records

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// reading reads a scope for an archive.
type reading struct {
	*Service

	ctx   context.Context // of the one function that writes the archive
	scope billing.Scope
}

// every calls use for each row of a list. It keeps one page in memory.
func every[T lists.Row](r reading, list func(context.Context, ports.Tx, billing.Page) ([]T, error), use func(T) error) error {
	for p := (billing.Page{Limit: billing.MaxPageLimit}); ; {
		rows, next, err := lists.Page(r.ctx, r.store, r.scope, p, func(ctx context.Context, tx ports.Tx) ([]T, error) { return list(ctx, tx, p) })
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := use(row); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		p.After = next
	}
}
