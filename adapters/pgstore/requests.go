package pgstore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// requests are the entries of the request log.
type requests struct{ *tx }

func requestFields(e *caller.LoggedRequest) []field {
	return scoped(&e.ID, &e.Scope, []field{
		{"key_id", &e.KeyID},
		{"operation", &e.Operation},
		{"resource_id", orNull[string]{&e.Resource}},
		{"status", orNull[int]{&e.Status}},
		{"error", orNull[billing.Code]{&e.Error}},
		{"duration_us", microseconds{&e.Duration}},
		{"created_at", instant{&e.CreatedAt}},
	})
}

// microseconds is a column for a duration. It is NULL for zero.
type microseconds struct{ of *time.Duration }

// Value returns the microseconds, or NULL.
func (m microseconds) Value() (driver.Value, error) {
	n := m.of.Microseconds()
	return orNull[int64]{&n}.Value()
}

// Scan reads the microseconds.
func (m microseconds) Scan(src any) error {
	var n int64
	err := orNull[int64]{&n}.Scan(src)
	*m.of = time.Duration(n) * time.Microsecond
	return err
}

// Get reads an entry.
func (r requests) Get(ctx context.Context, id billing.RequestID) (*caller.LoggedRequest, error) {
	return requestTable.get(ctx, r.tx, id, "")
}

// List reads a page of entries, newest first.
func (r requests) List(ctx context.Context, f caller.RequestFilter, p billing.Page) ([]*caller.LoggedRequest, error) {
	return requestTable.page(ctx, r.tx, r.filter(f), p)
}

func (r requests) filter(f caller.RequestFilter) *query {
	q := requestTable.of(r.tx)
	whereSet(q, "key_id = %", f.KeyID)
	whereSet(q, "operation = %", f.Operation)
	whereSet(q, "status = %", f.Status)
	whereSet(q, "error = %", f.Error)
	whereSet(q, "resource_id = %", f.Resource)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	return q
}

//nolint:gochecknoglobals // a constant, built from the columns
var insertRequests = `
INSERT INTO requests (` + requestTable.columns + `)
SELECT ` + requestTable.columns + `
FROM json_populate_recordset(NULL::requests, $1)
ON CONFLICT (id) DO NOTHING`

// Insert stores the entries that are not stored yet. A server crash may lose them:
// Written returns those of writes again.
func (r requests) Insert(ctx context.Context, entries []*caller.LoggedRequest) error {
	for _, e := range entries {
		stored, err := rowOf(requestFields(e))
		if err != nil {
			return err
		}
		if err := r.push(ctx, write{row: e.ID, set: insertRequests, rows: []row{stored}, again: true}); err != nil {
			return fmt.Errorf("insert requests: %w", err)
		}
	}
	return nil
}

const writtenRequests = `
SELECT org_id, mode, request_id, api_key_id, operation, resource_id, created_at, coalesce(address, '') AS address,
	coalesce(agent, '') AS agent, check_id, (SELECT patient_id FROM eligibility_checks c WHERE c.id = k.check_id) AS patient_id
FROM idempotency_keys k
WHERE created_at >= $1 AND created_at < $2 AND request_id IS NOT NULL
ORDER BY created_at
LIMIT $3`

// writtenBatch is the number of entries that Written reads.
const writtenBatch = 1000

// Written reads entries from the uses of idempotency keys.
func (r requests) Written(ctx context.Context, after, before time.Time) ([]*caller.LoggedRequest, time.Time, error) {
	var e caller.LoggedRequest
	var check billing.CheckID
	var patient billing.PatientID // of the check
	var entries []*caller.LoggedRequest
	to := []any{
		&e.Scope.Org, &e.Scope.Mode, &e.ID, &e.KeyID, &e.Operation,
		orNull[string]{&e.Resource},
		instant{&e.CreatedAt},
		&e.Address,
		&e.Agent, &check, &patient,
	}
	err := r.each(ctx, "read the requests of writes", to, func() {
		e.Resource = cmp.Or(e.Resource, check.String())
		if e.Shown = nil; !patient.IsZero() {
			e.Shown = []string{patient.String()}
		}
		entries = append(entries, new(e))
	}, writtenRequests, micro(after), micro(before), writtenBatch)
	if err != nil {
		return nil, time.Time{}, err
	}
	next := before
	if n := len(entries); n == writtenBatch {
		if next = entries[n-1].CreatedAt; !next.After(after) { // all are of one time, which is then done
			next = next.Add(time.Microsecond)
		}
	}
	return entries, next, nil
}

const forgetRequests = `
DELETE FROM requests
WHERE id IN (
	SELECT id
	FROM requests r
	WHERE id < $1 AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = r.org_id)
	ORDER BY id
	LIMIT ` + forgetBatch + `
)`

// Requests deletes old entries of the request log: IDs sort by time. The policy of
// the table keeps those that are younger than 30 days.
func (r forgetter) Requests(ctx context.Context, before time.Time) (int, error) {
	return r.do(ctx, "forget requests", forgetRequests, billing.NewID[billing.RequestID](billing.RealAt(before)))
}

// nonEmpty returns a text, or NULL for an empty one.
func nonEmpty(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
