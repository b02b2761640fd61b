package pgstore_test

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"sync"
	"testing"

	_ "github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sandboxnet/mailtest"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Fixture {
		t.Helper()
		var mu sync.Mutex
		var staged []jobs.Job
		var url string // of the database, for an administrator
		s := pgtest.Open(t, func(o *pgstore.Options) {
			url = o.URL
			o.Staged = func(js []jobs.Job) {
				mu.Lock()
				defer mu.Unlock()
				staged = append(staged, js...)
			}
		})
		return storetest.Fixture{
			Store: s,
			Staged: func() []jobs.Job {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(staged)
			},
			FailStage: func(n int) { exec(t, admin(t, url), failStage(n)) },
		}
	})
}

func TestSandboxMail(t *testing.T) {
	t.Parallel()
	mailtest.Run(t, func(t *testing.T) sandboxnet.Mail {
		t.Helper()
		return pgtest.Open(t).SandboxMail()
	})
}

// failStage returns a trigger that fails n times. It counts with a sequence, which
// keeps its value when the transaction is rolled back.
func failStage(n int) string {
	return `
CREATE SEQUENCE failures;
GRANT ALL ON failures TO molar_app;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF nextval('failures') <= ` + strconv.Itoa(n) + ` THEN
		RAISE EXCEPTION USING ERRCODE = '40001';
	END IF;
	RETURN NEW;
END
$$;
CREATE TRIGGER fail BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION fail()`
}

// admin opens an administrator's connection, beside the store.
func admin(tb testing.TB, url string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(tb testing.TB, db *sql.DB, query string) {
	tb.Helper()
	if _, err := db.ExecContext(context.WithoutCancel(tb.Context()), query); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

func scan[T any](tb testing.TB, db *sql.DB, query string, args ...any) T {
	tb.Helper()
	var out T
	if err := db.QueryRowContext(tb.Context(), query, args...).Scan(&out); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return out
}
