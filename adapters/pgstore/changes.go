package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// changes are what triggers recorded, and the watches that make them record.
type changes struct{ *tx }

const watchScopes = `
INSERT INTO watches (org_id, mode, expires_at)
SELECT org_id, mode, now() + $3 * interval '1 us'
FROM unnest($1::uuid[], $2::text[]) w (org_id, mode)
ORDER BY org_id, mode
ON CONFLICT (org_id, mode) DO UPDATE SET expires_at = greatest(watches.expires_at, excluded.expires_at)`

// watchesSince finds the watches that were committed before this statement. Every
// transaction that may have missed one of them has an ID by now, so all later
// IDs record their changes.
const watchesSince = `
UPDATE watches v
SET since = pg_snapshot_xmax(pg_current_snapshot())
FROM unnest($1::uuid[], $2::text[]) w (org_id, mode)
WHERE v.org_id = w.org_id AND v.mode = w.mode AND v.since IS NULL AND v.begun <> pg_current_xact_id()`

// Watch inserts or renews the watches.
func (r changes) Watch(ctx context.Context, scopes []billing.Scope, lease time.Duration) error {
	orgs, modes := split(scopes)
	if _, err := r.exec(ctx, watchScopes, orgs, modes, lease.Microseconds()); err != nil {
		return fmt.Errorf("watch scopes: %w", err)
	}
	_, err := r.do(ctx, "watch scopes", watchesSince, orgs, modes)
	return err
}

func split(scopes []billing.Scope) (orgs, modes any) {
	o, m := make([]billing.OrgID, len(scopes)), make([]string, len(scopes))
	for i, s := range scopes {
		o[i], m[i] = s.Org, string(s.Mode)
	}
	return pq.Array(o), pq.Array(m)
}

// changesAfter compares sets of transactions, not numbers: a transaction that began
// early and commits late is in no earlier set, and holds up no others.
const changesAfter = `
SELECT pg_current_snapshot()::text AS snapshot, w.place, coalesce(v.since <= pg_snapshot_xmin($3::pg_snapshot), false) AS complete, c.kind, c.id
FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS w (org_id, mode, place)
LEFT JOIN watches v ON v.org_id = w.org_id AND v.mode = w.mode
LEFT JOIN LATERAL (
	SELECT kind, id
	FROM changes
	WHERE org_id = w.org_id AND mode = w.mode AND xid >= pg_snapshot_xmin($3::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $3::pg_snapshot)
	LIMIT $4
) c ON v.since <= pg_snapshot_xmin($3::pg_snapshot)`

// beforeAll is the snapshot of the zero mark. It is older than any watch.
const beforeAll = "1:1:"

// After reads what is visible now and was not at the mark.
func (r changes) After(ctx context.Context, scopes []billing.Scope, mark event.Mark, limit int) ([]event.ScopeChanges, event.Mark, error) {
	snapshot := cmp.Or(mark.Snapshot, beforeAll)
	if h := strconv.FormatUint(mark.Horizon, 10); mark.Snapshot == "" && mark.Horizon > 0 {
		snapshot = h + ":" + h + ":"
	}
	orgs, modes := split(scopes)
	var place int
	var complete bool
	var change event.Change
	out := make([]event.ScopeChanges, len(scopes))
	to := []any{&mark.Snapshot, &place, &complete, orNull[event.ChangeKind]{&change.Kind}, (*billing.JobID)(&change.ID)}
	err := r.each(ctx, "read changes", to, func() {
		of := &out[place-1]
		of.Complete = complete
		switch {
		case change.Kind == "":
		case len(of.Changes) == limit:
			of.More = true
		default:
			of.Changes = append(of.Changes, change)
		}
	}, changesAfter, orgs, modes, snapshot, limit+1)
	if err != nil {
		return nil, mark, err
	}
	horizon, _, _ := strings.Cut(mark.Snapshot, ":")
	if mark.Horizon, err = strconv.ParseUint(horizon, 10, 64); err != nil {
		return nil, mark, fmt.Errorf("read changes: %w", err)
	}
	mark.Time = r.clock.now
	return out, mark, nil
}

const forgetChanges = `
DELETE FROM changes
WHERE ctid = ANY (ARRAY(SELECT ctid FROM changes WHERE created_at < $1 ORDER BY created_at LIMIT ` + forgetBatch + `))`

// Forget deletes old changes, and watches that nothing renewed.
func (r changes) Forget(ctx context.Context, before time.Time) (int, error) {
	n, err := r.exec(ctx, forgetChanges, micro(before))
	if err != nil {
		return 0, fmt.Errorf("forget changes: %w", err)
	}
	if _, err := r.exec(ctx, "DELETE FROM watches WHERE expires_at < $1", micro(before)); err != nil {
		return 0, fmt.Errorf("forget watches: %w", err)
	}
	return n, nil
}
