package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// endpoint returns an enabled endpoint for every event, n microseconds after
// the start of the test.
func (b *scoped) endpoint(n int) *webhook.Endpoint {
	return &webhook.Endpoint{
		ID: id[billing.WebhookEndpointID](), Scope: b.scope, URL: "https://example.com/hooks?a=%20", Description: unicode,
		Status: webhook.EndpointEnabled, Secret: webhook.NewWebhookSecret(), CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond),
		CreatedBy: "key_01JGFJJZ00FC1R3ZY5N7Q8Z4VK",
	}
}

func (b *scoped) insertEndpoint(e *webhook.Endpoint) error {
	return b.try(e.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, e) })
}

// newEndpoint changes an endpoint and stores it.
func (b *scoped) newEndpoint(n int, changes ...func(*webhook.Endpoint)) *webhook.Endpoint {
	b.t.Helper()
	e := b.endpoint(n)
	for _, change := range changes {
		change(e)
	}
	if err := b.insertEndpoint(e); err != nil {
		b.t.Fatal(err)
	}
	return e
}

func (b *scoped) getEndpoint(id billing.WebhookEndpointID) *webhook.Endpoint {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		return tx.Endpoints.Get(ctx, id)
	})
}

func (b *scoped) saveEndpoint(e *webhook.Endpoint) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Endpoints.Lock(ctx, e.ID); err != nil {
			return err
		}
		return tx.Endpoints.Save(ctx, e)
	})
}

func (b *scoped) deleteEndpoint(id billing.WebhookEndpointID) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Delete(ctx, id) })
}

func disabled(e *webhook.Endpoint) { e.Status = webhook.EndpointDisabled }

// calls counts the calls of each endpoint's lane.
func (b *scoped) calls() map[billing.WebhookEndpointID]int {
	b.t.Helper()
	out := map[billing.WebhookEndpointID]int{}
	for _, j := range b.Staged() {
		if j.Kind != jobs.KindWebhook {
			continue
		}
		if j.ID.IsZero() || j.Scope == (billing.Scope{}) || j.ReplyTo != "" || !j.NotBefore.IsZero() {
			b.t.Errorf("a lane is called with %+v", j)
		}
		out[j.Subject]++
	}
	return out
}

func testEndpoints(b *scoped) {
	t := b.t
	every, some, ill := b.endpoint(0), b.endpoint(1), b.endpoint(2)
	some.EventTypes, some.URL = event.Types()[:3], "https://example.com/"+strings.Repeat("u", webhook.MaxWebhookURL-20)
	some.Description = ""
	ill.Status, ill.DisabledBy, ill.DeliveredAt = webhook.EndpointDisabled, webhook.DisabledByGone, b.now.Add(-2*time.Hour)
	ill.Health = webhook.EndpointHealth{Failures: 12, FailingSince: b.now.Add(-time.Hour), CircuitUntil: b.now.Add(time.Second)}
	want := []*webhook.Endpoint{ill, some, every}
	for _, e := range []*webhook.Endpoint{some, every, ill} {
		if err := b.insertEndpoint(e); err != nil {
			t.Fatal(err)
		}
		equal(t, "endpoint", b.getEndpoint(e.ID), e)
	}
	list := func(ctx context.Context, tx ports.Tx) ([]*webhook.Endpoint, error) {
		return tx.Endpoints.List(ctx)
	}
	equal(t, "endpoints, newest first", read(b, list), want)
	equal(t, "lanes called for new endpoints", len(b.calls()), 0)
	b.deleteEndpoint(some.ID)
	b.deleteEndpoint(some.ID)
	equal(t, "endpoints but for a deleted one", read(b, list), []*webhook.Endpoint{ill, every})
	b.absent("a deleted endpoint",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Endpoints.Get(ctx, some.ID) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Endpoints.Lock(ctx, some.ID) })
}

// testSaveEndpoint changes every field that can change, and checks which
// changes call the lane.
func testSaveEndpoint(b *scoped) {
	t := b.t
	e, other := b.newEndpoint(0), b.newEndpoint(1)
	calls := 0
	for _, change := range []func(){
		func() { e.URL, e.Description = "https://example.org", "x" },
		func() { e.EventTypes = event.Types() },
		func() { e.Secret = webhook.NewWebhookSecret() },
		func() { e.Status = webhook.EndpointDisabled },
		func() { e.Health = webhook.EndpointHealth{Failures: 1, FailingSince: b.now} },
		func() { e.DisabledBy, e.DeliveredAt = webhook.DisabledByUser, b.now },
		func() { e.EventTypes = nil },
		func() { e.Status, e.Health, e.DisabledBy = webhook.EndpointEnabled, webhook.EndpointHealth{}, "" },
		func() { e.DeliveredAt = time.Time{} },
	} {
		change()
		b.saveEndpoint(e)
		equal(t, "saved endpoint", b.getEndpoint(e.ID), e)
		if e.Status == webhook.EndpointEnabled {
			calls++
		}
		equal(t, "calls of the lane", b.calls()[e.ID], calls)
	}
	forgotten := *e
	forgotten.Secret = ""
	b.saveEndpoint(&forgotten)
	equal(t, "endpoint that was saved without its secret", b.getEndpoint(e.ID), e)
	equal(t, "the other endpoint", b.getEndpoint(other.ID), other)
	equal(t, "calls of the other lane", b.calls()[other.ID], 0)
	_ = b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Endpoints.Save(ctx, other), errStop)
	})
	equal(t, "calls after a rollback", b.calls()[other.ID], 0)
}

