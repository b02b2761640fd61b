package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) listDeliveries(endpoint billing.WebhookEndpointID, p billing.Page) []*webhook.Delivery {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*webhook.Delivery, error) {
		return tx.Deliveries.List(ctx, webhook.DeliveryFilter{EndpointID: endpoint}, p)
	})
}

// deliveries returns the deliveries of an endpoint, newest first.
func (b *scoped) deliveries(endpoint billing.WebhookEndpointID) []*webhook.Delivery {
	b.t.Helper()
	return b.listDeliveries(endpoint, billing.Page{Limit: 10_000})
}

func eventsOf(ds []*webhook.Delivery) (out []billing.EventID) {
	for _, d := range ds {
		out = append(out, d.EventID)
	}
	return out
}

// happen stores n events, oldest first. Each is of another resource and a
// microsecond after the one before.
func (b *scoped) happen(n int) []event.Event {
	b.t.Helper()
	var out []event.Event
	for i := range n {
		out = append(out, b.event(id[billing.CheckID](), event.EligibilityCompleted, i))
	}
	b.appendEvents(out...)
	return out
}

// testFanOut appends events of two types and checks which endpoint gets which.
func testFanOut(b *scoped) {
	t := b.t
	taking := func(types ...event.Type) func(*webhook.Endpoint) {
		return func(e *webhook.Endpoint) { e.EventTypes = types }
	}
	other := newScope()
	every, paid := b.newEndpoint(0), b.newEndpoint(1, taking(event.ClaimDenied, event.ClaimPaid))
	deaf, off := b.newEndpoint(2, taking(event.ERAReceived)), b.newEndpoint(3, disabled)
	live := b.newEndpoint(4, func(e *webhook.Endpoint) { e.Scope.Mode = billing.ModeLive })
	foreign := b.newEndpoint(5, func(e *webhook.Endpoint) { e.Scope = other })
	one, two := b.event(id[billing.ClaimID](), event.ClaimPaid, 10), b.event(id[billing.CheckID](), event.EligibilityCompleted, 20)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if err := errors.Join(tx.Events.Append(ctx, one), tx.Events.Append(ctx, two)); err != nil {
			return err
		}
		_, err := tx.Events.Get(ctx, one.ID)
		equal(t, "lanes called before the commit", len(b.calls()), 0)
		return err
	})
	equal(t, "lanes called", b.calls(), map[billing.WebhookEndpointID]int{every.ID: 1, paid.ID: 1})
	for _, j := range b.Staged() {
		equal(t, "scope of a call", j.Scope, b.scope)
	}
	for e, want := range map[*webhook.Endpoint][]billing.EventID{
		every: {two.ID, one.ID}, paid: {one.ID}, deaf: nil, off: nil, live: nil, foreign: nil,
	} {
		b.scope = e.Scope
		equal(t, "events queued", eventsOf(b.deliveries(e.ID)), want)
	}
	b.scope = every.Scope
	got := b.deliveries(paid.ID)[0]
	equal(t, "delivery", got, &webhook.Delivery{
		ID: got.ID, Scope: b.scope, EndpointID: paid.ID, EventID: one.ID, EventType: one.Type, State: webhook.DeliveryPending,
		NextAttemptAt: one.CreatedAt, CreatedAt: one.CreatedAt,
	})
	if got.ID.IsZero() || got.ID == b.deliveries(every.ID)[1].ID {
		t.Errorf("deliveries share the ID %s", got.ID)
	}
	b.deleteEndpoint(every.ID)
	equal(t, "deliveries of a deleted endpoint", len(b.deliveries(every.ID)), 0)
	equal(t, "deliveries of the others", len(b.deliveries(paid.ID)), 1)
}

