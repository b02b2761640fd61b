package testservers_test

import (
	"database/sql"
	"testing"

	_ "github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/testservers"
)

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	one, two := connect(t, testservers.Database(t)), connect(t, testservers.Database(t))
	run(t, one, "CREATE TABLE only_here (n int)")
	run(t, two, "CREATE TABLE only_here (n int)")
}

func TestCloneHasTheTemplatesRows(t *testing.T) {
	t.Parallel()
	db := connect(t, testservers.Database(t))
	run(t, db, "CREATE TABLE kept AS SELECT 7 AS n")
	var template string
	scan(t, db, "SELECT current_database()", &template)
	_ = db.Close()

	var n int
	scan(t, connect(t, testservers.Clone(t, template)), "SELECT n FROM kept", &n)
	if n != 7 {
		t.Errorf("n = %d, want 7", n)
	}
}

func TestPostgresComesBackAfterKills(t *testing.T) {
	t.Parallel()
	srv := testservers.StartPostgres(t)
	db := connect(t, srv.URL())
	run(t, db, "CREATE TABLE kept (n int)")
	for i := range 5 {
		run(t, db, "INSERT INTO kept VALUES (1)")
		srv.Kill()
		if err := db.PingContext(t.Context()); err == nil {
			t.Fatal("a killed server answers")
		}
		srv.Restart()
		var n int
		scan(t, db, "SELECT count(*) FROM kept", &n)
		if n != i+1 {
			t.Fatalf("%d rows after kill %d, want %d", n, i, i+1)
		}
	}
}

func TestPostgresWiped(t *testing.T) {
	t.Parallel()
	srv := testservers.StartPostgres(t)
	db := connect(t, srv.URL())
	run(t, db, "CREATE TABLE gone (n int)")
	srv.Wipe()
	run(t, connect(t, srv.URL()), "CREATE TABLE gone (n int)")
}

func connect(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func scan(t *testing.T, db *sql.DB, query string, into any) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(into); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
