package pgstore_test

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/ports"
)

// TestScopesSeeWhatChecksNeed reads and writes every table with the role of transactions of several scopes. It reaches
// the tables that checks need, and in these the rows of the scopes that its setting names.
func TestScopesSeeWhatChecksNeed(t *testing.T) {
	t.Parallel()
	in := scope()
	db := filled(t, in)
	var tables []string
	rows, err := db.QueryContext(t.Context(), "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	if err := rows.Err(); err != nil || len(tables) < 17 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	reaches := func(query, scopes string) (int64, error) {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('role', 'molar_scopes', true), set_config('molar.scopes', $1, true)", scopes); err != nil {
			t.Fatal(err)
		}
		result, err := tx.ExecContext(t.Context(), query)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	named := in.Org.UUID() + string(in.Mode)
	live := in.Org.UUID() + string(billing.ModeLive)
	other := scope()
	var seen []string
	for _, table := range tables {
		for _, query := range []string{"SELECT org_id, mode FROM " + table, "DELETE FROM " + table, "UPDATE " + table + " SET org_id = org_id"} {
			for _, scopes := range []string{"", live, other.Org.UUID() + string(other.Mode)} {
				if n, err := reaches(query, scopes); err == nil && n > 0 {
					t.Errorf("with the scopes %q %q reaches %d rows", scopes, query, n)
				}
			}
			if n, err := reaches(query, live+","+named); err == nil && n > 0 {
				seen = append(seen, query)
			}
		}
	}
	slices.Sort(seen)
	if want := []string{"SELECT org_id, mode FROM claims"}; !slices.Equal(seen, want) {
		t.Errorf("it reaches %q, want %q", seen, want)
	}
	for _, query := range []string{
		"SELECT subscriber FROM claims", "SELECT first_name FROM users", "UPDATE eligibility_checks SET inquiry = '{}'", "DELETE FROM patients", "SELECT secret FROM webhook_endpoints",
		"SELECT data FROM events", "UPDATE claims SET state = 'submitted'", "INSERT INTO claims DEFAULT VALUES",
	} {
		if _, err := reaches(query, named); err == nil {
			t.Errorf("%s was allowed", query)
		}
	}
}

// TestClocksOfSeveralScopes has a transaction of organizations whose sandbox clocks differ. While the test mode of one is
// being reset, it commits nothing.
func TestClocksOfSeveralScopes(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, url), admin(t, url)
	ahead, stopped, untouched := clocksOfScopes(t, s, db)
	exec(t, db, "UPDATE sandbox_clocks SET stands_at = NULL, ahead = '0', reset_job = gen_random_uuid(), reset_at = now() WHERE org_id = '"+stopped.Org.UUID()+"'")
	stage := func(scopes ...billing.Scope) error {
		return s.InScopes(t.Context(), scopes, func(ctx context.Context, tx ports.ScopesTx) error {
			_ = tx.Real.Now() // the reply to the first statement says whether test mode is being reset
			for _, of := range scopes {
				j := job()
				j.Scope = of
				if err := tx.Outbox.Stage(ctx, j); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := stage(ahead, stopped); billing.CodeOf(err) != billing.CodeOf(sandbox.ErrResetting()) {
		t.Errorf("a transaction with a scope that is being reset: %v", err)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM jobs"); n != 0 {
		t.Errorf("it staged %d jobs", n)
	}
	if err := stage(ahead, untouched); err != nil {
		t.Error(err)
	}
}

// clocksOfScopes moves a clock, stops another one, and looks at them in one transaction.
func clocksOfScopes(t *testing.T, s *pgstore.Store, db *sql.DB) (ahead, stopped, untouched billing.Scope) {
	t.Helper()
	ahead, stopped, untouched = scope(), scope(), scope()
	live := billing.Scope{Org: ahead.Org, Mode: billing.ModeLive}
	stands := time.Date(2030, 2, 3, 4, 5, 6, 7000, time.UTC)
	shift(t, db, ahead.Org, 48*time.Hour, time.Time{})
	shift(t, db, stopped.Org, 0, stands)
	all := []billing.Scope{ahead, live, stopped, untouched, ahead}
	if err := s.ViewScopes(t.Context(), all, func(_ context.Context, tx ports.ScopesTx) error {
		now := tx.Real.Now().Time
		got := map[billing.Scope]time.Time{}
		for _, of := range all {
			got[of] = tx.ClockOf(of).Now()
		}
		want := map[billing.Scope]time.Time{ahead: now.Add(48 * time.Hour), live: now, stopped: stands, untouched: now}
		if !maps.EqualFunc(got, want, time.Time.Equal) {
			t.Errorf("the clocks show %v, want %v", got, want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return ahead, stopped, untouched
}
