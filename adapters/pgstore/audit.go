package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

// auditEntries are the entries of the audit.
type auditEntries struct{ *tx }

const auditColumns = "id, org_id, mode, user_id, address, operation, resource_id, shown, status, created_at"

type auditRow struct {
	ID        billing.AuditEntryID `db:"id"`
	Org       billing.OrgID        `db:"org_id"`
	Mode      sql.NullString       `db:"mode"`
	User      billing.UserID       `db:"user_id"`
	Email     sql.NullString       `db:"email"`
	Address   string               `db:"address"`
	Operation string               `db:"operation"`
	Resource  sql.NullString       `db:"resource_id"`
	Shown     pq.StringArray       `db:"shown"`
	Status    sql.NullInt16        `db:"status"`
	CreatedAt time.Time            `db:"created_at"`
}

func (r auditRow) entry() (*billing.AuditEntry, error) {
	return &billing.AuditEntry{
		ID: r.ID, Org: r.Org, Mode: billing.Mode(r.Mode.String), User: r.User, Email: r.Email.String, Address: r.Address,
		Operation: r.Operation, Resource: r.Resource.String, Shown: append([]string(nil), r.Shown...), Status: int(r.Status.Int16), CreatedAt: r.CreatedAt.UTC(),
	}, nil
}

const insertAuditEntries = `
INSERT INTO audit_entries (` + auditColumns + `)
SELECT ` + auditColumns + `
FROM json_populate_recordset(NULL::audit_entries, $1)
ON CONFLICT DO NOTHING`

const insertAuditResources = `
INSERT INTO audit_resources (org_id, resource, created_at, id)
SELECT org_id, resource, created_at, id
FROM json_populate_recordset(NULL::audit_resources, $1)
ON CONFLICT DO NOTHING`

// auditKey identifies a row of an entry.
type auditKey struct {
	id      billing.AuditEntryID
	replied bool
}

// auditedResource identifies a row of a resource.
type auditedResource struct {
	id       billing.AuditEntryID
	resource string
}

// Insert stores the entries that are not stored yet.
func (r auditEntries) Insert(ctx context.Context, entries []*billing.AuditEntry) error {
	for _, e := range entries {
		at := micro(e.CreatedAt)
		about := slices.DeleteFunc(append([]string{e.Resource}, e.Shown...), func(id string) bool { return id == "" })
		slices.Sort(about)
		for _, id := range slices.Compact(about) {
			of := row{"org_id": e.Org, "resource": id, "created_at": at, "id": e.ID}
			if err := r.rows(ctx, auditedResource{e.ID, id}, of, insertAuditResources); err != nil {
				return fmt.Errorf("insert the resources of audit entries: %w", err)
			}
		}
		stored := row{
			"id": e.ID, "org_id": e.Org, "mode": nonEmpty(string(e.Mode)), "user_id": e.User, "address": e.Address,
			"operation": e.Operation, "resource_id": nonEmpty(e.Resource), "shown": append([]string{}, e.Shown...),
			"status": sql.NullInt64{Int64: int64(e.Status), Valid: e.Status != 0}, "created_at": at,
		}
		if err := r.rows(ctx, auditKey{e.ID, e.Status != 0}, stored, insertAuditEntries); err != nil {
			return fmt.Errorf("insert audit entries: %w", err)
		}
	}
	return nil
}

// List reads a page of entries, newest first.
func (r auditEntries) List(ctx context.Context, f billing.AuditFilter, p billing.Page) ([]*billing.AuditEntry, error) {
	return page(ctx, r.tx, "audit entries", auditRow.entry, r.filter(f), p)
}

// filter builds the list of an organization. Of two rows of an entry, it has the one
// with the status.
func (r auditEntries) filter(f billing.AuditFilter) *query {
	from := "audit_entries e"
	if f.Resource != "" {
		from = "audit_resources\nJOIN audit_entries e USING (org_id, created_at, id)"
	}
	q := r.ofOrganization(auditColumns+", (SELECT email FROM users u WHERE u.org_id = e.org_id AND u.id = e.user_id) AS email", from)
	whereSet(q, "resource = %", f.Resource)
	whereSet(q, "user_id = %", f.User)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	// Not EXISTS, which the planner may answer by reading all entries.
	q.where("(replied OR (SELECT 1 FROM audit_entries later WHERE later.id = e.id AND later.replied) IS NULL)")
	return q
}

// Forget deletes old entries. The function of the database keeps those of its own
// retention.
func (r auditEntries) Forget(ctx context.Context, before time.Time) (n int, err error) {
	if err = r.get(ctx, &n, "SELECT forget_audit_entries($1)", before.UTC()); err != nil {
		return 0, fmt.Errorf("forget audit entries: %w", err)
	}
	return n, nil
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
