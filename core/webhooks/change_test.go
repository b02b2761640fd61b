package webhooks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestLateFailure reports a failure to an old holder when the endpoint is well
// again, as the new holder knows.
func TestLateFailure(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	e := b.endpoint()
	release := make(chan struct{})
	b.outside.at(e.URL, says(500))
	a, other := b.process(nil), b.process(nil)
	b.backlog(9)
	a.worked(e) // the tenth failure would open the circuit
	if h := b.get(e).Health; h.Failures != 9 || h.Open() {
		t.Fatalf("after 9 failures: %+v", h)
	}
	b.backlog(1)
	b.outside.at(e.URL, holds(release, says(500)))
	a.looks(e)
	porttest.Await(b.t, "it is posted", func() bool { now, _ := b.outside.underway(e.URL); return now == 1 })
	b.outside.at(e.URL, nil)
	b.lapse(e)
	other.worked(e)
	if h := b.get(e).Health; h != (webhook.EndpointHealth{}) {
		t.Fatalf("after a success: %+v", h)
	}
	close(release)
	a.quiet()
	if h := b.get(e).Health; h.Failures > 1 || h.Open() {
		t.Errorf("after a late failure: %+v", h)
	}
}

// TestChangeWithPostsUnderWay changes an endpoint during a post that fails. The
// change stays.
func TestChangeWithPostsUnderWay(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for name, test := range map[string]struct {
		change       func(p *process, e *webhook.Endpoint)
		answer       int
		wantStatus   webhook.EndpointStatus
		wantFailures int
		wantURL      bool // another one than before
	}{
		"nothing": {func(*process, *webhook.Endpoint) {}, 500, webhook.EndpointEnabled, 10, false},
		"gone":    {func(*process, *webhook.Endpoint) {}, 410, webhook.EndpointDisabled, 10, false},
		"disabled": {
			func(_ *process, e *webhook.Endpoint) { b.status(e, webhook.EndpointDisabled) }, 500, webhook.EndpointDisabled, 10, false,
		},
		"enabled again": {func(_ *process, e *webhook.Endpoint) {
			b.status(e, webhook.EndpointDisabled)
			b.status(e, webhook.EndpointEnabled)
		}, 500, webhook.EndpointEnabled, 1, false},
		"disabled, as the lane knows, and enabled again": {func(p *process, e *webhook.Endpoint) {
			b.status(e, webhook.EndpointDisabled)
			p.looks(e)
			b.still(p, "a lane that waits for its last post", 0)
			b.status(e, webhook.EndpointEnabled)
		}, 500, webhook.EndpointEnabled, 1, false},
		"another URL": {func(_ *process, e *webhook.Endpoint) { b.move(e) }, 500, webhook.EndpointEnabled, 0, true},
		"another URL in place of one that is gone": {func(_ *process, e *webhook.Endpoint) { b.move(e) }, 410, webhook.EndpointEnabled, 0, true},
		"another secret": {func(_ *process, e *webhook.Endpoint) { b.rotate(b.key(), e) }, 500, webhook.EndpointEnabled, 10, false},
		"another description": {func(_ *process, e *webhook.Endpoint) {
			b.change(b.key(), e, intake.EndpointRequest{Description: new("new")})
		}, 500, webhook.EndpointEnabled, 10, false},
	} {
		p, e := b.process(nil), b.endpoint()
		b.outside.at(e.URL, says(500))
		b.backlog(9)
		p.worked(e)
		release := make(chan struct{})
		b.outside.at(e.URL, holds(release, says(test.answer)))
		b.backlog(1)
		p.looks(e)
		porttest.Await(b.t, "it is posted", func() bool { now, _ := b.outside.underway(e.URL); return now == 1 })
		test.change(p, e)
		close(release)
		p.quiet()
		now := b.get(e)
		if now.Status != test.wantStatus || now.Health.Failures != test.wantFailures || (now.URL != e.URL) != test.wantURL {
			t.Errorf("%s: %s with %+v, want %s with %d failures", name, now.Status, now.Health, test.wantStatus, test.wantFailures)
		}
		d := b.deliveries(e)
		if last := d[len(d)-1]; fmt.Sprint(statuses(last)) != fmt.Sprint([]int{test.answer}) || last.State != webhook.DeliveryPending {
			t.Errorf("%s: attempts %v of a %s delivery", name, statuses(last), last.State)
		}
		b.removed(e)
		p.stop()
	}
}

// move changes the URL of the endpoint.
func (b *fixture) move(e *webhook.Endpoint) {
	if o := b.change(b.key(), e, intake.EndpointRequest{URL: new(e.URL + "/new")}); o.err != nil || o.URL != e.URL+"/new" {
		b.t.Errorf("change the URL: %+v", o)
	}
}

