package workers

import (
	"context"
	"log/slog"
	"time"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// CutBatches cuts batches until ctx ends, whenever the clock shows a multiple of every.
func CutBatches(ctx context.Context, s *batches.Service, every time.Duration, log *slog.Logger) error {
	for {
		now := time.Now()
		if !wait(ctx, now.Truncate(every).Add(every).Sub(now)) {
			return nil
		}
		var n int
		err := jobs.Survive(func() (err error) {
			n, err = s.Cut(ctx)
			return err
		})
		if n > 0 {
			log.InfoContext(ctx, "batches cut", "batches", n)
		}
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "batches not cut", "error", err)
		}
	}
}

// ReceiveFiles fetches files from the clearinghouses until ctx ends.
func ReceiveFiles(ctx context.Context, s *batches.Service, log *slog.Logger) error {
	for pause := time.Duration(0); wait(ctx, pause); {
		var got batches.Received
		err := jobs.Survive(func() (err error) {
			got, err = s.Receive(ctx)
			return err
		})
		if got.Files > 0 {
			log.InfoContext(ctx, "files taken in", "files", got.Files)
		}
		for _, r := range got.Rejected {
			log.WarnContext(ctx, "batch rejected", "batch_id", r.Batch.String(), "reasons", r.Why)
		}
		switch {
		case err != nil && ctx.Err() == nil:
			log.WarnContext(ctx, "files not taken in", "error", err)
			pause = billing.FilesRetry
		case got.Files > 0:
			pause = 0
		default:
			pause = billing.FilesPoll
		}
	}
	return nil
}

// wait waits, and reports false when ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
