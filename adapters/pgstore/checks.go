package pgstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

type checks struct{ *tx }

// checkFields leaves out exchanges, which few callers read.
func checkFields(c *coverage.Check) []field {
	return scoped(&c.ID, &c.Scope, []field{
		{"office_id", &c.OfficeID},
		{"payer_id", &c.Payer.ID},
		{"payer_code", &c.Payer.PayerID},
		{"payer_name", &c.Payer.Name},
		{"patient_id", &c.PatientID},
		{"state", &c.State},
		{"outcome", &c.Outcome},
		{"parent_id", &c.ParentID},
		{"request_id", &c.RequestID},
		{"person_request_id", &c.OfPerson},
		{"idempotency_key", &c.IdempotencyKey},
		{"tenant_reference", &c.TenantReference},
		{"cache_source", &c.CacheSource},
		{"created_at", instant{&c.CreatedAt}},
		{"inquiry", document{&c.Inquiry, "{}"}},
		{"network", &c.Network},
		{"latency_ms", &c.LatencyMS},
		{"completed_at", instant{&c.CompletedAt}},
		{"rejection", maybe{&c.Rejection}},
		{"coverage_status", &c.Status},
		{"benefits", written{&c.Benefits}},
		{"shown", written{&c.Shown}},
		{"shown_failure", written{&c.ShownFailure}},
	})
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
	digest := c.Digest()
	id, args, err := checkTable.values(r.tx, c, digest[:])
	if err != nil {
		return err
	}
	r.evidence = rowEvidence("eligibility_checks", id)
	if c.State == coverage.CheckPending {
		r.pending = c.ID
	}
	if err := r.laterOf(ctx, c.ID, c.ID, checkTable.inserting, args...); err != nil || !c.CanBeReused() {
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
	return checkTable.get(ctx, r.tx, id, "")
}

// Find reads checks.
func (r checks) Find(ctx context.Context, ids []billing.CheckID) (map[billing.CheckID]*coverage.Check, error) {
	q := checkTable.of(r.tx)
	q.where("id = ANY (%::uuid[])", uuids(ids))
	all, err := checkTable.many(ctx, r.tx, "find checks", q.text(""), q.args...)
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
			sealed[i] = r.seal(ctx, r.scope, c.ID, frame(d.Exchanges))
		}
	}
	var first []billing.CheckID
	var id billing.CheckID
	err := r.each(ctx, "complete checks", []any{&id, &r.xid}, func() { first = append(first, id) }, `
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
		shown, failures)
	return first, err
}

// recent returns the SQL of Recent.
func (r checks) recent(digest [32]byte, since time.Time) *query {
	q := &query{}
	q.built.WriteString(checkTable.selecting)
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
	c, err := checkTable.one(ctx, r.tx, q.text(""), q.args...)
	if billing.IsNotFound(err) {
		return nil, nil
	}
	return c, err
}

func (r checks) filter(f coverage.CheckFilter) *query {
	q := checkTable.of(r.tx)
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
	return checkTable.page(ctx, r.tx, r.filter(f), p)
}

// exchanges reads the messages exchanged for checks.
type exchanges struct{ *tx }

// Get reads and decrypts the messages exchanged for a check.
func (r exchanges) Get(ctx context.Context, id billing.CheckID) (sent coverage.CheckExchange, err error) {
	q := r.query("patient_id, cache_source, exchanges", "eligibility_checks")
	q.where("id = %", id)
	var sealed []byte
	sent.Check = id
	none := true
	err = r.each(ctx, "read the messages of check "+id.String(), []any{&sent.Patient, &sent.Source, &sealed}, func() { none = false },
		q.text(""), q.args...)
	switch {
	case err == nil && none:
		return coverage.CheckExchange{}, billing.NotFound("check", "")
	case err != nil || sealed == nil:
		return sent, err
	}
	plain, err := r.unseal(ctx, r.scope, id, sealed)
	if err != nil {
		return sent, fmt.Errorf("open the messages of check %s: %w", id, err)
	}
	sent.Messages, err = unframe(plain)
	return sent, err
}
