package webhooks

import (
	"context"
	"sync"

	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// secrets reads an endpoint's secret for posts that are ready to be sent. One
// read serves every post that asked before it began: those of a lane become
// ready together, and a read for each would cost the store more than the lane
// itself.
type secrets struct {
	read ports.CurrentSecret

	reading sync.Mutex // held by the running read
	mu      sync.Mutex
	next    *secretRead // the read that has not begun; nil when no post waits for it
}

// secretRead is a read, with its result once done is closed.
type secretRead struct {
	done   chan struct{}
	secret webhook.Secret
	err    error
}

// current reads the secret; the read begins after the call. A failed read fails
// for every post that waited for it.
func (s *secrets) current(ctx context.Context) (webhook.Secret, error) {
	s.mu.Lock()
	r := s.next
	if r == nil {
		r = &secretRead{done: make(chan struct{})}
		s.next = r
		go s.begin(context.WithoutCancel(ctx), r)
	}
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.secret, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// begin reads once the running read has ended.
func (s *secrets) begin(ctx context.Context, r *secretRead) {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.mu.Lock()
	s.next = nil
	s.mu.Unlock()
	r.secret, r.err = s.read(ctx)
	close(r.done)
}
