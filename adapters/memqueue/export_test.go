package memqueue

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// Put publishes bytes.
func (b *Broker) Put(kind jobs.Kind, body []byte) { b.put(kind, billing.Scope{}, body) }

// Mailboxes counts open mailboxes.
func (q *Queue) Mailboxes() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.boxes)
}
