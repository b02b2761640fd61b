// Package sweep does, now and then, what nobody waits for: it forgets
// idempotency keys whose time is over.
package sweep

import (
	"context"
	"log/slog"
	"time"

	"github.com/molar-billing/molar/core/idempotency"
)

// Run sweeps until ctx ends, every so often. Several may run at once.
func Run(ctx context.Context, keys *idempotency.Service, every time.Duration, log *slog.Logger) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if n, err := keys.Forget(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "idempotency keys not forgotten", "error", err)
		} else if n > 0 {
			log.InfoContext(ctx, "idempotency keys forgotten", "keys", n)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
