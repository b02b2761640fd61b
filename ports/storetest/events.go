package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) listEvents(f event.Filter, p billing.Page) []*event.Event {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) { return tx.Events.List(ctx, f, p) })
}

func (b *scoped) tail(f event.Filter, after billing.EventID, limit int) []*event.Event {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
		return tx.Events.Tail(ctx, f, after, limit)
	})
}

func testEvents(b *scoped) {
	t := b.t
	e := b.event(id[billing.CheckID](), event.EligibilityCompleted, 0)
	b.appendEvents(e)
	e.Sequence = 1
	got := read(b, func(ctx context.Context, tx ports.Tx) (*event.Event, error) { return tx.Events.Get(ctx, e.ID) })
	equal(t, "event", *got, e)
	b.absent("an absent event", func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Events.Get(ctx, id[billing.EventID]()) })
}

func eventIDs(es []*event.Event) []billing.EventID {
	var out []billing.EventID
	for _, e := range es {
		out = append(out, e.ID)
	}
	return out
}

func testEventFilters(b *scoped) {
	t := b.t
	one := b.event(id[billing.CheckID](), event.EligibilityCompleted, 0)
	two := b.event(id[billing.ClaimID](), event.ClaimPaid, 10)
	three := b.event(two.Resource, event.ClaimDenied, 20)
	b.appendEvents(one, two, three)
	for name, test := range map[string]struct {
		f    event.Filter
		want []billing.EventID
	}{
		"none":     {event.Filter{}, []billing.EventID{three.ID, two.ID, one.ID}},
		"type":     {event.Filter{Types: []event.Type{event.ClaimPaid}}, []billing.EventID{two.ID}},
		"resource": {event.Filter{Resource: two.Resource}, []billing.EventID{three.ID, two.ID}},
		"after":    {event.Filter{CreatedAfter: two.CreatedAt}, []billing.EventID{three.ID, two.ID}},
		"before":   {event.Filter{CreatedBefore: two.CreatedAt}, []billing.EventID{one.ID}},
		"types":    {event.Filter{Types: []event.Type{event.ClaimDenied, event.EligibilityCompleted}}, []billing.EventID{three.ID, one.ID}},
		"two":      {event.Filter{Types: []event.Type{event.ClaimDenied, event.ClaimPaid}, Resource: two.Resource}, []billing.EventID{three.ID, two.ID}},
		"both":     {event.Filter{Types: []event.Type{event.ClaimDenied}, Resource: two.Resource}, []billing.EventID{three.ID}},
	} {
		equal(t, name, eventIDs(b.listEvents(test.f, billing.Page{Limit: 25})), test.want)
		reversed := slices.Clone(test.want)
		slices.Reverse(reversed)
		equal(t, name+", tailing", b.await(test.f, len(test.want)), reversed)
	}
	page := b.listEvents(event.Filter{}, billing.Page{Limit: 1, After: &billing.Position{Time: three.CreatedAt, ID: three.ID}})
	equal(t, "second page", eventIDs(page), []billing.EventID{two.ID, one.ID})
}

// testEventOrder stores many events with the same time in one transaction.
// Lists and tails return them in the order in which they were stored.
func testEventOrder(b *scoped) {
	var kept []event.Event
	for range 20 {
		e := b.event(id[billing.ClaimID](), event.ClaimQueued, 0)
		e.ID = billing.NewID[billing.EventID](billing.RealAt(b.now))
		kept = append(kept, e)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, e := range kept {
			if err := tx.Events.Append(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	resources := func(es []*event.Event) (all [][16]byte) {
		for _, e := range es {
			all = append(all, e.Resource)
		}
		return all
	}
	var want [][16]byte
	for _, e := range kept {
		want = append(want, e.Resource)
	}
	b.await(event.Filter{}, len(kept))
	equal(b.t, "tail", resources(b.tail(event.Filter{}, billing.EventID{}, 100)), want)
	slices.Reverse(want)
	equal(b.t, "list", resources(b.listEvents(event.Filter{}, billing.Page{Limit: 100})), want)
}

// await tails until there are n events. Transactions of other tests may delay
// the tail for a moment.
func (b *scoped) await(f event.Filter, n int) []billing.EventID {
	b.t.Helper()
	for {
		got := eventIDs(b.tail(f, billing.EventID{}, 1000))
		if len(got) >= n || b.t.Context().Err() != nil {
			return got
		}
		waitABit(b.t.Context())
	}
}

// testSequences appends from many writers to few resources, each with the
// resource locked.
func testSequences(b *scoped) {
	t := b.t
	const writers, each = 8, 10
	resources := make([]billing.ClaimID, 2)
	for n := range resources {
		c := b.claim(n)
		if err := b.insertClaim(c); err != nil {
			t.Fatal(err)
		}
		resources[n] = c.ID
	}
	b.race(times(writers, func(w int) error {
		for range each {
			r := resources[w%len(resources)]
			if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				if _, err := tx.Claims.Lock(ctx, r); err != nil { // as use cases do
					return err
				}
				return tx.Events.Append(ctx, b.event(r, event.ClaimStatusUpdated, 0))
			}); err != nil {
				return err
			}
		}
		return nil
	})...)
	for _, r := range resources {
		var got []int
		for _, e := range b.listEvents(event.Filter{Resource: r}, billing.Page{Limit: 100}) {
			got = append(got, e.Sequence)
		}
		slices.Sort(got)
		for i, n := range got {
			if n != i+1 {
				t.Fatalf("sequences %v have a gap or a repeat", got)
			}
		}
		equal(t, "events", len(got), writers*each/len(resources))
	}
}

func testTail(b *scoped) {
	t := b.t
	var want []billing.EventID
	for n := range 5 {
		e := b.event(id[billing.CheckID](), event.EligibilityCompleted, -n) // the time does not decide
		b.appendEvents(e)
		want = append(want, e.ID)
	}
	equal(t, "from the start", b.await(event.Filter{}, 5), want)
	equal(t, "a limit, and one more", eventIDs(b.tail(event.Filter{}, billing.EventID{}, 2)), want[:3])
	equal(t, "after one", eventIDs(b.tail(event.Filter{}, want[1], 10)), want[2:])
	equal(t, "after the last", len(b.tail(event.Filter{}, want[4], 10)), 0)
	b.absent("after an unknown event", func(ctx context.Context, tx ports.Tx) (any, error) {
		return tx.Events.Tail(ctx, event.Filter{}, id[billing.EventID](), 10)
	})
}

// testTailLateCommit commits in another order than it writes.
func testTailLateCommit(b *scoped) {
	t := b.t
	late, soon := b.event(id[billing.CheckID](), event.ClaimPaid, 0), b.event(id[billing.CheckID](), event.ClaimPaid, 1)
	written, commit, committed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		committed <- b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			err := tx.Events.Append(ctx, late)
			if err == nil {
				_, err = tx.Events.Get(ctx, late.ID) // writes the event
			}
			close(written)
			<-commit
			return err
		})
	}()
	<-written
	b.appendEvents(soon)
	seen := b.tail(event.Filter{}, billing.EventID{}, 10)
	close(commit)
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
	var after billing.EventID
	if len(seen) > 0 {
		after = seen[len(seen)-1].ID
	}
	for deadline := time.Now().Add(5 * time.Minute); len(seen) < 2 && time.Now().Before(deadline); waitABit(t.Context()) {
		for _, e := range b.tail(event.Filter{}, after, 10) {
			seen = append(seen, e)
			after = e.ID
		}
	}
	equal(t, "events in the order of the tail", eventIDs(seen), []billing.EventID{late.ID, soon.ID})
}

