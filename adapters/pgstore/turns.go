package pgstore

import (
	"context"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// turns assigns the connections for transactions to one scope after the other.
// database/sql would serve them in order of arrival: a thousand requests of one
// organization before the next one's.
type turns struct {
	mu      sync.Mutex
	free    int // connections
	waiting jobs.Turns[*waiter]
}

// waiter is a transaction that waits for its turn.
type waiter struct {
	turn chan struct{} // closed when the turn comes
	gone bool          // the transaction waits no more
}

// acquire waits for the scope's turn. Release ends the turn.
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
	case <-w.turn: // at the same moment
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

// length returns the number of waiting transactions, including some that have
// given up.
func (t *turns) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting.Len()
}
