package pgstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

type checks struct{ *tx }

type pendingChecks struct{ *tx }

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
		{"batch_id", &c.BatchID},
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

// completion is the key of a completion in the queue of writes, which has one at most.
type completion struct{}

// columns are those of a check's result. Absent values are empty strings, because
// arrays with NULL take longer to write.
func (completion) columns() source {
	return source{
		{"id", "uuid"},
		{"org_id", "uuid"},
		{"mode", "text"},
		{"outcome", "text"},
		{"patient_id", "text"},
		{"network", "text"},
		{"latency_ms", "integer"},
		{"completed_at", "timestamptz"},
		{"rejection", "text"},
		{"coverage_status", "text"},
		{"benefits", "text"},
		{"exchanges", "bytea"},
		{"answers", "boolean"},
		{"shown", "text"},
		{"shown_failure", "text"},
		{"member", "text"},
	}
}

// Complete stores the results of pending checks, and the member IDs by which a search finds
// their patients. The setting molar.members keeps the trigger of the release before from
// storing these again. The events of the checks may be in the same statement, because a
// check has no earlier event.
func (r pendingChecks) Complete(ctx context.Context, done []coverage.CheckCompletion) error {
	if len(done) == 0 {
		return nil
	}
	rows := make([][]any, len(done))
	for i, d := range done {
		c, of := d.Check, r.of(d.Check.Scope)
		if _, queued := r.queued[c.ID]; queued { // as a new check
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
		rejection, err := encode(c.Rejection)
		if err != nil {
			return err
		}
		if rejection == nil {
			rejection = ""
		}
		patient, latency, sealed := "", int64(-1), []byte{}
		if !c.PatientID.IsZero() {
			patient = c.PatientID.UUID()
		}
		if c.LatencyMS != nil {
			latency = int64(*c.LatencyMS)
		}
		if len(d.Exchanges) > 0 {
			sealed = r.seal(ctx, of, c.ID, frame(d.Exchanges))
		}
		rows[i] = []any{
			c.ID.UUID(), of.Org.UUID(), string(of.Mode), string(c.Outcome), patient, c.Network, latency, micro(c.CompletedAt).Format(time.RFC3339Nano), rejection, string(c.Status),
			c.Benefits, sealed, c.CanBeReused(), c.Shown, c.ShownFailure, c.Inquiry.Subscriber.MemberID,
		}
	}
	from, args := completion{}.columns().of(rows)
	return r.push(ctx, write{row: completion{}, changes: len(done), otherwise: coverage.ErrNotPending, args: args, text: "SELECT FROM completed", with: `
completed AS (
	UPDATE eligibility_checks c
	SET state = 'completed', outcome = d.outcome, patient_id = nullif(d.patient_id, '')::uuid, network = d.network,
		latency_ms = nullif(d.latency_ms, -1), completed_at = d.completed_at, rejection = nullif(d.rejection, '')::json,
		coverage_status = d.coverage_status, benefits = nullif(d.benefits, '')::json, exchanges = nullif(d.exchanges, ''),
		shown = nullif(d.shown, ''), shown_failure = nullif(d.shown_failure, '')
	FROM ` + from + ` AS d` + completion{}.columns().names() + `, set_config('molar.members', 'kept', true)
	WHERE c.org_id = d.org_id AND c.mode = d.mode AND c.id = d.id AND c.state = 'pending'
	RETURNING c.id, c.org_id, c.mode, c.digest, c.completed_at, c.patient_id, d.answers, d.member
), members AS (
	INSERT INTO check_members (org_id, mode, member_key, patient_id)
	SELECT org_id, mode, upper(left(member, 100)) AS member_key, patient_id
	FROM completed
	WHERE member <> '' AND patient_id IS NOT NULL
	ORDER BY org_id, mode, member_key, patient_id
	ON CONFLICT DO NOTHING
), kept AS (
	INSERT INTO eligibility_answers (org_id, mode, digest, completed_at, check_id)
	SELECT org_id, mode, digest, completed_at, id
	FROM completed
	WHERE answers
)`})
}

// Lock locks checks that are pending.
func (r pendingChecks) Lock(ctx context.Context, ids []billing.CheckID) ([]billing.CheckID, error) {
	var pending []billing.CheckID
	var id billing.CheckID
	q := r.query("id", "eligibility_checks")
	q.where("id = ANY (%::uuid[])", uuids(ids))
	q.where("state = 'pending'")
	err := r.each(ctx, "lock pending checks", []any{&id}, func() { pending = append(pending, id) }, q.text("ORDER BY id\nFOR UPDATE"), q.args...)
	return pending, err
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

func (r checks) active(patients []billing.PatientID) (string, []any) {
	return `
WITH last AS MATERIALIZED (
	SELECT w.patient_id, c.*
	FROM unnest($3::uuid[]) AS w (patient_id)
	CROSS JOIN LATERAL (
		SELECT DISTINCT ON (payer_id) id, coverage_status, created_at
		FROM eligibility_checks
		WHERE org_id = $1 AND mode = $2 AND patient_id = w.patient_id AND patient_id IS NOT NULL AND outcome = 'answered' AND cache_source IS NULL
		ORDER BY payer_id, created_at DESC, id DESC
	) c
)
SELECT l.patient_id, c.id, c.payer_id, c.payer_code, c.payer_name, nullif(c.inquiry ->> 'ServiceDate', '')::date,
	(c.benefits ->> 'coverage_effective_date')::date, (c.benefits ->> 'coverage_termination_date')::date, c.completed_at
FROM last l
JOIN eligibility_checks c ON c.id = l.id
WHERE l.coverage_status = 'active'
ORDER BY l.created_at DESC, l.id DESC`, []any{r.scope.Org, r.scope.Mode, uuids(patients)}
}

// Active reads the active plans of patients by the last answers of their payers.
func (r checks) Active(ctx context.Context, patients []billing.PatientID) (map[billing.PatientID][]coverage.ActivePlan, error) {
	found := map[billing.PatientID][]coverage.ActivePlan{}
	var id billing.PatientID
	var p coverage.ActivePlan
	text, args := r.active(patients)
	err := r.each(ctx, "find active plans", []any{&id, &p.Check, &p.Payer.ID, &p.Payer.PayerID, &p.Payer.Name, &p.On, &p.From, &p.To, instant{&p.At}},
		func() { found[id] = append(found[id], p) }, text, args...)
	return found, err
}

func (r checks) filter(f coverage.CheckFilter) *query {
	q := checkTable.of(r.tx)
	whereSet(q, "patient_id = % AND patient_id IS NOT NULL", f.PatientID)
	whereSet(q, "request_id = %", f.RequestID)
	whereSet(q, "batch_id = % AND batch_id IS NOT NULL", f.BatchID)
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
