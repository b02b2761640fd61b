package webhooks

import (
	"context"
	"time"

	"github.com/molar-billing/molar/ports"
)

// KeepDeliveries is how long a settled delivery can be looked up.
const KeepDeliveries = 30 * 24 * time.Hour

// Sweep forgets deliveries that were settled long ago, and answers how many.
func (s *Service) Sweep(ctx context.Context) (forgotten int, err error) {
	for {
		var n int
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
			n, err = tx.Forget.Deliveries(ctx, tx.Clock.Now().Add(-KeepDeliveries))
			return err
		})
		if forgotten += n; err != nil || n == 0 {
			return forgotten, err
		}
	}
}
