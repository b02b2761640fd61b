package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// checkBatch returns a batch, made n microseconds after the start of the test.
func (b *scoped) checkBatch(n int) *coverage.Batch {
	at := b.now.Add(time.Duration(n) * time.Microsecond)
	return &coverage.Batch{ID: id[billing.CheckBatchID](), Scope: b.scope, Name: unicode, CreatedAt: at, NotAfter: at.Add(time.Hour)}
}

// checkItems returns items of a batch that are due in a lane.
func (b *scoped) checkItems(of *coverage.Batch, lane coverage.Lane, names ...string) (all []*coverage.BatchItem) {
	for n, name := range names {
		i := &coverage.BatchItem{ID: of.ItemAt(n), Scope: of.Scope, BatchID: of.ID, CreatedAt: of.CreatedAt, ItemID: name, Lane: lane, Request: json.RawMessage(`{"PayerID":"CHTEST"}`)}
		i.Begin(of, b.now)
		all = append(all, i)
	}
	return all
}

func (b *scoped) insertCheckBatch(of *coverage.Batch, items ...*coverage.BatchItem) {
	b.t.Helper()
	if err := b.try(of.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.CheckBatches.Insert(ctx, of, items) }); err != nil {
		b.t.Fatal(err)
	}
}

func (b *scoped) saveItems(items ...*coverage.BatchItem) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.CheckItems.Save(ctx, items) })
}

func (b *scoped) getCheckBatch(id billing.CheckBatchID) *coverage.Batch {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*coverage.Batch, error) { return tx.CheckBatches.Get(ctx, id) })
}

func itemNames(all []*coverage.BatchItem) (names []string) {
	for _, i := range all {
		names = append(names, i.ItemID)
	}
	return names
}

// filledItem returns an item without zero fields, with a check that is stored.
func (b *scoped) filledItem(t testing.TB, of *coverage.Batch) *coverage.BatchItem {
	c := b.check(0)
	b.insert(c)
	i := Filled[coverage.BatchItem](t)
	i.ID, i.Scope, i.BatchID, i.CreatedAt, i.CheckID = of.ItemAt(0), of.Scope, of.ID, of.CreatedAt, c.ID
	i.Request, i.Outcome = json.RawMessage(`{"b":1.50,"a":"\u00e9"}`), coverage.ItemRejected
	return &i
}

// testCheckBatches stores batches of checks, counts their items, and cancels one.
func testCheckBatches(b *scoped) {
	t := b.t
	full := Filled[coverage.Batch](t)
	full.ID, full.Scope, full.CreatedAt, full.Recheck, full.Counts = id[billing.CheckBatchID](), b.scope, b.now, 90*time.Minute, coverage.BatchCounts{}
	items := b.checkItems(&full, coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}, "a", "b", "c", "d")
	b.insertCheckBatch(&full, items...)
	full.Counts = coverage.BatchCounts{Pending: 4, Outcomes: map[coverage.ItemOutcome]int{}, Latest: b.now}
	equal(t, "with pending items", b.getCheckBatch(full.ID), &full)

	items[0].RecheckAt = b.now.Add(time.Hour)
	items[0].Complete(&coverage.Check{Outcome: coverage.OutcomeAnswered, Status: coverage.Active}, false, b.now.Add(time.Second))
	items[1].Complete(&coverage.Check{Outcome: coverage.OutcomeRejected}, false, b.now.Add(2*time.Second))
	items[2].Invalid(billing.Faults{{Field: "payer_id", Code: billing.FaultRequired, Message: unicode}}, b.now)
	b.saveItems(items[:3]...)
	full.Counts = coverage.BatchCounts{
		Pending: 1, Waiting: 1, NeedsAPerson: 2, Latest: b.now.Add(time.Hour), Completed: b.now.Add(2 * time.Second),
		Outcomes: map[coverage.ItemOutcome]int{coverage.ItemAnswered: 1, coverage.ItemRejected: 1, coverage.ItemInvalid: 1},
	}
	equal(t, "with outcomes", b.getCheckBatch(full.ID), &full)

	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.CheckBatches.Lock(ctx, full.ID)
		if err != nil {
			return err
		}
		locked.CanceledAt, locked.Feed = b.now.Add(time.Minute), billing.JobID{}
		return tx.CheckBatches.Save(ctx, locked)
	})
	full.CanceledAt, full.Feed = b.now.Add(time.Minute), billing.JobID{}
	equal(t, "canceled", b.getCheckBatch(full.ID), &full)

	b.elsewhere(func(ctx context.Context, tx ports.Tx, _ billing.Mode) error {
		_, err := tx.CheckBatches.Get(ctx, full.ID)
		wantCode(t, "a batch of another scope", err, billing.CodeNotFound)
		_, err = tx.CheckBatches.Lock(ctx, full.ID)
		wantCode(t, "the lock of another scope's batch", err, billing.CodeNotFound)
		all, err := tx.CheckBatches.List(ctx, billing.Page{Limit: 25})
		equal(t, "batches of another scope", len(all), 0)
		return err
	})
	b.forgets(ports.Forgetter.CheckBatches, b.now.Add(-time.Minute), 0)
	b.forgets(ports.Forgetter.CheckBatches, b.now.Add(time.Minute), 1)
	equal(t, "items of a forgotten batch", len(b.listCheckItems(coverage.ItemFilter{BatchID: full.ID}, billing.Page{Limit: 25})), 0)
}

