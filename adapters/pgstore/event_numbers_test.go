package pgstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
)

// numberAsBefore is how release 0.4.0 appends an event: with a number of its own.
const numberAsBefore = `
INSERT INTO events (id, org_id, mode, type, resource_id, created_at, data, sequence)
SELECT $1, $2, 'live', 'claim.paid', $3, now(), '{}', coalesce((SELECT max(sequence) FROM events WHERE resource_id = $3), 0) + 1`

// TestEventNumbersOutliveEvents counts on when the events of a resource are gone, also for
// a process of the release before, and for events that are older than the rows of numbers.
func TestEventNumbersOutliveEvents(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := admin(t, url)
	store := pgtest.OpenAt(t, url)
	in := scope()
	in.Mode = billing.ModeLive
	resource := check(in).ID
	appendOne := func(ctx context.Context, tx ports.Tx) error { return tx.Events.Append(ctx, someEvent(resource)) }
	inTx := func(fn func(context.Context, ports.Tx) error) {
		t.Helper()
		if err := store.InTx(t.Context(), in, fn); err != nil {
			t.Fatal(err)
		}
	}
	is := func(when string, want int) {
		t.Helper()
		if n := scan[int](t, db, "SELECT max(sequence) FROM events"); n != want {
			t.Errorf("%s: the last event has the number %d, want %d", when, n, want)
		}
	}
	inTx(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(appendOne(ctx, tx), appendOne(ctx, tx))
	})
	is("two events", 2)
	exec(t, db, "DELETE FROM events")
	inTx(appendOne)
	is("after their events were gone", 3)
	exec(t, db, "DELETE FROM events")
	if _, err := db.ExecContext(t.Context(), numberAsBefore, check(in).ID, in.Org, resource); err != nil {
		t.Fatal(err)
	}
	is("by the release before", 4)
	answered := someEvent(check(in).ID)
	answered.Type = event.EligibilityCompleted
	inTx(func(ctx context.Context, tx ports.Tx) error { return tx.Events.Append(ctx, answered) })
	if n := scan[int](t, db, "SELECT count(*) FROM event_numbers"); n != 1 {
		t.Errorf("%d rows of numbers, want one: a check has one event", n)
	}
}

// TestNumbersOfEarlierEvents counts on after the events that were there before numbers had
// rows, which the migrations make.
func TestNumbersOfEarlierEvents(t *testing.T) {
	t.Parallel()
	address := testservers.Database(t)
	if err := pgstore.MigrateFiles(t.Context(), address, migrationsBefore(t, "0150")); err != nil {
		t.Fatal(err)
	}
	db := admin(t, address)
	in, resource := scope(), check(scope()).ID
	add := func() {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), numberAsBefore, check(in).ID, in.Org, resource); err != nil {
			t.Fatal(err)
		}
	}
	add()
	add()
	if err := pgstore.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "DELETE FROM events")
	add()
	if n := scan[int](t, db, "SELECT max(sequence) FROM events"); n != 3 {
		t.Errorf("the first event after the migrations has the number %d, want 3", n)
	}
}
