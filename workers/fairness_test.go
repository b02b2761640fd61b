package workers_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/rabbitqueue"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

// TestNoScopeWaitsForAnother has 5,000 jobs of one organization wait for a
// payer that postpones them. One job of another organization comes after them
// and runs long before they end.
func TestNoScopeWaitsForAnother(t *testing.T) {
	t.Parallel()
	queues := map[string]func(*testing.T) ports.Queue{
		"in memory": func(*testing.T) ports.Queue { return memqueue.NewBroker().Open() },
		"over RabbitMQ": func(t *testing.T) ports.Queue {
			t.Helper()
			q, err := rabbitqueue.Open(t.Context(), rabbitqueue.Options{
				URL: testservers.StartRabbit(t).URL(), Log: slog.New(slog.DiscardHandler), Kinds: []jobs.Kind{jobs.KindEligibility},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := q.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			return q
		},
	}
	for name, open := range queues {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flood(t, open(t))
		})
	}
}

func flood(t *testing.T, queue ports.Queue) {
	t.Helper()
	const crowd, parallel, turns = 5000, 16, 200
	log := slog.New(slog.DiscardHandler)
	relay := outboxrelay.New(queue, log)
	store := pgtest.Open(t, func(o *pgstore.Options) { o.Staged = relay.Staged })
	many, other := newScope(), newScope()
	stage := func(in billing.Scope, n int) {
		err := store.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			for range n {
				id := billing.NewID[billing.JobID](billing.RealAt(time.Now()))
				if err := tx.Outbox.Stage(ctx, jobs.Job{ID: id, Kind: jobs.KindEligibility, Scope: in, Subject: id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	var before atomic.Int32 // of the crowd
	begin, done := make(chan struct{}), make(chan struct{}, 10)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() { cancel(); all.Wait() })
	all.Go(func() { _ = relay.Run(ctx, store) })
	all.Go(func() {
		r := workers.NewRunner(store, queue, log, func(jobs.Kind, string, time.Duration) {})
		err := r.Run(ctx, workers.Handler{Kind: jobs.KindEligibility, Parallel: parallel, Do: func(ctx context.Context, j jobs.Job) error {
			<-begin
			return store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
				if j.Scope == other {
					done <- struct{}{}
					return tx.Outbox.Done(ctx, j.ID)
				}
				before.Add(1)
				return tx.Outbox.Postpone(ctx, j.ID, tx.Clock.Now().Add(time.Hour))
			})
		}})
		if err != nil {
			t.Error(err)
		}
	})
	for range crowd / 50 {
		stage(many, 50)
	}
	stage(other, 1)
	close(begin)
	receive(t, "the other organization's job", done)
	if n := before.Load(); n > turns {
		t.Errorf("it came after %d jobs of the crowd", n)
	}
}

func newScope() billing.Scope {
	return billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Mode: billing.ModeTest}
}
