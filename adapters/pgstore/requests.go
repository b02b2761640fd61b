package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// requests are the entries of the request log.
type requests struct{ *tx }

const requestColumns = "id, org_id, mode, key_id, operation, resource_id, status, error, duration_us, created_at"

type requestRow struct {
	ID        billing.RequestID `db:"id"`
	Org       billing.OrgID     `db:"org_id"`
	Mode      billing.Mode      `db:"mode"`
	KeyID     billing.KeyID     `db:"key_id"`
	Operation string            `db:"operation"`
	Resource  sql.NullString    `db:"resource_id"`
	Status    sql.NullInt16     `db:"status"`
	Error     sql.NullString    `db:"error"`
	Duration  sql.NullInt64     `db:"duration_us"`
	CreatedAt time.Time         `db:"created_at"`
}

func (r requestRow) entry() (*caller.LoggedRequest, error) {
	return &caller.LoggedRequest{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, KeyID: r.KeyID, Operation: r.Operation, Resource: r.Resource.String,
		Status: int(r.Status.Int16), Error: billing.Code(r.Error.String), Duration: time.Duration(r.Duration.Int64) * time.Microsecond,
		CreatedAt: r.CreatedAt.UTC(),
	}, nil
}

// Get reads an entry.
func (r requests) Get(ctx context.Context, id billing.RequestID) (*caller.LoggedRequest, error) {
	q := r.query(requestColumns, "requests")
	q.where("id = %", id)
	return one(ctx, r.tx, "request", requestRow.entry, q.text(""), q.args...)
}

// List reads a page of entries, newest first.
func (r requests) List(ctx context.Context, f caller.RequestFilter, p billing.Page) ([]*caller.LoggedRequest, error) {
	return page(ctx, r.tx, "requests", requestRow.entry, r.filter(f), p)
}

func (r requests) filter(f caller.RequestFilter) *query {
	q := r.query(requestColumns, "requests")
	whereSet(q, "key_id = %", f.KeyID)
	whereSet(q, "operation = %", f.Operation)
	whereSet(q, "status = %", f.Status)
	whereSet(q, "error = %", f.Error)
	whereSet(q, "resource_id = %", f.Resource)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	return q
}

const insertRequests = `
INSERT INTO requests (` + requestColumns + `)
SELECT ` + requestColumns + `
FROM json_populate_recordset(NULL::requests, $1)
ON CONFLICT (id) DO NOTHING`

// Insert stores the entries that are not stored yet. A server crash may lose them:
// Written returns those of writes again.
func (r requests) Insert(ctx context.Context, entries []*caller.LoggedRequest) error {
	for _, e := range entries {
		stored := row{
			"id": e.ID, "org_id": e.Scope.Org, "mode": e.Scope.Mode, "key_id": e.KeyID, "operation": e.Operation,
			"resource_id": nonEmpty(e.Resource),
			"status":      sql.NullInt64{Int64: int64(e.Status), Valid: e.Status != 0},
			"error":       nonEmpty(string(e.Error)),
			"duration_us": sql.NullInt64{Int64: e.Duration.Microseconds(), Valid: e.Status != 0},
			"created_at":  micro(e.CreatedAt),
		}
		if err := r.push(ctx, write{row: e.ID, set: insertRequests, rows: []row{stored}, again: true}); err != nil {
			return fmt.Errorf("insert requests: %w", err)
		}
	}
	return nil
}

const writtenRequests = `
SELECT org_id, mode, request_id, api_key_id, operation, resource_id, check_id, created_at, coalesce(address, '') AS address,
	coalesce(agent, '') AS agent, (SELECT patient_id FROM eligibility_checks c WHERE c.id = k.check_id) AS patient_id
FROM idempotency_keys k
WHERE created_at >= $1 AND created_at < $2 AND request_id IS NOT NULL
ORDER BY created_at
LIMIT $3`

// writtenBatch is the number of entries that Written reads.
const writtenBatch = 1000

// Written reads entries from the uses of idempotency keys.
func (r requests) Written(ctx context.Context, after, before time.Time) ([]*caller.LoggedRequest, time.Time, error) {
	var rows []struct {
		requestRow
		Request billing.RequestID `db:"request_id"`
		Key     billing.KeyID     `db:"api_key_id"`
		CheckID billing.CheckID   `db:"check_id"`
		Address string            `db:"address"`
		Agent   string            `db:"agent"`
		Patient billing.PatientID `db:"patient_id"` // of the check
	}
	if err := r.list(ctx, &rows, writtenRequests, micro(after), micro(before), writtenBatch); err != nil {
		return nil, time.Time{}, fmt.Errorf("read the requests of writes: %w", err)
	}
	next := before
	entries := make([]*caller.LoggedRequest, 0, len(rows))
	for _, row := range rows {
		row.ID, row.KeyID = row.Request, row.Key
		e, err := row.entry()
		if err != nil {
			return nil, time.Time{}, err
		}
		if e.Resource == "" {
			e.Resource = row.CheckID.String()
		}
		e.Address, e.Agent = row.Address, row.Agent
		if !row.Patient.IsZero() {
			e.Shown = []string{row.Patient.String()}
		}
		entries = append(entries, e)
	}
	if n := len(entries); n == writtenBatch {
		if next = entries[n-1].CreatedAt; !next.After(after) { // all are of one time, which is then done
			next = next.Add(time.Microsecond)
		}
	}
	return entries, next, nil
}

const forgetRequests = `
DELETE FROM requests
WHERE id IN (SELECT id FROM requests WHERE id < $1 ORDER BY id LIMIT ` + forgetBatch + `)`

// Requests deletes old entries of the request log: IDs sort by time. The policy of
// the table keeps those that are younger than the retention that KeepAudit sets.
func (r forgetter) Requests(ctx context.Context, before time.Time) (int, error) {
	return r.do(ctx, "forget requests", forgetRequests, billing.NewID[billing.RequestID](billing.RealAt(before)))
}

// nonEmpty returns a text, or NULL for an empty one.
func nonEmpty(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
