package pgstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// months lets the first partition of the deliveries of a new database end at an ID, an expression
// of SQL, and the sweep begin there.
func months(tb testing.TB, db *sql.DB, first string) {
	tb.Helper()
	exec(tb, db, `
ALTER TABLE webhook_deliveries DETACH PARTITION webhook_deliveries_first;
DO $$ BEGIN EXECUTE format('ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_first FOR VALUES FROM (MINVALUE) TO (%L)', `+first+`); END $$;
UPDATE sweeps SET lowest = `+first+` WHERE bare = 'webhook_deliveries'`)
}

// inMonth is the SQL for the n-th ID of the month so many months ago.
func inMonth(ago int, n string) string {
	return fmt.Sprintf("(left(first_id(month_ago(%d) + (%s) * interval '1 s')::text, 24) || right(md5((%s)::text), 12))::uuid", ago, n, n)
}

// settledInMonth inserts deliveries that were settled in the month so many months ago.
func settledInMonth(tb testing.TB, db *sql.DB, of webhook.Endpoint, ago, n int) {
	tb.Helper()
	exec(tb, db, fmt.Sprintf(`
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, attempts, created_at, settled_at)
SELECT %s, '%s', '%s', '%s', gen_random_uuid(), 'claim.paid', 'delivered', ARRAY['{}'::json], month_ago(%d), month_ago(%d)
FROM generate_series(1, %d) n`, inMonth(ago, "n"), of.Scope.Org.UUID(), of.Scope.Mode, of.ID.UUID(), ago, ago, n))
}

// monthly is a database of deliveries with a month of its own for each of the last ones.
type monthly struct {
	db    *sql.DB
	store *pgstore.Store
	e     *webhook.Endpoint
}

// monthsBack is how many months ago the first month is.
const monthsBack = 6

func newMonthly(t *testing.T, admins, services string) *monthly {
	t.Helper()
	m := &monthly{db: admin(t, admins), store: pgtest.OpenAt(t, services), e: endpoint(scope())}
	exec(t, m.db, `CREATE FUNCTION month_ago(n int) RETURNS timestamptz LANGUAGE sql STABLE
		RETURN (date_trunc('month', now() AT TIME ZONE 'UTC') - n * interval '1 month') AT TIME ZONE 'UTC'`)
	months(t, m.db, fmt.Sprintf("first_id(month_ago(%d))", monthsBack))
	porttest.In(t, m.store, m.e.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, m.e) })
	for len(m.partitions(t)) < monthsBack+3 { // and this month, the first partition and the default
		if _, more := m.step(t); !more {
			t.Fatalf("the months are %q", m.partitions(t))
		}
	}
	return m
}

func (m *monthly) partitions(t *testing.T) []string {
	t.Helper()
	return scan[pq.StringArray](t, m.db, "SELECT array_agg(inhrelid::regclass::text ORDER BY inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = 'webhook_deliveries'::regclass")
}

// partition returns the name of a month's partition.
func (m *monthly) partition(t *testing.T, ago int) string {
	t.Helper()
	return scan[string](t, m.db, `SELECT to_char(month_ago($1) AT TIME ZONE 'UTC', '"webhook_deliveries_"YYYY_MM')`, ago)
}

func (m *monthly) step(t *testing.T) (removed int, more bool) {
	t.Helper()
	porttest.System(t, m.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		removed, more, err = tx.Forget.DeliveryMonths(ctx, time.Now().AddDate(0, 0, -30))
		return err
	})
	return removed, more
}

// sweep does all that can be done now. It returns how many deliveries went with a month, and
// how many by themselves.
func (m *monthly) sweep(t *testing.T) (dropped, swept int) {
	t.Helper()
	for {
		n, more := m.step(t)
		if dropped += n; more {
			continue
		}
		porttest.System(t, m.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
			n, err = tx.Forget.Deliveries(ctx, time.Now().AddDate(0, 0, -30))
			return err
		})
		if swept += n; n == 0 {
			return dropped, swept
		}
	}
}

