package sandbox_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	clock "github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// mortal is a store whose process dies after some transactions.
type mortal struct {
	*pgstore.Store

	left atomic.Int32
	die  context.CancelFunc
}

// System runs a transaction, the last of which is committed, too.
func (m *mortal) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := m.Store.System(ctx, fn)
	if m.left.Add(-1) == 0 {
		m.die()
	}
	return err
}

// reset begins a reset, and returns its job.
func (b *fixture) reset() jobs.Job {
	b.t.Helper()
	reply, err := b.Reset(b.t.Context(), idempotency.Write[*clock.Status]{
		Call:   caller.Call{Scope: b.scope, Request: caller.Request{Key: "reset"}},
		Render: func(s *clock.Status, _ error) caller.Reply { return caller.Reply{Status: 202, Body: s.Data()} },
	}, b.scope.Org.String())
	if err != nil || reply.Status != 202 {
		b.t.Fatalf("%s, %v", reply.Body, err)
	}
	return <-b.staged
}

// write writes a row.
func (b *fixture) write(ctx context.Context, tx ports.Tx) error {
	return tx.PayerRequests.Insert(ctx, &attachment.PayerRequest{
		ID: billing.NewID[billing.PayerRequestID](tx.Real.Now()), Scope: b.scope, State: attachment.PayerRequestOpen, Source: attachment.SourceStaff,
		Payer: directory.PayerSummary{ID: billing.PayerID{1}, PayerID: "P", Name: "P"}, ReferenceNumber: "R", Requested: "R", CreatedAt: tx.Clock.Now(),
	})
}

// wantNothing checks that no row is left.
func (b *fixture) wantNothing() {
	b.t.Helper()
	left := porttest.Read(b.t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) ([]*attachment.PayerRequest, error) {
		return tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{}, billing.Page{Limit: 10})
	})
	if len(left) != 0 {
		b.t.Errorf("%d rows are left", len(left))
	}
}

// TestResetOfAProcessThatDies dies after each transaction in turn, and goes on.
func TestResetOfAProcessThatDies(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	porttest.In(t, b.store, b.scope, b.write)
	job := b.reset()
	deaths := int32(0)
	for {
		ctx, die := context.WithCancel(t.Context())
		dying := &mortal{Store: b.store, die: die}
		dying.left.Store(deaths + 1)
		s := sandbox.New(dying, memqueue.NewBroker().Open(), b.blobs, sandbox.Clearinghouses{}, b.logger)
		err := s.DriveReset(ctx, job)
		if err == nil {
			break
		}
		if deaths++; !errors.Is(err, context.Canceled) || deaths > 20 {
			t.Fatalf("after %d deaths: %v", deaths, err)
		}
	}
	if deaths < 4 {
		t.Errorf("it took %d transactions", deaths)
	}
	s, err := b.Clock(t.Context(), b.scope)
	if err != nil || s.Clock.State() != clock.Ready || s.Pending != 0 {
		t.Errorf("%s, %v", s.Data(), err)
	}
	b.wantNothing()
	if err := b.DriveReset(t.Context(), job); err != nil {
		t.Errorf("the job once more: %v", err)
	}
}

// TestResetWaits waits for a transaction that began before it, and removes what that writes.
// A transaction that begins later writes nothing.
func TestResetWaits(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	begun, goOn, committed := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		committed <- b.store.InTx(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
			_ = tx.Clock.Now() // it has begun, and has written nothing
			close(begun)
			<-goOn
			return b.write(ctx, tx)
		})
	}()
	<-begun
	job := b.reset()
	looks, driven := &mortal{Store: b.store}, make(chan error, 1)
	s := sandbox.New(looks, memqueue.NewBroker().Open(), b.blobs, sandbox.Clearinghouses{}, b.logger)
	go func() { driven <- s.DriveReset(t.Context(), job) }()
	porttest.Await(t, "the reset looks again and again", func() bool {
		if len(driven) > 0 {
			t.Fatalf("the reset did not wait: %v", <-driven)
		}
		return looks.left.Load() < -12 // more than it needs without a wait
	})
	if err := b.store.InTx(t.Context(), b.scope, b.write); !billing.IsResetting(err) {
		t.Errorf("a write meanwhile: %v", err)
	}
	close(goOn)
	if err := <-committed; err != nil {
		t.Errorf("the write that had begun: %v", err)
	}
	if err := <-driven; err != nil {
		t.Fatal(err)
	}
	b.wantNothing()
}
