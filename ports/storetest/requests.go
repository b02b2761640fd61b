package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
)

// entry returns an entry of the request log, n microseconds after the start of the
// test.
func (b *scoped) entry(n int) *caller.LoggedRequest {
	at := b.now.Add(time.Duration(n) * time.Microsecond)
	return &caller.LoggedRequest{
		ID: billing.NewID[billing.RequestID](billing.RealAt(at)), Scope: b.scope, KeyID: billing.KeyID{15: 7}, Operation: "POST /eligibility",
		Resource: id[billing.CheckID]().String(), Status: 200, Duration: 1234 * time.Microsecond, CreatedAt: at,
	}
}

func (b *scoped) insertEntries(entries ...*caller.LoggedRequest) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.RequestLog.Insert(ctx, entries) })
}

func (b *scoped) listEntries(f caller.RequestFilter, p billing.Page) []*caller.LoggedRequest {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*caller.LoggedRequest, error) {
		return tx.Requests.List(ctx, f, p)
	})
}

func (b *scoped) readEntry(id billing.RequestID) *caller.LoggedRequest {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*caller.LoggedRequest, error) {
		return tx.Requests.Get(ctx, id)
	})
}

func testRequests(b *scoped) {
	t := b.t
	full, bare := b.entry(0), b.entry(1)
	full.Error = billing.CodePayerRejected
	bare.Resource, bare.Status, bare.Duration = "", 0, 0
	b.insertEntries(full, bare)
	equal(t, "an entry", b.readEntry(full.ID), full)
	equal(t, "an entry without a reply", b.readEntry(bare.ID), bare)

	// An entry never changes.
	later := *bare
	later.Status, later.Operation = 201, "POST /claims"
	third := b.entry(2)
	b.insertEntries(&later, third)
	equal(t, "the entry inserted again", b.readEntry(bare.ID), bare)
	equal(t, "the entry beside it", b.readEntry(third.ID), third)

	b.absent("an unknown request", func(ctx context.Context, tx ports.Tx) (any, error) {
		return tx.Requests.Get(ctx, id[billing.RequestID]())
	})
	b.elsewhere(func(ctx context.Context, tx ports.Tx, _ billing.Mode) error {
		_, err := tx.Requests.Get(ctx, full.ID)
		wantCode(t, "another scope's request", err, billing.CodeNotFound)
		all, err := tx.Requests.List(ctx, caller.RequestFilter{KeyID: full.KeyID}, billing.Page{Limit: 10})
		equal(t, "another scope's requests", len(all), 0)
		return err
	})
}

func testListRequests(b *scoped) {
	listed(b, b.entry, b.insertEntries,
		func(p billing.Page) []*caller.LoggedRequest { return b.listEntries(caller.RequestFilter{}, p) },
		func(e *caller.LoggedRequest) billing.Position { return billing.Position{Time: e.CreatedAt, ID: e.ID} })
}

func testRequestFilters(b *scoped) {
	t := b.t
	one, two, three := b.entry(0), b.entry(10), b.entry(20)
	two.KeyID, two.Operation, two.Status, two.Error = billing.KeyID{15: 8}, "GET /claims/{id}", 404, billing.CodeNotFound
	three.Resource = two.Resource
	b.insertEntries(one, two, three)
	for name, test := range map[string]struct {
		f    caller.RequestFilter
		want []*caller.LoggedRequest
	}{
		"none":      {caller.RequestFilter{}, []*caller.LoggedRequest{three, two, one}},
		"key":       {caller.RequestFilter{KeyID: two.KeyID}, []*caller.LoggedRequest{two}},
		"operation": {caller.RequestFilter{Operation: one.Operation}, []*caller.LoggedRequest{three, one}},
		"status":    {caller.RequestFilter{Status: 404}, []*caller.LoggedRequest{two}},
		"error":     {caller.RequestFilter{Error: billing.CodeNotFound}, []*caller.LoggedRequest{two}},
		"resource":  {caller.RequestFilter{Resource: two.Resource}, []*caller.LoggedRequest{three, two}},
		"from":      {caller.RequestFilter{CreatedAfter: two.CreatedAt}, []*caller.LoggedRequest{three, two}},
		"before":    {caller.RequestFilter{CreatedBefore: two.CreatedAt}, []*caller.LoggedRequest{one}},
		"all at once": {caller.RequestFilter{
			KeyID: two.KeyID, Operation: two.Operation, Status: two.Status, Error: two.Error, Resource: two.Resource,
			CreatedAfter: two.CreatedAt, CreatedBefore: three.CreatedAt,
		}, []*caller.LoggedRequest{two}},
		"nothing": {caller.RequestFilter{Status: 500}, []*caller.LoggedRequest{}},
	} {
		equal(t, "filter by "+name, b.listEntries(test.f, billing.Page{Limit: 25}), test.want)
	}
}