// testListCheckBatches walks the pages of batches.
func testListCheckBatches(b *scoped) {
	listed(b, func(n int) *coverage.Batch {
		of := b.checkBatch(n)
		of.Counts.Outcomes = map[coverage.ItemOutcome]int{}
		return of
	}, func(all ...*coverage.Batch) {
		for _, of := range all {
			b.insertCheckBatch(of)
		}
	}, func(p billing.Page) []*coverage.Batch {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*coverage.Batch, error) { return tx.CheckBatches.List(ctx, p) })
	}, (*coverage.Batch).Position)
}

func (b *scoped) listCheckItems(f coverage.ItemFilter, p billing.Page) []*coverage.BatchItem {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*coverage.BatchItem, error) {
		return tx.CheckItems.List(ctx, f, p)
	})
}

// wantItems compares items. Without faults, it does not matter how there are none.
func wantItems(t *testing.T, what string, got []*coverage.BatchItem, want ...*coverage.BatchItem) {
	t.Helper()
	plain := func(all []*coverage.BatchItem) (items []coverage.BatchItem) {
		for _, i := range all {
			item := *i
			item.Faults = append(billing.Faults{}, i.Faults...)
			items = append(items, item)
		}
		return items
	}
	equal(t, what, plain(got), plain(want))
}

