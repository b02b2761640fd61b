package webhooks_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports/porttest"
)

// everyEnding runs a test for each call of a process and each ending of that
// call, until the work ends without reaching the call.
func everyEnding(t *testing.T, least int, test func(t *testing.T, b *fixture, f *fault)) {
	t.Helper()
	for how := diesBefore; how <= failsAfter; how++ {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			met := map[string]bool{}
			reached := 0
			for ; reached < 60; reached++ {
				f := &fault{at: reached, how: how}
				test(t, b, f)
				name := f.reached()
				if name == "" {
					break
				}
				if met[name] = true; t.Failed() {
					t.Fatalf("the process %s call %d, %s", how, f.at, name)
				}
			}
			if reached < least {
				t.Fatalf("%d calls were reached, want %d at least", reached, least)
			}
			t.Logf("the process %s each of %d calls: %v", how, reached, met)
		})
	}
}

// TestLaneDiesAnywhere ends each call that a lane makes, with or without its
// process, while the receiver fails at first. Everything is delivered in every
// case, and twice only what was in flight. After a failed call the same process
// continues: each post is recorded once.
func TestLaneDiesAnywhere(t *testing.T) {
	t.Parallel()
	const events = 3
	everyEnding(t, 15, func(t *testing.T, b *fixture, f *fault) {
		t.Helper()
		b.pace.InFlight = events - 1
		e := b.endpoint()
		b.outside.at(e.URL, firstSays(503))
		b.backlog(events)
		b.workedOff(b.process(f), e)
		b.survived(t, e, f, events)
		b.removed(e)
	})
}

// workedOff lets the process serve the lane, and another one when it dies. A
// lease that no process can release ends.
func (b *fixture) workedOff(p *process, e *webhook.Endpoint) {
	b.t.Helper()
	defer p.stop()
	for range 8 {
		if p.fault.isDead() {
			heir := b.process(nil)
			defer heir.stop()
			p = heir
		}
		b.lapse(e)
		if p.worked(e); b.delivered(e)() && !p.fault.isDead() {
			return
		}
		b.clock.Advance(70 * time.Second) // past the second retry
	}
	b.t.Errorf("the deliveries are %v", b.states(e))
}

// survived checks that all of the endpoint's deliveries were delivered in the
// end, despite the fault of a process.
func (b *fixture) survived(t *testing.T, e *webhook.Endpoint, f *fault, events int) {
	t.Helper()
	all := b.deliveries(e)
	if len(all) != events {
		t.Errorf("%d deliveries, want %d", len(all), events)
	}
	lost := 0
	for _, d := range all {
		b.inOrder(d)
		lost += b.outside.timesOf(e.URL, d.EventID) - len(d.Attempts)
	}
	want := 0
	switch {
	case f.how.dies():
		want = b.pace.InFlight
	case f.how == failsBefore && f.reached() == "Post":
		lost++ // it is recorded and did not reach the receiver
	}
	if lost < 0 || lost > want {
		t.Errorf("%d posts are not on record, want %d at most", lost, want)
	}
	if h := b.get(e).Health; h != (webhook.EndpointHealth{}) {
		t.Errorf("the endpoint's health is %+v when all is well", h)
	}
}

// TestPassingOnDiesAnywhere ends each call of a process that is called for
// another's lane. The holder of the lane delivers the event, at once or when
// the relay calls again.
func TestPassingOnDiesAnywhere(t *testing.T) {
	t.Parallel()
	everyEnding(t, 3, func(t *testing.T, b *fixture, f *fault) {
		t.Helper()
		quick := b.pace
		b.pace.Linger = time.Hour
		holder, e := b.process(nil), b.endpoint()
		defer holder.stop()
		holder.looks(e)
		porttest.Await(b.t, "the lane is held", func() bool { return b.holder(e) != "" })
		p := b.process(f)
		defer p.stop()
		b.call(p.Call)
		b.happens()
		p.quiet()
		holder.stop()
		b.call(nil)
		b.pace = quick
		b.workedOff(b.process(nil), e)
		if n := len(b.deliveries(e)); n != 1 {
			t.Errorf("%d deliveries", n)
		}
		b.exactlyOnce(e)
		b.removed(e)
	})
}

// TestStoreIsAway takes the store away during posts and events, more than once.
// Nothing is posted twice, and everything is recorded.
func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p, e := b.process(nil), b.endpoint()
	b.outside.at(e.URL, firstSays(500))
	b.call(p.Call)
	for range 3 {
		release := make(chan struct{})
		b.outside.at(e.URL, holds(release, firstSays(500)))
		b.backlog(5)
		p.looks(e)
		porttest.Await(b.t, "posts are under way", func() bool { now, _ := b.outside.underway(e.URL); return now == b.pace.InFlight })
		p.fault.leave(true)
		for range 3 {
			b.happens()
		}
		close(release)
		failed := p.fault.count("InTx")
		porttest.Await(b.t, "the lane has tried again", func() bool { return p.fault.count("InTx") > failed+2 })
		porttest.Await(b.t, "no post without a store", func() bool { now, _ := b.outside.underway(e.URL); return now == 0 })
		p.fault.leave(false)
		p.quiet()
		b.clock.Advance(10 * time.Minute)
		p.worked(e)
		b.clock.Advance(10 * time.Minute)
		p.worked(e)
	}
	if n := b.states(e); n[webhook.DeliveryDelivered] != 24 || len(n) != 1 {
		t.Errorf("the deliveries are %v", n)
	}
	b.exactlyOnce(e)
}
