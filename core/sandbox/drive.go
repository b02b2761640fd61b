package sandbox

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Drive advances the clock of a job to its end. It may run any number of times: each time
// it goes on where the clock stands.
func (s *Service) Drive(ctx context.Context, j jobs.Job) error {
	d := drive{Service: s, job: j, stored: time.Now()}
	for pause := billing.AdvanceLeastPoll; ; pause = min(2*pause, billing.AdvanceMostPoll) {
		moved, over, err := d.step(ctx)
		if err != nil {
			return err
		}
		if over {
			if j.ReplyTo != "" {
				_ = s.queue.Reply(ctx, j.ReplyTo, j.Subject) // best effort; the request also looks
			}
			return nil
		}
		if moved {
			pause = billing.AdvanceLeastPoll / 2
			continue
		}
		if err := rest(ctx, pause); err != nil {
			return err
		}
	}
}

// FailDrive lets an advance rest whose job failed.
func (s *Service) FailDrive(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.AdvanceRetry))
	})
}

// drive is the advance of a clock by a job.
type drive struct {
	*Service

	job    jobs.Job
	last   sandbox.Work
	stored time.Time // when progress was
}

// step does what is due at the instant, or moves the clock if nothing is.
func (d *drive) step(ctx context.Context) (moved, over bool, err error) {
	var w sandbox.Work
	var due []billing.PayerID
	var busy, files bool
	scope := d.job.Scope
	err = d.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.SandboxClock.Get(ctx)
		if err != nil {
			return err
		}
		if over = c.Advance == nil || c.Advance.Job != d.job.ID; over {
			return nil
		}
		if w, err = d.work(ctx, tx, scope, false); err != nil {
			return err
		}
		busy = w.Busy(c.StandsAt)
		files, due = w.Files(c.StandsAt)
		return nil
	})
	switch {
	case err != nil:
		return false, false, err
	case over:
		return false, true, d.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, d.job.ID) })
	case busy:
		return false, false, d.settle(ctx, &w, files, due)
	default:
		return d.move(ctx)
	}
}

// settle does what is due and belongs to no other worker, and stores that there is
// progress.
func (d *drive) settle(ctx context.Context, w *sandbox.Work, files bool, due []billing.PayerID) error {
	if d.last.Jobs == nil {
		d.last = *w // the first look shows no progress
	}
	if time.Since(d.stored) > billing.AdvanceProgress && !w.Equal(&d.last) {
		d.last, d.stored = *w, time.Now()
		if err := d.progress(ctx); err != nil {
			return err
		}
	}
	if !files {
		return nil
	}
	err := d.houses.Settle(ctx, d.job.Scope, due)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	// A file that cannot be applied stays due, and may be another organization's.
	d.log.WarnContext(ctx, "files of an advance were not all applied; they will be tried again", "org_id", d.job.Scope.Org.String(), "error", err)
	return rest(ctx, billing.FilesRetry)
}

// rest waits, and returns the error of ctx when that ends first.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (d *drive) progress(ctx context.Context) error {
	return d.store.InTx(ctx, d.job.Scope, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.SandboxClock.Lock(ctx)
		if err != nil || !c.Progress(d.job.ID, tx.Real.Now().Time) {
			return err
		}
		return tx.SandboxClock.Put(ctx, c)
	})
}

// move moves the clock, unless there is work again, or the advance was stopped.
func (d *drive) move(ctx context.Context) (moved, over bool, err error) {
	scope := d.job.Scope
	err = d.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		moved, over = false, false
		c, err := tx.SandboxClock.Lock(ctx)
		if err != nil || c.Advance == nil || c.Advance.Job != d.job.ID {
			return err
		}
		w, err := d.work(ctx, tx, scope, false)
		if err != nil || w.Busy(c.StandsAt) {
			return err
		}
		moved, over = true, c.Move(w.Toward(c.Advance.Until), tx.Real.Now().Time)
		if over {
			if err := d.end(ctx, tx, scope, c); err != nil {
				return err
			}
		}
		return tx.SandboxClock.Put(ctx, c)
	})
	return moved, over, err
}