// testCheckItems stores items, finds them by filters and by their checks, and locks them.
func testCheckItems(b *scoped) {
	t := b.t
	lane := coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}
	of, other := b.checkBatch(0), b.checkBatch(1)
	full := b.filledItem(t, of)
	names := []string{full.ItemID, "due", "asked", unicode, "invalid", "over"}
	all := b.checkItems(of, lane, names...)
	all[0] = full
	all[2].Ask(b.check(0).ID, id[billing.JobID]())
	all[2].CheckID = billing.CheckID{} // which would have to be stored
	all[3].Complete(&coverage.Check{Outcome: coverage.OutcomeAnswered, Status: coverage.Active}, false, b.now)
	all[4].Invalid(billing.Faults{{Field: "x", Code: billing.FaultFormat, Message: unicode}}, b.now)
	all[5].Over(b.now)
	b.insertCheckBatch(of, all...)
	b.insertCheckBatch(other, b.checkItems(other, lane, "due")...)

	in := func(f coverage.ItemFilter) coverage.ItemFilter { f.BatchID = of.ID; return f }
	for name, test := range map[string]struct {
		f    coverage.ItemFilter
		want []*coverage.BatchItem
	}{
		"all":             {in(coverage.ItemFilter{}), all},
		"outcome":         {in(coverage.ItemFilter{Outcome: coverage.ItemInvalid}), all[4:5]},
		"a person":        {in(coverage.ItemFilter{NeedsAPerson: new(true)}), []*coverage.BatchItem{full, all[4], all[5]}},
		"no person":       {in(coverage.ItemFilter{NeedsAPerson: new(false)}), all[1:4]},
		"name":            {in(coverage.ItemFilter{ItemID: unicode}), all[3:4]},
		"all at once":     {in(coverage.ItemFilter{Outcome: coverage.ItemNotAsked, NeedsAPerson: new(true), ItemID: "over"}), all[5:]},
		"do not combine":  {in(coverage.ItemFilter{Outcome: coverage.ItemInvalid, ItemID: "over"}), nil},
		"nobody":          {in(coverage.ItemFilter{PatientID: id[billing.PatientID]()}), nil},
		"an absent batch": {coverage.ItemFilter{BatchID: id[billing.CheckBatchID]()}, nil},
	} {
		wantItems(t, name, b.listCheckItems(test.f, billing.Page{Limit: 25, Oldest: true}), test.want...)
	}
	walked := walk(2, func(p billing.Page) []*coverage.BatchItem {
		p.Oldest = true
		return b.listCheckItems(in(coverage.ItemFilter{}), p)
	}, (*coverage.BatchItem).Position, func() {})
	equal(t, "pages", itemNames(walked), names)

	b.in(func(ctx context.Context, tx ports.Tx) error {
		open, err := tx.CheckItems.Lock(ctx, of.ID)
		equal(t, "open items", itemNames(open), []string{full.ItemID, "due", "asked"})
		if err != nil {
			return err
		}
		named, err := tx.CheckItems.Lock(ctx, of.ID, "over", "due", "absent")
		equal(t, "named items", itemNames(named), []string{"due", "over"})
		if err != nil {
			return err
		}
		found, err := tx.CheckItems.Of(ctx, []billing.CheckID{full.CheckID, id[billing.CheckID]()})
		equal(t, "how many items of checks", len(found), 1)
		wantItems(t, "items of checks", []*coverage.BatchItem{found[full.CheckID]}, full)
		return err
	})
	changed := *full
	changed.Request, changed.Outcome, changed.NextAt, changed.Asking = json.RawMessage(`{"c":3}`), coverage.ItemCanceled, time.Time{}, billing.JobID{}
	changed.Faults, changed.NeedsAPerson, changed.Attempts = nil, false, 7
	b.saveItems(&changed)
	wantItems(t, "a saved item", b.listCheckItems(in(coverage.ItemFilter{ItemID: full.ItemID}), billing.Page{Limit: 1, Oldest: true}), &changed)

	b.elsewhere(func(ctx context.Context, tx ports.Tx, _ billing.Mode) error {
		listed, err := tx.CheckItems.List(ctx, in(coverage.ItemFilter{}), billing.Page{Limit: 25})
		if err != nil {
			return err
		}
		locked, err := tx.CheckItems.Lock(ctx, of.ID)
		if err != nil {
			return err
		}
		found, err := tx.CheckItems.Of(ctx, []billing.CheckID{full.CheckID})
		if err != nil {
			return err
		}
		look, err := tx.CheckFeed.Outlook(ctx, of.ID, b.now)
		equal(t, "what another scope sees", fmt.Sprint(len(listed), len(locked), len(found), look.Left), "0 0 0 0")
		return err
	})
}

