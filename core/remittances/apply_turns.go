package remittances

import (
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// turns lets one job of a scope work at a time, in this process.
type turns struct {
	mu   sync.Mutex
	held map[billing.Scope]bool // the scopes at work: whether a job has come meanwhile
}

// take takes the turn of the scope; it reports false when another job has it,
// which then looks once more before it leaves.
func (t *turns) take(scope billing.Scope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, held := t.held[scope]
	t.held[scope] = held
	return !held
}

// leave gives the turn back; it reports false when a job has come meanwhile.
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

// drop gives the turn back whatever has come.
func (t *turns) drop(scope billing.Scope) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, scope)
}

// waits is since when remittances wait for a batch to be noted as sent, as far
// as this process knows. The batch's own job does that within seconds, unless
// the network is away. Another process, and this one after a restart, waits
// anew.
type waits struct {
	mu    sync.Mutex
	since map[billing.ERAID]time.Time
}

// wait reports whether the remittance is to wait, which it does from the first
// call on.
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

// forget forgets a remittance, which is done.
func (w *waits) forget(era billing.ERAID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.since, era)
}
