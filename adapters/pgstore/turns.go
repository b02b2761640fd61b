package pgstore

import (
	"context"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// turns assigns connections to the waiting transactions, one scope after the other.
// Without it, database/sql would serve a thousand requests of one organization
// before a later request of another.
type turns struct {
	mu      sync.Mutex
	free    int // connections
	waiting jobs.Turns[*waiter]
}

// waiter is a transaction that waits for its turn.
type waiter struct {
	turn chan struct{} // closed when the turn comes
	gone bool          // the transaction has given up
}

// acquire waits until the scope gets a connection. Release returns the connection.
func (t *turns) acquire(ctx context.Context, scope billing.Scope) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	w := &waiter{turn: make(chan struct{})}
	t.waiting.Put(scope, w)
	t.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-w.turn: // the turn came just as the context ended
		t.next()
	default:
		w.gone = true
	}
	return ctx.Err()
}

// release passes the connection to the next scope.
func (t *turns) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

func (t *turns) next() {
	for {
		w, ok := t.waiting.Take()
		switch {
		case !ok:
			t.free++
			return
		case !w.gone:
			close(w.turn)
			return
		}
	}
}

// length returns the number of waiting transactions. It may include some that have
// given up.
func (t *turns) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting.Len()
}
