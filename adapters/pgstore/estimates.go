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

func (r estimates) filter(f estimate.Filter) *query {
	q := estimateTable.of(r.tx)
	whereSet(q, "patient_id = %", f.PatientID)
	whereSet(q, "check_id = %", f.CheckID)
	return q
}