// testFanOutRollback appends in transactions that are rolled back, and in one
// that commits when it runs again.
func testFanOutRollback(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Events.Append(ctx, b.event(id[billing.CheckID](), event.ClaimPaid, 0)); err != nil {
			return err
		}
		_, err := tx.Endpoints.Get(ctx, e.ID) // sends the queue
		return errors.Join(err, errStop)
	})
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	equal(t, "calls after a rollback", len(b.calls()), 0)
	equal(t, "deliveries after a rollback", len(b.deliveries(e.ID)), 0)
	b.FailStage(3)
	ev, runs := b.event(id[billing.CheckID](), event.ClaimPaid, 0), 0
	b.in(func(ctx context.Context, tx ports.Tx) error {
		runs++
		if err := tx.Events.Append(ctx, ev); err != nil {
			return err
		}
		if _, err := tx.Endpoints.Get(ctx, e.ID); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, b.job())
	})
	equal(t, "runs", runs, 4)
	equal(t, "calls after conflicts", b.calls(), map[billing.WebhookEndpointID]int{e.ID: 1})
	equal(t, "deliveries after conflicts", eventsOf(b.deliveries(e.ID)), []billing.EventID{ev.ID})
}

// testKeyEventsFanOut queues the events of keys for the endpoints of the key's mode,
// from transactions of both modes.
func testKeyEventsFanOut(b *scoped) {
	t := b.t
	mine := b.newEndpoint(0)
	b.newEndpoint(1, func(e *webhook.Endpoint) { e.Scope.Mode = billing.ModeLive })
	first, second := b.event(id[billing.KeyID](), event.APIKeyCreated, 0), b.event(id[billing.KeyID](), event.APIKeyCreated, 1)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.APIKeys.Append(ctx, first) })
	live := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	if err := b.try(live, func(ctx context.Context, tx ports.Tx) error { return tx.APIKeys.Append(ctx, second) }); err != nil {
		t.Fatal(err)
	}
	equal(t, "events queued", eventsOf(b.deliveries(mine.ID)), []billing.EventID{second.ID, first.ID})
	equal(t, "lanes called", b.calls(), map[billing.WebhookEndpointID]int{mine.ID: 2})
	for _, j := range b.Staged() {
		equal(t, "scope of the call", j.Scope, b.scope)
	}
}

// testFanOutRace appends events while one endpoint is disabled and enabled
// repeatedly and another stays enabled. No event is queued twice, none is lost
// for the enabled endpoint, and due deliveries come in order.
func testFanOutRace(b *scoped) {
	t := b.t
	const writers, each = 4, 15
	steady, flickering := b.newEndpoint(0), b.newEndpoint(1)
	var left atomic.Int32
	left.Store(writers)
	all := make(chan billing.EventID, writers*each)
	b.race(append(times(writers, func(int) error {
		defer left.Add(-1)
		for n := range each {
			e := b.event(id[billing.CheckID](), event.ClaimPaid, n)
			if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Events.Append(ctx, e) }); err != nil {
				return err
			}
			all <- e.ID
		}
		return nil
	}), func() error {
		for left.Load() > 0 {
			if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				e, err := tx.Endpoints.Lock(ctx, flickering.ID)
				if err != nil {
					return err
				}
				e.Status = map[webhook.EndpointStatus]webhook.EndpointStatus{"enabled": "disabled", "disabled": "enabled"}[e.Status]
				return tx.Endpoints.Save(ctx, e)
			}); err != nil {
				return err
			}
		}
		return nil
	})...)
	close(all)
	happened := map[billing.EventID]bool{}
	for e := range all {
		happened[e] = true
	}
	for _, e := range []*webhook.Endpoint{steady, flickering} {
		queued := map[billing.EventID]bool{}
		for _, d := range b.deliveries(e.ID) {
			if queued[d.EventID] || !happened[d.EventID] {
				t.Errorf("event %s is queued twice, or was never appended", d.EventID)
			}
			queued[d.EventID] = true
		}
		if e == steady {
			equal(t, "events queued for the endpoint that was always enabled", queued, happened)
		}
	}
	_, due, _ := b.dueAt(steady.ID, b.now.Add(time.Hour), writers*each)
	equal(t, "deliveries due", len(due), writers*each)
	if !slices.IsSortedFunc(due, func(x, y webhook.Shipment) int { return x.Delivery.NextAttemptAt.Compare(y.Delivery.NextAttemptAt) }) {
		t.Error("the due deliveries are out of order")
	}
}

