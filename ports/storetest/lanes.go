package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) tryTake(endpoint billing.WebhookEndpointID, holder billing.JobID, lease time.Duration) (taken bool, other string, err error) {
	err = b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		taken, other, err = tx.Lanes.Take(ctx, endpoint, holder, "at "+holder.String(), lease)
		return err
	})
	return taken, other, err
}

func (b *scoped) take(endpoint billing.WebhookEndpointID, holder billing.JobID, lease time.Duration) (taken bool, other string) {
	b.t.Helper()
	taken, other, err := b.tryTake(endpoint, holder, lease)
	if err != nil {
		b.t.Fatal(err)
	}
	return taken, other
}

func (b *scoped) leave(endpoint billing.WebhookEndpointID, holder billing.JobID) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.Leave(ctx, endpoint, holder) })
}

// dueAt returns the due deliveries of a lane.
func (b *scoped) dueAt(
	endpoint billing.WebhookEndpointID, now time.Time, limit int, inFlight ...billing.DeliveryID,
) (e *webhook.Endpoint, due []webhook.Shipment, next time.Time) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		e, due, next, err = tx.Lanes.Due(ctx, endpoint, now, limit, inFlight)
		return err
	})
	return e, due, next
}

// record records an attempt at each delivery, made when it was due, and returns
// the updated deliveries.
func (b *scoped) record(status int, due ...webhook.Shipment) []*webhook.Delivery {
	b.t.Helper()
	var tried []*webhook.Delivery
	for _, s := range due {
		d := *s.Delivery
		d.Tried(webhook.Attempt{At: d.NextAttemptAt, Status: status, Duration: time.Second, Response: "\x00 " + unicode + "\xff", Error: unicode}, 0.5)
		tried = append(tried, &d)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.Record(ctx, tried) })
	return tried
}

func (b *scoped) recordHealth(e webhook.Endpoint, h webhook.EndpointHealth) {
	b.t.Helper()
	e.Health = h
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.RecordHealth(ctx, &e) })
}

func shipped(due []webhook.Shipment) (out []billing.EventID) {
	for _, s := range due {
		out = append(out, s.Event.ID)
	}
	return out
}

// testTake passes a lane from holder to holder.
func testTake(b *scoped) {
	t := b.t
	e, other := b.newEndpoint(0), b.newEndpoint(1)
	one, two := id[billing.JobID](), id[billing.JobID]()
	take := func(what string, endpoint billing.WebhookEndpointID, holder billing.JobID, wantTaken bool, wantOther string) {
		t.Helper()
		taken, at := b.take(endpoint, holder, time.Minute)
		if taken != wantTaken || at != wantOther {
			t.Errorf("%s: taken %v, other %q, want %v, %q", what, taken, at, wantTaken, wantOther)
		}
	}
	take("a free lane", e.ID, one, true, "")
	take("one's own", e.ID, one, true, "")
	take("another's", e.ID, two, false, "at "+one.String())
	take("another lane", other.ID, two, true, "")
	take("an absent lane", id[billing.WebhookEndpointID](), two, false, "")
	b.leave(e.ID, two)
	take("one that another holder left", e.ID, two, false, "at "+one.String())
	b.leave(e.ID, one)
	b.leave(e.ID, one)
	take("one that its holder left", e.ID, two, true, "")
	equal(t, "endpoint", b.getEndpoint(e.ID), e)

	// A lease that ends, although it was renewed.
	const lease = 40 * time.Millisecond
	b.leave(e.ID, two)
	began := time.Now()
	for range 2 {
		if taken, _ := b.take(e.ID, one, lease); !taken {
			t.Error("the lane was not renewed")
		}
	}
	for taken, at := b.take(e.ID, two, time.Minute); !taken; taken, at = b.take(e.ID, two, time.Minute) {
		equal(t, "holder while the lease lasts", at, "at "+one.String())
		waitABit(t.Context())
	}
	if took := time.Since(began); took < lease {
		t.Errorf("taken over after %v, within the lease of %v", took, lease)
	}
	take("one that was taken over", e.ID, one, false, "at "+two.String())
	b.saveEndpoint(e)
	b.recordHealth(*e, webhook.EndpointHealth{Failures: 1, FailingSince: b.now})
	take("one whose endpoint was changed", e.ID, one, false, "at "+two.String())
}

