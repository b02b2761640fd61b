package pgstore

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
)

type resets struct{ *tx }

// Transactions finds transactions by the lock that each has on itself. A transaction before
// its first write has no other ID. Sessions of roles that cannot write for an organization,
// and the server's own, do not count.
func (r resets) Transactions(ctx context.Context) ([]string, error) {
	return columnOf[string](ctx, r.tx, "list transactions", `
SELECT l.virtualtransaction
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.virtualxid = l.virtualtransaction AND a.pid <> pg_backend_pid()
	AND a.datname = current_database() AND a.usesysid IS NOT NULL AND pg_has_role(a.usesysid, 'molar_app', 'MEMBER')`)
}

// Settle removes the jobs that do not run, and looks for others, and for files.
func (r resets) Settle(ctx context.Context, org billing.OrgID, job billing.JobID) (over bool, err error) {
	if _, err := r.remove(ctx, "reset_rows", org, "jobs", everyJob); err != nil {
		return false, err
	}
	err = r.fetch(ctx, "find work under way", &over, `
SELECT NOT EXISTS (SELECT FROM jobs WHERE org_id = $1 AND mode = 'test' AND id <> $2 AND kind <> 'received_file')
	AND NOT EXISTS (SELECT FROM sandbox_mail WHERE org_id = $1 AND mode = 'test' AND removed_at IS NULL AND given_until > now())`, org, job)
	return over, err
}

// everyJob is more jobs than an organization has.
const everyJob = 1_000_000

// Images reads documents and uploads: either may be the last to name an image.
func (r resets) Images(ctx context.Context, org billing.OrgID, after billing.DocumentID, limit int) ([]billing.DocumentID, error) {
	return columnOf[billing.DocumentID](ctx, r.tx, "list images", `
(SELECT id FROM documents WHERE org_id = $1 AND mode = 'test' AND id > $2 ORDER BY id LIMIT $3)
UNION
(SELECT id FROM uploads WHERE org_id = $1 AND mode = 'test' AND id > $2 ORDER BY id LIMIT $3)
ORDER BY id
LIMIT $3`, org, after.UUID(), limit)
}

// RemoveRows removes rows in the order of the table of tables.
func (r resets) RemoveRows(ctx context.Context, org billing.OrgID, limit int) (int, error) {
	return r.removeAll(ctx, "reset_rows", org, limit, func(t tenantTable) bool { return t.reset == removes })
}

// RemoveRest removes rows in the same order, also those that came since the others went.
func (r resets) RemoveRest(ctx context.Context, org billing.OrgID, limit int) (int, error) {
	return r.removeAll(ctx, "remove_rows", org, limit, func(t tenantTable) bool { return t.deletion == removesLast })
}

func (r resets) removeAll(ctx context.Context, by string, org billing.OrgID, limit int, has func(tenantTable) bool) (removed int, err error) {
	for _, t := range tenantTables() {
		if !has(t) || removed >= limit {
			continue
		}
		n, err := r.remove(ctx, by, org, t.name, limit-removed)
		if err != nil {
			return 0, err
		}
		removed += n
	}
	return removed, nil
}

func (r resets) remove(ctx context.Context, by string, org billing.OrgID, table string, limit int) (n int, err error) {
	err = r.row(ctx, []any{&n, &r.xid}, "SELECT "+by+"($1, $2, $3), pg_current_xact_id()::text AS xid", org, table, limit)
	return n, err
}

// End ends the reset.
func (r resets) End(ctx context.Context, org billing.OrgID, job billing.JobID) error {
	var done string
	return r.row(ctx, []any{&done, &r.xid}, "SELECT end_reset($1, $2)::text, pg_current_xact_id()::text AS xid", org, job)
}