// TestChangeOfAFullLane changes an endpoint while its lane is full. Every
// delivery after the running posts follows the change.
func TestChangeOfAFullLane(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for name, change := range b.changes() {
		p, e := b.process(nil), b.endpoint()
		release := make(chan struct{})
		b.outside.at(e.URL, holds(release, says(200)))
		events := b.backlog(30)
		p.looks(e)
		porttest.Await(b.t, "the lane is full", func() bool { now, _ := b.outside.underway(e.URL); return now == b.pace.InFlight })
		change(e)
		close(release)
		p.quiet()
		b.changed(t, p, e, events, b.pace.InFlight)
		if t.Failed() {
			t.Fatal(name)
		}
		p.stop()
	}
}

// TestChangeAtAnyMoment changes an endpoint at every moment of its lane's life.
// Only what the lane has read by then goes out as before.
func TestChangeAtAnyMoment(t *testing.T) {
	t.Parallel()
	for name := range (&fixture{}).changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			change := b.changes()[name]
			everyMoment(t, func(t *testing.T, f *fault, at func(func())) {
				t.Helper()
				e := b.endpoint()
				events := b.backlog(12)
				posted := 0
				happens := func() {
					change(e)
					posted = len(b.outside.got(e.URL))
				}
				at(happens)
				p := b.process(f)
				defer p.stop()
				if p.worked(e); f.reached() == "" {
					happens()
				}
				b.changed(t, p, e, events, posted+b.pace.InFlight)
			})
		})
	}
}

// changes are the owner's possible changes of an endpoint.
func (b *fixture) changes() map[string]func(*webhook.Endpoint) {
	return map[string]func(*webhook.Endpoint){
		"disabled": func(e *webhook.Endpoint) { b.status(e, webhook.EndpointDisabled) },
		"rotated":  func(e *webhook.Endpoint) { b.rotate(b.key(), e) },
		"moved":    b.move,
		"deleted": func(e *webhook.Endpoint) {
			if o := b.remove(b.key(), e); o.err != nil {
				b.t.Errorf("delete: %v", o.err)
			}
		},
	}
}

// changed checks an endpoint that was changed while its lane was served, once
// that is at rest. E is the endpoint before the change, and before the number
// of posts that may have gone out by then.
func (b *fixture) changed(t *testing.T, p *process, e *webhook.Endpoint, events []*event.Event, before int) {
	t.Helper()
	if w := p.log.warned(); len(w) > 0 {
		t.Errorf("warnings: %v", w)
	}
	posts := b.outside.got(e.URL)
	old := b.signed(t, e, events, posts)
	if old > before {
		t.Errorf("%d posts went out as before the change, want %d at most", old, before)
	}
	now, err := b.service.Get(t.Context(), e.Scope, e.ID)
	if err != nil { // deleted
		var left int
		row := b.db.QueryRowContext(t.Context(), "SELECT count(*) FROM webhook_deliveries WHERE endpoint_id = $1", e.ID)
		if err := row.Scan(&left); err != nil || left > 0 {
			t.Errorf("%d deliveries are left, %v", left, err)
		}
		return
	}
	if now.Secret != e.Secret {
		old += b.signed(t, now, events, posts)
	}
	if old != len(posts) {
		t.Errorf("%d of %d posts are signed with one of the secrets", old, len(posts))
	}
	if now.Status == webhook.EndpointDisabled {
		if n := b.states(e); n[webhook.DeliveryDelivered] != old || n[webhook.DeliveryPending] != len(events)-old {
			t.Errorf("the deliveries of the disabled endpoint are %v, after %d posts", n, old)
		}
		b.status(e, webhook.EndpointEnabled)
		p.worked(e)
	}
	for _, d := range b.deliveries(e) {
		n := b.outside.timesOf(e.URL, d.EventID) + b.outside.timesOf(e.URL+"/new", d.EventID)
		if n != 1 || len(d.Attempts) != 1 || d.State != webhook.DeliveryDelivered {
			t.Errorf("%d posts and %d attempts of a %s delivery", n, len(d.Attempts), d.State)
		}
	}
	b.removed(e)
}

// signed counts the posts that are signed with the endpoint's secret.
func (b *fixture) signed(t *testing.T, e *webhook.Endpoint, events []*event.Event, posts []*post) (n int) {
	t.Helper()
	for _, p := range posts {
		i := slices.IndexFunc(events, func(ev *event.Event) bool { return ev.ID.String() == p.ID })
		if i < 0 {
			t.Fatalf("%s was posted and did not happen", p.ID)
		}
		if signature, err := e.Message(events[i], p.At).Signature(e.Secret); err != nil {
			t.Fatal(err)
		} else if signature == p.signature {
			n++
		}
	}
	return n
}