func (m *monthly) rows(t *testing.T, where string) int {
	t.Helper()
	return scan[int](t, m.db, "SELECT count(*) FROM webhook_deliveries WHERE "+where)
}

// TestMonthsOfDeliveries drops the months that are old as a whole. What a hold keeps, what waits, and
// what was settled a short time ago stays. The rest of the months of the first two goes by rows, and the last one's month waits.
func TestMonthsOfDeliveries(t *testing.T) {
	t.Parallel()
	t.Run("of an administrator", func(t *testing.T) {
		t.Parallel()
		address := pgtest.URL(t)
		testMonths(t, newMonthly(t, address, address))
	})
	t.Run("of an ordinary owner, who sees no row of a partition", func(t *testing.T) {
		t.Parallel()
		admins, owner := ordinaryDatabase(t)
		if err := pgstore.Migrate(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
		testMonths(t, newMonthly(t, admins, owner))
	})
}

func testMonths(t *testing.T, m *monthly) {
	t.Helper()
	held := *m.e
	held.Scope, held.ID = scope(), endpoint(m.e.Scope).ID
	porttest.In(t, m.store, held.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, &held) })
	exec(t, m.db, "INSERT INTO holds (org_id, reason, placed_at) VALUES ('"+held.Scope.Org.UUID()+"', 'a court asks', now())")
	for ago := range monthsBack + 1 {
		settledInMonth(t, m.db, *m.e, ago, 1100)
	}
	exec(t, m.db, "UPDATE webhook_deliveries SET state = 'pending', next_attempt_at = now(), settled_at = NULL WHERE id = "+inMonth(5, "7"))
	exec(t, m.db, "UPDATE webhook_deliveries SET org_id = '"+held.Scope.Org.UUID()+"', endpoint_id = '"+held.ID.UUID()+"' WHERE id = "+inMonth(4, "8"))
	exec(t, m.db, "UPDATE webhook_deliveries SET settled_at = now() WHERE id = "+inMonth(3, "9"))

	dropped, swept := m.sweep(t)
	if dropped != 1100 || swept != 2*1099 {
		t.Errorf("%d deliveries went with their months, and %d by themselves", dropped, swept)
	}
	left := m.rows(t, "true")
	if dropped+swept+left != 7*1100 || left != 4*1100+2 {
		t.Errorf("%d went with their months, %d by themselves, and %d are left", dropped, swept, left)
	}
	for ago, n := range map[int]string{5: "7", 4: "8", 3: "9"} {
		if got := m.rows(t, "id = "+inMonth(ago, n)); got != 1 {
			t.Errorf("of %d months ago, %d are left of the one that stays", ago, got)
		}
	}
	if names := m.partitions(t); slices.Contains(names, m.partition(t, 6)) || !slices.Contains(names, m.partition(t, 5)) || slices.Contains(names, "webhook_deliveries_first") {
		t.Errorf("the partitions are %q", names)
	}

	exec(t, m.db, "DELETE FROM holds; UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, settled_at = now() - interval '31 days' WHERE id = "+inMonth(5, "7"))
	if dropped, swept := m.sweep(t); dropped != 0 || swept != 2 { // and nothing of the month that waits
		t.Errorf("after the hold and the wait, %d went with months and %d by themselves", dropped, swept)
	}
	if names := m.partitions(t); slices.Contains(names, m.partition(t, 5)) || slices.Contains(names, m.partition(t, 4)) || !slices.Contains(names, m.partition(t, 3)) {
		t.Errorf("the partitions are %q", names)
	}
	exec(t, m.db, "UPDATE webhook_deliveries SET settled_at = now() - interval '31 days' WHERE id = "+inMonth(3, "9"))
	if dropped, swept := m.sweep(t); dropped%1100 != 0 || dropped < 1100 || swept != 0 { // the month after it may be old enough
		t.Errorf("after the last attempt was 30 days ago, %d went with months and %d by themselves", dropped, swept)
	}
}

