package workers_test

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m).Run()) }

// fixture has a runner and a relay over a real outbox.
type fixture struct {
	t     *testing.T
	store *pgstore.Store
	queue *memqueue.Queue
	relay *outboxrelay.Relay
	scope billing.Scope
	log   slog.Handler

	mu      sync.Mutex
	results []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{t: t, queue: memqueue.NewBroker().Open(), scope: billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}, log: slog.DiscardHandler}
	b.relay = outboxrelay.New(b.queue, slog.New(slog.DiscardHandler))
	b.store = pgtest.Open(t, func(o *pgstore.Options) { o.Staged = b.relay.Staged })
	return b
}

// run runs the relay and a handler until the test ends, or calls the function that it returns.
func (b *fixture) run(do, fail func(context.Context, jobs.Job) error) (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	r := workers.NewRunner(b.store, b.queue, slog.New(b.log), func(_ jobs.Kind, result string, _ time.Duration) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.results = append(b.results, result)
	})
	var all sync.WaitGroup
	all.Go(func() { _ = b.relay.Run(ctx, b.store) })
	all.Go(func() {
		if err := r.Run(ctx, workers.Handler{Kind: jobs.KindEligibility, Parallel: 2, Do: do, Fail: fail}); err != nil {
			b.t.Error(err)
		}
	})
	stop = func() { cancel(); all.Wait() }
	b.t.Cleanup(stop)
	return stop
}

func (b *fixture) stage(notBefore time.Time) jobs.Job {
	b.t.Helper()
	j := jobs.Job{
		ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindEligibility, Scope: b.scope,
		Subject: [16]byte(billing.NewID[billing.CheckID](billing.RealAt(time.Now()))), NotBefore: notBefore,
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, j) })
	return j
}

func (b *fixture) in(fn func(context.Context, ports.Tx) error) {
	b.t.Helper()
	if err := b.store.InTx(b.t.Context(), b.scope, fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *fixture) done(ctx context.Context, j jobs.Job) error {
	return b.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
}

func receive[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s did not come", what)
	}
	return v
}