func testListDeliveries(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	b.newEndpoint(1)
	b.happen(7)
	at := func(d *webhook.Delivery) billing.Position { return billing.Position{Time: d.CreatedAt, ID: d.ID} }
	want := b.deliveries(e.ID)
	newestFirst(want, at)
	got := walk(3, func(p billing.Page) []*webhook.Delivery { return b.listDeliveries(e.ID, p) }, at, func() {
		b.appendEvents(b.event(id[billing.CheckID](), event.ClaimPaid, 1000))
	})
	equal(t, "deliveries, page by page", got, want)
	equal(t, "deliveries of an absent endpoint", len(b.deliveries(id[billing.WebhookEndpointID]())), 0)
}

// testDeliveryFilters finds deliveries to two endpoints by each filter, and walks
// the list of both.
func testDeliveryFilters(b *scoped) {
	t := b.t
	one, two := b.newEndpoint(0), b.newEndpoint(1)
	paid, denied := b.event(id[billing.ClaimID](), event.ClaimPaid, 0), b.event(id[billing.ClaimID](), event.ClaimDenied, 10)
	b.appendEvents(paid, denied)
	_, due, _ := b.dueAt(one.ID, b.now.Add(time.Hour), 10)
	b.record(204, due[0])
	due[1].Delivery.Attempts = make([]webhook.Attempt, 10)
	b.record(500, due[1])
	at := func(d *webhook.Delivery) billing.Position { return billing.Position{Time: d.CreatedAt, ID: d.ID} }
	list := func(f webhook.DeliveryFilter, p billing.Page) []*webhook.Delivery {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*webhook.Delivery, error) {
			return tx.Deliveries.List(ctx, f, p)
		})
	}
	all := append(b.deliveries(one.ID), b.deliveries(two.ID)...)
	newestFirst(all, at)
	equal(t, "all, page by page", walk(1, func(p billing.Page) []*webhook.Delivery { return list(webhook.DeliveryFilter{}, p) }, at, func() {}), all)
	for name, test := range map[string]struct {
		f    webhook.DeliveryFilter
		want func(d *webhook.Delivery) bool
	}{
		"endpoint":  {webhook.DeliveryFilter{EndpointID: two.ID}, func(d *webhook.Delivery) bool { return d.EndpointID == two.ID }},
		"event":     {webhook.DeliveryFilter{EventID: paid.ID}, func(d *webhook.Delivery) bool { return d.EventID == paid.ID }},
		"type":      {webhook.DeliveryFilter{EventType: denied.Type}, func(d *webhook.Delivery) bool { return d.EventID == denied.ID }},
		"pending":   {webhook.DeliveryFilter{State: webhook.DeliveryPending}, func(d *webhook.Delivery) bool { return d.EndpointID == two.ID }},
		"delivered": {webhook.DeliveryFilter{State: webhook.DeliveryDelivered}, func(d *webhook.Delivery) bool { return d.ID == due[0].Delivery.ID }},
		"failed":    {webhook.DeliveryFilter{State: webhook.DeliveryFailed}, func(d *webhook.Delivery) bool { return d.ID == due[1].Delivery.ID }},
		"after":     {webhook.DeliveryFilter{CreatedAfter: denied.CreatedAt}, func(d *webhook.Delivery) bool { return d.EventID == denied.ID }},
		"before":    {webhook.DeliveryFilter{CreatedBefore: denied.CreatedAt}, func(d *webhook.Delivery) bool { return d.EventID == paid.ID }},
		"all of them": {webhook.DeliveryFilter{
			EndpointID: one.ID, EventID: paid.ID, EventType: paid.Type, State: webhook.DeliveryDelivered,
			CreatedAfter: paid.CreatedAt, CreatedBefore: denied.CreatedAt,
		}, func(d *webhook.Delivery) bool { return d.ID == due[0].Delivery.ID }},
		"another's type": {webhook.DeliveryFilter{EventID: paid.ID, EventType: denied.Type}, func(*webhook.Delivery) bool { return false }},
		"absent":         {webhook.DeliveryFilter{EndpointID: id[billing.WebhookEndpointID]()}, func(*webhook.Delivery) bool { return false }},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(d *webhook.Delivery) bool { return !test.want(d) })
		equal(t, name, list(test.f, billing.Page{Limit: 10}), want)
	}
	for _, d := range all {
		equal(t, "delivery", read(b, func(ctx context.Context, tx ports.Tx) (*webhook.Delivery, error) { return tx.Deliveries.Get(ctx, d.ID) }), d)
	}
	_, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*webhook.Delivery, error) {
		return tx.Deliveries.Get(ctx, id[billing.DeliveryID]())
	})
	wantCode(t, "an absent delivery", err, billing.CodeNotFound)
	b.scope = newScope()
	equal(t, "deliveries of another scope", len(list(webhook.DeliveryFilter{}, billing.Page{Limit: 10}))+
		len(list(webhook.DeliveryFilter{EventID: paid.ID}, billing.Page{Limit: 10})), 0)
	_, err = try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*webhook.Delivery, error) {
		return tx.Deliveries.Get(ctx, all[0].ID)
	})
	wantCode(t, "a delivery of another scope", err, billing.CodeNotFound)
}