// testCheckFeed looks at what is left of a batch, and takes what is due in its lanes.
func testCheckFeed(b *scoped) {
	t := b.t
	one, two := coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}, coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}
	if bytes.Compare(two.Payer[:], one.Payer[:]) < 0 {
		one, two = two, one
	}
	lanes := []coverage.Lane{one, two}
	of := b.checkBatch(0)
	items := b.checkItems(of, one, "a", "b", "c", "later", "over", "asked", "done", "second", "third")
	items[3].NextAt = b.now.Add(time.Minute)
	items[4].Until = b.now
	items[5].Asking, items[5].NextAt = id[billing.JobID](), time.Time{}
	items[6].Cancel(b.now)
	items[7].Lane, items[8].Lane = two, two
	b.insertCheckBatch(of, items...)
	outlook := func(now time.Time) ports.Outlook {
		t.Helper()
		return read(b, func(ctx context.Context, tx ports.Tx) (ports.Outlook, error) {
			return tx.CheckFeed.Outlook(ctx, of.ID, now)
		})
	}
	equal(t, "the outlook", outlook(b.now), ports.Outlook{Lanes: lanes, Over: true, Next: b.now.Add(time.Minute), Left: 8})
	equal(t, "the outlook before", outlook(b.now.Add(-time.Second)), ports.Outlook{Next: b.now, Left: 8})
	equal(t, "the outlook after", outlook(b.now.Add(2*time.Hour)), ports.Outlook{Over: true, Left: 8})
	for name, test := range map[string]struct {
		room  []int
		limit int
		want  []string
	}{
		"some of each": {[]int{2, 1}, 10, []string{"a", "b", "over", "second"}},
		"no room":      {[]int{0, 0}, 10, []string{"over"}},
		"much room":    {[]int{9, 9}, 10, []string{"a", "b", "c", "over", "second", "third"}},
		"a limit":      {[]int{9, 9}, 2, []string{"a", "b"}},
	} {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			due, err := tx.CheckFeed.Due(ctx, of.ID, b.now, lanes, test.room, test.limit)
			equal(t, name, itemNames(due), test.want)
			return err
		})
	}
	b.elsewhere(func(ctx context.Context, tx ports.Tx, _ billing.Mode) error {
		due, err := tx.CheckFeed.Due(ctx, of.ID, b.now, lanes, []int{9, 9}, 10)
		equal(t, "due for another scope", len(due), 0)
		return err
	})
}

// testCheckLanes shares the room of lanes between scopes, and rests those whose payer is down.
func testCheckLanes(b *scoped) {
	t := b.t
	busy, free := coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}, coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}
	other := newScope()
	wantRoom := func(what string, scope billing.Scope, want ...int) {
		t.Helper()
		if err := b.try(scope, func(ctx context.Context, tx ports.Tx) error {
			room, err := tx.CheckFeed.Room(ctx, []coverage.Lane{busy, free}, []int{8, 3})
			equal(t, what, room, want)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	wantRoom("empty lanes", b.scope, 8, 3)
	for n := range 3 {
		c := b.check(n)
		c.Network, c.Payer.ID = busy.Network, busy.Payer
		job := b.job()
		job.Subject, job.Kind = c.ID, []jobs.Kind{jobs.KindEligibility, jobs.KindBatchEligibility}[n%2]
		b.in(func(ctx context.Context, tx ports.Tx) error {
			if err := tx.Checks.Insert(ctx, c); err != nil {
				return err
			}
			return tx.Outbox.Stage(ctx, job)
		})
	}
	wantRoom("checks under way, single ones too", b.scope, 5, 3)
	wantRoom("as another scope has it", other, 5, 3)
	for _, scope := range []billing.Scope{b.scope, other} {
		of := b.checkBatch(0)
		of.Scope = scope
		b.insertCheckBatch(of, b.checkItems(of, busy, "due")...)
	}
	wantRoom("a share for each of two scopes", b.scope, 1, 3)
	wantRoom("the other's share", other, 4, 3)

	rest := func(l coverage.Lane, rest time.Duration, times int) {
		t.Helper()
		for range times {
			b.in(func(ctx context.Context, tx ports.Tx) error { return tx.CheckFeed.Rest(ctx, l, rest) })
		}
	}
	rest(free, time.Hour, coverage.LaneFailures-1)
	wantRoom("before a payer counts as down", other, 4, 3)
	rest(free, time.Hour, 1)
	wantRoom("a payer that is down", other, 4, 0)
	rest(free, 0, 1)
	wantRoom("one try after the rest", other, 4, 1)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.CheckFeed.Reached(ctx, free) })
	wantRoom("a payer that is back", other, 4, 3)
}
