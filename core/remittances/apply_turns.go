package remittances

import (
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// turns lets one job of a scope work at a time in this process.
type turns struct {
	mu   sync.Mutex
	held map[billing.Scope]bool // the working scopes: whether a job came meanwhile
}

// take acquires the turn of the scope. It returns false when another job has
// it; that job then looks once more before it leaves.
func (t *turns) take(scope billing.Scope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, held := t.held[scope]
	t.held[scope] = held
	return !held
}

// leave ends the turn; it returns false when a job came meanwhile.
func (t *turns) leave(scope billing.Scope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held[scope] {
		t.held[scope] = false
		return false
	}
	delete(t.held, scope)
	return true
}

// drop ends the turn in any case.
func (t *turns) drop(scope billing.Scope) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, scope)
}

// waits records since when remittances wait for a batch to be recorded as sent,
// in this process. The batch's own job records that within seconds, unless the
// network is down. Another process, or this one after a restart, waits from the
// start.
type waits struct {
	mu    sync.Mutex
	since map[billing.ERAID]time.Time
}

// wait reports whether the remittance must wait; its wait begins with the first
// call.
func (w *waits) wait(era billing.ERAID, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	since, waiting := w.since[era]
	if !waiting {
		since = now
		w.since[era] = now
	}
	return now.Sub(since) < billing.ERABatchWait
}

// forget removes a remittance that is done.
func (w *waits) forget(era billing.ERAID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.since, era)
}
