package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/retention"
)

type retained struct{ *tx }

// recordTables are what forget_records removes from, in the order of removal: what names a row
// goes before it. The messages of checks are not a table.
func recordTables() []string {
	return []string{
		"events", "exchanges",
		"deposits", "eras", "attachments", "payer_requests", "claims", "batches", "acknowledgements", "eligibility_checks", "patients",
	}
}

// tablesOf returns what goes at the age of a kind.
func tablesOf(k retention.Kind) []string {
	if k == retention.Events || k == retention.Exchanges {
		return []string{string(k)}
	}
	return recordTables()[2:]
}

// Forget goes on with a table, in test mode and then in live mode. Where its sweep was is in the
// database.
func (r retained) Forget(ctx context.Context, at retention.Place, limit int) (removed int, next *retention.Place, err error) {
	mode := [...]billing.Mode{billing.ModeTest, billing.ModeLive}[at%2]
	var more bool
	err = r.row(ctx, []any{&removed, &more, &r.xid}, "SELECT removed, more, pg_current_xact_id()::text AS xid FROM forget_records($1, $2, $3)",
		recordTables()[at/2], mode, limit)
	switch {
	case err != nil:
		return 0, nil, fmt.Errorf("remove old records: %w", err)
	case more:
		return removed, &at, nil
	}
	if at++; int(at) == 2*len(recordTables()) {
		return removed, nil, nil
	}
	return removed, &at, nil
}

// Ages reads the settings.
func (r retained) Ages(ctx context.Context) (all []retention.Age, err error) {
	var a retention.Age
	var seconds int64
	err = r.each(ctx, "read ages", []any{&a.Kind, &a.Mode, &a.Org, &seconds, &a.Minors}, func() {
		a.Keep = time.Duration(seconds) * time.Second
		all = append(all, a)
	}, `
SELECT kind, mode, coalesce(org_id, '00000000-0000-0000-0000-000000000000') AS org, extract(epoch FROM keep)::bigint AS seconds, minors
FROM retention
ORDER BY kind, mode, org_id NULLS FIRST`)
	return all, err
}

// Old counts what is older than an age.
func (r retained) Old(ctx context.Context, a retention.Age) (all []retention.Old, err error) {
	for _, table := range tablesOf(a.Kind) {
		o := retention.Old{Of: table}
		err := r.row(ctx, []any{&o.Old, &o.Held}, "SELECT old, held FROM old_records($1, $2, nullif($3::uuid, '00000000-0000-0000-0000-000000000000'), make_interval(secs => $4))",
			table, a.Mode, a.Org, a.Keep.Seconds())
		if err != nil {
			return nil, fmt.Errorf("count old rows of %s: %w", table, err)
		}
		all = append(all, o)
	}
	return all, nil
}

// Hold stores a hold of what exists.
func (r retained) Hold(ctx context.Context, h *retention.Hold) error {
	org := h.Org
	if !h.Patient.IsZero() {
		org = billing.OrgID{}
	}
	err := r.fetch(ctx, "hold", &h.Org, `
WITH subject AS (
	SELECT id AS org_id, NULL::uuid AS patient_id FROM organizations WHERE id = $1
	UNION ALL
	SELECT org_id, id FROM patients WHERE id = $2
), held AS (
	INSERT INTO holds (org_id, patient_id, reason, placed_at)
	SELECT org_id, patient_id, $3, $4 FROM subject
	ON CONFLICT DO NOTHING
)
SELECT org_id FROM subject`, org, h.Patient, h.Reason, micro(h.PlacedAt))
	if errors.Is(err, sql.ErrNoRows) {
		return billing.NotFound("organization or patient", "")
	}
	return err
}

// Release removes a hold.
func (r retained) Release(ctx context.Context, org billing.OrgID, patient billing.PatientID) (of billing.OrgID, err error) {
	err = r.fetch(ctx, "release a hold", &of, `
DELETE FROM holds
WHERE CASE WHEN patient_id IS NULL THEN org_id = $1 ELSE patient_id = $2 END
RETURNING org_id`, org, patient)
	if errors.Is(err, sql.ErrNoRows) {
		return of, &billing.Error{Code: billing.CodeNotFound, Message: "There is no such hold. molar retention show lists the holds."}
	}
	return of, err
}

// Holds reads the holds.
func (r retained) Holds(ctx context.Context) (all []retention.Hold, err error) {
	var h retention.Hold
	var patient *billing.PatientID
	err = r.each(ctx, "list holds", []any{&h.Org, &patient, &h.Reason, &h.PlacedAt}, func() {
		if h.Patient = (billing.PatientID{}); patient != nil {
			h.Patient = *patient
		}
		all = append(all, h)
	}, "SELECT org_id, patient_id, reason, placed_at FROM holds ORDER BY placed_at, org_id")
	return all, err
}

// SetAge sets how long data of a kind and a mode stays, as the owner of the tables. The entry of the
// audit that it gets for the age before (nil if there was none) is in its commit; nil means no entry.
func SetAge(ctx context.Context, owner string, a retention.Age, entry func(before *retention.Age, at time.Time) *caller.AuditEntry) error {
	db, err := administer(owner)
	if err != nil {
		return fmt.Errorf("set an age: %w", err)
	}
	defer db.Close() //nolint:errcheck // it has one transaction
	if err := setAge(ctx, db, a, entry); err != nil {
		return fmt.Errorf("set an age, for which MOLAR_MIGRATE_URL must name the owner of the tables: %w", ofStatement(ctx, err))
	}
	return nil
}

func setAge(ctx context.Context, db *sql.DB, a retention.Age, entry func(before *retention.Age, at time.Time) *caller.AuditEntry) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it has ended then
	if _, err := tx.ExecContext(ctx, "LOCK TABLE retention IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return err // two commands have one order, in the table and in the audit
	}
	var at time.Time
	var seconds sql.NullInt64
	before := &retention.Age{Kind: a.Kind, Mode: a.Mode, Org: a.Org}
	err = tx.QueryRowContext(ctx, `
SELECT now(), extract(epoch FROM keep)::bigint, coalesce(minors, false)
FROM (SELECT) AS one LEFT JOIN retention ON kind = $1 AND mode = $2 AND org_id IS NOT DISTINCT FROM nullif($3::uuid, '00000000-0000-0000-0000-000000000000')`,
		a.Kind, a.Mode, a.Org.UUID()).Scan(&at, &seconds, &before.Minors)
	if err != nil {
		return err
	}
	if before.Keep = time.Duration(seconds.Int64) * time.Second; !seconds.Valid {
		before = nil
	}
	_, err = tx.ExecContext(ctx, `
INSERT INTO retention (kind, mode, org_id, keep, minors)
VALUES ($1, $2, nullif($3::uuid, '00000000-0000-0000-0000-000000000000'), make_interval(secs => $4), $5)
ON CONFLICT (kind, mode, org_id) DO UPDATE SET keep = excluded.keep, minors = excluded.minors`, a.Kind, a.Mode, a.Org.UUID(), a.Keep.Seconds(), a.Minors)
	if err != nil {
		return err
	}
	if e := entry(before, at.UTC()); e != nil {
		_, err = tx.ExecContext(ctx, `
INSERT INTO audit_entries (id, org_id, mode, operator, address, operation, resource_id, shown, status, created_at)
VALUES ($1, nullif($2::uuid, '00000000-0000-0000-0000-000000000000'), $3, $4, '', $5, nullif($6, ''), '{}', 0, $7)`,
			e.ID, e.Org.UUID(), e.Mode, e.Operator, e.Operation, e.Resource, micro(e.CreatedAt))
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}
