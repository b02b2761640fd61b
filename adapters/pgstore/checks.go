package pgstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

type checks struct{ *tx }

// checkColumns lists every column except exchanges, which few callers read.
const checkColumns = `id, org_id, mode, office_id, payer_id, payer_code, payer_name, patient_id, state, outcome, parent_id,
	request_id, person_request_id, idempotency_key, tenant_reference, cache_source, created_at, inquiry, network, latency_ms, completed_at,
	rejection, coverage_status, benefits, shown, shown_failure`

type checkRow struct {
	ID              billing.CheckID     `db:"id"`
	Org             billing.OrgID       `db:"org_id"`
	Mode            billing.Mode        `db:"mode"`
	OfficeID        billing.OfficeID    `db:"office_id"`
	PayerID         billing.PayerID     `db:"payer_id"`
	PayerCode       string              `db:"payer_code"`
	PayerName       string              `db:"payer_name"`
	PatientID       billing.PatientID   `db:"patient_id"`
	State           coverage.CheckState `db:"state"`
	Outcome         coverage.Outcome    `db:"outcome"`
	ParentID        billing.CheckID     `db:"parent_id"`
	RequestID       billing.RequestID   `db:"request_id"`
	OfPerson        billing.RequestID   `db:"person_request_id"`
	IdempotencyKey  string              `db:"idempotency_key"`
	TenantReference *string             `db:"tenant_reference"`
	CacheSource     billing.CheckID     `db:"cache_source"`
	CreatedAt       time.Time           `db:"created_at"`
	Inquiry         []byte              `db:"inquiry"`
	Network         string              `db:"network"`
	LatencyMS       *int                `db:"latency_ms"`
	CompletedAt     sql.NullTime        `db:"completed_at"`
	Rejection       []byte              `db:"rejection"`
	CoverageStatus  coverage.Status     `db:"coverage_status"`
	Benefits        []byte              `db:"benefits"`
	Shown           []byte              `db:"shown"`
	ShownFailure    []byte              `db:"shown_failure"`
}

func (r checkRow) check() (*coverage.Check, error) {
	c := &coverage.Check{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, OfficeID: r.OfficeID,
		Payer:     directory.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName},
		PatientID: r.PatientID, State: r.State, Outcome: r.Outcome, ParentID: r.ParentID, RequestID: r.RequestID,
		OfPerson: r.OfPerson, IdempotencyKey: r.IdempotencyKey, TenantReference: r.TenantReference, CacheSource: r.CacheSource,
		CreatedAt: r.CreatedAt.UTC(), CompletedAt: present(r.CompletedAt), Network: r.Network, LatencyMS: r.LatencyMS,
		Status: r.CoverageStatus, Benefits: r.Benefits, Shown: r.Shown, ShownFailure: r.ShownFailure,
	}
	err := errors.Join(decode(r.Inquiry, &c.Inquiry), decode(r.Rejection, &c.Rejection))
	if err != nil {
		return nil, fmt.Errorf("read check %s: %w", r.ID, err)
	}
	return c, nil
}