// testTakeRace takes a lane from many holders at once. One gets it, and the
// others learn its address.
func testTakeRace(b *scoped) {
	t := b.t
	const holders, rounds = 8, 5
	e := b.newEndpoint(0)
	for range rounds {
		ids, taken, others := make([]billing.JobID, holders), make([]bool, holders), make([]string, holders)
		b.race(times(holders, func(n int) (err error) {
			ids[n] = id[billing.JobID]()
			taken[n], others[n], err = b.tryTake(e.ID, ids[n], time.Minute)
			return err
		})...)
		winner := slices.Index(taken, true)
		if winner < 0 || slices.Contains(taken[winner+1:], true) {
			t.Fatalf("taken: %v, want one", taken)
		}
		for n, other := range others {
			if n != winner && other != "at "+ids[winner].String() {
				t.Errorf("the holder is %q, want the winner", other)
			}
		}
		b.leave(e.ID, ids[winner])
	}
}

func testDueDeliveries(b *scoped) {
	t := b.t
	e := b.newEndpoint(0, func(e *webhook.Endpoint) { e.EventTypes = event.Types() })
	b.newEndpoint(1)
	events := b.happen(5)
	at := func(n int) time.Time { return events[n].CreatedAt }
	got, due, next := b.dueAt(e.ID, at(4), 10)
	equal(t, "endpoint", got, e)
	equal(t, "next after all", next, time.Time{})
	var ids []billing.DeliveryID
	for n, s := range due {
		ids = append(ids, s.Delivery.ID)
		events[n].Sequence = 1
		equal(t, "event", *s.Event, events[n])
	}
	queued := b.deliveries(e.ID)
	slices.Reverse(queued)
	for n, s := range due {
		equal(t, "delivery", s.Delivery, queued[n])
	}
	for name, test := range map[string]struct {
		now      time.Time
		limit    int
		inFlight []billing.DeliveryID
		from, to int // of events
		next     time.Time
	}{
		"all":              {at(4), 5, nil, 0, 5, time.Time{}},
		"before the first": {at(0).Add(-1), 5, nil, 0, 0, at(0)},
		"the first":        {at(0), 5, nil, 0, 1, at(1)},
		"some":             {at(2), 5, nil, 0, 3, at(3)},
		"a limit":          {at(4), 2, nil, 0, 2, at(2)},
		"no room":          {at(4), 0, nil, 0, 0, at(0)},
		"in flight":        {at(4), 2, ids[:2], 2, 4, at(4)},
		"all in flight":    {at(4), 5, ids, 0, 0, time.Time{}},
		"others in flight": {at(1), 5, []billing.DeliveryID{id[billing.DeliveryID]()}, 0, 2, at(2)},
	} {
		_, due, next := b.dueAt(e.ID, test.now, test.limit, test.inFlight...)
		var want []billing.EventID
		for _, e := range events[test.from:test.to] {
			want = append(want, e.ID)
		}
		equal(t, name, shipped(due), want)
		equal(t, name+": next", next, test.next)
	}
	e.Status = webhook.EndpointDisabled
	b.saveEndpoint(e)
	got, due, next = b.dueAt(e.ID, at(4), 10)
	equal(t, "disabled endpoint", got, e)
	if len(due) > 0 || !next.IsZero() {
		t.Errorf("%d are due of a disabled endpoint, and next %v", len(due), next)
	}
	e.Status = webhook.EndpointEnabled
	b.saveEndpoint(e)
	_, due, _ = b.dueAt(e.ID, at(4), 10)
	equal(t, "due of an endpoint that was enabled again", len(due), 5)
	b.deleteEndpoint(e.ID)
	b.absent("due of a deleted endpoint", func(ctx context.Context, tx ports.Tx) (any, error) {
		_, _, _, err := tx.Lanes.Due(ctx, e.ID, b.now, 10, nil)
		return nil, err
	})
}

