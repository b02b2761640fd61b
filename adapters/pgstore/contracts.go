package pgstore

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// contracts lets claims follow the fee schedules of their scope.
type contracts struct{ *tx }

// Changed begins anew with the tasks of the scope. A step that is under way does not count: see
// taskRules.Rebuilt.
func (r contracts) Changed(ctx context.Context) error {
	_, err := r.do(ctx, "let claims follow their contracts", `
UPDATE organizations
SET task_rules = jsonb_set(task_rules, ARRAY[$2::text], jsonb_build_object('rules', coalesce((task_rules->$2->>'rules')::integer, 0),
	'kind', '', 'id', '00000000-0000-0000-0000-000000000000', 'done', false, 'asked', coalesce((task_rules->$2->>'asked')::integer, 0) + 1))
WHERE id = $1`, r.scope.Org, r.scope.Mode)
	return err
}

func (r contracts) next(after billing.ClaimID, limit int) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where("id > %", after.UUID())
	return q.text("ORDER BY id\nLIMIT %\nFOR UPDATE OF c", limit), q.args
}

func (r contracts) ofPatient(id billing.PatientID) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where("patient_id = % AND patient_id IS NOT NULL AND kind = 'claim' AND sent_at IS NOT NULL AND frequency <> 'void'", id)
	return q.text("ORDER BY id\nFOR UPDATE OF c"), q.args
}

// OfPatient reads and locks the claims of a patient that were sent.
func (r contracts) OfPatient(ctx context.Context, id billing.PatientID) ([]*claim.Claim, error) {
	text, args := r.ofPatient(id)
	return clearings(r).claims(ctx, text, args)
}

// Next reads and locks the next claims.
func (r contracts) Next(ctx context.Context, after billing.ClaimID, limit int) ([]*claim.Claim, error) {
	text, args := r.next(after, limit)
	return clearings(r).claims(ctx, text, args)
}
