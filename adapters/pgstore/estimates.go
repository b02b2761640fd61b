package pgstore

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/estimate"
)

type estimates struct{ *tx }

func estimateFields(r *estimate.Record) []field {
	return scoped(&r.ID, &r.Scope, []field{
		{"created_at", instant{&r.CreatedAt}},
		{"check_id", &r.CheckID},
		{"second_check_id", &r.SecondCheck},
		{"patient_id", &r.PatientID},
		{"office_id", &r.OfficeID},
		{"payer_id", &r.Payer.ID},
		{"payer_code", &r.Payer.PayerID},
		{"payer_name", &r.Payer.Name},
		{"content", document{&r.Content, "null"}},
	})
}

// Insert stores a new estimate.
func (r estimates) Insert(ctx context.Context, e *estimate.Record) error {
	return estimateTable.insert(ctx, r.tx, e)
}

// Get reads an estimate.
func (r estimates) Get(ctx context.Context, id billing.EstimateID) (*estimate.Record, error) {
	return estimateTable.get(ctx, r.tx, id, "")
}

// List reads a page of estimates, newest first.
func (r estimates) List(ctx context.Context, f estimate.Filter, p billing.Page) ([]*estimate.Record, error) {
	return estimateTable.page(ctx, r.tx, r.filter(f), p)
}

// allDecided says of a claim and its estimate that the payers of all plans of the estimate have decided.
const allDecided = "(e.second_check_id IS NULL OR (c.standing ->> 'LaterDecided')::boolean)"

// accuracyByPayer takes the newest claim of each estimate. What a claim settles is computed when
// a remittance is posted or taken back, so the totals are those of now. With a second plan, what the patient owes
// is known when its payer has decided.
const accuracyByPayer = `
SELECT payer_id, payer_code, max(payer_name), count(*), count(*) FILTER (WHERE off = 0), round(avg(off))::bigint
FROM (
	SELECT DISTINCT ON (e.id) e.payer_id, e.payer_code, e.payer_name,
		greatest(0, least(l.least, l.most) - l.owed, l.owed - greatest(l.least, l.most)) AS off
	FROM claims c
	JOIN estimates e ON e.org_id = c.org_id AND e.mode = c.mode AND e.id = c.estimate_id AND e.payer_id = c.payer_id
	CROSS JOIN LATERAL (SELECT
		(e.content #>> '{Estimate,Least,PatientPays}')::bigint AS least,
		(e.content #>> '{Estimate,Most,PatientPays}')::bigint AS most,
		(c.standing ->> 'PatientResponsibility')::bigint AS owed) l
	WHERE c.org_id = $1 AND c.mode = $2 AND c.estimate_id IS NOT NULL AND c.secondary_to IS NULL AND c.kind = 'claim'
		AND c.frequency <> 'void' AND c.state <> 'voided' AND l.owed IS NOT NULL
		AND ` + allDecided + `
	ORDER BY e.id, c.created_at DESC, c.id DESC
) one
GROUP BY payer_id, payer_code
ORDER BY count(*) DESC, payer_code`

// Accuracy compares estimates with what patients owe, by payer.
func (r estimates) Accuracy(ctx context.Context) (all []estimate.PayerAccuracy, err error) {
	var a estimate.PayerAccuracy
	to := []any{&a.Payer.ID, &a.Payer.PayerID, &a.Payer.Name, &a.Estimates, &a.Within, &a.MeanError}
	err = r.each(ctx, "compare estimates", to, func() { all = append(all, a) }, accuracyByPayer, r.scope.Org, r.scope.Mode)
	return all, err
}

func (r estimates) filter(f estimate.Filter) *query {
	q := estimateTable.of(r.tx)
	whereSet(q, "patient_id = %", f.PatientID)
	whereSet(q, "check_id = %", f.CheckID)
	return q
}