// testCircuit reads the due deliveries while the circuit is open.
func testCircuit(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	open := webhook.EndpointHealth{Failures: 10, FailingSince: b.now, CircuitUntil: b.now.Add(30 * time.Second)}
	b.recordHealth(*e, open)
	_, due, next := b.dueAt(e.ID, b.now.Add(time.Minute), 10)
	if len(due) > 0 || !next.IsZero() {
		t.Errorf("nothing is queued: %d, next %v", len(due), next)
	}
	events := b.happen(3)
	for name, test := range map[string]struct {
		now      time.Time
		inFlight []billing.DeliveryID
		want     int
		next     time.Time
	}{
		"before its time":       {open.CircuitUntil.Add(-1), nil, 0, open.CircuitUntil},
		"the probe":             {open.CircuitUntil, nil, 1, time.Time{}},
		"with one in flight":    {open.CircuitUntil, []billing.DeliveryID{id[billing.DeliveryID]()}, 0, time.Time{}},
		"before and in flight":  {b.now, []billing.DeliveryID{id[billing.DeliveryID]()}, 0, open.CircuitUntil},
		"long after, the probe": {open.CircuitUntil.Add(time.Hour), nil, 1, time.Time{}},
	} {
		got, due, next := b.dueAt(e.ID, test.now, 10, test.inFlight...)
		equal(t, name+": health", got.Health, open)
		equal(t, name+": due", len(due), test.want)
		equal(t, name+": next", next, test.next)
	}
	_, probe, _ := b.dueAt(e.ID, open.CircuitUntil, 10)
	equal(t, "probe", shipped(probe), []billing.EventID{events[0].ID})
	b.record(200, probe...)
	b.recordHealth(*e, webhook.EndpointHealth{})
	_, due, _ = b.dueAt(e.ID, open.CircuitUntil, 10)
	equal(t, "due once the circuit is closed", len(due), 2)

	// A delivery that is due after the circuit's time is not due at that time.
	retried := b.record(500, due...)
	b.recordHealth(*e, webhook.EndpointHealth{Failures: 10, FailingSince: b.now, CircuitUntil: b.now.Add(time.Second)})
	_, due, next = b.dueAt(e.ID, b.now, 10)
	equal(t, "due of an open circuit", len(due), 0)
	equal(t, "next of an open circuit", next, retried[0].NextAttemptAt)
	_, due, next = b.dueAt(e.ID, b.now.Add(time.Second), 10)
	equal(t, "due before a retry", len(due), 0)
	equal(t, "next before a retry", next, retried[0].NextAttemptAt)
}

// testRecord tries deliveries until they are settled.
func testRecord(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	b.happen(3)
	later := b.now.Add(30 * 24 * time.Hour)
	_, due, _ := b.dueAt(e.ID, later, 10)
	well, ill := due[0], due[1:]
	b.record(204, well)
	for range 10 {
		tried := b.record(500, ill[0])
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.Record(ctx, tried) }) // the reply was lost
		_, again, _ := b.dueAt(e.ID, later, 10, ill[1].Delivery.ID)
		if len(again) != 1 || len(again[0].Delivery.Attempts) != len(ill[0].Delivery.Attempts)+1 {
			t.Fatalf("due again: %+v", again)
		}
		ill[0] = again[0]
	}
	failed := b.record(503, ill[0])[0]
	equal(t, "state after the last attempt", failed.State, webhook.DeliveryFailed)
	stale := b.record(200, well, ill[0]) // settled: this changes nothing
	if len(stale[0].Attempts) != 1 || len(failed.Attempts) != 11 {
		t.Fatal("the test tries another delivery")
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.Record(ctx, nil) })
	for _, d := range b.deliveries(e.ID) {
		want := map[billing.DeliveryID]struct {
			state    webhook.DeliveryState
			statuses []int
		}{
			well.Delivery.ID:   {webhook.DeliveryDelivered, []int{204}},
			ill[0].Delivery.ID: {webhook.DeliveryFailed, []int{500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 503}},
			ill[1].Delivery.ID: {webhook.DeliveryPending, nil},
		}[d.ID]
		var statuses []int
		for _, a := range d.Attempts {
			statuses = append(statuses, a.Status)
		}
		equal(t, "state", d.State, want.state)
		equal(t, "attempts", statuses, want.statuses)
		if d.NextAttemptAt.IsZero() == (d.State == webhook.DeliveryPending) {
			t.Errorf("a %s delivery has its next attempt at %v", d.State, d.NextAttemptAt)
		}
		for _, a := range d.Attempts {
			if a.Duration != time.Second || a.At.IsZero() || a.Error != unicode || a.Response[:2] != "\x00 " {
				t.Errorf("attempt %+v", a)
			}
		}
	}
}

