package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// forget sweeps all records, and returns how many went.
func forget(t *testing.T, s *pgstore.Store) (removed int) {
	t.Helper()
	for at := new(retention.Place); at != nil; {
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
			n, next, err := tx.Retention.Forget(ctx, *at, 2)
			if err == nil {
				removed, at = removed+n, next
			}
			return err
		})
	}
	return removed
}

// records counts the rows of the tables that go as records.
func records(t *testing.T, db *sql.DB, in billing.Scope) (all int) {
	t.Helper()
	for _, table := range []string{"eras", "attachments", "payer_requests", "claims", "batches", "acknowledgements", "eligibility_checks", "patients"} {
		all += scan[int](t, db, fmt.Sprintf("SELECT count(*) FROM %s WHERE org_id = '%s' AND mode = '%s'", table, in.Org.UUID(), in.Mode))
	}
	return all
}

// setAge sets the age of records, also to one that no operator can set.
func setAge(t *testing.T, db *sql.DB, mode billing.Mode, age string) {
	t.Helper()
	exec(t, db, "ALTER TABLE retention DROP CONSTRAINT IF EXISTS retention_keep_check")
	exec(t, db, fmt.Sprintf("UPDATE retention SET keep = '%s' WHERE kind = 'records' AND mode = '%s'", age, mode))
}

// fromTheStart makes the next pass look at rows that a test put before those that a pass saw.
func fromTheStart(t *testing.T, db *sql.DB) {
	t.Helper()
	exec(t, db, "UPDATE sweeps SET lowest = '00000000-0000-0000-0000-000000000000'")
}