// testResendListed resends the deliveries that filters select.
func testResendListed(b *scoped) {
	t := b.t
	one, two, off := b.newEndpoint(0), b.newEndpoint(1), b.newEndpoint(2)
	paid, denied := b.event(id[billing.ClaimID](), event.ClaimPaid, 0), b.event(id[billing.ClaimID](), event.ClaimDenied, 10)
	b.appendEvents(denied, paid)
	b.settleAll(one.ID, two.ID, off.ID)
	off.Status = webhook.EndpointDisabled
	two.EventTypes = []event.Type{event.ClaimPaid}
	b.saveEndpoint(off)
	b.saveEndpoint(two)
	resend := func(f webhook.DeliveryFilter, limit int) (int, error) {
		return try(b, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) {
			return tx.Deliveries.ResendListed(ctx, f, b.now.Add(time.Hour), limit)
		})
	}
	for _, test := range []struct {
		name     string
		f        webhook.DeliveryFilter
		one, two []event.Event // oldest first
	}{
		{"all", webhook.DeliveryFilter{}, []event.Event{paid, denied}, []event.Event{paid}},
		{"all again, each event once", webhook.DeliveryFilter{}, []event.Event{paid, denied}, []event.Event{paid}},
		{"to one", webhook.DeliveryFilter{EndpointID: one.ID}, []event.Event{paid, denied}, nil},
		{"of an event", webhook.DeliveryFilter{EventID: denied.ID}, []event.Event{denied}, nil},
		{"of a type", webhook.DeliveryFilter{EventType: paid.Type}, []event.Event{paid}, []event.Event{paid}},
		{"of a state", webhook.DeliveryFilter{State: webhook.DeliveryFailed}, nil, nil},
		{"before", webhook.DeliveryFilter{CreatedBefore: denied.CreatedAt}, []event.Event{paid}, []event.Event{paid}},
	} {
		calls := b.calls()
		n, err := resend(test.f, 100)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		equal(t, test.name+": deliveries", n, len(test.one)+len(test.two))
		for e, want := range map[*webhook.Endpoint][]event.Event{one: test.one, two: test.two} {
			b.resent(test.name, e.ID, want)
			equal(t, test.name+": calls", b.calls()[e.ID]-calls[e.ID], min(len(want), 1))
		}
		b.settleAll(one.ID, two.ID)
	}
	equal(t, "deliveries to a disabled endpoint", len(b.deliveries(off.ID)), 2)
	_, err := resend(webhook.DeliveryFilter{EndpointID: off.ID}, 100)
	wantCode(t, "to a disabled endpoint", err, billing.CodeConflict)
	_, err = resend(webhook.DeliveryFilter{EndpointID: id[billing.WebhookEndpointID]()}, 100)
	wantCode(t, "to an absent endpoint", err, billing.CodeNotFound)
	_, err = resend(webhook.DeliveryFilter{EventID: id[billing.EventID]()}, 100)
	wantCode(t, "an absent event", err, billing.CodeNotFound)
	before := b.deliveries(one.ID)
	f := webhook.DeliveryFilter{EndpointID: one.ID}
	_, err = resend(f, len(before)-1)
	wantCode(t, "one too many", err, billing.CodeInvalidRequest)
	equal(t, "deliveries queued for nothing", b.deliveries(one.ID), before)
	if n, err := resend(f, len(before)); n != 2 || err != nil {
		t.Errorf("as many as the limit: %d queued, %v", n, err)
	}
}

