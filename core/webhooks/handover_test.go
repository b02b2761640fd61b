package webhooks_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// everyMoment runs a test for each transaction of a lane's life, before it and
// after its commit, until the lane makes no more of them.
func everyMoment(t *testing.T, test func(t *testing.T, f *fault, now func(func()))) {
	t.Helper()
	for _, when := range []string{"before", "after"} {
		reached := 0
		for ; reached < 30; reached++ {
			f := &fault{at: reached, only: "InTx"}
			test(t, f, func(happens func()) {
				if when == "before" {
					f.then = happens
				} else {
					f.after = happens
				}
			})
			if f.reached() == "" {
				break
			}
			if t.Failed() {
				t.Fatalf("%s transaction %d of the lane", when, reached)
			}
		}
		if reached < 3 {
			t.Fatalf("a lane has %d transactions, want one that takes it, one that records and one that leaves", reached)
		}
	}
}

// TestCallAtAnyMoment commits an event, and calls the process with the lane, at
// every moment of the lane's life. It is delivered without another call.
func TestCallAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	everyMoment(t, func(t *testing.T, f *fault, at func(func())) {
		t.Helper()
		at(func() { b.happens() })
		p := b.process(f)
		defer p.stop()
		e := b.endpoint()
		b.call(p.Call)
		b.happens()
		porttest.Await(b.t, "the lane ends", func() bool { return p.Lanes() == 0 && b.delivered(e)() })
		b.call(nil)
		want := map[bool]int{true: 1, false: 2}[f.reached() == ""]
		if n := len(b.deliveries(e)); n != want {
			t.Errorf("%d deliveries, want %d", n, want)
		}
		b.exactlyOnce(e)
		b.removed(e)
	})
}

// TestCallOfAnotherAtAnyMoment calls a process without the lane. The event is
// delivered after one more call, at most, as the relay makes it.
func TestCallOfAnotherAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	other := b.process(nil)
	everyMoment(t, func(t *testing.T, f *fault, at func(func())) {
		t.Helper()
		at(func() {
			b.call(other.Call)
			b.happens()
			other.quiet()
		})
		p := b.process(f)
		defer p.stop()
		e := b.endpoint()
		b.call(p.Call)
		b.happens()
		p.quiet()
		other.quiet()
		b.call(nil)
		b.sweep(other)
		other.quiet()
		if n := b.states(e); n[webhook.DeliveryDelivered] == 0 || n[webhook.DeliveryPending] > 0 {
			t.Errorf("the deliveries are %v", n)
		}
		b.exactlyOnce(e)
		b.removed(e)
	})
}

// TestCallsArePassedOn sends all calls to a process without the lane. The
// holder, which polls rarely, delivers at once.
func TestCallsArePassedOn(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.pace.Linger = time.Hour
	a := b.process(nil)
	other := b.process(nil)
	e := b.endpoint()
	a.looks(e)
	porttest.Await(b.t, "the lane is held", func() bool { return b.holder(e) != "" })
	holder := b.holder(e)
	b.call(other.Call)
	const events = 30
	for n := range events {
		event := b.happens()
		porttest.Await(b.t, fmt.Sprintf("event %d comes", n), func() bool { return b.outside.timesOf(e.URL, event.ID) == 1 })
		other.quiet()
	}
	porttest.Await(b.t, "all is delivered", b.delivered(e))
	b.exactlyOnce(e)
	if now := b.holder(e); now != holder {
		t.Errorf("the lane went from %s to %s", holder, now)
	}
	if n := other.fault.count("InTx"); n != events {
		t.Errorf("%d calls were passed on in %d transactions, want one each", events, n)
	}
}

// TestCallWhileOneIsPassedOn commits a second event while the call of the first
// is passed on, and its holder has finished that.
func TestCallWhileOneIsPassedOn(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.pace.Linger = time.Hour
	a := b.process(nil)
	e := b.endpoint()
	a.looks(e)
	porttest.Await(b.t, "the lane is held", func() bool { return b.holder(e) != "" })
	f := &fault{only: "Reply"}
	f.after = func() {
		porttest.Await(b.t, "the first is delivered", b.delivered(e))
		b.still(a, "a lane with nothing to do", 0)
		b.happens()
	}
	other := b.process(f)
	b.call(other.Call)
	b.happens()
	porttest.Await(b.t, "both are delivered", func() bool {
		return b.states(e)[webhook.DeliveryDelivered] == 2
	})
	b.exactlyOnce(e)
}