// encode returns the value of a JSON column, or NULL for a nil pointer. The JSON uses
// the field names of package billing. A golden file guards these names, because
// renaming a field would lose stored data. Benefits are an exception: they use the
// names of the API.
func encode[T any](v *T) (any, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(any(v))
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

func decode(b []byte, into any) error {
	if b == nil {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("decode %T: stored form is not readable", into) // omit err, which quotes the value
	}
	return nil
}

// Insert stores a new check.
func (r checks) Insert(ctx context.Context, c *coverage.Check) error {
	inquiry, err := encode(&c.Inquiry)
	if err != nil {
		return err
	}
	rejection, err := encode(c.Rejection)
	if err != nil {
		return err
	}
	digest := c.Digest()
	r.evidence = rowEvidence("eligibility_checks", c.ID)
	if c.State == coverage.CheckPending {
		r.pending = c.ID
	}
	if err := r.laterOf(ctx, c.ID, c.ID, `
INSERT INTO eligibility_checks (id, org_id, mode, office_id, payer_id, payer_code, payer_name, patient_id, state, outcome,
	parent_id, request_id, person_request_id, idempotency_key, tenant_reference, cache_source, created_at, digest, inquiry, network,
	latency_ms, completed_at, rejection, coverage_status, benefits, shown, shown_failure)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, nullif($25, '')::json,
	nullif($26, ''), nullif($27, ''))`,
		c.ID, r.scope.Org, r.scope.Mode, c.OfficeID, c.Payer.ID, c.Payer.PayerID, c.Payer.Name, c.PatientID, c.State, c.Outcome,
		c.ParentID, c.RequestID, c.OfPerson, c.IdempotencyKey, c.TenantReference, c.CacheSource, micro(c.CreatedAt), digest[:], inquiry,
		c.Network, c.LatencyMS, optional(c.CompletedAt), rejection, c.Status, string(c.Benefits), string(c.Shown), string(c.ShownFailure)); err != nil || !c.CanBeReused() {
		return err
	}
	return r.later(ctx, answerOf(c.ID), `
INSERT INTO eligibility_answers (org_id, mode, digest, completed_at, check_id)
VALUES ($1, $2, $3, $4, $5)`, r.scope.Org, r.scope.Mode, digest[:], micro(c.CompletedAt), c.ID)
}

// answerOf is the key of a check's answer in the queue of writes.
type answerOf billing.CheckID

// Get reads a check.
func (r checks) Get(ctx context.Context, id billing.CheckID) (*coverage.Check, error) {
	q := r.query(checkColumns, "eligibility_checks")
	q.where("id = %", id)
	return one(ctx, r.tx, "check", checkRow.check, q.text(""), q.args...)
}

// Find reads checks.
func (r checks) Find(ctx context.Context, ids []billing.CheckID) (map[billing.CheckID]*coverage.Check, error) {
	q := r.query(checkColumns, "eligibility_checks")
	q.where("id = ANY (%::uuid[])", uuids(ids))
	all, err := many(ctx, r.tx, "find checks", checkRow.check, q.text(""), q.args...)
	found := make(map[billing.CheckID]*coverage.Check, len(all))
	for _, c := range all {
		found[c.ID] = c
	}
	return found, err
}

// Complete stores the results of pending checks. It is not queued: it locks the rows,
// and the sequences of later events must be read after that. It sends absent values
// as empty strings, because arrays with NULL take longer to write.
func (r checks) Complete(ctx context.Context, done []coverage.CheckCompletion) ([]billing.CheckID, error) {
	n := len(done)
	ids, outcomes, patients, networks := make(pq.StringArray, n), make(pq.StringArray, n), make(pq.StringArray, n), make(pq.StringArray, n)
	latencies, completed := make(pq.Int64Array, n), make(pq.StringArray, n)
	rejections, statuses, benefits, sealed := make(pq.StringArray, n), make(pq.StringArray, n), make(documentArray, n), make(pq.ByteaArray, n)
	shown, failures, answers := make(documentArray, n), make(documentArray, n), make(pq.BoolArray, n)
	for i, d := range done {
		c := d.Check
		rejection, err := encode(c.Rejection)
		if err != nil {
			return nil, err
		}
		ids[i], outcomes[i], networks[i], latencies[i], answers[i] = c.ID.UUID(), string(c.Outcome), c.Network, -1, c.CanBeReused()
		completed[i] = micro(c.CompletedAt).Format(time.RFC3339Nano)
		if !c.PatientID.IsZero() {
			patients[i] = c.PatientID.UUID()
		}
		if c.LatencyMS != nil {
			latencies[i] = int64(*c.LatencyMS)
		}
		rejections[i], _ = rejection.(string)
		statuses[i], benefits[i], shown[i], failures[i] = string(c.Status), c.Benefits, c.Shown, c.ShownFailure
		if len(d.Exchanges) > 0 {
			sealed[i] = r.store.sealer.seal(r.scope, c.ID, frame(d.Exchanges))
		}
	}
	var rows []struct {
		ID  billing.CheckID `db:"id"`
		XID string          `db:"xid"`
	}
	if err := r.list(ctx, &rows, `
WITH completed AS (
	UPDATE eligibility_checks c
	SET state = 'completed', outcome = d.outcome, patient_id = nullif(d.patient_id, '')::uuid, network = d.network,
		latency_ms = nullif(d.latency_ms, -1), completed_at = d.completed_at, rejection = nullif(d.rejection, '')::json,
		coverage_status = d.coverage_status, benefits = nullif(d.benefits, '')::json, exchanges = nullif(d.exchanges, ''),
		shown = nullif(d.shown, ''), shown_failure = nullif(d.shown_failure, '')
	FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::timestamptz[], $9::text[], $10::text[], $11::text[],
		$12::bytea[], $13::boolean[], $14::text[], $15::text[])
		AS d (id, outcome, patient_id, network, latency_ms, completed_at, rejection, coverage_status, benefits, exchanges, answers, shown, shown_failure)
	WHERE c.org_id = $1 AND c.mode = $2 AND c.id = d.id AND c.state = 'pending'
	RETURNING c.id, c.digest, c.completed_at, d.answers
), kept AS (
	INSERT INTO eligibility_answers (org_id, mode, digest, completed_at, check_id)
	SELECT $1::uuid, $2::text, digest, completed_at, id
	FROM completed
	WHERE answers
)
SELECT id, pg_current_xact_id()::text AS xid
FROM completed`,
		r.scope.Org, r.scope.Mode, ids, outcomes, patients, networks, latencies, completed, rejections, statuses, benefits, sealed, answers,
		shown, failures); err != nil {
		return nil, fmt.Errorf("complete checks: %w", err)
	}
	first := make([]billing.CheckID, len(rows))
	for i, row := range rows {
		first[i], r.xid = row.ID, row.XID
	}
	return first, nil
}

// recent returns the SQL of Recent.
func (r checks) recent(digest [32]byte, since time.Time) *query {
	q := &query{}
	q.built.WriteString("SELECT " + checkColumns + "\nFROM eligibility_checks")
	q.add(`
WHERE org_id = % AND mode = % AND id = (
	SELECT check_id
	FROM eligibility_answers
	WHERE org_id = $1 AND mode = $2 AND digest = % AND completed_at >= %
	ORDER BY completed_at DESC
	LIMIT 1
)`, r.scope.Org, r.scope.Mode, digest[:], since.UTC())
	return q
}

// Recent finds the newest saved answer to the same question.
func (r checks) Recent(ctx context.Context, digest [32]byte, since time.Time) (*coverage.Check, error) {
	q := r.recent(digest, since)
	c, err := one(ctx, r.tx, "check", checkRow.check, q.text(""), q.args...)
	if billing.IsNotFound(err) {
		return nil, nil
	}
	return c, err
}

func (r checks) filter(f coverage.CheckFilter) *query {
	q := r.query(checkColumns, "eligibility_checks")
	whereSet(q, "patient_id = % AND patient_id IS NOT NULL", f.PatientID)
	whereSet(q, "request_id = %", f.RequestID)
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "outcome = % AND outcome <> ''", f.Outcome)
	whereSet(q, "tenant_reference = %", f.TenantReference)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	return q
}

