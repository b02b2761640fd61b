package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// callLanes returns the endpoints whose lanes are called.
func (b *scoped) callLanes(now time.Time, pause time.Duration, limit int) (out []billing.WebhookEndpointID) {
	b.t.Helper()
	for _, j := range system(b, func(ctx context.Context, tx ports.SystemTx) ([]jobs.Job, error) {
		return tx.Jobs.Lanes(ctx, now, pause, limit)
	}) {
		if j.Kind != jobs.KindWebhook || j.Scope.Mode == "" || j.ID.IsZero() {
			b.t.Errorf("a lane is called with %+v", j)
		}
		out = append(out, j.Subject)
	}
	slices.SortFunc(out, func(x, y billing.WebhookEndpointID) int { return slices.Compare(x[:], y[:]) })
	return out
}

// testCallLanes calls the lanes that need it and no others.
func testCallLanes(b *scoped) {
	t := b.t
	one, two, open, off := b.newEndpoint(0), b.newEndpoint(1), b.newEndpoint(2), b.newEndpoint(3)
	idle := b.newEndpoint(4, func(e *webhook.Endpoint) { e.EventTypes = []event.Type{event.ERAReceived} })
	live := b.newEndpoint(5, func(e *webhook.Endpoint) { e.Scope.Mode = billing.ModeLive })
	b.happen(1)
	b.scope = live.Scope
	b.happen(1)
	b.scope = one.Scope
	off.Status = webhook.EndpointDisabled
	b.saveEndpoint(off)
	circuit := webhook.EndpointHealth{Failures: 10, FailingSince: b.now, CircuitUntil: b.now.Add(time.Minute)}
	b.recordHealth(*open, circuit)
	held := id[billing.JobID]()
	b.take(two.ID, held, time.Minute)

	now := b.now.Add(time.Second)
	equal(t, "before anything is due", len(b.callLanes(b.now.Add(-time.Second), 0, 10)), 0)
	equal(t, "called", b.callLanes(now, time.Hour, 10), endpointIDs(one, live))
	equal(t, "called within the pause", len(b.callLanes(now, time.Hour, 10)), 0)
	equal(t, "called after the pause", b.callLanes(now, 0, 10), endpointIDs(one, live))
	first, second := b.callLanes(now, 0, 1), b.callLanes(now, 0, 1)
	equal(t, "called in turn", len(first)+len(second), 2)
	if first[0] == second[0] {
		t.Error("one lane was called twice before the other")
	}
	b.leave(two.ID, held)
	equal(t, "called when its holder has left", b.callLanes(now, time.Hour, 10), endpointIDs(two))
	equal(t, "called when its circuit may be probed", b.callLanes(circuit.CircuitUntil, time.Hour, 10), endpointIDs(open))
	b.settleAll(one.ID, two.ID)
	b.deleteEndpoint(open.ID)
	equal(t, "called when the rest is delivered", b.callLanes(now.Add(time.Hour), 0, 10), endpointIDs(live))
	equal(t, "calls of an idle lane", b.calls()[idle.ID], 0)
	equal(t, "endpoint", b.getEndpoint(one.ID), one)
}

// testWorkIsDue asks whether there is work, and takes a turn with the question.
func testWorkIsDue(b *scoped) {
	t := b.t
	one, two := billing.JobID{1}, billing.JobID{2}
	ask := func(holder billing.JobID, lease, pause time.Duration) (others time.Duration, due bool) {
		t.Helper()
		others, due, err := b.Store.Due(t.Context(), "outbox", holder, lease, pause)
		if err != nil {
			t.Fatal(err)
		}
		return others, due
	}
	is := func(what string, want bool) {
		t.Helper()
		if _, due := ask(one, 0, time.Hour); due != want {
			t.Errorf("%s: due is %t", what, due)
		}
	}
	if others, due := ask(one, 0, 0); others != 0 || due {
		t.Errorf("without work and holder: %v, %t", others, due)
	}
	if others, _ := ask(two, time.Hour, 0); others != 0 {
		t.Errorf("a turn that was asked for without a lease is taken for %v", others)
	}
	if others, _ := ask(one, time.Hour, 0); others <= 0 || others > time.Hour {
		t.Errorf("another has the turn for %v, want at most the hour that it took", others)
	}
	now, later := b.job(), b.job()
	later.NotBefore = b.now.Add(time.Hour)
	b.stage(now, later)
	is("leased, and at rest", false)
	b.release()
	is("whose lease has ended", true)
	equal(t, "leased", b.due(time.Hour, 10), []billing.JobID{now.ID})
	is("leased again", false)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Postpone(ctx, later.ID, b.now) })
	is("whose time has come", true)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Outbox.Done(ctx, now.ID), tx.Outbox.Done(ctx, later.ID))
	})
	is("done", false)

	e := b.newEndpoint(0)
	b.happen(1)
	is("with a delivery", true)
	equal(t, "called", b.callLanes(time.Now().Add(time.Second), time.Hour, 10), endpointIDs(e))
	is("called within the pause", false)
	if _, due := ask(one, 0, 0); !due {
		t.Error("called after the pause: nothing is due")
	}
	e.Status = webhook.EndpointDisabled
	b.saveEndpoint(e)
	if _, due := ask(one, 0, 0); due {
		t.Error("a disabled endpoint is due")
	}
}

// testCallLanesRace calls lanes from several relays at once. Each lane is
// called once.
func testCallLanesRace(b *scoped) {
	t := b.t
	var all []*webhook.Endpoint
	for n := range webhook.MaxEndpoints {
		all = append(all, b.newEndpoint(n))
	}
	b.happen(1)
	called := make(chan billing.WebhookEndpointID, 4*len(all))
	b.race(times(4, func(int) error {
		for range all {
			var got []jobs.Job
			if err := b.Store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) (err error) {
				got, err = tx.Jobs.Lanes(ctx, b.now.Add(time.Second), time.Hour, 3)
				return err
			}); err != nil {
				return err
			}
			for _, j := range got {
				called <- j.Subject
			}
		}
		return nil
	})...)
	for _, e := range b.callLanes(b.now.Add(time.Second), time.Hour, len(all)) { // the lanes that were skipped because they were locked
		called <- e
	}
	close(called)
	seen := map[billing.WebhookEndpointID]int{}
	for e := range called {
		seen[e]++
	}
	want := map[billing.WebhookEndpointID]int{}
	for _, e := range all {
		want[e.ID] = 1
	}
	equal(t, "calls", seen, want)
}
