package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

var errStop = errors.New("stop")

func testReady(b *scoped) {
	t := b.t
	if err := b.Store.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func (b *scoped) pending(id billing.JobID) bool {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (bool, error) { return tx.Outbox.Pending(ctx, id) })
}

func testRollback(b *scoped) {
	t := b.t
	j := b.job()
	err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Outbox.Stage(ctx, j); err != nil {
			return err
		}
		if there, err := tx.Outbox.Pending(ctx, j.ID); err != nil || !there {
			t.Errorf("pending in its own transaction: %v, %v", there, err)
		}
		return errStop
	})
	if !errors.Is(err, errStop) {
		t.Errorf("error %v, want the function's own", err)
	}
	if b.pending(j.ID) || len(b.Staged()) > 0 {
		t.Error("a rolled back transaction left a job")
	}
}

func testPanic(b *scoped) {
	t := b.t
	j := b.job()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			if err := tx.Outbox.Stage(ctx, j); err != nil {
				return err
			}
			_, _ = tx.Outbox.Pending(ctx, j.ID)
			panic("oops")
		})
	}()
	if b.pending(j.ID) {
		t.Error("a transaction that panicked left a job")
	}
}

func testViewIsReadOnly(b *scoped) {
	t := b.t
	j := b.job()
	err := b.Store.View(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, j) })
	if err == nil || b.pending(j.ID) {
		t.Errorf("a view wrote: %v", err)
	}
}

func testConflictsRunAgain(b *scoped) {
	t := b.t
	b.FailStage(3)
	j, runs := b.job(), 0
	b.in(func(ctx context.Context, tx ports.Tx) error {
		runs++
		return tx.Outbox.Stage(ctx, j)
	})
	if runs != 4 || !b.pending(j.ID) {
		t.Errorf("ran %d times, want 4", runs)
	}
	equal(t, "jobs handed over", b.Staged(), []jobs.Job{j})
}

func testConflictsEnd(b *scoped) {
	t := b.t
	b.FailStage(1000)
	runs := 0
	err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		runs++
		return tx.Outbox.Stage(ctx, b.job())
	})
	if err == nil || runs < 2 || runs > 20 {
		t.Errorf("error %v after %d runs, want one after a few", err, runs)
	}
	if len(b.Staged()) > 0 {
		t.Error("a job was published without a commit")
	}
}

func testStaged(b *scoped) {
	t := b.t
	one, two := b.job(), b.job()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Outbox.Stage(ctx, one); err != nil {
			return err
		}
		if len(b.Staged()) > 0 {
			t.Error("a job was published before the commit")
		}
		return tx.Outbox.Stage(ctx, two)
	})
	equal(t, "jobs handed over", b.Staged(), []jobs.Job{one, two})
}

// testDeadlock locks two rows in opposite order from two transactions.
func testDeadlock(b *scoped) {
	t := b.t
	one, two := b.job(), b.job()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Outbox.Stage(ctx, one), tx.Outbox.Stage(ctx, two))
	})
	locked := make(chan struct{}, 2)
	var runs atomic.Int32
	cross := func(first, second billing.JobID) func() error {
		return func() error {
			met := false
			return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				runs.Add(1)
				if err := tx.Outbox.Postpone(ctx, first, b.now); err != nil {
					return err
				}
				if _, err := tx.Outbox.Pending(ctx, first); err != nil { // a queued write is sent before the next read
					return err
				}
				if !met { // in the first run, both hold one row before either locks the other
					met = true
					locked <- struct{}{}
					for len(locked) < 2 && ctx.Err() == nil {
						waitABit(ctx)
					}
				}
				return tx.Outbox.Postpone(ctx, second, b.now)
			})
		}
	}
	b.race(cross(one.ID, two.ID), cross(two.ID, one.ID))
	if runs.Load() < 3 {
		t.Errorf("%d runs: there was no deadlock", runs.Load())
	}
}

// testClock checks that a transaction's clock shows one time, which is not
// before that of a transaction that ended earlier.
func testClock(b *scoped) {
	t := b.t
	var last time.Time
	shows := func(now func() time.Time, between func() error) error {
		at := now()
		if at.IsZero() || at.Location() != time.UTC || !at.Equal(at.Truncate(time.Microsecond)) {
			t.Errorf("the clock shows %v, want UTC and microseconds", at)
		}
		if at.Before(last) {
			t.Errorf("the clock shows %v after %v", at, last)
		}
		last = at
		err := between()
		if again := now(); !again.Equal(at) {
			t.Errorf("the clock shows %v, then %v", at, again)
		}
		return err
	}
	for range 3 {
		j := b.job()
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return shows(tx.Clock.Now, func() error {
				if err := tx.Outbox.Stage(ctx, j); err != nil {
					return err
				}
				_, err := tx.Outbox.Pending(ctx, j.ID)
				return err
			})
		})
		b.view(func(ctx context.Context, tx ports.Tx) error {
			return shows(tx.Clock.Now, func() error { _, err := tx.Outbox.Pending(ctx, j.ID); return err })
		})
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			return shows(func() time.Time { return tx.Real.Now().Time }, func() error { _, err := tx.Jobs.Backlog(ctx); return err })
		})
	}
}

func testDeadline(b *scoped) {
	t := b.t
	j := b.job()
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Store.InTx(ctx, b.scope, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Outbox.Stage(ctx, j); err != nil {
			return err
		}
		if _, err := tx.Outbox.Pending(ctx, j.ID); err != nil {
			return err
		}
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if b.pending(j.ID) || len(b.Staged()) > 0 {
		t.Error("work went on after the deadline")
	}
}

// testWriteOrder writes to one row repeatedly in one transaction.
func testWriteOrder(b *scoped) {
	t := b.t
	j, c := b.job(), b.answered(0)
	first, second := b.event(c.ID, event.ClaimQueued, 0), b.event(c.ID, event.ClaimQueued, 1)
	use := caller.KeyUse{Key: "k", Fingerprint: digest("1"), CheckID: c.ID, CreatedAt: b.now}
	again := use
	again.Fingerprint = digest("2")
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(
			tx.Outbox.Stage(ctx, j), tx.Outbox.Done(ctx, j.ID),
			tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, use), tx.Keys.Record(ctx, again),
			tx.Events.Append(ctx, first), tx.Events.Append(ctx, second),
		)
	})
	if b.pending(j.ID) {
		t.Error("a job that was done is pending")
	}
	for want, e := range []event.Event{first, second} {
		got := read(b, func(ctx context.Context, tx ports.Tx) (*event.Event, error) { return tx.Events.Get(ctx, e.ID) })
		equal(t, "sequence", got.Sequence, want+1)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Keys.Reserve(ctx, "k")
		again.Held = true
		equal(t, "use", got, &again)
		return err
	})
}

func testNoScope(b *scoped) {
	t := b.t
	for _, scope := range []billing.Scope{{}, {Org: b.scope.Org}, {Mode: billing.ModeTest}, {Org: b.scope.Org, Mode: "x' OR true --"}} {
		called := false
		err := b.try(scope, func(context.Context, ports.Tx) error {
			called = true
			return nil
		})
		if err == nil || called {
			t.Errorf("scope %+v: error %v, called %v", scope, err, called)
		}
	}
}

// together runs the functions concurrently and returns their errors.
func together(fs ...func() error) []error {
	errs := make([]error, len(fs))
	done := make(chan struct{})
	for i, f := range fs {
		go func() {
			errs[i] = f()
			done <- struct{}{}
		}()
	}
	for range fs {
		<-done
	}
	return errs
}

// waitABit lets other goroutines run.
func waitABit(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Millisecond):
	}
}
