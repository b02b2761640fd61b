package pgstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestHeldBack leaves a transaction open that has written, in another database of the
// cluster. Once it is long, the store names its process.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	server := testservers.StartPostgres(t) // the other tests' transactions have IDs, too
	if err := pgstore.Migrate(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	s := pgtest.Open(t, func(o *pgstore.Options) { o.URL = server.URL() })
	s.HoldBack(time.Second)
	db := admin(t, server.URL())
	exec(t, db, "CREATE TABLE other (n int)")
	long, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var pid string
	if err := long.QueryRowContext(t.Context(), "INSERT INTO other VALUES (1) RETURNING pg_backend_pid()::text").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	porttest.Await(t, "the long transaction", func() bool {
		err := s.HeldBack()
		return err != nil && strings.Contains(err.Error(), "process "+pid+" ")
	})
	if err := long.Rollback(); err != nil {
		t.Fatal(err)
	}
	porttest.Await(t, "its end", func() bool { return s.HeldBack() == nil })
}

// TestEncodingOfTheDatabase refuses to migrate a database that is not in UTF-8: checks
// would fail there, because PostgreSQL normalizes names only in UTF-8.
func TestEncodingOfTheDatabase(t *testing.T) {
	t.Parallel()
	server := testservers.StartPostgres(t)
	exec(t, admin(t, server.URL()), "CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0")
	url := strings.Replace(server.URL(), "/postgres?", "/bytes?", 1)
	if err := pgstore.Migrate(t.Context(), url); err == nil || !strings.Contains(err.Error(), "encoding SQL_ASCII") {
		t.Errorf("a database without an encoding: %v", err)
	}
}