// TestRecordsGo removes a claim with its batch, acknowledgement, remittance, patient and
// numbers of events when they are old enough in their mode, and not while they are held.
func TestRecordsGo(t *testing.T) {
	t.Parallel()
	f := filedUp(t)
	db := admin(t, f.url)
	insertPatient(t, db, f.in, time.Now())
	exec(t, db, "INSERT INTO event_numbers (org_id, mode, resource_id, last, event_id) SELECT org_id, mode, id, 7, id FROM claims")
	all := records(t, db, f.in)
	if all != 5 {
		t.Fatalf("%d records, want a claim, a batch, an acknowledgement, a remittance and a patient", all)
	}
	stay := func(when string) {
		t.Helper()
		if n := forget(t, f.store); n != 0 || records(t, db, f.in) != all {
			t.Errorf("%s: %d records went", when, n)
		}
	}
	other := billing.ModeLive
	if f.in.Mode == other {
		other = billing.ModeTest
	}
	stay("young records")
	setAge(t, db, other, "-1 minute")
	stay("the age of the other mode")
	setAge(t, db, f.in.Mode, "-1 minute")

	exec(t, db, "INSERT INTO organizations (id, name, created_at) VALUES ('"+f.in.Org.UUID()+"', 'Practice', now())")
	hold := func(h retention.Hold) {
		t.Helper()
		h.Reason, h.PlacedAt = "subpoena", time.Now()
		porttest.System(t, f.store, func(ctx context.Context, tx ports.SystemTx) error {
			return errors.Join(tx.Retention.Hold(ctx, &h), tx.Retention.Hold(ctx, &h))
		})
	}
	release := func(org billing.OrgID, patient billing.PatientID) {
		t.Helper()
		for _, held := range []bool{true, false} {
			porttest.System(t, f.store, func(ctx context.Context, tx ports.SystemTx) error {
				if of, err := tx.Retention.Release(ctx, org, patient); billing.IsNotFound(err) == held || held && of != f.in.Org {
					t.Errorf("released for %s, %v; was held: %t", of, err, held)
				}
				return nil
			})
		}
	}
	hold(retention.Hold{Org: f.in.Org})
	stay("the organization is held")
	release(f.in.Org, billing.PatientID{})

	patient := scan[string](t, db, "SELECT id::text FROM patients")
	exec(t, db, "UPDATE claims SET patient_id = '"+patient+"'")
	hold(retention.Hold{Patient: patientID(t, patient)})
	stay("the patient is held")
	release(billing.OrgID{}, patientID(t, patient))

	// The remittance stays, so the claim that it names does, with its batch and its patient.
	exec(t, db, `
WITH later AS (UPDATE eras SET id = 'ffffffff-0000-7000-8000-000000000000')
UPDATE era_claims SET era_id = 'ffffffff-0000-7000-8000-000000000000'`)
	stay("a remittance stays") // the acknowledgement is named by the batch
	exec(t, db, `
WITH now AS (UPDATE eras SET id = '01900000-0000-7000-8000-000000000000')
UPDATE era_claims SET era_id = '01900000-0000-7000-8000-000000000000'`)
	fromTheStart(t, db)

	state := scan[string](t, db, "SELECT state FROM claims")
	exec(t, db, "UPDATE claims SET state = 'submitted'") // the sandbox works with it
	if n := forget(t, f.store); n != 1 || records(t, db, f.in) != all-1 {
		t.Errorf("%d records went, want the remittance alone", n)
	}
	exec(t, db, "UPDATE claims SET state = '"+state+"'")
	all--
	if n := forget(t, f.store); n != all || records(t, db, f.in) != 0 {
		t.Errorf("%d old records went, want %d", n, all)
	}
	for _, table := range []string{"era_claims", "batch_acknowledgements", "patient_words", "event_numbers"} {
		if n := scan[int](t, db, "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
}

// TestEventsAndExchangesGo removes events that have no delivery, and the messages of checks that
// stay. What was pending for so long has failed, and an age of its own keeps what an organization
// has.
func TestEventsAndExchangesGo(t *testing.T) {
	t.Parallel()
	admins, url := ordinaryDatabase(t) // row-level security applies to this owner
	if err := pgstore.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	in, own := scope(), scope()
	in.Mode = billing.ModeLive
	s := pgtest.OpenAt(t, url)
	db := admin(t, admins)
	for _, of := range []billing.Scope{in, own} {
		exchangedBy(t, s, of)
		porttest.In(t, s, of, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Events.Append(ctx, someEvent(check(of).ID)), tx.Events.Append(ctx, someEvent(check(of).ID)))
		})
	}
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)
SELECT id, org_id, mode, id, id, type, now(), now() FROM events WHERE org_id = $1 ORDER BY id LIMIT 1`, in.Org); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "ALTER TABLE retention DROP CONSTRAINT retention_keep_check; UPDATE retention SET keep = '-1 minute' WHERE kind IN ('events', 'exchanges')")
	for _, kind := range []retention.Kind{retention.Events, retention.Exchanges} {
		if err := pgstore.SetAge(t.Context(), url, retention.Age{Kind: kind, Mode: own.Mode, Org: own.Org, Keep: 24 * time.Hour}, unnoted); err != nil {
			t.Fatal(err)
		}
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
			all, err := tx.Retention.Old(ctx, retention.Age{Kind: kind, Mode: in.Mode, Org: in.Org, Keep: -time.Minute})
			if want := map[retention.Kind]int64{retention.Events: 2, retention.Exchanges: 1}[kind]; err == nil && (len(all) != 1 || all[0].Old != want) {
				t.Errorf("old %s: %+v, want %d", kind, all, want)
			}
			return err
		})
	}
	if n := forget(t, s); n != 2 {
		t.Errorf("%d went, want the event without a delivery and the messages of a check", n)
	}
	if state := scan[string](t, db, "SELECT state FROM webhook_deliveries"); state != "failed" {
		t.Errorf("the old delivery is %s", state)
	}
	exec(t, db, "DELETE FROM webhook_deliveries")
	if n := forget(t, s); n != 1 {
		t.Errorf("%d went, want the event whose delivery is gone", n)
	}
	left := "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM eligibility_checks WHERE exchanges IS NOT NULL) + (SELECT count(*) FROM eligibility_checks)"
	if n := scan[int](t, db, left); n != 2+1+2 {
		t.Errorf("%d events, messages and checks are left, want 2, 1 and 2", n)
	}
}

func patientID(t *testing.T, uuid string) (id billing.PatientID) {
	t.Helper()
	if err := id.Scan(uuid); err != nil {
		t.Fatal(err)
	}
	return id
}

func insertPatient(t *testing.T, db *sql.DB, in billing.Scope, at time.Time) billing.PatientID {
	t.Helper()
	id := billing.NewID[billing.PatientID](billing.RealAt(at))
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at)
VALUES ($1, $2, $3, $4, 'Ann', 'Lee', $5, now())`, id, in.Org, in.Mode, id.String(), at.AddDate(-10, 0, 0)); err != nil {
		t.Fatal(err)
	}
	return id
}

