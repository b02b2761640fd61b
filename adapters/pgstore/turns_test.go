package pgstore_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// TestConnectionsInTurn has many transactions of one organization wait when the
// first of another one arrives. That one is second at the latest. Keys are
// looked up meanwhile.
func TestConnectionsInTurn(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t, func(o *pgstore.Options) { o.MaxConns = 2 }) // one of them for System
	a, b := scope(), scope()
	var mu sync.Mutex
	var order []billing.Scope
	var all sync.WaitGroup
	held, release := make(chan struct{}), make(chan struct{})
	run := func(ctx context.Context, in billing.Scope) {
		all.Go(func() {
			_ = s.InTx(ctx, in, func(context.Context, ports.Tx) error {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, in)
				return nil
			})
		})
	}
	all.Go(func() {
		_ = s.InTx(t.Context(), a, func(context.Context, ports.Tx) error {
			close(held)
			<-release
			return nil
		})
	})
	<-held
	given, cancel := context.WithCancel(t.Context())
	const crowd = 500
	for range crowd {
		run(t.Context(), a)
		run(given, a) // a transaction that no caller waits for any more
	}
	s.AwaitWaiting(t.Context(), 2*crowd)
	cancel()
	run(t.Context(), b)
	s.AwaitWaiting(t.Context(), 2*crowd+1)
	if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Orgs.List(ctx)
		return err
	}); err != nil {
		t.Errorf("System, while all connections of scopes are in use: %v", err)
	}
	close(release)
	all.Wait()
	if len(order) != crowd+1 {
		t.Errorf("%d transactions ran, want %d", len(order), crowd+1)
	}
	if turn := slices.Index(order, b); turn > 1 {
		t.Errorf("the other organization came after %d transactions", turn)
	}
}
