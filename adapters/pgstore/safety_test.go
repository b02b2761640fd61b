package pgstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestEveryTenantTableIsUnderRowSecurity reads the catalog, so that it also
// checks tables that a later migration adds.
func TestEveryTenantTableIsUnderRowSecurity(t *testing.T) {
	t.Parallel()
	db := admin(t, pgtest.URL(t))
	rows, err := db.QueryContext(t.Context(), `
SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
	AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org_id')`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var tables []string
	for rows.Next() {
		var table string
		var secured bool
		if err := rows.Scan(&table, &secured); err != nil {
			t.Fatal(err)
		}
		if !secured {
			t.Errorf("%s has an org_id and no forced row-level security", table)
		}
		tables = append(tables, table)
	}
	if err := rows.Err(); err != nil || len(tables) < 17 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	if n := scan[int](t, db, `SELECT count(*) FROM pg_roles WHERE rolname IN ('molar_app', 'molar_system', 'molar_scopes')
		AND NOT rolsuper AND NOT rolbypassrls AND NOT rolcanlogin AND NOT rolcreaterole AND NOT rolinherit
		AND NOT EXISTS (SELECT FROM pg_class WHERE relowner = pg_roles.oid)`); n != 3 {
		t.Errorf("%d of the 3 roles have no power of their own", n)
	}
	for _, table := range tables {
		for _, query := range []string{
			"SELECT count(*) FROM " + table, "DELETE FROM " + table,
			"INSERT INTO " + table + " SELECT (json_populate_record(NULL::" + table + ", '{}')).*",
		} {
			n, err := withoutScope(t, db, query)
			if err == nil && n != 0 {
				t.Errorf("without a scope %q touched %d rows", query, n)
			}
		}
	}
}

// withoutScope runs a statement as the tenants' role without a scope.
func withoutScope(t *testing.T, db *sql.DB, query string) (n int, err error) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), "SET LOCAL ROLE molar_app"); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(query, "SELECT") {
		return n, tx.QueryRowContext(t.Context(), query).Scan(&n)
	}
	result, err := tx.ExecContext(t.Context(), query)
	if err != nil {
		return 0, err
	}
	affected, err := result.RowsAffected()
	return int(affected), err
}

// TestErrorsHoldNoValues makes the server report rows with a sentinel name, and
// searches the errors of the package for it.
func TestErrorsHoldNoValues(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	const secret = "Sentinelname"
	in := scope()
	c := check(in)
	c.Inquiry.Subscriber.FirstName = secret
	insert := func(ctx context.Context, tx ports.Tx) error {
		c.State = secret
		return tx.Checks.Insert(ctx, c)
	}
	twice := func(ctx context.Context, tx ports.Tx) error {
		o := &directory.Provider{ID: billing.NewID[billing.ProviderID](billing.RealAt(time.Now())), LastName: secret, CreatedAt: time.Now()}
		return tx.Providers.Insert(ctx, o)
	}
	find := func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Patients.Find(ctx, []directory.Person{{Key: secret + "\x00", Patient: directory.Patient{FirstName: secret}}})
		return err
	}
	for name, fn := range map[string]func(context.Context, ports.Tx) error{"check constraint": insert, "foreign key": twice, "encoding": find} {
		err := s.InTx(t.Context(), in, fn)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if _, ok := errors.AsType[*pq.Error](err); ok || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error reveals a value: %v", name, err)
		}
		if billing.CodeOf(err) != billing.CodeInternal {
			t.Errorf("%s: code %s", name, billing.CodeOf(err))
		}
	}
}

// TestCancelledTransactionsDoNoHarm cancels waiting statements, and goes on
// using the store.
func TestCancelledTransactionsDoNoHarm(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	cancelled(t, pgtest.OpenAt(t, url, func(o *pgstore.Options) { o.MaxConns = 3 }), admin(t, url))
}

// cancelled does so in a store on a database.
func cancelled(t *testing.T, s *pgstore.Store, db *sql.DB) {
	t.Helper()
	in, j := scope(), job()
	stage := func(j jobs.Job) error {
		return s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, j) })
	}
	if err := stage(j); err != nil {
		t.Fatal(err)
	}
	held, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			err := tx.Outbox.Postpone(ctx, j.ID, time.Now())
			_, sent := tx.Outbox.Pending(ctx, j.ID) // a read sends what is queued
			close(held)
			<-release
			return errors.Join(err, sent)
		}); err != nil {
			t.Error(err)
		}
	})
	<-held
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := s.InTx(ctx, in, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Postpone(ctx, j.ID, time.Now()) })
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a cancelled transaction: %v", err)
		}
		waitsForNoLock(t, db)
		if err := stage(job()); err != nil {
			t.Errorf("the transaction after it: %v", err)
		}
	}
	close(release)
	group.Wait()
}