// testEndpointLimit creates too many endpoints at once.
func testEndpointLimit(b *scoped) {
	t := b.t
	var made [webhook.MaxEndpoints + 6]*webhook.Endpoint
	var kept []billing.WebhookEndpointID
	for n, err := range together(times(len(made), func(n int) error {
		made[n] = b.endpoint(n)
		return b.insertEndpoint(made[n])
	})...) {
		if err == nil {
			kept = append(kept, made[n].ID)
			continue
		}
		wantCode(t, "one endpoint too many", err, billing.CodeConflict)
	}
	equal(t, "endpoints made", len(kept), webhook.MaxEndpoints)
	listed := read(b, func(ctx context.Context, tx ports.Tx) ([]*webhook.Endpoint, error) {
		return tx.Endpoints.List(ctx)
	})
	equal(t, "endpoints kept", len(listed), webhook.MaxEndpoints)
	live := b.endpoint(0)
	live.Scope.Mode = billing.ModeLive
	if err := b.insertEndpoint(live); err != nil {
		t.Errorf("an endpoint of the other mode: %v", err)
	}
	b.deleteEndpoint(kept[0])
	if err := b.insertEndpoint(b.endpoint(0)); err != nil {
		t.Errorf("an endpoint in the place of a deleted one: %v", err)
	}
	wantCode(t, "and another one", b.insertEndpoint(b.endpoint(0)), billing.CodeConflict)
}

// testEndpointLock locks an endpoint in two transactions. The second waits and
// sees the change. Events are queued meanwhile.
func testEndpointLock(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	held, release := make(chan struct{}), make(chan struct{})
	var seen *webhook.Endpoint
	b.race(func() error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			got, err := tx.Endpoints.Lock(ctx, e.ID)
			if err != nil {
				return err
			}
			close(held)
			<-release
			got.Description = "changed"
			return tx.Endpoints.Save(ctx, got)
		})
	}, func() error {
		<-held
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) (err error) {
			seen, err = tx.Endpoints.Lock(ctx, e.ID)
			return err
		})
	}, func() error {
		<-held
		defer close(release)
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Events.Append(ctx, b.event(id[billing.CheckID](), event.EligibilityCompleted, 0))
		})
	})
	equal(t, "what the second one locked", seen.Description, "changed")
	equal(t, "deliveries queued meanwhile", len(b.deliveries(e.ID)), 1)
}

// testWebhookScopes reads and writes one scope's endpoints, deliveries and
// lanes from other scopes.
func testWebhookScopes(b *scoped) {
	t := b.t
	e := b.newEndpoint(0)
	ev := b.event(id[billing.CheckID](), event.EligibilityCompleted, 0)
	b.appendEvents(ev)
	queued := b.deliveries(e.ID)
	calls := b.calls()[e.ID]
	settled := *queued[0]
	settled.Tried(webhook.Attempt{At: b.now, Status: 200}, 0)
	changed := *e
	changed.URL, changed.Status = "https://evil.example", webhook.EndpointDisabled
	holder := id[billing.JobID]()
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		for what, read := range map[string]func() error{
			"endpoint":         func() error { _, err := tx.Endpoints.Get(ctx, e.ID); return err },
			"endpoint to lock": func() error { _, err := tx.Endpoints.Lock(ctx, e.ID); return err },
			"what is due":      func() error { _, _, _, err := tx.Lanes.Due(ctx, e.ID, b.now, 10, nil); return err },
			"resend of an event": func() error {
				_, err := tx.Deliveries.Resend(ctx, webhook.ResendFilter{EventID: ev.ID}, b.now, 10)
				return err
			},
			"resend to an endpoint": func() error {
				_, err := tx.Deliveries.Resend(ctx, webhook.ResendFilter{EndpointID: e.ID}, b.now, 10)
				return err
			},
		} {
			wantCode(t, what, read(), billing.CodeNotFound)
		}
		endpoints, err1 := tx.Endpoints.List(ctx)
		deliveries, err2 := tx.Deliveries.List(ctx, webhook.DeliveryFilter{EndpointID: e.ID}, billing.Page{Limit: 10})
		taken, holds, err3 := tx.Lanes.Take(ctx, e.ID, holder, "there", time.Minute)
		n, err4 := tx.Deliveries.Resend(ctx, webhook.ResendFilter{}, b.now, 10)
		if len(endpoints)+len(deliveries)+n > 0 || taken || holds != "" {
			t.Errorf("%s reaches another scope's rows", mode)
		}
		return errors.Join(err1, err2, err3, err4, tx.Endpoints.Save(ctx, &changed), tx.Lanes.RecordHealth(ctx, &changed),
			tx.Lanes.Record(ctx, []*webhook.Delivery{&settled}), tx.Lanes.Leave(ctx, e.ID, holder), tx.Endpoints.Delete(ctx, e.ID))
	})
	equal(t, "endpoint", b.getEndpoint(e.ID), e)
	equal(t, "deliveries", b.deliveries(e.ID), queued)
	equal(t, "calls", b.calls()[e.ID], calls)
}

func endpointIDs(es ...*webhook.Endpoint) (out []billing.WebhookEndpointID) {
	for _, e := range es {
		out = append(out, e.ID)
	}
	slices.SortFunc(out, func(x, y billing.WebhookEndpointID) int { return slices.Compare(x[:], y[:]) })
	return out
}
