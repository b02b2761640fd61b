package webhooks

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// KeepDeliveries is the least time for which a settled delivery can be looked up. Then it
// goes with its month.
const KeepDeliveries = 30 * 24 * time.Hour

// SweepMonths drops months of deliveries that were settled long ago, and makes the months to
// come. It does a limited part in one transaction, and returns how many deliveries went and
// whether there is more to do.
func (s *Service) SweepMonths(ctx context.Context) (removed int, more bool, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		removed, more, err = tx.Forget.DeliveryMonths(ctx, tx.Real.Now().Add(-KeepDeliveries))
		return err
	})
	return removed, more, err
}

// Sweep deletes settled deliveries that no month takes along, a limited number in one
// transaction, and returns how many.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Deliveries(ctx, tx.Real.Now().Add(-KeepDeliveries))
	})
}