// testWritten reads the entries that were committed with writes.
func testWritten(b *scoped) {
	t := b.t
	entries := []*caller.LoggedRequest{b.entry(0), b.entry(1), b.entry(2)}
	check := id[billing.CheckID]()
	for n, e := range entries {
		e.Status, e.Duration, e.Resource = 0, 0, ""
		use := caller.KeyUse{Key: e.ID.String(), CreatedAt: e.CreatedAt, Entry: e}
		switch n {
		case 0:
			use.CheckID = check
		case 1:
			use.Reply, use.Entry.Resource = &caller.Reply{Status: 201}, id[billing.ClaimID]().String()
		case 2:
			use.Work = id[billing.JobID]()
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) })
	}
	// The work's own commit keeps the entry; a change without a request has none.
	b.in(func(ctx context.Context, tx ports.Tx) error {
		done := caller.KeyUse{Key: entries[2].ID.String(), Reply: &caller.Reply{Status: 200}, CreatedAt: entries[2].CreatedAt}
		return errors.Join(tx.Keys.Record(ctx, done), tx.Keys.Record(ctx, caller.KeyUse{Key: "none", CreatedAt: b.now}))
	})
	entries[0].Resource = check.String()
	written := func(after, before time.Time) (out []*caller.LoggedRequest) {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			got, next, err := tx.RequestLog.Written(ctx, after, before)
			equal(t, "the time of the next call", next.Equal(before), true)
			out = got
			return err
		})
		return out
	}
	equal(t, "the writes", written(time.Time{}, b.now.Add(time.Hour)), entries)
	equal(t, "the writes of a span", written(entries[1].CreatedAt, entries[2].CreatedAt), entries[1:2])
}

// testManyWritten reads more writes than one call returns, many of them of one
// transaction.
func testManyWritten(b *scoped) {
	const each = 400
	var want []string
	for n := range 6 {
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			for range each {
				e := b.entry(n)
				want = append(want, e.ID.String())
				err = errors.Join(err, tx.Keys.Record(ctx, caller.KeyUse{Key: e.ID.String(), CreatedAt: e.CreatedAt, Entry: e}))
			}
			return err
		})
	}
	var got []string
	before := b.now.Add(time.Hour)
	for after := (time.Time{}); !after.Equal(before); {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			entries, next, err := tx.RequestLog.Written(ctx, after, before)
			for _, e := range entries {
				got = append(got, e.ID.String())
			}
			after = next
			return err
		})
	}
	slices.Sort(want)
	slices.Sort(got)
	equal(b.t, "the writes", slices.Compact(got), want)
}

func testForgetRequests(b *scoped) {
	old := func(days int) *caller.LoggedRequest {
		e := b.entry(0)
		e.CreatedAt = e.CreatedAt.AddDate(0, 0, -days)
		e.ID = billing.NewID[billing.RequestID](billing.RealAt(e.CreatedAt))
		return e
	}
	fresh, weeks, months, year := old(1), old(29), old(90), old(400)
	b.insertEntries(fresh, weeks, months, year)
	b.forgets(ports.Forgetter.Requests, months.CreatedAt.Add(-time.Hour), 1)
	equal(b.t, "those that are left", b.listEntries(caller.RequestFilter{}, billing.Page{Limit: 9}), []*caller.LoggedRequest{fresh, weeks, months})
	b.forgets(ports.Forgetter.Requests, b.now.Add(time.Hour), 1)
	equal(b.t, "those of 30 days", b.listEntries(caller.RequestFilter{}, billing.Page{Limit: 9}), []*caller.LoggedRequest{fresh, weeks})
}
