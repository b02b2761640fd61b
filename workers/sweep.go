package workers

import (
	"context"
	"log/slog"
	"time"
)

// SweepTask removes one sort of thing that is kept for a while only. Sweep
// returns how many it removed.
type SweepTask struct {
	Things string
	Sweep  func(context.Context) (int, error)
}

// Sweep runs the tasks in turn, once per interval, until ctx ends. Several
// processes may sweep at once.
func Sweep(ctx context.Context, tasks []SweepTask, every time.Duration, log *slog.Logger) error {
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
