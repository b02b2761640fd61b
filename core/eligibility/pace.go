package eligibility

import (
	"context"
	"sync"
	"time"
)

// pace lets the checks of batches start one after the other. They come in bursts, and a check for
// which a person waits needs the processor meanwhile. Payers that are slow are not slowed down:
// only the starts are apart.
type pace struct {
	apart time.Duration

	mu   sync.Mutex
	next time.Time
}

// wait returns when the caller may start, or the error of ctx.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	at := time.Now()
	if p.next.After(at) {
		at = p.next
	}
	p.next = at.Add(p.apart)
	p.mu.Unlock()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
