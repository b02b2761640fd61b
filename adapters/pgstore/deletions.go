package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

type deletions struct{ *tx }

const deletionColumns = "org_id, name, asked_at, asked_by, backups_days, removed_at"

func deletionFields(d *caller.Deletion) []any {
	return []any{&d.Org, &d.Name, instant{&d.AskedAt}, &d.AskedBy, &d.BackupsDays, instant{&d.RemovedAt}}
}

// Ask stores a wish. The database sets its time.
func (r deletions) Ask(ctx context.Context, d *caller.Deletion) error {
	err := r.row(ctx, deletionFields(d), `
WITH asked AS (
	INSERT INTO deletions (org_id, name, asked_by, backups_days)
	SELECT id, name, $2, $3 FROM organizations WHERE id = $1 AND maker_id IS NULL
	ON CONFLICT DO NOTHING
	RETURNING `+deletionColumns+`
)
SELECT `+deletionColumns+` FROM asked
UNION ALL
SELECT `+deletionColumns+` FROM deletions WHERE org_id = $1`, d.Org, d.AskedBy, d.BackupsDays)
	if errors.Is(err, sql.ErrNoRows) {
		return &billing.Error{Code: billing.CodeNotFound, Message: "No organization of the deployment has this ID. molar orgs list shows them."}
	}
	if err != nil {
		return fmt.Errorf("ask for a deletion: %w", err)
	}
	return nil
}

// Again stores the wish of before a restore.
func (r deletions) Again(ctx context.Context, d *caller.Deletion) error {
	var done string
	return r.row(ctx, []any{&done, &r.xid}, "SELECT delete_again($1, $2, $3, $4, $5)::text, pg_current_xact_id()::text AS xid",
		d.Org, d.Name, micro(d.AskedAt), d.AskedBy, d.BackupsDays)
}

// Withdraw removes a wish before it is due.
func (r deletions) Withdraw(ctx context.Context, org billing.OrgID, now time.Time) error {
	n, err := r.do(ctx, "take back a deletion", "DELETE FROM deletions WHERE org_id = $1 AND asked_at > $2", org, micro(now.Add(-caller.DeletionWait)))
	if err == nil && n == 0 {
		err = &billing.Error{Code: billing.CodeNotFound, Message: "No deletion of this organization waits. molar orgs deletions lists those that do."}
	}
	return err
}

// List reads the wishes and records.
func (r deletions) List(ctx context.Context) (all []*caller.Deletion, err error) {
	var d caller.Deletion
	err = r.each(ctx, "list deletions", deletionFields(&d), func() {
		one := d
		all, d = append(all, &one), caller.Deletion{}
	}, "SELECT "+deletionColumns+" FROM deletions ORDER BY asked_at, org_id")
	return all, err
}

// Remove removes rows in the order of the table of tables, but first what lets anybody in.
func (r deletions) Remove(ctx context.Context, org billing.OrgID, limit int) (removed int, err error) {
	tables := []string{"api_keys", "sessions", "sign_in_links"}
	for _, t := range tenantTables() {
		tables = append(tables, t.name)
	}
	for _, table := range tables {
		if removed >= limit {
			return removed, nil
		}
		n, err := resets(r).remove(ctx, "delete_rows", org, table, limit-removed)
		if err != nil {
			return 0, fmt.Errorf("delete rows of %s: %w", table, err)
		}
		removed += n
	}
	if removed > 0 {
		return removed, nil
	}
	_, err = r.do(ctx, "end a deletion", `
UPDATE deletions
SET removed_at = now()
WHERE org_id = $1 AND removed_at IS NULL AND NOT EXISTS (SELECT FROM organizations WHERE id = $1)`, org)
	return 0, err
}