// waitsForNoLock checks that the server was asked to cancel. Without that it would wait for 5 s.
func waitsForNoLock(t *testing.T, db *sql.DB) {
	t.Helper()
	for range 20 { // at first a session may show what it did last
		if scan[int](t, db, sessionsBehindALock) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the server still waits for the lock")
}

const sessionsBehindALock = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

// TestStatementBehindALock has the first statement of a transaction wait for a lock, and its context end.
func TestStatementBehindALock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	behindALock(t, pgtest.OpenAt(t, url), admin(t, url))
}

// behindALock does so with a statement that is not prepared. One that waits and succeeds does not set back the clock.
func behindALock(t *testing.T, s *pgstore.Store, db *sql.DB) {
	t.Helper()
	in := scope()
	read := func(ctx context.Context) error { return s.View(ctx, in, listOffices) }
	lock, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback() //nolint:errcheck // it may have ended
	if _, err := lock.ExecContext(t.Context(), "LOCK TABLE offices IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	waits := func() {
		for scan[int](t, db, sessionsBehindALock) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	go func() { done <- read(ctx) }()
	waits()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a statement that is cancelled: %v", err)
	}
	waitsForNoLock(t, db)
	go func() { done <- read(t.Context()) }()
	waits()
	time.Sleep(300 * time.Millisecond)
	if err := errors.Join(lock.Rollback(), <-done); err != nil {
		t.Fatal(err)
	}
	if now := time.Now(); s.Clock().Now().Before(now.Add(-time.Millisecond)) {
		t.Errorf("the store's clock is %v behind", now.Sub(s.Clock().Now()))
	}
}

// TestSchemaChangesUnderPreparedStatements alters a table whose statements
// every connection has prepared.
func TestSchemaChangesUnderPreparedStatements(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	in := scope()
	read := func() error {
		return s.View(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Events.List(ctx, event.Filter{}, billing.Page{Limit: 1})
			return err
		})
	}
	all := func() {
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				if err := read(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	all()
	exec(t, admin(t, url), "ALTER TABLE events ALTER COLUMN sequence TYPE bigint")
	all()
}

// TestServerRestart kills the server between transactions and within them. An
// open store continues, and committed data is there.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	server := testservers.StartPostgres(t)
	if err := pgstore.Migrate(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	s, err := pgstore.Open(t.Context(), pgstore.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.Await()
	in, before, within := scope(), job(), job()
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, before) })
	server.Restart()
	runs := 0
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
		if there, err := tx.Outbox.Pending(ctx, before.ID); err != nil || !there {
			return errors.Join(err, errors.New("a committed job is lost"))
		}
		if runs++; runs == 1 {
			server.Restart() //nolint:contextcheck // the server is the test's, not the transaction's
		}
		return tx.Outbox.Stage(ctx, within)
	}); err != nil || runs != 2 {
		t.Errorf("%d runs, error %v", runs, err)
	}
	if n := scan[int](t, admin(t, server.URL()), "SELECT count(*) FROM jobs"); n != 2 {
		t.Errorf("%d jobs, want 2", n)
	}
}

// crashing calls a function just before the COMMIT of a write to a table is sent.
type crashing struct {
	net.Conn
	table  string
	before func()
	wrote  bool
}

func (c *crashing) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("INSERT INTO "+c.table)) {
		c.wrote = true
	}
	if c.wrote && bytes.HasPrefix(b, []byte("Q\x00\x00\x00\x0bCOMMIT\x00")) {
		c.before()
	}
	return c.Conn.Write(b)
}

// TestNumberOfALostTransactionIsNotTrusted crashes the server at COMMIT. The
// server then reuses the lost transaction's number for others, which commit, or for
// none. The transaction runs again.
func TestNumberOfALostTransactionIsNotTrusted(t *testing.T) {
	t.Parallel()
	in := scope()
	insert := func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, check(in)) }
	for name, test := range map[string]struct {
		others int
		table  string
		write  func(ctx context.Context, tx ports.Tx) error
	}{
		"a row":        {50, "eligibility_checks", insert},
		"a row, alone": {0, "eligibility_checks", insert},
		"a key": {50, "idempotency_keys", func(ctx context.Context, tx ports.Tx) error {
			return tx.Keys.Record(ctx, caller.KeyUse{Key: "k", Reply: &caller.Reply{Status: 200}, CreatedAt: time.Now()})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testservers.StartPostgres(t)
			if err := pgstore.Migrate(t.Context(), server.URL()); err != nil {
				t.Fatal(err)
			}
			var crashed atomic.Bool
			s := openWith(t, server.URL(), func(c net.Conn) net.Conn {
				return &crashing{Conn: c, table: test.table, before: func() {
					if crashed.Swap(true) {
						return
					}
					server.Restart()
					db := admin(t, server.URL())
					for range test.others {
						exec(t, db, "INSERT INTO organizations VALUES (gen_random_uuid(), 'Other', now())")
					}
				}}
			})
			s.Await()
			runs := 0
			porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
				runs++
				return test.write(ctx, tx)
			})
			if n := scan[int](t, admin(t, server.URL()), "SELECT count(*) FROM "+test.table); n != 1 || runs != 2 {
				t.Errorf("%d rows after %d runs, want 1 after 2", n, runs)
			}
		})
	}
}

