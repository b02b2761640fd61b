package pgstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/migrations"
)

// migrationsUntil returns the migrations up to a number.
func migrationsUntil(t *testing.T, last int64) fs.FS {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		text, err := migrations.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n <= last {
			files[name] = &fstest.MapFile{Data: text}
		}
	}
	return files
}

// deliveriesBefore are deliveries of the last release, pending and not. A process whose clock was wrong
// made one of them.
const deliveriesBefore = `
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, next_attempt_at, attempts, created_at, settled_at)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || right(md5(n::text), 16))::uuid, gen_random_uuid(), 'live', gen_random_uuid(), gen_random_uuid(), 'claim.paid',
	CASE WHEN n % 10 = 0 THEN 'pending' WHEN n % 10 = 1 THEN 'failed' ELSE 'delivered' END, CASE WHEN n % 10 = 0 THEN at END, ARRAY['{"at":"x"}'::json], at, CASE WHEN n % 10 > 0 THEN at END
FROM generate_series(0, 20000) n CROSS JOIN LATERAL (SELECT CASE n WHEN 0 THEN now() + interval '200 days' ELSE now() - n * interval '5 min' END AS at OFFSET 0) t;
CREATE TABLE copied AS SELECT * FROM webhook_deliveries`

// The statements of a process of the last release, which each writer prepares once.
const (
	insertedBefore = `INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)
SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7000' || right(md5($2), 16))::uuid, $1, 'live', $1, $1, 'claim.paid', now(), now()`
	settledBefore = `UPDATE webhook_deliveries SET state = 'delivered', next_attempt_at = NULL, settled_at = now() WHERE org_id = $1 AND mode = 'live' AND state = 'pending' AND $2 <> ''`
	listedBefore  = `SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND mode = 'live' AND endpoint_id = $1 AND $2 <> ''`
)

// TestDeliveriesBecomeMonthsBesideTheService migrates a database of the last release beside processes of that release,
// which write and read, and kills the migration in three of its steps. Every row is there afterwards, as it was.
func TestDeliveriesBecomeMonthsBesideTheService(t *testing.T) {
	t.Parallel()
	releases, err := migrations.Releases()
	if err != nil {
		t.Fatal(err)
	}
	address := testservers.Database(t)
	if err := pgstore.MigrateFiles(t.Context(), address, migrationsUntil(t, releases[len(releases)-1].Last)); err != nil {
		t.Fatal(err)
	}
	db := admin(t, address)
	exec(t, db, deliveriesBefore)
	const org = "01a00000-0000-7000-8000-00000000000"
	ended := make(chan struct{})
	var written [2]int
	var writers sync.WaitGroup
	for i := range written {
		writers.Go(func() { written[i] = writeAsBefore(t, db, org+strconv.Itoa(i), ended) })
	}

	if err := pgstore.MigrateFiles(t.Context(), address, migrationsUntil(t, 221)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []int64{222, 223, 224} {
		if err := pgstore.MigrateFiles(t.Context(), address, migrationsUntil(t, step-1)); err != nil {
			t.Fatal(err)
		}
		killed(t, db, address, step)
		steps, err := pgstore.Steps(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			if s.Applied != (s.Number < step) {
				t.Errorf("after step %d was killed, step %d is applied: %t", step, s.Number, s.Applied)
			}
		}
	}
	if err := pgstore.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}

	close(ended)
	writers.Wait()
	if n := scan[int](t, db, `SELECT count(*) FROM copied c FULL JOIN webhook_deliveries d ON d.id = c.id AND d::text = c::text
		WHERE (c.id IS NULL OR d.id IS NULL) AND coalesce(d.org_id::text, '') NOT LIKE '`+org+`_'`); n != 0 {
		t.Errorf("%d deliveries are not as they were", n)
	}
	for i, n := range written {
		if got := scan[int](t, db, "SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND state = 'delivered'", org+strconv.Itoa(i)); got != n || n < 10 {
			t.Errorf("%d of %d deliveries that were written meanwhile are settled", got, n)
		}
	}
}

// killed runs a step that waits for a lock, and kills it.
func killed(t *testing.T, db *sql.DB, address string, step int64) {
	t.Helper()
	blocker, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer blocker.Rollback() //nolint:errcheck // it only holds a lock
	if _, err := blocker.ExecContext(t.Context(), "LOCK TABLE webhook_deliveries IN SHARE UPDATE EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- pgstore.MigrateFiles(t.Context(), address, migrationsUntil(t, step)) }()
	for {
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("step %d ended beside a lock", step)
			}
			return
		case <-time.After(10 * time.Millisecond):
			exec(t, db, `SELECT pg_terminate_backend(w.pid) FROM pg_stat_activity w
				WHERE w.datname = current_database() AND w.application_name = 'molar migrate' AND (cardinality(pg_blocking_pids(w.pid)) > 0 OR w.query LIKE '%pg_sleep%')`)
		}
	}
}

// writeAsBefore is a process of the last release, until ended. It returns how many deliveries it wrote.
func writeAsBefore(t *testing.T, db *sql.DB, org string, ended <-chan struct{}) (written int) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Error(err)
		return 0
	}
	defer conn.Close() //nolint:errcheck // it has no transaction
	var statements []*sql.Stmt
	if _, err := conn.ExecContext(t.Context(), fmt.Sprintf(`SET ROLE molar_app; SET molar.org = '%s'; SET molar.mode = 'live';
		SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET lock_timeout = '5s'`, org)); err != nil {
		t.Error(err)
		return 0
	}
	for _, text := range []string{insertedBefore, settledBefore, listedBefore} {
		s, err := conn.PrepareContext(t.Context(), text)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer s.Close() //nolint:errcheck // its connection ends
		statements = append(statements, s)
	}
	for {
		select {
		case <-ended:
			return written
		default:
		}
		for _, s := range statements {
			if _, err := s.ExecContext(context.WithoutCancel(t.Context()), org, strconv.Itoa(written)+org); err != nil {
				t.Errorf("beside the migration: %v", err)
				return written
			}
		}
		written++
	}
}
