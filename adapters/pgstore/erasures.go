package pgstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

type erasures struct{ *tx }

const erasureColumns = "patient_id, org_id, mode, reason, erased_by, begun_at, done_at, record"

// List reads the erasures.
func (r erasures) List(ctx context.Context) (all []*directory.Erasure, err error) {
	var e directory.Erasure
	into := []any{
		&e.Patient, &e.Scope.Org, &e.Scope.Mode, &e.Reason, &e.By, instant{&e.BegunAt}, instant{&e.DoneAt}, document{&e.ErasureRecord, ""},
	}
	err = r.each(ctx, "list erasures", into, func() {
		one := e
		all, e = append(all, &one), directory.Erasure{}
	}, "SELECT "+erasureColumns+" FROM erasures ORDER BY begun_at, patient_id")
	return all, err
}

// Again stores an erasure of before a restore.
func (r erasures) Again(ctx context.Context, e *directory.Erasure) error {
	var done string
	return r.row(ctx, []any{&done, &r.xid}, "SELECT erase_again($1, $2, $3, $4, $5, $6, $7)::text AS done, pg_current_xact_id()::text AS xid",
		e.Patient, e.Scope.Org, e.Scope.Mode, e.Reason, e.By, micro(e.BegunAt), recordOf(e))
}

// recordOf returns the record as it is stored.
func recordOf(e *directory.Erasure) string {
	b, _ := json.Marshal(e.ErasureRecord) //nolint:musttag // as stored
	return string(b)
}

// EraseParts erases what belongs to claims, and attachments.
func (r records) EraseParts(ctx context.Context, patient billing.PatientID, claims []billing.ClaimID, attachments []billing.AttachmentID) error {
	resources, err := r.resources(ctx, partsOf, r.scope.Org, r.scope.Mode, pq.Array(claims), pq.Array(attachments))
	if err != nil {
		return err
	}
	return r.erase(ctx, "erase_parts($1, $2::uuid[], $3::uuid[], $4::text[])", patient, pq.Array(claims), pq.Array(attachments), pq.Array(resources))
}

// resources returns the IDs of what a statement finds, as kept replies have them.
func (r records) resources(ctx context.Context, text string, args ...any) (all []string, err error) {
	var kind string
	var id billing.JobID
	err = r.each(ctx, "find what belongs to a patient", []any{&kind, &id}, func() {
		switch kind {
		case "task":
			all = append(all, billing.TaskID(id).String())
		case "item":
			all = append(all, billing.CheckItemID(id).String())
		default:
			all = append(all, holder(kind, id))
		}
	}, text, args...)
	return all, err
}

// partsOf finds what belongs to claims, and the tasks of all of it: kept replies about them have
// names and words, too.
const partsOf = `
WITH parts AS (
	SELECT 'claim' AS kind, unnest($3::uuid[]) AS id
	UNION ALL
	SELECT 'attachment', unnest($4::uuid[])
	UNION ALL
	SELECT 'attachment', id FROM attachments WHERE org_id = $1 AND mode = $2 AND claim_id = ANY ($3)
	UNION ALL
	SELECT 'payer request', id FROM payer_requests WHERE org_id = $1 AND mode = $2 AND claim_id = ANY ($3)
)
SELECT kind, id FROM parts
UNION ALL
SELECT 'task', t.id FROM parts JOIN tasks t ON t.org_id = $1 AND t.mode = $2 AND t.resource_id = parts.id`

// itemsOf finds the items of batches of checks about a patient, and their tasks, which go with them.
const itemsOf = `
WITH items AS (
	SELECT i.id
	FROM check_batch_items i LEFT JOIN eligibility_checks c ON c.id = i.check_id LEFT JOIN patients p ON p.id = $3
	WHERE i.org_id = $1 AND i.mode = $2 AND (c.patient_id = $3 OR i.person_key = p.name_key AND i.person_born = p.date_of_birth)
)
SELECT 'item', id FROM items
UNION ALL
SELECT 'task', t.id FROM items JOIN tasks t ON t.eligibility_batch_item_id = items.id`

// ErasePerson erases the rest of a patient, with the kept replies about the tasks and notes of
// checks.
func (r records) ErasePerson(ctx context.Context, patient billing.PatientID) error {
	resources, err := r.resources(ctx, itemsOf, r.scope.Org, r.scope.Mode, patient)
	if err != nil {
		return err
	}
	if len(resources) > 0 {
		if err := r.erase(ctx, "erase_parts($1, '{}', '{}', $2::text[])", patient, pq.Array(resources)); err != nil {
			return err
		}
	}
	return r.erase(ctx, "erase_person($1)", patient)
}

func (r records) erase(ctx context.Context, call string, args ...any) error {
	var refused string
	if err := r.row(ctx, []any{&refused, &r.xid}, "SELECT "+call+" AS refused, pg_current_xact_id()::text AS xid", args...); err != nil {
		return fmt.Errorf("erase a patient: %w", err)
	}
	why := map[string]string{
		"held":    "A hold keeps what the patient has. molar retention show lists the holds: release it, or wait.",
		"sending": "An attachment is being sent. Run the command again in some minutes.",
		"pending": "A check is under way. Run the command again in some minutes.",
		"claims":  "A claim of the patient was made meanwhile. Run the command again.",
	}[refused]
	if why == "" {
		return nil
	}
	return &billing.Error{Code: billing.CodeConflict, Message: why}
}

// BeginErasure stores, as the owner of the tables, that a patient is erased. One that has begun
// stays as it is.
func BeginErasure(ctx context.Context, owner string, e *directory.Erasure) error {
	db, err := administer(owner)
	if err != nil {
		return fmt.Errorf("erase a patient: %w", err)
	}
	defer db.Close() //nolint:errcheck // it has one statement
	_, err = db.ExecContext(ctx, `
INSERT INTO erasures (patient_id, org_id, mode, reason, erased_by, record)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (patient_id) DO UPDATE SET done_at = NULL`,
		e.Patient.UUID(), e.Scope.Org.UUID(), e.Scope.Mode, e.Reason, e.By, recordOf(e))
	if err != nil {
		return fmt.Errorf("erase a patient, for which MOLAR_MIGRATE_URL must name the owner of the tables: %w", ofStatement(ctx, err))
	}
	return nil
}
