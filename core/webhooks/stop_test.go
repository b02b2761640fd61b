package webhooks_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports/porttest"
)

// stopping ends the process and returns a channel that is closed once it has
// ended.
func (p *process) stopping() <-chan struct{} {
	ended := make(chan struct{})
	go func() { defer close(ended); p.stop() }()
	return ended
}

// TestStop ends a process during posts. Posts that end in time are recorded. A
// hanging post is interrupted, does not count, and is repeated by the next
// process, which need not wait for a lease to end.
func TestStop(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p, e, idle := b.process(nil), b.endpoint(), b.endpoint(event.ClaimDenied)
	one := make(chan struct{})
	b.outside.at(e.URL, holds(one, says(200)))
	events := b.backlog(10)
	p.looks(e)
	porttest.Await(b.t, "the lane is full", func() bool { now, _ := b.outside.underway(e.URL); return now == b.pace.InFlight })
	b.clock.Advance(b.pace.Lease / 2)
	p.looks(idle)
	ended := p.stopping()
	porttest.Await(b.t, "the process stops", func() bool { return !p.Running() })
	p.looks(e) // the process has stopped
	one <- struct{}{}
	<-ended
	n := b.states(e)
	if n[webhook.DeliveryDelivered] != 1 || n[webhook.DeliveryPending] != 9 || b.tries(e) != 1 {
		t.Errorf("the deliveries are %v with %d attempts", n, b.tries(e))
	}
	for _, e := range []*webhook.Endpoint{e, idle} {
		if h := b.holder(e); h != "" {
			t.Errorf("the lane is held by %s", h)
		}
	}
	if w := p.log.warned(); len(w) > 0 || p.Lanes() > 0 || p.fault.open(0) > 0 {
		t.Errorf("left are %d lanes, %d mailboxes, warnings %v", p.Lanes(), p.fault.open(0), w)
	}
	posts := len(b.outside.got(e.URL))
	b.outside.at(e.URL, nil)
	next := b.process(nil)
	if n := b.sweep(next); n != 1 {
		t.Errorf("%d lanes are due", n)
	}
	next.quiet()
	if n := b.states(e); n[webhook.DeliveryDelivered] != len(events) || b.tries(e) != len(events) {
		t.Errorf("the deliveries are %v with %d attempts", n, b.tries(e))
	}
	if n := len(b.outside.got(e.URL)); posts != b.pace.InFlight || n != len(events)+3 {
		t.Errorf("%d posts, then %d: want those again that were cut off", posts, n)
	}
}

// TestStopWithoutStore ends a process while the store is away: it still ends.
func TestStopWithoutStore(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p, e := b.process(nil), b.endpoint()
	release := make(chan struct{})
	b.outside.at(e.URL, holds(release, says(200)))
	b.backlog(10)
	p.looks(e)
	porttest.Await(b.t, "the lane is full", func() bool { now, _ := b.outside.underway(e.URL); return now == b.pace.InFlight })
	p.fault.leave(true)
	ended := p.stopping()
	porttest.Await(b.t, "the process stops", func() bool { return !p.Running() })
	close(release)
	<-ended
	if w := p.log.warned(); len(w) == 0 || p.Lanes() > 0 {
		t.Errorf("left are %d lanes, warnings %v", p.Lanes(), w)
	}
	next := b.process(nil)
	if n := b.sweep(next); n != 0 {
		t.Errorf("%d lanes are called within the lease", n)
	}
	b.lapse(e)
	if n := b.sweep(next); n != 1 {
		t.Errorf("%d lanes are called", n)
	}
	next.quiet()
	if n := b.states(e); n[webhook.DeliveryDelivered] != 10 || b.tries(e) != 10 {
		t.Errorf("the deliveries are %v with %d attempts", n, b.tries(e))
	}
	if n := len(b.outside.got(e.URL)); n != 10+b.pace.InFlight {
		t.Errorf("%d posts", n)
	}
}

// TestStopAtAnyMoment ends a process at each transaction of a lane. It releases
// what it held, and nothing is posted twice: no post hangs.
func TestStopAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	next := b.process(nil)
	everyMoment(t, func(t *testing.T, f *fault, at func(func())) {
		t.Helper()
		e := b.endpoint()
		b.backlog(10)
		var p *process
		var ended <-chan struct{}
		begun := make(chan struct{})
		at(func() {
			ended = p.stopping()
			porttest.Await(b.t, "the process stops", func() bool { return !p.Running() })
			close(begun)
		})
		p = b.process(f)
		if p.worked(e); f.reached() != "" {
			<-begun
			<-ended
		}
		if h := b.holder(e); h != "" {
			t.Errorf("the lane is held by %s", h)
		}
		b.sweep(next)
		next.quiet()
		if n := b.states(e); n[webhook.DeliveryDelivered] != 10 {
			t.Errorf("the deliveries are %v", n)
		}
		b.exactlyOnce(e)
		b.removed(e)
		p.stop()
	})
}

// TestCallsWhenStopped calls a Dispatcher that does not run yet, or no longer
// runs.
func TestCallsWhenStopped(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	e := b.endpoint()
	j := jobs.Job{Kind: jobs.KindWebhook, Scope: e.Scope, Subject: e.ID}
	d := webhooks.NewDispatcher(b.store, b.broker.Open(), b.outside, b.clock, webhooks.DefaultPace(), slog.New(slog.DiscardHandler), func(webhook.Attempt) {})
	if d.Call(j); d.Lanes() != 0 {
		t.Error("a lane before the Dispatcher runs")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Run(ctx); err != nil {
		t.Error(err)
	}
	if d.Call(j); d.Lanes() != 0 {
		t.Error("a lane after the Dispatcher has run")
	}
	if h := b.holder(e); h != "" {
		t.Errorf("the lane is held by %s", h)
	}
}

// TestNothingIsLeft serves ten thousand endpoints in turn, most of them deleted
// by then. Nothing of them is left in the process.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	var there []*webhook.Endpoint
	for range 10 {
		there = append(there, b.endpoint())
	}
	b.backlog(3)
	const workers, each = 20, 500
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				p.looks(&webhook.Endpoint{Scope: b.scope, ID: billing.NewID[billing.WebhookEndpointID](billing.RealAt(time.Now()))})
				for p.Lanes() > 2*workers {
					<-time.After(pause)
				}
			}
		})
	}
	for _, e := range there {
		p.looks(e)
	}
	all.Wait()
	p.quiet()
	porttest.Await(b.t, "the mailboxes are closed", func() bool { return p.fault.open(0) == 0 })
	if n, w := p.fault.count("Leave"), p.log.warned(); n < len(there) || len(w) > 0 {
		t.Errorf("%d lanes were given back, warnings %v", n, w)
	}
	for _, e := range there {
		b.exactlyOnce(e)
	}
}
