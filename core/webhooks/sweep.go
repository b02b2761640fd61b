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

// Sweep drops months of deliveries that were settled long ago, and deletes those that no
// month takes along. It does a limited part in one transaction, and returns how many went and whether
// there is more to do.
func (s *Service) Sweep(ctx context.Context) (removed int, more bool, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		removed, more, err = tx.Forget.DeliveryMonths(ctx, tx.Real.Now().Add(-KeepDeliveries))
		return err
	})
	if err != nil || more {
		return removed, more, err
	}
	removed, err = lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Deliveries(ctx, tx.Real.Now().Add(-KeepDeliveries))
	})
	return removed, removed > 0, err
}
