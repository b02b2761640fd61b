package pgstore

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

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
	named, err := r.named(ctx, partsOf, r.scope.Org, r.scope.Mode, pq.Array(claims), pq.Array(attachments))
	if err == nil {
		err = r.erase(ctx, "erase_parts($1, $2::uuid[], $3::uuid[], '{}')", patient, pq.Array(claims), pq.Array(attachments))
	}
	if err != nil {
		return err
	}
	return r.eraseReplies(ctx, named)
}

// partsOf finds what belongs to claims, with the tasks of all of it.
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

// restOf finds a patient (%), the checks, and the items of batches of checks with their tasks.
const restOf = `
WITH items AS (
	SELECT id
	FROM check_batch_items
	WHERE org_id = $1 AND mode = $2 AND (` + itemIsOf + `)
)
SELECT 'patient' AS kind, $3::uuid AS id
UNION ALL
SELECT 'check', id FROM eligibility_checks WHERE org_id = $1 AND mode = $2 AND patient_id = $3
UNION ALL
SELECT 'item', id FROM items
UNION ALL
SELECT 'task', t.id FROM items JOIN tasks t ON t.eligibility_batch_item_id = items.id`

// ErasePerson erases the rest of a patient.
func (r records) ErasePerson(ctx context.Context, patient billing.PatientID) error {
	named, err := r.named(ctx, strings.ReplaceAll(restOf, "%", "$3"), r.scope.Org, r.scope.Mode, patient)
	if err == nil { // checks are the replies to their keys
		_, err = r.do(ctx, "keep the keys of checks", `
UPDATE idempotency_keys
SET check_id = NULL, body = ''
WHERE org_id = $1 AND mode = $2 AND check_id IN (SELECT id FROM eligibility_checks WHERE org_id = $1 AND mode = $2 AND patient_id = $3)`,
			r.scope.Org, r.scope.Mode, patient)
	}
	if err == nil {
		err = r.erase(ctx, "erase_person($1)", patient)
	}
	if err != nil {
		return err
	}
	return r.eraseReplies(ctx, named)
}

// named returns the IDs, as replies show them, of what a statement finds.
func (r records) named(ctx context.Context, text string, args ...any) (map[string]bool, error) {
	var kind string
	var id billing.JobID
	named := map[string]bool{}
	err := r.each(ctx, "find what belongs to a patient", []any{&kind, &id}, func() { named[shownID(kind, id)] = true }, text, args...)
	return named, err
}

// keptAtOnce is how many kept replies are decrypted at once.
const keptAtOnce = 500

// shownIDs finds the IDs in a reply.
var shownIDs = regexp.MustCompile("[a-z]+_[0-9A-HJKMNP-TV-Z]{26}")

// eraseReplies erases the kept replies that have one of the IDs. They are
// encrypted, and those to people have no resource of their own, so each reply of the scope is
// read: a patient is erased rarely, and replies are kept for days. Their keys stay, so that a
// request that is sent again does nothing again: the empty body says that the reply is gone.
func (r records) eraseReplies(ctx context.Context, named map[string]bool) error {
	for after := ""; len(named) > 0; {
		var key string
		var sealed []byte
		var keys []string
		var bodies [][]byte
		err := r.each(ctx, "read kept replies", []any{&key, &sealed}, func() { keys, bodies = append(keys, key), append(bodies, sealed); sealed = nil }, `
SELECT key, body
FROM idempotency_keys
WHERE org_id = $1 AND mode = $2 AND key > $3 AND body IS NOT NULL
ORDER BY key
LIMIT $4`, r.scope.Org, r.scope.Mode, after, keptAtOnce)
		if err != nil || len(keys) == 0 {
			return err
		}
		var gone []string
		for i, key := range keys {
			body, err := idempotencyKeys(r).body(ctx, key, bodies[i])
			if err != nil {
				return err
			}
			if slices.ContainsFunc(shownIDs.FindAll(body, -1), func(id []byte) bool { return named[string(id)] }) {
				gone = append(gone, key)
			}
		}
		if len(gone) > 0 {
			if _, err := r.do(ctx, "erase kept replies", "UPDATE idempotency_keys SET body = '' WHERE org_id = $1 AND mode = $2 AND key = ANY ($3)",
				r.scope.Org, r.scope.Mode, pq.Array(gone)); err != nil {
				return err
			}
		}
		after = keys[len(keys)-1]
	}
	return nil
}

// shownID returns the ID of a resource as replies have it.
func shownID(kind string, id billing.JobID) string {
	switch kind {
	case "patient":
		return billing.PatientID(id).String()
	case "check":
		return billing.CheckID(id).String()
	case "item":
		return billing.CheckItemID(id).String()
	case "task":
		return billing.TaskID(id).String()
	}
	return holder(kind, id)
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
