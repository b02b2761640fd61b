package workers

import (
	"context"
	"log/slog"
	"time"
)

// SweepTask removes one kind of expired data. Sweep removes a limited number in
// one transaction and returns how many.
type SweepTask struct {
	Things string
	Sweep  func(context.Context) (int, error)
	// Search is for what Sweep is for if a step may only look for what can go: it also
	// returns whether there is more to look at, which a step that removes nothing does not say.
	Search func(context.Context) (removed int, more bool, err error)
}

func (t SweepTask) step(ctx context.Context) (removed int, more bool, err error) {
	if t.Search != nil {
		return t.Search(ctx)
	}
	removed, err = t.Sweep(ctx)
	return removed, removed > 0, err
}

// sweepRest is how often the time of a step a sweep rests after it: a sweep works a
// twentieth of the time, and so takes at most 5 % of what one connection can do.
const sweepRest = 19

// longestRest ends the rest after a step that had to wait.
const longestRest = 10 * time.Second

// all runs the task until nothing is left to remove, and rests after each step.
func (t SweepTask) all(ctx context.Context) (removed int, err error) {
	for {
		began := time.Now()
		n, more, err := t.step(ctx)
		if removed += n; err != nil || !more {
			return removed, err
		}
		select {
		case <-ctx.Done():
			return removed, ctx.Err()
		case <-time.After(min(sweepRest*time.Since(began), longestRest)):
		}
	}
}

// Sweep runs the tasks in turn, once per interval, until ctx ends. Several
// processes may sweep at once.
func Sweep(ctx context.Context, tasks []SweepTask, every time.Duration, log *slog.Logger) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		for _, t := range tasks {
			if n, err := t.all(ctx); err != nil && ctx.Err() == nil {
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