// TestRecordsGoAtTheirAge keeps records to the hour, of each mode for its own age, and those of
// a minor until they are as old after the 18th birthday, if that is set. Another organization's
// hold holds nothing.
func TestRecordsGoAtTheirAge(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	db := admin(t, url)
	ages := map[billing.Mode]time.Duration{}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		all, err := tx.Retention.Ages(ctx)
		for _, a := range all {
			if a.Kind == retention.Records {
				ages[a.Mode] = a.Keep
			}
		}
		return err
	})
	const day = 24 * time.Hour
	if ages[billing.ModeTest] != 90*day || ages[billing.ModeLive] != 3650*day {
		t.Fatalf("the ages of records: %v", ages)
	}
	in, held := scope(), scope()
	var want []string
	for _, m := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		in.Mode, held.Mode = m, m
		old, young := time.Now().Add(-ages[m]-time.Hour), time.Now().Add(-ages[m]+time.Hour)
		insertPatient(t, db, in, old)
		want = append(want, insertPatient(t, db, in, young).UUID(), insertPatient(t, db, held, old).UUID())
	}
	exec(t, db, "INSERT INTO holds (org_id, reason, placed_at) VALUES ('"+held.Org.UUID()+"', 'subpoena', now())")
	left := func() []string {
		return strings.Fields(scan[string](t, db, "SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM patients"))
	}
	slices.Sort(want)
	if n := forget(t, s); n != 2 || !slices.Equal(left(), want) {
		t.Errorf("%d went, and %v are left, want %v", n, left(), want)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM sweeps WHERE bare = 'patients' AND lowest IN (SELECT id FROM patients) AND below IS NULL"); n != 2 {
		t.Errorf("the next pass begins with the earliest row that stays in %d modes, want 2", n)
	}
	// Each is 10 at the time of its record, so 18 before 10 years have gone, and yet not 28.
	in.Mode = billing.ModeLive
	minor := insertPatient(t, db, in, time.Now().Add(-ages[billing.ModeLive]-time.Hour))
	fromTheStart(t, db)
	owner := retention.Age{Kind: retention.Records, Mode: billing.ModeLive, Keep: ages[billing.ModeLive], Minors: true}
	if err := pgstore.SetAge(t.Context(), url, owner, unnoted); err != nil {
		t.Fatal(err)
	}
	if n := forget(t, s); n != 0 || !slices.Contains(left(), minor.UUID()) {
		t.Errorf("%d went, although the patient was a minor", n)
	}
	exec(t, db, fmt.Sprintf(`
INSERT INTO disclosures (id, org_id, mode, patient_id, disclosed_to, purpose, disclosed_by, disclosed_at)
VALUES ('%[1]s', '%[2]s', 'live', '%[1]s', 'court', 'case', 'op', now())`, minor.UUID(), in.Org.UUID()))
	owner.Minors = false
	if err := pgstore.SetAge(t.Context(), url, owner, unnoted); err != nil {
		t.Fatal(err)
	}
	if n := forget(t, s); n != 0 {
		t.Errorf("%d went, although a disclosure names the patient", n)
	}
	exec(t, db, "DELETE FROM disclosures")
	if n := forget(t, s); n != 1 {
		t.Errorf("%d went when minors did not count longer, want 1", n)
	}
}

// unnoted makes no entry of the audit.
func unnoted(*retention.Age, time.Time) *caller.AuditEntry { return nil }
