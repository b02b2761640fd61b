package pgstore_test

import (
	"context"
	"database/sql"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/ports"
)

// TestServiceLoginOwnsNothing tries statements that the login of services may
// not run. All other tests of the store use this login.
func TestServiceLoginOwnsNothing(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	db, service := admin(t, address), admin(t, pgtest.Service(t, address))
	if who := scan[string](t, service, "SELECT current_user"); who != "molar_service" {
		t.Fatalf("the login is %s", who)
	}
	if n := scan[int](t, db, `SELECT count(*) FROM pg_roles r WHERE rolname = 'molar_service'
		AND NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication OR rolinherit)
		AND NOT EXISTS (SELECT FROM pg_shdepend WHERE refobjid = r.oid AND deptype = 'o')
		AND (SELECT array_agg(roleid::regrole::text ORDER BY 1) FROM pg_auth_members WHERE member = r.oid) = '{molar_app,molar_system}'`); n != 1 {
		t.Error("the login has an attribute, owns an object or has another role")
	}
	rows, err := db.QueryContext(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	forbidden := []string{"CREATE TABLE t (n int)", "SET ROLE postgres", "ALTER ROLE molar_app SUPERUSER", "SELECT first_statistics(1)"}
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if table != "sandbox_clocks" { // it is read as a transaction begins, before that has a role; without a scope it is empty
			forbidden = append(forbidden, "SELECT FROM "+table)
		}
		for _, text := range []string{"DELETE FROM %", "ALTER TABLE % DISABLE ROW LEVEL SECURITY", "DROP TABLE %", "TRUNCATE %"} {
			forbidden = append(forbidden, strings.Replace(text, "%", table, 1))
		}
	}
	if err := rows.Err(); err != nil || len(forbidden) < 100 {
		t.Fatalf("%d statements, %v", len(forbidden), err)
	}
	for _, text := range forbidden {
		if _, err := service.ExecContext(t.Context(), text); err == nil {
			t.Errorf("%s was allowed", text)
		}
	}
}

// TestFirstStatistics fills a table, and has a store create its statistics
// once.
func TestFirstStatistics(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, address), admin(t, address)
	exec(t, db, "ALTER TABLE sandbox_notes SET (autovacuum_enabled = off)")
	exec(t, db, "INSERT INTO sandbox_notes (key, noted_by, noted_at, content) SELECT n::text::bytea, '', now(), '' FROM generate_series(1, 300) n")
	const made = "SELECT analyze_count FROM pg_stat_user_tables WHERE relname = 'sandbox_notes'"
	for scan[int](t, db, made) == 0 { // the server counts rows a moment later
		if err := s.FirstStatistics(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := s.FirstStatistics(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := scan[int](t, db, made); n != 1 {
		t.Errorf("the statistics were created %d times", n)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM pg_stat_user_tables WHERE relname = 'quarantine' AND last_analyze IS NOT NULL"); n != 0 {
		t.Error("an empty table was analyzed")
	}
}

// TestOneProcessChecksStatistics has the process that checked first check for all, until it
// ends.
func TestOneProcessChecksStatistics(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	db := admin(t, address)
	check := func(s *pgstore.Store) (holder string) {
		t.Helper()
		if err := s.FirstStatistics(t.Context()); err != nil {
			t.Fatal(err)
		}
		return scan[string](t, db, "SELECT holder FROM turns WHERE name = 'statistics' AND lease_until > now()")
	}
	first, second := pgtest.OpenAt(t, address), pgtest.OpenAt(t, address)
	holder := check(first)
	if got := check(second); got != holder {
		t.Error("the second process checks, too")
	}
	exec(t, db, "ALTER TABLE sandbox_notes SET (autovacuum_enabled = off)")
	exec(t, db, "INSERT INTO sandbox_notes (key, noted_by, noted_at, content) SELECT n::text::bytea, '', now(), '' FROM generate_series(1, 300) n")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	third := pgtest.OpenAt(t, address)
	const made = "SELECT analyze_count FROM pg_stat_user_tables WHERE relname = 'sandbox_notes'"
	for scan[int](t, db, made) == 0 { // the server counts rows a moment later
		time.Sleep(10 * time.Millisecond)
		if check(third) == holder {
			t.Fatal("a process that has ended checks")
		}
	}
}

// TestAdmit creates a login on a server that requires passwords, from several
// processes at once, and uses it.
func TestAdmit(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "admit") //nolint:usetesting // t.TempDir is closed to the server's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	cluster, err := pglocal.Start(t.Context(), filepath.Join(dir, "db"), pglocal.Options{Port: port, Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Stop(context.WithoutCancel(t.Context())) })
	owner := cluster.TCPURL()
	if err := pgstore.Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	as := func(user, password string) string {
		u, err := url.Parse(owner)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, password)
		return u.String()
	}
	service := as(`odd "name"`, "it's a secret")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := pgstore.Admit(t.Context(), owner, service); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := pgstore.Open(t.Context(), pgstore.Options{URL: service})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Orgs.List(ctx)
		return err
	}); err != nil {
		t.Error(err)
	}
	if _, err := pgstore.Open(t.Context(), pgstore.Options{URL: as(`odd "name"`, "guess")}); err == nil {
		t.Error("a guessed password was accepted")
	}
	kept := scan[string](t, admin(t, owner), `SELECT rolpassword FROM pg_authid WHERE rolname = 'odd "name"'`)
	if !strings.HasPrefix(kept, "SCRAM-SHA-256$4096:") || strings.Contains(kept, "secret") {
		t.Errorf("the server keeps %s", kept)
	}
	if err := pgstore.Admit(t.Context(), service, as("another", "x")); err == nil {
		t.Error("a service's login admitted another one")
	}
	var name sql.NullString
	if err := admin(t, owner).QueryRowContext(t.Context(), "SELECT rolname FROM pg_roles WHERE rolname = 'another'").Scan(&name); err == nil {
		t.Error("the other login was created")
	}
}
