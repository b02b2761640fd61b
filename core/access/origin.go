package access

import (
	"context"

	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// RecordOrigin stores the origin of the dashboard, which a service calls when it
// starts.
func (s *Service) RecordOrigin(ctx context.Context, origin string) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Origin.Set(ctx, origin) })
}

// Origin returns the origin that a service recorded last; empty for none.
func (s *Service) Origin(ctx context.Context) (string, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (string, error) {
		return tx.Origin.Get(ctx)
	})
}
