package webhooks

import (
	"context"
	"time"

	"github.com/molar-billing/molar/ports"
)

// KeepDeliveries is the time for which a settled delivery can be looked up.
const KeepDeliveries = 30 * 24 * time.Hour

// Sweep deletes deliveries that were settled long ago, a limited number in one
// transaction, and returns how many.
func (s *Service) Sweep(ctx context.Context) (forgotten int, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		forgotten, err = tx.Forget.Deliveries(ctx, tx.Real.Now().Add(-KeepDeliveries))
		return err
	})
	return forgotten, err
}
