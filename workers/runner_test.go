package workers_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
)

func TestJobIsDone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	did := make(chan jobs.Job, 10)
	b.run(func(ctx context.Context, j jobs.Job) error { did <- j; return b.done(ctx, j) }, nil)
	j := b.stage(time.Time{})
	if got := receive(t, "the job", did); got.ID != j.ID || got.Subject != j.Subject || got.Scope != j.Scope {
		t.Errorf("did %+v, want %+v", got, j)
	}
	later := b.stage(time.Now().Add(300 * time.Millisecond))
	if got := receive(t, "the delayed job", did); got.ID != later.ID || time.Now().Before(later.NotBefore) {
		t.Errorf("did %+v before its time", got)
	}
}

// TestFailureOfAConnectionIsLoggedOnce leaves the log to the connection, whose line has
// the failure. Other failures of a job that is done stay in it.
func TestFailureOfAConnectionIsLoggedOnce(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	for want, cause := range map[string]error{"DEBUG": &network.ObservedError{Err: down}, "WARN": down} {
		var l log
		b := newFixture(t)
		b.log = slog.NewTextHandler(&l, &slog.HandlerOptions{Level: slog.LevelDebug})
		stop := b.run(func(ctx context.Context, j jobs.Job) error {
			return errors.Join(b.done(ctx, j), &jobs.DoneError{Cause: cause})
		}, nil)
		j := b.stage(time.Time{})
		porttest.Await(t, "the job is ended", func() bool { return strings.Contains(l.text(), "job ended") })
		stop() // whoever ended the job has said all
		line := "level=" + want + ` msg="job ended without success" kind=eligibility job_id=` + j.ID.String() + " resource=" + billing.CheckID(j.Subject).String()
		if !strings.Contains(l.text(), line) || strings.Contains(l.text(), "job done") {
			t.Errorf("want %s alone: %s", want, l.text())
		}
	}
}

// TestFailedJobIsGivenUp tries five times, survives panics, and then gives up.
func TestFailedJobIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var tries atomic.Int32
	tried := make(chan struct{}, 100)
	gaveUp := make(chan jobs.Job, 1)
	b.run(func(context.Context, jobs.Job) error {
		defer func() { tried <- struct{}{} }()
		if tries.Add(1)%2 == 0 {
			panic("on purpose")
		}
		return errors.New("on purpose")
	}, func(ctx context.Context, j jobs.Job) error { gaveUp <- j; return b.done(ctx, j) })
	j := b.stage(time.Time{})
	go func() { // so that the test does not wait for growing leases
		for range tried {
			if b.store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) }) != nil {
				return
			}
		}
	}()
	if got := receive(t, "the end of the job", gaveUp); got.ID != j.ID || tries.Load() != 5 {
		t.Errorf("gave %+v up after %d tries, want 5", got, tries.Load())
	}
	if _, dead, _, err := b.queue.Depth(t.Context(), jobs.KindEligibility); err != nil || dead > 1 {
		t.Errorf("%d dead letters, %v", dead, err)
	}
	close(tried)
}

// TestRunningJobRunsOnce gets further messages of a job while it runs. Leases of jobs that
// wait in line expire, and the relay publishes these jobs again.
func TestRunningJobRunsOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	begun, finish := make(chan jobs.Job, 100), make(chan struct{})
	b.run(func(ctx context.Context, j jobs.Job) error {
		begun <- j
		<-finish
		return b.done(ctx, j)
	}, nil)
	j := b.stage(time.Time{})
	receive(t, "the job", begun)
	for range 10 {
		if err := b.queue.Publish(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	other := b.stage(time.Time{}) // behind them
	if got := receive(t, "the other job", begun); got.ID != other.ID {
		t.Error("the job runs twice at the same time")
	}
	close(finish)
	porttest.Await(t, "both jobs are done", func() bool { return !porttest.Pending(t, b.store, j) && !porttest.Pending(t, b.store, other) })
}

// TestBusyJobIsLeftAlone has a job that lasts longer than its lease: it is not
// published again meanwhile.
func TestBusyJobIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var starts atomic.Int32
	release, finished := make(chan struct{}), make(chan struct{}, 9)
	b.run(func(ctx context.Context, j jobs.Job) error {
		starts.Add(1)
		<-release
		defer func() { finished <- struct{}{} }()
		return b.done(ctx, j)
	}, nil)
	b.stage(time.Time{})
	<-time.After(2*billing.JobLease + time.Second)
	close(release)
	receive(t, "the end of the job", finished)
	if n := starts.Load(); n != 1 {
		t.Errorf("the job was started %d times", n)
	}
}

// TestStopWaits lets a running job end.
func TestStopWaits(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	r := workers.NewRunner(b.store, b.queue, slog.New(slog.DiscardHandler), func(jobs.Kind, string, time.Duration) {})
	var finished atomic.Bool
	ended := make(chan error, 1)
	go func() {
		ended <- r.Run(ctx, workers.Handler{Kind: jobs.KindEligibility, Parallel: 1, Do: func(ctx context.Context, j jobs.Job) error {
			close(started)
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
			}
			finished.Store(ctx.Err() == nil)
			return b.done(ctx, j)
		}})
	}()
	j := b.stage(time.Time{})
	if err := b.queue.Publish(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	receive(t, "the start", started)
	cancel()
	if err := receive(t, "the end", ended); err != nil || !finished.Load() {
		t.Errorf("Run ended with %v before the job did (%t)", err, finished.Load())
	}
}

// flapping is a broker that never knows whether a message was delivered.
type flapping struct{ ports.Queue }

func (f flapping) Consume(
	ctx context.Context, kind jobs.Kind, parallel int, handle func(context.Context, ports.Message) ports.Verdict,
) error {
	return f.Queue.Consume(ctx, kind, parallel, func(ctx context.Context, d ports.Message) ports.Verdict {
		d.Redelivered = true
		return handle(ctx, d)
	})
}

// TestRedeliveryIsNoFailure delivers a running job to one process after another, like a
// broker with unstable connections.
func TestRedeliveryIsNoFailure(t *testing.T) {
	t.Parallel()
	const deliveries = 10
	b := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{}, 2*deliveries)
	var gaveUp atomic.Bool
	var ended sync.WaitGroup
	for range deliveries {
		r := workers.NewRunner(b.store, flapping{b.queue}, slog.New(slog.DiscardHandler), func(jobs.Kind, string, time.Duration) {})
		ended.Go(func() {
			_ = r.Run(ctx, workers.Handler{
				Kind: jobs.KindEligibility, Parallel: 1,
				Do:   func(context.Context, jobs.Job) error { started <- struct{}{}; <-ctx.Done(); return nil },
				Fail: func(context.Context, jobs.Job) error { gaveUp.Store(true); return nil },
			})
		})
	}
	j := b.stage(time.Time{})
	for range deliveries {
		if err := b.queue.Publish(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	for range deliveries {
		receive(t, "a delivery", started)
	}
	cancel()
	ended.Wait()
	if gaveUp.Load() {
		t.Error("the job was given up, and no attempt at it had failed")
	}
}

// TestPanicsAreSurvived panics in every function of a job.
func TestPanicsAreSurvived(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	tried := make(chan struct{}, 100)
	b.run(
		func(context.Context, jobs.Job) error { panic("do") },
		func(context.Context, jobs.Job) error { tried <- struct{}{}; panic("fail") },
	)
	b.stage(time.Time{})
	for range 2 {
		for len(tried) == 0 && t.Context().Err() == nil {
			porttest.System(t, b.store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
		}
		receive(t, "giving up", tried)
	}
}