// TestDropOfAMonthIsInterrupted ends a process at each step of a drop, and holds up another by a reader of a
// long transaction and by a hold. Nothing but the month goes, and deliveries go on beside.
func TestDropOfAMonthIsInterrupted(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	m := newMonthly(t, address, address)
	settledInMonth(t, m.db, *m.e, monthsBack, 300)
	other := scope().Org.UUID()
	exec(t, m.db, "UPDATE webhook_deliveries SET org_id = '"+other+"', endpoint_id = gen_random_uuid() WHERE id = "+inMonth(monthsBack, "7")) // its endpoint was deleted
	old := m.partition(t, monthsBack)
	const step = "SELECT removed FROM sweep_delivery_months(now() - interval '30 days', 100)"
	var writers sync.WaitGroup
	ended, written := make(chan struct{}), 0
	writers.Go(func() {
		for ; ; written++ {
			select {
			case <-ended:
				return
			default:
			}
			if err := m.store.InTx(t.Context(), m.e.Scope, func(ctx context.Context, tx ports.Tx) error {
				return tx.Events.Append(ctx, someEvent(check(m.e.Scope).ID))
			}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 4 { // three looks, and the drop; each is killed, and then done
		killed, err := m.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := killed.ExecContext(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		if err := killed.Rollback(); err != nil {
			t.Fatal(err)
		}
		if n := m.rows(t, "id < first_id(month_ago(0))"); n != 300 {
			t.Fatalf("%d are left after a drop was killed", n)
		}
		if scan[int](t, m.db, "SELECT seen FROM sweeps WHERE bare = 'webhook_deliveries'") < 300 {
			exec(t, m.db, step)
		}
	}
	reader, err := m.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.ExecContext(t.Context(), "SELECT FROM webhook_deliveries LIMIT 1"); err != nil {
		t.Fatal(err)
	}
	if n, more := m.step(t); n != 0 || more || !slices.Contains(m.partitions(t), old) {
		t.Errorf("beside a reader %d went, and more is %t", n, more)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	exec(t, m.db, "INSERT INTO holds (org_id, reason, placed_at) VALUES ('"+other+"', 'a court asks', now())")
	for range 2 { // finds the hold, and looks again
		if n, more := m.step(t); n != 0 || !more || m.rows(t, "id < first_id(month_ago(0))") != 300 {
			t.Errorf("%d went after a hold was placed, and more is %t", n, more)
		}
	}
	exec(t, m.db, "DELETE FROM holds; UPDATE sweeps SET lowest = first_id(month_ago(6)) WHERE bare = 'webhook_deliveries'")
	if dropped, swept := m.sweep(t); dropped != 300 || swept != 0 || slices.Contains(m.partitions(t), old) {
		t.Errorf("%d went with the month, and %d by themselves", dropped, swept)
	}
	close(ended)
	writers.Wait()
	if n := m.rows(t, "true"); n != written || n == 0 {
		t.Errorf("%d deliveries are left of %d", n, written)
	}
}

// TestDeliveriesWithoutAMonth inserts deliveries of a month that was not made in time. They are found, and go by
// themselves; the months after it are made.
func TestDeliveriesWithoutAMonth(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	m := newMonthly(t, address, address)
	exec(t, m.db, "DROP TABLE "+strings.Join([]string{m.partition(t, 0), m.partition(t, 1), m.partition(t, 2), m.partition(t, 3)}, ", "))
	settledInMonth(t, m.db, *m.e, 3, 50)
	if m.step(t); slices.Contains(m.partitions(t), m.partition(t, 3)) || !slices.Contains(m.partitions(t), m.partition(t, 2)) {
		t.Errorf("the partitions are %q", m.partitions(t))
	}
	porttest.In(t, m.store, m.e.Scope, func(ctx context.Context, tx ports.Tx) error {
		page, err := tx.Deliveries.List(ctx, webhook.DeliveryFilter{}, billing.Page{Limit: 99})
		if len(page) != 50 {
			t.Errorf("%d are listed", len(page))
		}
		return err
	})
	if dropped, swept := m.sweep(t); dropped != 0 || swept != 50 {
		t.Errorf("%d went with months and %d by themselves", dropped, swept)
	}
}

// TestMonthsAreMadeAgain lets deliveries be without a month: of this month, of all, and more of them than the
// server can look at under a lock. The next month is made, or the sweep says what to do.
func TestMonthsAreMadeAgain(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	m := newMonthly(t, address, address)
	exec(t, m.db, "DROP TABLE "+m.partition(t, 0))
	settledInMonth(t, m.db, *m.e, 0, 50)
	m.sweep(t)
	if names := m.partitions(t); slices.Contains(names, m.partition(t, 0)) || !slices.Contains(names, m.partition(t, -1)) {
		t.Errorf("after a month without a partition, the partitions are %q", names)
	}

	exec(t, m.db, "DELETE FROM webhook_deliveries; DROP TABLE "+strings.Join(slices.DeleteFunc(m.partitions(t), func(name string) bool { return name == "webhook_deliveries_default" }), ", "))
	if m.sweep(t); !slices.Contains(m.partitions(t), m.partition(t, 0)) {
		t.Errorf("after the loss of all months, the partitions are %q", m.partitions(t))
	}

	exec(t, m.db, "DROP TABLE "+m.partition(t, 0))
	settledInMonth(t, m.db, *m.e, 0, 40_000)
	exec(t, m.db, "UPDATE webhook_deliveries SET event_type = repeat('x', 1800)")
	err := m.store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		_, _, err := tx.Forget.DeliveryMonths(ctx, time.Now().AddDate(0, 0, -30))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "larger than 64 MB") {
		t.Fatalf("of a large default partition, the sweep says %v", err)
	}
	_, does, _ := strings.Cut(err.Error(), "when few write: ")
	if exec(t, m.db, does); !slices.Contains(m.partitions(t), m.partition(t, -1)) {
		t.Errorf("after what the sweep said, the partitions are %q", m.partitions(t))
	}
}

// TestOthersRowsStay removes the deliveries of one organization, in a reset and in a deletion. Rows of another are at
// the same place of another partition.
func TestOthersRowsStay(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	m := newMonthly(t, address, address)
	other := endpoint(scope())
	porttest.In(t, m.store, other.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, other) })
	in := "'" + m.e.Scope.Org.UUID() + "'"
	exec(t, m.db, "INSERT INTO organizations (id, name, created_at) VALUES ("+in+", 'A', now())")
	for _, by := range []struct{ name, begin, end string }{
		{"reset_rows", "INSERT INTO sandbox_clocks (org_id, reset_job, reset_at) VALUES (" + in + ", gen_random_uuid(), now())", "DELETE FROM sandbox_clocks"},
		{"delete_rows", "INSERT INTO deletions (org_id, name, asked_at, asked_by, backups_days) VALUES (" + in + ", 'A', now() - interval '31 days', 'ann', 0)", "DELETE FROM deletions"},
	} {
		exec(t, m.db, "TRUNCATE webhook_deliveries")
		settledInMonth(t, m.db, *m.e, 0, 20)
		settledInMonth(t, m.db, *other, 1, 20)
		exec(t, m.db, by.begin)
		removed := scan[int](t, m.db, "SELECT "+by.name+"("+in+", 'webhook_deliveries', 1000)")
		if own, others := m.rows(t, "org_id = "+in), m.rows(t, "org_id <> "+in); removed != 20 || own != 0 || others != 20 {
			t.Errorf("%s removed %d; %d of its own and %d of another organization are left", by.name, removed, own, others)
		}
		exec(t, m.db, by.end)
	}
}
