package pgstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

type additions struct{ *tx }

func additionFields(a *coverage.Addition) []field {
	return []field{
		{"org_id", &a.Scope.Org},
		{"mode", &a.Scope.Mode},
		{"check_id", &a.CheckID},
		{"number", &a.Number},
		{"created_at", instant{&a.CreatedAt}},
		{"patient_id", &a.PatientID},
		{"payer_id", &a.PayerID},
		{"content", document{&a.AdditionContent, "null"}},
		{"struck_at", instant{&a.StruckAt}},
		{"struck_by", &a.StruckBy},
	}
}

func (r additions) of(c *coverage.Check) *query {
	q := r.query(columnsOf(additionFields(new(coverage.Addition))), "check_additions")
	if c.PatientID.IsZero() {
		q.where("check_id = %", c.ID)
	} else {
		q.where("patient_id = %", c.PatientID)
		q.where("payer_id = %", c.Payer.ID)
	}
	return q
}

// Of reads the additions to a check, and those to other checks of its patient with its payer.
func (r additions) Of(ctx context.Context, c *coverage.Check) ([]*coverage.Addition, error) {
	q := r.of(c)
	return read(ctx, r.tx, "read additions", additionFields, q.text("ORDER BY check_id, number"), q.args...)
}

// Lock reads the additions to a check, after other changes of them.
func (r additions) Lock(ctx context.Context, id billing.CheckID) ([]*coverage.Addition, error) {
	var locked sql.NullString
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('additions %s', $1::uuid), 0))", id); err != nil {
		return nil, fmt.Errorf("wait for other additions: %w", err)
	}
	q := r.of(&coverage.Check{ID: id})
	return read(ctx, r.tx, "lock additions", additionFields, q.text("ORDER BY number"), q.args...)
}

// Insert stores new additions to a check.
func (r additions) Insert(ctx context.Context, all []*coverage.Addition) error {
	var numbers []int64
	var contents []string
	for _, a := range all {
		content, err := encode(&a.AdditionContent)
		if err != nil {
			return err
		}
		text, _ := content.(string)
		numbers, contents = append(numbers, int64(a.Number)), append(contents, text)
	}
	if len(all) == 0 {
		return nil
	}
	a := all[0]
	_, err := r.do(ctx, "insert additions", `
INSERT INTO check_additions (org_id, mode, check_id, number, created_at, patient_id, payer_id, content)
SELECT $1::uuid, $2::text, $3::uuid, n, $4::timestamptz, $5::uuid, $6::uuid, c::json
FROM unnest($7::integer[], $8::text[]) AS v (n, c)`,
		r.scope.Org, r.scope.Mode, a.CheckID, micro(a.CreatedAt), a.PatientID, a.PayerID, pq.Array(numbers), pq.Array(contents))
	return err
}

// Save stores that an addition is struck.
func (r additions) Save(ctx context.Context, a *coverage.Addition) error {
	_, err := r.do(ctx, "save an addition", `
UPDATE check_additions
SET struck_at = $5, struck_by = $6
WHERE org_id = $1 AND mode = $2 AND check_id = $3 AND number = $4`, r.scope.Org, r.scope.Mode, a.CheckID, a.Number, micro(a.StruckAt), a.StruckBy)
	return err
}
