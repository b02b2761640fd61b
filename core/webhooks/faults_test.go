package webhooks_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	order "github.com/molar-billing/molar/core/billing/fault" // fault is what ends a process here
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// faulty stores fault rules of the organization.
func (b *fixture) faulty(rules ...order.Rule) {
	b.t.Helper()
	for i := range rules {
		rules[i].Operation, rules[i].ExpiresAt = order.AnyOperation, time.Now().Add(time.Hour)
	}
	b.in(b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Faults.Replace(ctx, rules) })
}

// struck returns how often each rule struck.
func (b *fixture) struck() (all []int) {
	b.t.Helper()
	b.in(b.scope, func(ctx context.Context, tx ports.Tx) error {
		rules, err := tx.Faults.List(ctx)
		all = nil
		for _, r := range rules {
			all = append(all, r.Struck())
		}
		return err
	})
	return all
}

// order returns the places in the list of the events that were posted to the URL.
func (b *fixture) cameAs(url string, events []*event.Event) (places []int) {
	for _, p := range b.outside.got(url) {
		places = append(places, slices.IndexFunc(events, func(e *event.Event) bool { return e.ID.String() == p.ID }))
	}
	return places
}

// TestFaultyDeliveries has webhooks come twice, out of order and late. Each is delivered,
// and live mode knows no faults.
func TestFaultyDeliveries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule order.Rule
		want []int // the events in the order of their posts
	}{
		{order.Rule{Kind: order.DuplicateDelivery, Times: 2}, []int{0, 0, 1, 1, 2}},
		{order.Rule{Kind: order.ReorderDeliveries, Times: 1}, []int{1, 0, 2}},
		{order.Rule{Kind: order.DelayDelivery, Milliseconds: 700, Times: 1}, []int{1, 2, 0}},
	} {
		t.Run(string(c.rule.Kind), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.pace.InFlight = 2
			b.faulty(c.rule)
			p := b.process(nil)
			e, live := b.endpoint(), b.endpointOf(billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive})
			var events []*event.Event
			for range 3 {
				events = append(events, b.happens())
				if c.rule.Kind == order.ReorderDeliveries && len(events) == 2 {
					porttest.Await(t, "both came", func() bool { b.sweep(p); return len(b.outside.got(e.URL)) == 2 })
				}
			}
			inLive := b.happensIn(live.Scope)
			porttest.Await(t, "all is delivered", func() bool {
				b.sweep(p)
				return b.delivered(e)() && b.delivered(live)()
			})
			got := b.cameAs(e.URL, events)
			switch c.rule.Kind { //nolint:exhaustive // the order of the others is certain
			case order.DuplicateDelivery:
				slices.Sort(got) // two are in flight at once
			case order.DelayDelivery:
				slices.Sort(got[:2]) // so are those that overtake the first
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the posts came as %v, want %v", got, c.want)
			}
			if n := b.struck(); !slices.Equal(n, []int{c.rule.Times}) {
				t.Errorf("the rule struck %v", n)
			}
			if n := len(b.outside.got(live.URL)); n != 1 || b.outside.got(live.URL)[0].ID != inLive.ID.String() {
				t.Errorf("%d posts in live mode", n)
			}
			for _, d := range b.deliveries(e) {
				if len(d.Attempts) != 1 || d.State != webhook.DeliveryDelivered {
					t.Errorf("delivery %+v", d)
				}
			}
		})
	}
}
