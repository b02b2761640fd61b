package webhooks_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// rotatedUnderWay rotates the endpoint's secret while posts wait for the
// receiver's half of the handshake. The receiver verifies them with the new
// one.
func (b *fixture) rotatedUnderWay(r *receiver, e *webhook.Endpoint, posts func()) {
	b.t.Helper()
	begun, rotated := make(chan struct{}), make(chan struct{})
	begins := sync.OnceFunc(func() { close(begun) })
	r.greets(func() { begins(); <-rotated })
	var all sync.WaitGroup
	all.Go(posts)
	<-begun
	o := b.rotate(b.key(), e)
	if o.err != nil {
		b.t.Error(o.err)
	}
	e.Secret = o.Secret
	r.knows(e, nil)
	close(rotated)
	all.Wait()
}

func TestRotationUnderWay(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	r := newReceiver(t)
	e := b.endpoint()
	r.knows(e, nil)
	service := webhooks.New(b.store, r.client, b.clock)
	b.rotatedUnderWay(r, e, func() {
		if o := came(service.Ping(t.Context(), write(b.scope, call("ping"), attemptShown), e.ID)); o.err != nil || o.Code != 200 {
			t.Errorf("%+v", o)
		}
	})
	r.client.Close() // so that deliveries reconnect
	b.backlog(20)
	b.rotatedUnderWay(r, e, func() {
		b.webhookWorker(r.client)
		porttest.Await(b.t, "all is delivered", b.delivered(e))
	})
	for id, n := range r.times(e) {
		if n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
	}
}

// blind is a store whose secrets cannot be read for a while.
type blind struct {
	ports.Store
	left atomic.Int32
}

func (s *blind) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	if s.left.Add(-1) >= 0 {
		return errAway
	}
	return s.Store.View(ctx, scope, fn)
}

// TestSecretCannotBeRead has posts that cannot be signed. They are no attempts,
// and are repeated once they can be.
func TestSecretCannotBeRead(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	e := b.endpoint()
	b.backlog(3)
	s := &blind{Store: b.store}
	s.left.Store(5)
	p := b.processOn(s, b.outside, b.clock, &fault{}, make(chan struct{}))
	p.worked(e)
	b.exactlyOnce(e)
	if n := b.states(e)[webhook.DeliveryDelivered]; n != 3 {
		t.Errorf("%d are delivered", n)
	}
	if w := p.log.warned(); len(w) == 0 {
		t.Error("the operator reads nothing of it")
	}
	p.stop() // so that it reads no secret
	s.left.Store(1)
	service := webhooks.New(s, b.outside, b.clock)
	if o := came(service.Ping(t.Context(), write(b.scope, call("k"), attemptShown), e.ID)); o.err == nil {
		t.Errorf("%+v", o)
	}
	if o := came(service.Ping(t.Context(), write(b.scope, call("k"), attemptShown), e.ID)); o.err != nil || o.replayed || o.Code != 200 {
		t.Errorf("again with the key: %+v", o)
	}
}
