package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
)

// auditEntries are the entries of the audit.
type auditEntries struct{ *tx }

func auditFields(e *caller.AuditEntry) []field {
	return []field{
		{"id", &e.ID},
		{"org_id", &e.Org},
		{"mode", orNull[billing.Mode]{&e.Mode}},
		{"user_id", &e.User},
		{"key_id", &e.Key},
		{"operator", orNull[string]{&e.Operator}},
		{"rule", orNull[string]{&e.Rule}},
		{"background", &e.Background},
		{"address", &e.Address},
		{"agent", &e.Agent},
		{"operation", &e.Operation},
		{"resource_id", orNull[string]{&e.Resource}},
		{"shown", textArray[string]{of: &e.Shown}},
		{"filters", document{&e.Filters, "null"}},
		{"status", orNull[int]{&e.Status}},
		{"created_at", instant{&e.CreatedAt}},
	}
}

// namedAuditFields adds the name that auditNames selects.
func namedAuditFields(e *caller.AuditEntry) []field {
	return append(auditFields(e), field{"name", orNull[string]{&e.Name}})
}

//nolint:gochecknoglobals // a constant, built from the columns
var insertAuditEntries = `
INSERT INTO audit_entries (` + auditTable.columns + `)
SELECT ` + auditTable.columns + `
FROM json_populate_recordset(NULL::audit_entries, $1)
ON CONFLICT DO NOTHING`

// auditKey identifies a row of an entry.
type auditKey struct {
	id      billing.AuditEntryID
	replied bool
}

// Insert stores the entries that are not stored yet; a trigger stores their resources. Only a person's entry can have two
// rows, one without the reply: of any other, the first one stays. A server crash may lose
// entries of keys, as those of the request log.
func (r auditEntries) Insert(ctx context.Context, entries []*caller.AuditEntry) error {
	for _, e := range entries {
		replied := e.Status != 0 || e.Actor() != caller.ActorUser
		stored, err := rowOf(auditFields(e))
		if err != nil {
			return err
		}
		stored["status"] = sql.NullInt64{Int64: int64(e.Status), Valid: replied}
		w := write{row: auditKey{e.ID, replied}, set: insertAuditEntries, rows: []row{stored}, again: e.Actor() == caller.ActorKey}
		if err := r.push(ctx, w); err != nil {
			return fmt.Errorf("insert audit entries: %w", err)
		}
	}
	return nil
}

// List reads a page of entries, newest first.
func (r auditEntries) List(ctx context.Context, f caller.AuditFilter, p billing.Page) ([]*caller.AuditEntry, error) {
	var about []string
	if !f.Patient.IsZero() {
		var err error
		if about, err = r.holding(ctx, f.Patient); err != nil {
			return nil, err
		}
	}
	text, args := r.page(f, about, p)
	return read(ctx, r.tx, "list audit entries", namedAuditFields, text, args...)
}

const auditNames = `, coalesce((SELECT email FROM users u WHERE u.org_id = e.org_id AND u.id = e.user_id),
	(SELECT name FROM api_keys k WHERE k.org_id = e.org_id AND k.id = e.key_id)) AS name
FROM `

// page builds a page of the list. For resources, it merges the first entries of each.
func (r auditEntries) page(f caller.AuditFilter, about []string, p billing.Page) (string, []any) {
	if f.Patient.IsZero() && f.Resource != "" {
		about, f.Resource = []string{f.Resource}, ""
	}
	q := &query{}
	if about == nil {
		q.add("SELECT "+auditTable.columns+auditNames+"audit_entries e\nWHERE org_id = %", r.scope.Org)
		q.audit(f)
		return q.page(p), q.args
	}
	q.add("SELECT "+auditTable.columns+auditNames+`(
	SELECT DISTINCT ON (created_at, id) found.*
	FROM unnest(%::text[]) about (resource) CROSS JOIN LATERAL (
		SELECT e.*
		FROM audit_resources a JOIN audit_entries e USING (org_id, created_at, id)
		WHERE org_id = % AND a.resource = about.resource`, pq.Array(about), r.scope.Org)
	q.audit(f)
	q.before("created_at", p)
	q.add(`
		ORDER BY created_at DESC, id DESC
		LIMIT %
	) found
) e`, p.Limit+1)
	return q.text("ORDER BY created_at DESC, id DESC\nLIMIT %", p.Limit+1), q.args
}

// Operators reads a page of the entries of operators, newest first.
func (r auditEntries) Operators(ctx context.Context, org billing.OrgID, f caller.AuditFilter, p billing.Page) ([]*caller.AuditEntry, error) {
	return auditTable.page(ctx, r.tx, r.operators(org, f), p)
}

func (r auditEntries) operators(org billing.OrgID, f caller.AuditFilter) *query {
	q := &query{}
	q.add("SELECT " + auditTable.columns + "\nFROM audit_entries e\nWHERE operator IS NOT NULL AND NOT background")
	whereSet(q, "org_id = %", org)
	q.audit(f)
	return q
}

// changesOnly is the condition of the index audit_entries_changes.
const changesOnly = "operation !~ '^GET |/search$| show$'"