// List reads a page of checks, newest first.
func (r checks) List(ctx context.Context, f coverage.CheckFilter, p billing.Page) ([]*coverage.Check, error) {
	return page(ctx, r.tx, "checks", checkRow.check, r.filter(f), p)
}

// exchanges reads the messages exchanged for checks.
type exchanges struct{ *tx }

// Get reads and decrypts the messages exchanged for a check.
func (r exchanges) Get(ctx context.Context, id billing.CheckID) (sent coverage.CheckExchange, err error) {
	q := r.query("patient_id, cache_source, exchanges", "eligibility_checks")
	q.where("id = %", id)
	var row struct {
		Patient     billing.PatientID `db:"patient_id"`
		CacheSource billing.CheckID   `db:"cache_source"`
		Exchanges   []byte
	}
	switch err := r.get(ctx, &row, q.text(""), q.args...); {
	case errors.Is(err, sql.ErrNoRows):
		return sent, billing.NotFound("check", "")
	case err != nil:
		return sent, fmt.Errorf("read the messages of check %s: %w", id, err)
	}
	sent = coverage.CheckExchange{Check: id, Patient: row.Patient, Source: row.CacheSource}
	if row.Exchanges == nil {
		return sent, nil
	}
	plain, err := r.store.sealer.open(r.scope, id, row.Exchanges)
	if err != nil {
		return sent, fmt.Errorf("open the messages of check %s: %w", id, err)
	}
	sent.Messages, err = unframe(plain)
	return sent, err
}
