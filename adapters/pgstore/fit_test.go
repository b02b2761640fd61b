package pgstore_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
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
	s := pgtest.OpenAt(t, server.URL())
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

// TestRestoreIsLoggedOnce says once in each process what live claims wait for, and once that they leave again.
func TestRestoreIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var said safeLog
	s := pgtest.Open(t, func(o *pgstore.Options) { o.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	r := &restore.Restore{}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		r.BegunAt = tx.Real.Now().Time
		return tx.Restores.Insert(ctx, r)
	})
	for range 3 {
		porttest.Await(t, "a look", func() bool { return s.Ready(t.Context()) == nil && s.Restoring() != nil })
	}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Restores.Resume(ctx, r, tx.Real.Now().Time)
	})
	porttest.Await(t, "the end", func() bool { return s.Restoring() == nil && strings.Contains(said.text(), "leave again") })
	if text := said.text(); strings.Count(text, "wait for molar restore resume") != 1 || strings.Count(text, "leave again") != 1 {
		t.Errorf("want a line for each: %s", text)
	}
}

// safeLog is a log that one goroutine reads while others write.
type safeLog struct {
	mu  sync.Mutex
	log strings.Builder
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(p)
}

func (l *safeLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
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

// TestDatabaseMadeBefore has the steps of a database from before the first release. It
// stays as it is, and every way to use it says how to start anew.
func TestDatabaseMadeBefore(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := admin(t, url)
	const applied = "SELECT count(*) FROM goose_db_version WHERE version_id > 0"
	before := scan[int](t, db, applied)
	exec(t, db, "UPDATE goose_db_version SET version_id = 58 WHERE version_id > 0")
	_, noSteps := pgstore.Steps(t.Context(), url)
	_, noStore := pgstore.Open(t.Context(), pgstore.Options{URL: url})
	for does, err := range map[string]error{"migrate": pgstore.Migrate(t.Context(), url), "list the steps": noSteps, "open": noStore} {
		if !errors.Is(err, pgstore.ErrMadeBefore) || !strings.Contains(err.Error(), "set MOLAR_DATABASE_URL to an empty database") {
			t.Errorf("%s: %v", does, err)
		}
	}
	if steps := scan[int](t, db, applied); steps != before {
		t.Errorf("the database has %d steps, want %d", steps, before)
	}
}

// TestSchemaOfAnEarlierStep has a schema without a table that a look reads. The store waits for
// the step that is missing.
func TestSchemaOfAnEarlierStep(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := admin(t, url)
	exec(t, db, "DROP TABLE live_files")
	exec(t, db, "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
	s := pgtest.OpenAt(t, url)
	if e, unfit := errors.AsType[*pgstore.UnfitError](s.Fit()); !unfit || e.Have != e.Want-1 {
		t.Errorf("a database that lacks a step: %v", s.Fit())
	}
}