func (b *scoped) resend(f webhook.ResendFilter, limit int) (n int, err error) {
	return try(b, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) {
		return tx.Deliveries.Resend(ctx, f, b.now.Add(time.Hour), limit)
	})
}

// testResend sends again the events of each filter.
func testResend(b *scoped) {
	t := b.t
	paid, denied, checked := b.event(id[billing.ClaimID](), event.ClaimPaid, 0), b.event(id[billing.ClaimID](), event.ClaimDenied, 10),
		b.event(id[billing.CheckID](), event.EligibilityCompleted, 20)
	b.appendEvents(checked, denied, paid) // before any endpoint existed
	every := b.newEndpoint(0)
	claims := b.newEndpoint(1, func(e *webhook.Endpoint) { e.EventTypes = []event.Type{paid.Type, denied.Type} })
	off := b.newEndpoint(2, disabled)
	for name, test := range map[string]struct {
		f      webhook.ResendFilter
		every  []event.Event // oldest first
		claims []event.Event
	}{
		"everything":  {webhook.ResendFilter{}, []event.Event{paid, denied, checked}, []event.Event{paid, denied}},
		"one event":   {webhook.ResendFilter{EventID: denied.ID}, []event.Event{denied}, []event.Event{denied}},
		"after":       {webhook.ResendFilter{CreatedAfter: denied.CreatedAt}, []event.Event{denied, checked}, []event.Event{denied}},
		"before":      {webhook.ResendFilter{CreatedBefore: denied.CreatedAt}, []event.Event{paid}, []event.Event{paid}},
		"types":       {webhook.ResendFilter{EventTypes: []event.Type{paid.Type, checked.Type}}, []event.Event{paid, checked}, []event.Event{paid}},
		"to one":      {webhook.ResendFilter{EndpointID: claims.ID, CreatedAfter: paid.CreatedAt}, nil, []event.Event{paid, denied}},
		"not taken":   {webhook.ResendFilter{EndpointID: claims.ID, EventID: checked.ID}, nil, nil},
		"no types":    {webhook.ResendFilter{EventTypes: []event.Type{}}, nil, nil},
		"nothing yet": {webhook.ResendFilter{CreatedAfter: b.now.Add(time.Minute)}, nil, nil},
	} {
		b.settleAll(every.ID, claims.ID)
		calls := b.calls()
		n, err := b.resend(test.f, 5)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		equal(t, name+": deliveries", n, len(test.every)+len(test.claims))
		for e, want := range map[*webhook.Endpoint][]event.Event{every: test.every, claims: test.claims} {
			b.resent(name, e.ID, want)
			called := b.calls()[e.ID] - calls[e.ID]
			equal(t, name+": calls", called, min(len(want), 1))
		}
	}
	_, err := b.resend(webhook.ResendFilter{EndpointID: off.ID}, 5)
	wantCode(t, "to a disabled endpoint", err, billing.CodeConflict)
	_, err = b.resend(webhook.ResendFilter{EndpointID: id[billing.WebhookEndpointID]()}, 5)
	wantCode(t, "to an absent endpoint", err, billing.CodeNotFound)
	_, err = b.resend(webhook.ResendFilter{EventID: id[billing.EventID]()}, 5)
	wantCode(t, "an absent event", err, billing.CodeNotFound)
	equal(t, "calls of the disabled endpoint", b.calls()[off.ID], 0)
	calls, before := b.calls(), len(b.deliveries(every.ID))
	n, err := b.resend(webhook.ResendFilter{}, 4)
	wantCode(t, "one too many", err, billing.CodeInvalidRequest)
	var refusal *billing.Error
	if !errors.As(err, &refusal) || len(refusal.Faults) != 1 || refusal.Faults[0].Field != "created_after" || refusal.Faults[0].Code != billing.FaultTooMany || n != 0 {
		t.Errorf("one too many: %d, %+v", n, refusal)
	}
	equal(t, "calls for nothing", b.calls(), calls)
	equal(t, "deliveries queued for nothing", len(b.deliveries(every.ID)), before)
}