// audit adds the conditions of the filter, except that on a patient. Of two rows of an
// entry, the list has the one with the status.
func (q *query) audit(f caller.AuditFilter) {
	switch f.Actor {
	case caller.ActorUser:
		q.where("user_id IS NOT NULL")
	case caller.ActorKey:
		q.where("key_id IS NOT NULL")
	case caller.ActorRule:
		q.where("rule IS NOT NULL")
	case caller.ActorOperator:
		q.where("operator IS NOT NULL AND user_id IS NULL")
	}
	whereSet(q, "user_id = %", f.User)
	whereSet(q, "key_id = %", f.Key)
	whereSet(q, `EXISTS (SELECT FROM audit_resources o WHERE (o.org_id, o.created_at, o.id) = (e.org_id, e.created_at, e.id) AND o.resource = %)`, f.Resource)
	q.flag("background", f.Background)
	if f.Changes {
		q.where(changesOnly)
	}
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	// Not EXISTS, which the planner may answer by reading all entries.
	q.where("(replied OR (SELECT 1 FROM audit_entries later WHERE later.id = e.id AND later.replied) IS NULL)")
}

// holding returns the IDs of the patient, of the patient's claims, and of what holds one
// of them now, in the mode of the patient.
func (r auditEntries) holding(ctx context.Context, patient billing.PatientID) ([]string, error) {
	ids := []string{patient.String()}
	for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		if err := r.switchTo(ctx, mode); err != nil {
			return nil, err
		}
		var kind string
		var id billing.JobID
		text, args := r.holders(patient, mode)
		use := func() { ids = append(ids, holder(kind, id)) }
		if err := r.each(ctx, "find what holds the claims of a patient", []any{&kind, &id}, use, text, args...); err != nil {
			return nil, err
		}
		unclaimed, err := r.unclaimed(ctx, patient)
		if err != nil {
			return nil, err
		}
		for _, id := range unclaimed {
			ids = append(ids, id.String())
		}
	}
	return ids, r.switchTo(ctx, r.scope.Mode)
}

// holder returns the ID of a row of holders.
func holder(kind string, id billing.JobID) string {
	switch kind {
	case "claim":
		return billing.ClaimID(id).String()
	case "file":
		return billing.FileID(id).String()
	case "era":
		return billing.ERAID(id).String()
	case "attachment":
		return billing.AttachmentID(id).String()
	}
	return billing.PayerRequestID(id).String()
}

// unclaimed returns the attachments without a claim that are about the patient.
func (r auditEntries) unclaimed(ctx context.Context, patient billing.PatientID) (ids []billing.AttachmentID, err error) {
	var id billing.AttachmentID
	var about attachment.Subject
	var first, last string
	var born billing.Date
	err = r.each(ctx, "find the attachments of a patient", []any{&id, document{&about, ""}, &first, &last, &born}, func() {
		is, _ := directory.PatientKey(first, last, born)
		if key, ok := directory.PatientKey(about.Patient.FirstName, about.Patient.LastName, about.Patient.DateOfBirth); ok && key == is {
			ids = append(ids, id)
		}
		about = attachment.Subject{}
	}, bornAlike, patient)
	return ids, err
}

const bornAlike = `
SELECT a.id, a.about, p.first_name AS first, p.last_name AS last, p.date_of_birth
FROM patients p JOIN attachments a ON a.org_id = p.org_id AND a.mode = p.mode AND a.born = to_char(p.date_of_birth, 'YYYY-MM-DD')
WHERE p.id = $1 AND a.born IS NOT NULL`

// holders finds claims and what holds them. The history of a claim names the files that
// carried it.
func (r auditEntries) holders(patient billing.PatientID, mode billing.Mode) (string, []any) {
	return `
WITH mine AS MATERIALIZED (
	SELECT id, batch_id, history
	FROM claims
	WHERE org_id = $1 AND mode = $2 AND patient_id = $3 AND patient_id IS NOT NULL
)
SELECT 'claim' AS kind, id FROM mine
UNION
SELECT 'file', batch_id FROM mine WHERE batch_id IS NOT NULL
UNION
SELECT 'file', id
FROM batches
WHERE org_id = $1 AND mode = $2 AND name = ANY (ARRAY(SELECT h ->> 'File' FROM mine CROSS JOIN LATERAL json_array_elements(history) h))
UNION
SELECT 'era', e.era_id FROM mine JOIN era_claims e ON e.claim_id = mine.id
UNION
SELECT 'attachment', a.id FROM mine JOIN attachments a ON a.org_id = $1 AND a.mode = $2 AND a.claim_id = mine.id
UNION
SELECT 'payer request', q.id FROM mine JOIN payer_requests q ON q.org_id = $1 AND q.mode = $2 AND q.claim_id = mine.id`,
		[]any{r.scope.Org, mode, patient}
}

// Forget deletes old entries. The function of the database keeps those of its own
// retention.
func (r auditEntries) Forget(ctx context.Context, before time.Time) (n int, err error) {
	err = r.fetch(ctx, "forget audit entries", &n, "SELECT forget_audit_entries($1)", before.UTC())
	return n, err
}

// KeepAudit sets how long the database keeps entries of the audit and of the request log,
// as the owner of the tables. The services cannot delete an entry sooner.
func KeepAudit(ctx context.Context, owner string, keep time.Duration) error {
	db, err := administer(owner)
	if err != nil {
		return fmt.Errorf("set the retention of the audit: %w", err)
	}
	defer db.Close() //nolint:errcheck // it has one statement
	if _, err := db.ExecContext(ctx, "UPDATE audit_retention SET keep = make_interval(secs => $1)", keep.Seconds()); err != nil {
		return fmt.Errorf("set the retention of the audit: %w", ofStatement(ctx, err))
	}
	return nil
}
