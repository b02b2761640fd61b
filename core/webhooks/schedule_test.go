package webhooks_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestSchedule fails a delivery until it is given up. Each attempt is made at
// its time, and none before.
func TestSchedule(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p, e := b.process(nil), b.endpoint()
	b.outside.at(e.URL, says(500))
	b.backlog(1)
	first := func() *webhook.Delivery { return b.deliveries(e)[0] }
	for n, delay := range []time.Duration{
		5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
		20 * time.Hour, 24 * time.Hour,
	} {
		p.worked(e)
		d := first()
		if len(d.Attempts) != n+1 || d.State != webhook.DeliveryPending {
			t.Fatalf("%d attempts of a %s delivery, want %d", len(d.Attempts), d.State, n+1)
		}
		wait := d.NextAttemptAt.Sub(d.Attempts[n].At)
		if least, most := delay*9/10-time.Millisecond, delay*11/10+time.Millisecond; wait < least || wait > most {
			t.Errorf("attempt %d comes %v after the one before, want %v and a tenth more or less", n+2, wait, delay)
		}
		b.clock.To(d.NextAttemptAt.Add(-2 * time.Second))
		p.worked(e)
		if n := len(first().Attempts); n != len(d.Attempts) {
			t.Fatalf("attempt %d was made before its time", n)
		}
		b.clock.To(d.NextAttemptAt)
		if n := b.sweep(p); n != 1 {
			t.Errorf("%d lanes are due, want one", n)
		}
		p.quiet()
	}
	d := first()
	if d.State != webhook.DeliveryFailed || len(d.Attempts) != 11 || !d.NextAttemptAt.IsZero() {
		t.Errorf("after the last attempt: %+v", d)
	}
	b.inOrder(d)
	b.clock.Advance(48 * time.Hour)
	if n := b.sweep(p); n != 0 {
		t.Errorf("%d lanes are due", n)
	}
	if p.worked(e); len(b.outside.got(e.URL)) != 11 || b.get(e).Status != webhook.EndpointEnabled {
		t.Errorf("%d posts", len(b.outside.got(e.URL)))
	}
}

// TestGone has a receiver respond that it is gone. It gets nothing further, and
// what waits goes out when the endpoint is enabled.
func TestGone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p, e := b.process(nil), b.endpoint()
	b.outside.at(e.URL, says(410))
	b.backlog(20)
	p.worked(e)
	posts := len(b.outside.got(e.URL))
	if s := b.get(e).Status; s != webhook.EndpointDisabled || posts > b.pace.InFlight {
		t.Errorf("it is %s after %d posts", s, posts)
	}
	if n := b.states(e); n[webhook.DeliveryPending] != 20 {
		t.Errorf("the deliveries are %v", n)
	}
	b.clock.Advance(time.Hour)
	if n := b.sweep(p); n != 0 {
		t.Errorf("%d lanes are called", n)
	}
	b.call(p.Call)
	b.happens()
	p.worked(e)
	if n := len(b.outside.got(e.URL)); n != posts || len(b.deliveries(e)) != 20 {
		t.Errorf("%d posts and %d deliveries of a disabled endpoint, want %d and 20", n, len(b.deliveries(e)), posts)
	}
	b.outside.at(e.URL, nil)
	if off := b.get(e); off.DisabledBy != webhook.DisabledByGone || !off.DeliveredAt.IsZero() {
		t.Errorf("it is disabled because of %q, and its last success was at %s", off.DisabledBy, off.DeliveredAt)
	}
	b.status(e, webhook.EndpointEnabled)
	if on := b.get(e); on.Health != (webhook.EndpointHealth{}) || on.DisabledBy != "" {
		t.Errorf("it starts anew with %+v and %q", on.Health, on.DisabledBy)
	}
	porttest.Await(b.t, "what waited is delivered", b.delivered(e))
	last := b.deliveries(e)[19].Attempts
	if at := b.get(e).DeliveredAt; at.IsZero() || last[len(last)-1].URL != e.URL {
		t.Errorf("after a success, its last success is at %s, and the attempt called %q", at, last[len(last)-1].URL)
	}
	p.quiet()
	b.exactlyOnce(e)
}

// tries counts the recorded attempts at the endpoint.
func (b *fixture) tries(e *webhook.Endpoint) (n int) {
	b.t.Helper()
	for _, d := range b.deliveries(e) {
		n += len(d.Attempts)
	}
	return n
}

