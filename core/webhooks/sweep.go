package webhooks

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// KeepDeliveries is the time for which a settled delivery can be looked up.
const KeepDeliveries = 30 * 24 * time.Hour

// Sweep deletes deliveries that were settled long ago, a limited number in one
// transaction, and returns how many.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Deliveries(ctx, tx.Real.Now().Add(-KeepDeliveries))
	})
}
