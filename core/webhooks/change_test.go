package webhooks_test

import (
	"fmt"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// TestLateFailure has an old holder learn of a failure when the endpoint is
// well again, as the new holder knows.
func TestLateFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
	b.await("it is posted", func() bool { now, _ := b.outside.underway(e.URL); return now == 1 })
	b.outside.at(e.URL, nil)
	b.lapse(e)
	other.worked(e)
	if h := b.get(e).Health; h != (billing.EndpointHealth{}) {
		t.Fatalf("after a success: %+v", h)
	}
	close(release)
	a.quiet()
	if h := b.get(e).Health; h.Failures > 1 || h.Open() {
		t.Errorf("after a late failure: %+v", h)
	}
}

// TestChangeWithPostsUnderWay has the owner of an endpoint change it while a
// post is under way, of which nothing good comes. The change stands.
func TestChangeWithPostsUnderWay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, test := range map[string]struct {
		change       func(p *process, e *billing.WebhookEndpoint)
		answer       int
		wantStatus   billing.EndpointStatus
		wantFailures int
		wantURL      bool // another one than before
	}{
		"nothing": {func(*process, *billing.WebhookEndpoint) {}, 500, billing.EndpointEnabled, 10, false},
		"gone":    {func(*process, *billing.WebhookEndpoint) {}, 410, billing.EndpointDisabled, 10, false},
		"disabled": {
			func(_ *process, e *billing.WebhookEndpoint) { b.status(e, billing.EndpointDisabled) }, 500, billing.EndpointDisabled, 10, false,
		},
		"enabled again": {func(_ *process, e *billing.WebhookEndpoint) {
			b.status(e, billing.EndpointDisabled)
			b.status(e, billing.EndpointEnabled)
		}, 500, billing.EndpointEnabled, 1, false},
		"disabled, as the lane knows, and enabled again": {func(p *process, e *billing.WebhookEndpoint) {
			b.status(e, billing.EndpointDisabled)
			p.looks(e)
			b.still(p, "a lane that waits for its last post", 0)
			b.status(e, billing.EndpointEnabled)
		}, 500, billing.EndpointEnabled, 1, false},
		"another URL": {func(_ *process, e *billing.WebhookEndpoint) { b.move(e) }, 500, billing.EndpointEnabled, 0, true},
		"another URL in place of one that is gone": {func(_ *process, e *billing.WebhookEndpoint) { b.move(e) }, 410, billing.EndpointEnabled, 0, true},
		"another secret": {func(_ *process, e *billing.WebhookEndpoint) { b.rotate(b.key(), e) }, 500, billing.EndpointEnabled, 10, false},
		"another description": {func(_ *process, e *billing.WebhookEndpoint) {
			b.change(b.key(), e, billing.EndpointRequest{Description: new("new")})
		}, 500, billing.EndpointEnabled, 10, false},
	} {
		p, e := b.process(nil), b.endpoint()
		b.outside.at(e.URL, says(500))
		b.backlog(9)
		p.worked(e)
		release := make(chan struct{})
		b.outside.at(e.URL, holds(release, says(test.answer)))
		b.backlog(1)
		p.looks(e)
		b.await("it is posted", func() bool { now, _ := b.outside.underway(e.URL); return now == 1 })
		test.change(p, e)
		close(release)
		p.quiet()
		now := b.get(e)
		if now.Status != test.wantStatus || now.Health.Failures != test.wantFailures || (now.URL != e.URL) != test.wantURL {
			t.Errorf("%s: %s with %+v, want %s with %d failures", name, now.Status, now.Health, test.wantStatus, test.wantFailures)
		}
		d := b.deliveries(e)
		if last := d[len(d)-1]; fmt.Sprint(statuses(last)) != fmt.Sprint([]int{test.answer}) || last.State != billing.DeliveryPending {
			t.Errorf("%s: attempts %v of a %s delivery", name, statuses(last), last.State)
		}
		b.removed(e)
		p.stop()
	}
}

// move gives the endpoint another URL.
func (b *bench) move(e *billing.WebhookEndpoint) {
	if o := b.change(b.key(), e, billing.EndpointRequest{URL: new(e.URL + "/new")}); o.err != nil || o.URL != e.URL+"/new" {
		b.t.Errorf("change the URL: %+v", o)
	}
}