// TestRepliesAreEncrypted reads the stored reply of a key, and replays it. A body in clear,
// or of another key, is not replayed.
func TestRepliesAreEncrypted(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, in := pgtest.OpenAt(t, url), scope()
	const body = `{"first_name":"Sentinelname"}`
	replay := func(s *pgstore.Store, key string) (use *caller.KeyUse, err error) {
		err = s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			use, err = tx.Keys.Reserve(ctx, key)
			return err
		})
		return use, err
	}
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(
			tx.Keys.Record(ctx, caller.KeyUse{Key: "sealed", Reply: &caller.Reply{Status: 201, Body: []byte(body)}, CreatedAt: time.Now()}),
			tx.Keys.Record(ctx, caller.KeyUse{Key: "clear", Reply: &caller.Reply{Status: 201}, CreatedAt: time.Now()}),
		)
	})
	db := admin(t, url)
	if use, err := replay(s, "sealed"); err != nil || string(use.Reply.Body) != body {
		t.Errorf("%+v, %v", use, err)
	}
	if use, err := replay(s, "clear"); err != nil || len(use.Reply.Body) > 0 {
		t.Errorf("a reply without a body: %+v, %v", use, err)
	}
	exec(t, db, "UPDATE idempotency_keys SET body = '"+body+"' WHERE key = 'clear'")
	if use, err := replay(s, "clear"); err == nil {
		t.Errorf("a body in clear is replayed: %+v", use)
	}
	if kept := scan[[]byte](t, db, "SELECT body FROM idempotency_keys WHERE key = 'sealed'"); kept[0] != 2 || bytes.Contains(kept, []byte("Sentinel")) {
		t.Errorf("stored as %q", kept)
	}
	exec(t, db, "UPDATE idempotency_keys SET body = (SELECT body FROM idempotency_keys WHERE key = 'sealed') WHERE key = 'clear'")
	if use, err := replay(s, "clear"); err == nil {
		t.Errorf("the reply of another key is replayed: %+v", use)
	}
	exec(t, db, "DELETE FROM encryption_key; DELETE FROM data_keys")
	if use, err := replay(pgtest.OpenAt(t, url, func(o *pgstore.Options) { o.Keys = [][32]byte{{9}} }), "sealed"); err == nil {
		t.Errorf("another key decrypted the reply: %+v", use)
	}
}

// TestExchangesAreEncrypted reads the bytes in the table.
func TestExchangesAreEncrypted(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	in := scope()
	c := check(in)
	want := []coverage.Exchange{
		{MediaType: coverage.MediaX12, Request: []byte("ISA*Sentinelname~"), Reply: nil}, {MediaType: coverage.MediaX12, Request: []byte{}, Reply: []byte("271")},
	}
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Checks.Insert(ctx, c); err != nil {
			return err
		}
		c.State, c.Outcome, c.CompletedAt = coverage.CheckCompleted, coverage.OutcomeError, time.Now()
		return tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: c, Exchanges: want}})
	})
	exchanged := func(s *pgstore.Store, in billing.Scope) (got []coverage.Exchange, err error) {
		err = s.View(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
			sent, err := tx.Exchanges.Get(ctx, c.ID)
			got = sent.Messages
			return err
		})
		return got, err
	}
	got, err := exchanged(s, in)
	if err != nil || len(got) != 2 || string(got[0].Request) != "ISA*Sentinelname~" || string(got[1].Reply) != "271" || len(got[0].Reply) != 0 {
		t.Errorf("exchanges %q, %v", got, err)
	}
	stored := scan[[]byte](t, admin(t, url), "SELECT exchanges FROM eligibility_checks")
	if strings.Contains(string(stored), "Sentinel") || stored[0] != 2 {
		t.Errorf("stored as %q", stored)
	}
	exec(t, admin(t, url), "DELETE FROM encryption_key; DELETE FROM data_keys")
	other := pgtest.OpenAt(t, url, func(o *pgstore.Options) { o.Keys = [][32]byte{{9}} })
	if _, err := exchanged(other, in); err == nil {
		t.Error("another key decrypted the messages")
	}
	if _, err := exchanged(s, scope()); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("another scope: %v", err)
	}
}