// broken fails at an endpoint until its circuit opens, with more deliveries
// due.
func (b *fixture) broken(p *process, events int) *webhook.Endpoint {
	b.t.Helper()
	e := b.endpoint()
	b.outside.at(e.URL, says(500))
	b.backlog(events)
	p.worked(e)
	if n, h := b.tries(e), b.get(e).Health; n < 10 || n > 9+b.pace.InFlight || h.Failures != n || !h.Open() {
		b.t.Fatalf("after %d attempts the health is %+v", n, h)
	}
	return e
}

// TestCircuit breaks an endpoint. It gets a single post every 30 seconds, until
// one succeeds; then all that waited goes out.
func TestCircuit(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e := b.broken(p, 30)
	b.call(p.Call)
	for round := range 5 {
		tries, open := b.tries(e), b.get(e).Health.CircuitUntil
		if wait := open.Sub(b.clock.Now()); wait < 20*time.Second || wait > 30*time.Second {
			t.Errorf("the next probe is to come after %v", wait)
		}
		b.clock.To(open.Add(-2 * time.Second))
		b.happens() // and calls
		p.worked(e)
		if n, called := b.tries(e), b.sweep(p); n != tries || called != 0 {
			t.Fatalf("round %d: %d attempts while the circuit is open, want %d; %d lanes called", round, n, tries, called)
		}
		b.clock.To(open)
		if n := b.sweep(p); n != 1 {
			t.Errorf("round %d: %d lanes are called", round, n)
		}
		p.quiet()
		p.worked(e)
		if n, h := b.tries(e), b.get(e).Health; n != tries+1 || h.Failures != n || n != len(b.outside.got(e.URL)) {
			t.Fatalf("round %d: %d attempts, want a single probe more than %d; %+v", round, n, tries, h)
		}
	}
	b.outside.at(e.URL, nil)
	b.clock.To(b.get(e).Health.CircuitUntil)
	p.worked(e)
	for _, d := range b.deliveries(e) {
		if d.State != webhook.DeliveryDelivered && d.NextAttemptAt.Before(b.clock.Now().Add(-time.Minute)) {
			t.Errorf("a delivery waits that is due since %v", d.NextAttemptAt)
		}
	}
	if h := b.get(e).Health; h != (webhook.EndpointHealth{}) {
		t.Errorf("after a success: %+v", h)
	}
	b.clock.Advance(time.Hour)
	if p.worked(e); !b.delivered(e)() {
		t.Errorf("the deliveries are %v", b.states(e))
	}
	b.exactlyOnce(e)
}

// TestSlowProbe has a probe that lasts longer than the circuit pauses.
func TestSlowProbe(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e := b.broken(p, 20)
	release := make(chan struct{})
	b.outside.at(e.URL, holds(release, says(200)))
	b.clock.To(b.get(e).Health.CircuitUntil)
	tries := b.tries(e)
	p.looks(e)
	porttest.Await(b.t, "the probe is under way", func() bool { now, _ := b.outside.underway(e.URL); return now == 1 })
	for range 3 {
		b.clock.Advance(time.Minute)
		b.sweep(p)
		p.looks(e)
		b.still(p, "a lane that waits for its probe", 1)
	}
	if now, _ := b.outside.underway(e.URL); now != 1 || b.tries(e) != tries {
		t.Errorf("%d posts are under way", now)
	}
	close(release)
	p.quiet()
	if n := b.states(e); n[webhook.DeliveryDelivered] != 20 {
		t.Errorf("the deliveries are %v", n)
	}
	b.exactlyOnce(e)
}

// TestStartingAnew opens the circuit, and the owner fixes that: what waits goes
// out at once.
func TestStartingAnew(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for name, does := range map[string]func(e *webhook.Endpoint){
		"enabled": func(e *webhook.Endpoint) {
			b.status(e, webhook.EndpointDisabled)
			b.status(e, webhook.EndpointEnabled)
		},
		"another URL": func(e *webhook.Endpoint) { b.move(e); b.outside.at(e.URL+"/new", nil) },
	} {
		p := b.process(nil)
		e := b.broken(p, 30)
		tries := b.tries(e)
		b.outside.at(e.URL, nil)
		b.call(p.Call)
		does(e)
		p.quiet()
		if n := b.states(e)[webhook.DeliveryDelivered]; n < 30-tries {
			t.Errorf("%s: %d are delivered, want %d that were never tried", name, n, 30-tries)
		}
		if h := b.get(e).Health; h != (webhook.EndpointHealth{}) {
			t.Errorf("%s: %+v", name, h)
		}
		b.call(nil)
		b.removed(e)
	}
}