// resent compares the pending deliveries of an endpoint with events, in their
// order.
func (b *scoped) resent(name string, endpoint billing.WebhookEndpointID, want []event.Event) {
	b.t.Helper()
	_, got, _ := b.dueAt(endpoint, b.now.Add(2*time.Hour), 100)
	var order []string
	for _, s := range got {
		order = append(order, string(s.Event.Type))
		d := s.Delivery
		if !d.CreatedAt.Equal(b.now.Add(time.Hour)) || d.NextAttemptAt.Sub(d.CreatedAt).Abs() > time.Millisecond || len(d.Attempts) > 0 || d.EventType != s.Event.Type {
			b.t.Errorf("%s: delivery %+v", name, d)
		}
	}
	var types []string
	for _, e := range want {
		types = append(types, string(e.Type))
	}
	equal(b.t, name+": due", strings.Join(order, " "), strings.Join(types, " "))
}

// settleAll delivers all pending deliveries.
func (b *scoped) settleAll(endpoints ...billing.WebhookEndpointID) {
	b.t.Helper()
	for _, e := range endpoints {
		_, due, _ := b.dueAt(e, b.now.Add(24*time.Hour), 100)
		b.record(200, due...)
	}
}

// testForgetDeliveries removes old settled deliveries, a bounded number per
// call.
func testForgetDeliveries(b *scoped) {
	t := b.t
	e, off := b.newEndpoint(0), b.newEndpoint(1)
	old := b.now.Add(-31 * 24 * time.Hour)
	var events []event.Event
	for n := range 4 {
		events = append(events, b.event(id[billing.CheckID](), event.ClaimPaid, n))
	}
	events[0].CreatedAt, events[1].CreatedAt = old, old.Add(time.Microsecond)
	for n := range events {
		events[n].ID = billing.NewID[billing.EventID](billing.RealAt(events[n].CreatedAt))
	}
	b.appendEvents(events...)
	b.settleAll(e.ID)
	b.forgets(ports.Forgetter.Deliveries, b.now.Add(-30*24*time.Hour), 2)
	b.forgets(ports.Forgetter.Deliveries, b.now.Add(-30*24*time.Hour), 0)
	equal(t, "deliveries that are young", len(b.deliveries(e.ID)), 2)
	equal(t, "deliveries that are pending", len(b.deliveries(off.ID)), 4)
	b.forgets(ports.Forgetter.Deliveries, events[2].CreatedAt.Add(time.Microsecond), 1) // up to a microsecond
	equal(t, "what is left", fmt.Sprint(eventsOf(b.deliveries(e.ID))), fmt.Sprint([]billing.EventID{events[3].ID}))
}