// testRecordAndDue runs the step of a lane: a delivery that a transaction records
// is not due in it.
func testRecordAndDue(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	events := b.happen(3)
	_, first, _ := b.dueAt(e.ID, b.now.Add(time.Second), 2)
	first[0].Delivery.Tried(webhook.Attempt{At: b.now, Status: 200}, 0)
	first[1].Delivery.Tried(webhook.Attempt{At: b.now, Status: 500}, 0)
	ill := *e
	ill.Health, _ = ill.Health.After(first[1].Delivery.Attempts[0])
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if err := errors.Join(
			tx.Lanes.Record(ctx, []*webhook.Delivery{first[0].Delivery}), tx.Lanes.Record(ctx, []*webhook.Delivery{first[1].Delivery}),
			tx.Lanes.RecordHealth(ctx, &ill)); err != nil {
			return err
		}
		got, due, next, err := tx.Lanes.Due(ctx, e.ID, b.now.Add(time.Second), 2, nil)
		equal(t, "health", got.Health, ill.Health)
		equal(t, "due", shipped(due), []billing.EventID{events[2].ID})
		equal(t, "next", next, first[1].Delivery.NextAttemptAt)
		return err
	})
}

// testRecordSuccess records attempts, and reads the time of the endpoint's last
// success.
func testRecordSuccess(b *scoped) {
	e := b.newEndpoint(0)
	b.happen(5)
	_, due, _ := b.dueAt(e.ID, b.now.Add(time.Hour), 10)
	for n, test := range []struct {
		what   string
		at     time.Time
		status int
		url    string
		want   time.Time
	}{
		{"a failure", b.now, 500, e.URL, time.Time{}},
		{"a success", b.now.Add(2 * time.Second), 204, e.URL, b.now.Add(2 * time.Second)},
		{"another URL", b.now.Add(time.Hour), 204, "https://example.org", b.now.Add(2 * time.Second)},
		{"a later success", b.now.Add(3 * time.Second), 200, e.URL, b.now.Add(3 * time.Second)},
		{"an earlier success", b.now.Add(time.Second), 200, e.URL, b.now.Add(3 * time.Second)},
	} {
		d := *due[n].Delivery
		d.Tried(webhook.Attempt{At: test.at, Status: test.status, URL: test.url}, 0.5)
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.Record(ctx, []*webhook.Delivery{&d}) })
		e.DeliveredAt = test.want
		equal(b.t, test.what, b.getEndpoint(e.ID), e)
	}
}

// testRecordHealth records the health of an endpoint while its owner changes it.
func testRecordHealth(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	seen := *e
	ill := webhook.EndpointHealth{Failures: 3, FailingSince: b.now, CircuitUntil: b.now.Add(time.Minute)}
	e.URL, e.Secret, e.Description, e.EventTypes = "https://example.net", webhook.NewWebhookSecret(), "new", event.Types()[:1]
	b.saveEndpoint(e)
	b.recordHealth(seen, ill) // has the old URL
	e.Health = ill
	equal(t, "endpoint with failures", b.getEndpoint(e.ID), e)
	e.Status = webhook.EndpointDisabled
	b.saveEndpoint(e)
	calls := b.calls()[e.ID]
	b.recordHealth(seen, webhook.EndpointHealth{}) // does not know that it was disabled
	e.Health = webhook.EndpointHealth{}
	equal(t, "endpoint that its owner disabled", b.getEndpoint(e.ID), e)
	e.Status = webhook.EndpointEnabled
	b.saveEndpoint(e)
	gone := *e
	gone.Status, gone.DisabledBy = webhook.EndpointDisabled, webhook.DisabledByGone
	b.recordHealth(gone, ill)
	gone.Health = ill
	equal(t, "endpoint that is gone", b.getEndpoint(e.ID), &gone)
	equal(t, "calls", b.calls()[e.ID], calls+1)
	b.deleteEndpoint(e.ID)
	b.recordHealth(gone, ill)
}

// testPostpone moves the time of a delivery before its first attempt, and of none after it.
func testPostpone(b *scoped) {
	t, e := b.t, b.newEndpoint(0)
	b.happen(2)
	_, due, _ := b.dueAt(e.ID, b.now.Add(time.Minute), 10)
	first, second := due[0].Delivery, due[1].Delivery
	b.record(500, due[1])
	later := b.now.Add(time.Hour)
	for _, d := range []*webhook.Delivery{first, second} {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Lanes.Postpone(ctx, d.ID, later) })
	}
	_, due, next := b.dueAt(e.ID, later.Add(-time.Second), 10)
	equal(t, "due before", shipped(due), []billing.EventID{second.EventID})
	equal(t, "next", next, later)
}
