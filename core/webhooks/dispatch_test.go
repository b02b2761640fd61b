package webhooks_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestEventsAreDelivered(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	b.call(p.Call)
	every, some := b.endpoint(), b.endpoint(event.ClaimPaid, event.ClaimDenied)
	other, disabled, foreign := b.endpoint(event.ClaimDenied), b.endpoint(), b.endpointOf(porttest.Organization(b.t, b.store, billing.ModeTest))
	live := b.endpointOf(billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive})
	b.status(disabled, webhook.EndpointDisabled)
	var events []*event.Event
	for range 20 {
		events = append(events, b.happens())
	}
	for _, e := range []*webhook.Endpoint{every, some} {
		porttest.Await(b.t, "all is delivered", b.delivered(e))
		if d := b.deliveries(e); len(d) != len(events) {
			t.Errorf("%d deliveries, want %d", len(d), len(events))
		}
		b.exactlyOnce(e)
		for _, ev := range events {
			if n := b.outside.timesOf(e.URL, ev.ID); n != 1 {
				t.Errorf("%s came %d times", ev.ID, n)
			}
		}
		if got := b.outside.got(e.URL); len(got) > 0 {
			b.is(got[0], e, events)
		}
	}
	p.quiet()
	for _, e := range []*webhook.Endpoint{other, disabled, foreign, live} {
		if d, got := b.deliveries(e), b.outside.got(e.URL); len(d) > 0 || len(got) > 0 {
			t.Errorf("%d queued and %d posted for an endpoint that does not take them", len(d), len(got))
		}
		if h := b.holder(e); h != "" {
			t.Errorf("the lane is held by %s", h)
		}
	}
}

// TestPostsAtOnce fills a lane whose receiver answers nothing. It holds so many
// posts and not one more, costs nothing while it waits, and goes on where one
// ends.
func TestPostsAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e, release := b.endpoint(), make(chan struct{})
	one := make(chan struct{})
	b.outside.at(e.URL, func(ctx context.Context, n int) webhook.Attempt {
		select {
		case one <- struct{}{}:
			return webhook.Attempt{Status: 200}
		case <-release:
			return webhook.Attempt{Status: 200}
		case <-ctx.Done():
			return webhook.Attempt{Error: "the attempt was cut off"}
		}
	})
	events := b.backlog(20)
	p.looks(e)
	full := func() bool { now, _ := b.outside.underway(e.URL); return now == b.pace.InFlight }
	porttest.Await(b.t, "the lane is full", full)
	b.still(p, "a full lane", 0)
	for range 100 {
		p.looks(e)
	}
	b.still(p, "a full lane that is called", 1)
	<-one
	porttest.Await(b.t, "another one is posted", func() bool { return len(b.outside.got(e.URL)) == b.pace.InFlight+1 })
	porttest.Await(b.t, "the lane is full again", full)
	close(release)
	porttest.Await(b.t, "all is delivered", b.delivered(e))
	p.quiet()
	b.exactlyOnce(e)
	if _, most := b.outside.underway(e.URL); most != b.pace.InFlight || len(b.deliveries(e)) != len(events) {
		t.Errorf("%d posts at once, want %d", most, b.pace.InFlight)
	}
}

// TestUnusableSecret delivers to an endpoint whose secret was encrypted with
// another key: it says so, and a new secret fixes it.
func TestUnusableSecret(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e := b.endpoint()
	b.exec("UPDATE webhook_endpoints SET secret = sha512('') WHERE id = $1", e.ID)
	b.backlog(1)
	p.worked(e)
	d := b.deliveries(e)[0]
	if len(d.Attempts) != 1 || d.Attempts[0].Error != "the endpoint's secret cannot be used; rotate it" || d.Attempts[0].At.IsZero() || d.State != webhook.DeliveryPending {
		t.Fatalf("%+v", d)
	}
	if a := b.ping(b.key(), e); a.err != nil || a.Error != d.Attempts[0].Error {
		t.Errorf("ping: %+v", a)
	}
	if n := len(b.outside.got(e.URL)); n != 0 {
		t.Errorf("%d posts without a signature", n)
	}
	if o := b.rotate(b.key(), e); o.err != nil || o.Secret == "" {
		t.Fatalf("rotate: %+v", o)
	}
	b.clock.Advance(6 * time.Second)
	p.worked(e)
	if d := b.deliveries(e)[0]; d.State != webhook.DeliveryDelivered {
		t.Errorf("after a rotation: %+v", d)
	}
}
