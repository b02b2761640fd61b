// Package sweep does, now and then, what nobody waits for: it removes what is
// kept for a while only.
package sweep

import (
	"context"
	"log/slog"
	"time"
)

// Task is one thing to sweep. Sweep answers how many of Things it removed.
type Task struct {
	Things string
	Sweep  func(context.Context) (int, error)
}

// Run does the tasks in turn until ctx ends, every so often. Several may run at
// once.
func Run(ctx context.Context, tasks []Task, every time.Duration, log *slog.Logger) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		for _, t := range tasks {
			if n, err := t.Sweep(ctx); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "not swept", "things", t.Things, "error", err)
			} else if n > 0 {
				log.InfoContext(ctx, "swept", "things", t.Things, "removed", n)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