func testScopes(b *scoped) {
	t := b.t
	c, j := b.answered(0), b.job()
	e := b.event(c.ID, event.EligibilityCompleted, 0)
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Orgs.Insert(ctx, &caller.Organization{ID: b.scope.Org, Name: "Practice", CreatedAt: b.now})
	})
	office := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", CreatedAt: b.now}
	var patient []billing.PatientID
	person := directory.Person{Key: "a|b", Patient: directory.Patient{ID: id[billing.PatientID](), DateOfBirth: billing.Date{Year: 1990, Month: 1, Day: 1}, CreatedAt: b.now}}
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		if patient, err = tx.Patients.Find(ctx, []directory.Person{person}); err != nil {
			return err
		}
		return errors.Join(tx.Checks.Insert(ctx, c), tx.Events.Append(ctx, e), tx.Outbox.Stage(ctx, j), tx.Offices.Insert(ctx, office),
			tx.Keys.Record(ctx, caller.KeyUse{Key: "k", CreatedAt: b.now}))
	})
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		_, err := tx.Checks.Get(ctx, c.ID)
		wantCode(t, "check", err, billing.CodeNotFound)
		_, err = tx.Events.Get(ctx, e.ID)
		wantCode(t, "event", err, billing.CodeNotFound)
		_, err = tx.Events.Tail(ctx, event.Filter{}, e.ID, 10)
		wantCode(t, "tail", err, billing.CodeNotFound)
		_, err = tx.Offices.Get(ctx, office.ID)
		wantCode(t, "office", err, billing.CodeNotFound)
		absent, err := tx.Checks.Find(ctx, []billing.CheckID{c.ID})
		if err != nil || len(absent) > 0 {
			t.Errorf("%s finds %d checks of another scope, %v", mode, len(absent), err)
		}
		checks, err1 := tx.Checks.List(ctx, coverage.CheckFilter{}, billing.Page{Limit: 10})
		events, err2 := tx.Events.List(ctx, event.Filter{Resource: c.ID}, billing.Page{Limit: 10})
		offices, err3 := tx.Offices.List(ctx, billing.Page{Limit: 10})
		recent, err4 := tx.Checks.Recent(ctx, c.Digest(), b.now)
		pending, err5 := tx.Outbox.Pending(ctx, j.ID)
		use, err6 := tx.Keys.Reserve(ctx, "k")
		ids, err7 := tx.PendingChecks.Lock(ctx, []billing.CheckID{c.ID})
		if len(checks)+len(events)+len(offices)+len(ids) > 0 || recent != nil || pending || use != nil {
			t.Errorf("%s sees another scope's rows", mode)
		}
		fresh := person
		fresh.ID = id[billing.PatientID]()
		found, err8 := tx.Patients.Find(ctx, []directory.Person{fresh})
		if slices.Equal(found, patient) {
			t.Error("a patient was shared")
		}
		return errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, tx.Outbox.Done(ctx, j.ID), tx.Outbox.Postpone(ctx, j.ID, b.now.Add(time.Hour)))
	})
	if !b.pending(j.ID) {
		t.Error("another scope removed a job")
	}
}