// TestCallOfOneThatLostTheLane calls a process that still believes that it has
// the lane. The call shows that it has not.
func TestCallOfOneThatLostTheLane(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.pace.Linger = time.Hour
	a, other := b.process(nil), b.process(nil)
	e := b.endpoint()
	a.looks(e)
	porttest.Await(b.t, "the lane is held", func() bool { return b.holder(e) != "" })
	b.lapse(e)
	first := b.holder(e)
	other.looks(e)
	porttest.Await(b.t, "the other has it", func() bool { h := b.holder(e); return h != "" && h != first })
	b.still(other, "a lane with nothing to do", 0)
	b.clock.Advance(b.pace.Lease) // the first has to renew
	b.call(a.Call)
	b.happens()
	porttest.Await(b.t, "it is delivered", b.delivered(e))
	a.quiet()
	b.exactlyOnce(e)
}

// TestTakeover pauses the process with the lane at each of its transactions,
// during posts, until another has its lane. It posts nothing more, and its late
// results do no harm.
func TestTakeover(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const events = 12
	everyMoment(t, func(t *testing.T, f *fault, at func(func())) {
		t.Helper()
		e := b.endpoint()
		b.backlog(events)
		stopped, goOn := make(chan struct{}), make(chan struct{})
		at(func() { close(stopped); <-goOn })
		a, other := b.process(f), b.process(nil)
		defer a.stop()
		defer other.stop()
		a.looks(e)
		porttest.Await(b.t, "it stops, or ends", func() bool {
			select {
			case <-stopped:
				return true
			default:
				return a.Lanes() == 0
			}
		})
		if f.reached() == "" {
			b.removed(e)
			return
		}
		b.lapse(e)
		other.worked(e)
		posted := a.fault.count("Post")
		b.clock.Advance(b.pace.Lease) // as long as it was away
		close(goOn)
		a.quiet()
		if n := a.fault.count("Post") - posted; n > b.pace.InFlight {
			t.Errorf("the old holder posted %d times more, which is more than it had read", n)
		}
		if n := b.states(e); n[webhook.DeliveryDelivered] != events {
			t.Errorf("the deliveries are %v", n)
		}
		twice := 0
		for _, d := range b.deliveries(e) {
			twice += b.outside.timesOf(e.URL, d.EventID) - 1
			if len(d.Attempts) != 1 {
				t.Errorf("%d attempts are on record of a delivery that succeeded at once", len(d.Attempts))
			}
		}
		if twice > b.pace.InFlight {
			t.Errorf("%d events came twice, which is more than were in flight", twice)
		}
		b.removed(e)
	})
}

// TestLeaseIsRenewed has a post that lasts longer than the lease of its lane.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.pace.Lease = 300 * time.Millisecond
	p, e, release := b.process(nil), b.endpoint(), make(chan struct{})
	b.outside.at(e.URL, holds(release, says(200)))
	b.backlog(1)
	p.looks(e)
	porttest.Await(b.t, "the lease is renewed again and again", func() bool { return p.fault.count("Take") >= 5 })
	if now, _ := b.outside.underway(e.URL); now != 1 || len(b.outside.got(e.URL)) != 1 {
		t.Errorf("%d posts are under way, of %d", now, len(b.outside.got(e.URL)))
	}
	close(release)
	p.quiet()
	b.exactlyOnce(e)
}

// TestOneHolder calls lanes of two processes at random, during events. Without
// faults nothing is posted twice, so nothing was held twice.
func TestOneHolder(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var scopes []billing.Scope
	var endpoints []*webhook.Endpoint
	for range 4 {
		scopes = append(scopes, porttest.Organization(b.t, b.store, billing.ModeTest))
		for range 5 {
			endpoints = append(endpoints, b.endpointOf(scopes[len(scopes)-1]))
		}
	}
	processes := []*process{b.process(nil), b.process(nil)}
	var turn sync.Mutex
	n := 0
	b.call(func(j jobs.Job) {
		turn.Lock()
		defer turn.Unlock()
		n++
		processes[n/3%2].Call(j)
	})
	var all sync.WaitGroup
	for _, scope := range scopes {
		all.Go(func() {
			for range 25 {
				b.happensIn(scope)
			}
		})
	}
	all.Wait()
	porttest.Await(b.t, "all is delivered", func() bool {
		b.sweep(processes[0])
		for _, e := range endpoints {
			if !b.delivered(e)() {
				return false
			}
		}
		return true
	})
	for _, e := range endpoints {
		if d := b.deliveries(e); len(d) != 25 {
			t.Errorf("%d deliveries, want 25", len(d))
		}
		b.exactlyOnce(e)
	}
	for _, p := range processes {
		p.quiet()
		if p.fault.count("Post") == 0 {
			t.Error("one process did everything")
		}
	}
}
