package workers

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
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

// ReceiveFiles fetches files from each clearinghouse at its network's interval
// until ctx ends. A slow clearinghouse does not delay the others.
func ReceiveFiles(ctx context.Context, s *batches.Service, log *slog.Logger) error {
	var all sync.WaitGroup
	defer all.Wait()
	var asked sync.Map // the names of the networks that are being asked
	for ctx.Err() == nil {
		looked := s.Looked()
		for _, name := range s.Clearinghouses() {
			if _, already := asked.LoadOrStore(name, true); already {
				continue
			}
			all.Go(func() {
				defer asked.Delete(name)
				receiveFrom(ctx, s, name, log)
			})
		}
		select {
		case <-ctx.Done():
		case <-looked:
		}
	}
	return nil
}

// receiveFrom fetches files from one network until ctx ends or the network is
// closed. One process of the fleet does so.
func receiveFrom(ctx context.Context, s *batches.Service, name string, log *slog.Logger) {
	duty := jobs.NewDuty("receive " + name)
	defer func() { s.EndDuty(context.WithoutCancel(ctx), duty) }()
	for pause := time.Duration(0); wait(ctx, pause); {
		var got batches.Received
		err := jobs.Survive(func() (err error) {
			if err = s.AwaitDuty(ctx, duty, name); err == nil {
				got, err = s.Receive(ctx, name)
			}
			return err
		})
		if errors.Is(err, batches.ErrClosed) {
			return
		}
		if got.Files > 0 {
			log.InfoContext(ctx, "files received", "network", name, "files", got.Files)
		}
		logReceived(ctx, got, log)
		switch {
		case err != nil && ctx.Err() == nil:
			level := slog.LevelWarn
			if network.Observed(err) {
				level = slog.LevelDebug // each poll repeats it
			}
			log.Log(ctx, level, "files not received", "network", name, "error", err)
			pause = max(got.Poll, billing.FilesRetry)
		case got.Files > 0:
			pause = duty.Pause(true, 0)
		default:
			pause = duty.Pause(false, got.Poll)
		}
	}
}

// logReceived logs what an operator should know of received files.
func logReceived(ctx context.Context, got batches.Received, log *slog.Logger) {
	for _, r := range got.Rejected {
		log.WarnContext(ctx, "batch rejected", "batch_id", r.Batch.String(), "reasons", r.Why)
	}
	for _, q := range got.Quarantined {
		log.WarnContext(ctx, "file quarantined: molar era quarantine lists it with the reason", "file", q)
	}
	for _, f := range got.Problems {
		list := "molar files list"
		if f.State == clearing.FileNotWhole {
			list = "molar era quarantine"
		}
		log.WarnContext(ctx, "file not received: its list has the name", "list", list, "file_id", f.ID.String(), "network", f.Network,
			"size", f.Size, "time", f.Time, "state", string(f.State), "reason", f.Reason)
	}
}

// WatchAcknowledgements looks for overdue acknowledgements until ctx ends, and logs each.
func WatchAcknowledgements(ctx context.Context, s *batches.Service, log *slog.Logger) error {
	for pause := time.Duration(0); wait(ctx, pause); pause = billing.AcknowledgementsPoll {
		var news []batches.Overdue
		err := jobs.Survive(func() (err error) {
			news, err = s.Review(ctx)
			return err
		})
		for _, o := range news {
			log.WarnContext(ctx, "acknowledgement overdue: ask the clearinghouse for the file, then run molar batches sent or molar batches resend",
				"batch_id", o.Batch.ID.String(), "connection", o.Connection, "kind", string(o.Kind), "file", o.Batch.File.Name, "sent_at", o.Batch.SentAt)
		}
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "acknowledgements not reviewed", "error", err)
		}
	}
	return nil
}

// wait waits, and returns false when ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
