package pgstore

import (
	"context"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// turns gives out the connections for transactions of one scope, to one scope
// after the other: database/sql would give them to whoever came first, and a
// thousand requests of one organization come before the next one's.
type turns struct {
	mu      sync.Mutex
	free    int // connections
	waiting jobs.Turns[*waiter]
}

// waiter is a transaction that waits for its turn.
type waiter struct {
	turn chan struct{} // closed when it has come
	gone bool          // the transaction waits no more
}

// take waits until it is the scope's turn; leave ends it.
func (t *turns) take(ctx context.Context, scope billing.Scope) error {
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

// leave gives the connection to whose turn it is.
func (t *turns) leave() {
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

// length is how many transactions wait, with those that have given up since.
func (t *turns) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting.Len()
}
