package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestScopesSeeWhatChecksNeed reads and writes every table with the role of transactions of several scopes, beside two
// organizations with an answered check, a claim, an endpoint, a watch and a job. It reaches the tables that checks need, and in these the rows of the
// scopes that its setting names.
func TestScopesSeeWhatChecksNeed(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, url), admin(t, url)
	in, other := scope(), scope()
	for _, of := range []billing.Scope{in, other} {
		exec(t, db, "INSERT INTO watches (org_id, mode, expires_at) VALUES ('"+of.Org.UUID()+"', 'test', now() + interval '1 hour')")
		c := check(of)
		c.Inquiry.Subscriber.MemberID = "M1"
		p, _ := directory.NewPerson(of, "Ada", "Byron", billing.Date{Year: 1985, Month: 12, Day: 11}, billing.RealAt(time.Now()), time.Now())
		answered := *c
		porttest.In(t, s, of, func(ctx context.Context, tx ports.Tx) error {
			claimed := newClaim()
			claimed.Scope = of
			return errors.Join(tx.Endpoints.Insert(ctx, endpoint(of)), tx.Claims.Insert(ctx, claimed), tx.Checks.Insert(ctx, c), tx.Outbox.Stage(ctx, job()))
		})
		porttest.In(t, s, of, func(ctx context.Context, tx ports.Tx) error {
			known, err := tx.PendingChecks.Background(ctx, []directory.Person{p}, []billing.PayerID{c.Payer.ID})
			if err != nil {
				return err
			}
			answered.State, answered.Outcome, answered.CompletedAt = coverage.CheckCompleted, coverage.OutcomeAnswered, time.Now()
			answered.Status, answered.Benefits, answered.PatientID = coverage.Active, fullBenefits().Data(), known[0].Patient
			return errors.Join(tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: &answered, Exchanges: []coverage.Exchange{{Request: []byte("ISA")}}}}),
				tx.Events.Append(ctx, answered.CompletedEvent()))
		})
	}
	as := func(query, scopes string) (int64, error) {
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
	named, live := in.Org.UUID()+"test", in.Org.UUID()+"live"
	reached := map[string]int64{}
	rows, err := db.QueryContext(t.Context(), `SELECT relname, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND attname = 'mode')
FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND attname = 'org_id')`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table string
		var modes bool
		if err := rows.Scan(&table, &modes); err != nil {
			t.Fatal(err)
		}
		const own = " WHERE org_id IS NOT NULL" // some data keys are the deployment's
		columns := "org_id"
		if modes {
			columns = "org_id, mode"
			if n, err := as("SELECT "+columns+" FROM "+table+own, live); err == nil && n > 0 {
				t.Errorf("live mode reaches %d rows of %s", n, table)
			}
		}
		all, err := as("SELECT "+columns+" FROM "+table+own, named+","+other.Org.UUID()+"test")
		if n, _ := as("SELECT "+columns+" FROM "+table+own, named); err == nil {
			reached[table] = n
			if n*2 != all {
				t.Errorf("one of two organizations reaches %d of %d rows of %s", n, all, table)
			}
		}
		for _, query := range []string{"DELETE FROM " + table, "UPDATE " + table + " SET org_id = org_id"} {
			if n, err := as(query, named); err == nil && table != "jobs" {
				t.Errorf("%s reaches %d rows", query, n)
			}
		}
		if n, err := as("SELECT "+columns+" FROM "+table+own, ""); err == nil && n > 0 {
			t.Errorf("without a scope it reaches %d rows of %s", n, table)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{
		"check_members", "claims", "data_keys", "eligibility_answers", "eligibility_checks", "jobs", "patient_words", "patients", "watches", "webhook_deliveries", "webhook_endpoints",
	} {
		if reached[table] == 0 {
			t.Errorf("it reaches no row of %s", table)
		}
		delete(reached, table)
	}
	delete(reached, "sandbox_clocks") // anybody reads that of its scope as a transaction begins
	if len(reached) > 0 {
		t.Errorf("it also reads %v", reached)
	}
	if n, err := as("DELETE FROM jobs", named); n != 1 || err != nil {
		t.Errorf("it deletes %d jobs, %v, want that of its scope", n, err)
	}
	for _, table := range []string{"check_members", "eligibility_answers", "patients", "patient_words", "jobs", "events", "webhook_deliveries", "changes"} {
		columns := scan[string](t, db, "SELECT string_agg(column_name, ', ') FROM information_schema.columns WHERE table_name = '"+table+"' AND is_generated = 'NEVER' AND is_identity = 'NO'")
		insert := "INSERT INTO " + table + " (" + columns + ") SELECT " + columns + " FROM json_populate_record(NULL::" + table + `, '{"org_id": "` + other.Org.UUID() + `", "mode": "test"}')`
		if _, err := as(insert, named); !refused(err) {
			t.Errorf("a row of another organization in %s: %v", table, err)
		}
	}
	for _, query := range []string{
		"SELECT subscriber FROM claims", "UPDATE eligibility_checks SET inquiry = '{}'", "DELETE FROM patients", "SELECT secret FROM webhook_endpoints", "SELECT data FROM events", "UPDATE claims SET state = 'submitted'",
	} {
		if _, err := as(query, named); !refused(err) {
			t.Errorf("%s: %v", query, err)
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
