package access

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// GetPatient reads an entry of the patient directory. It returns CodeNotFound
// if there is none.
func (s *Service) GetPatient(ctx context.Context, scope billing.Scope, id billing.PatientID) (*directory.Patient, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*directory.Patient, error) {
		return tx.Patients.Get(ctx, id)
	})
}

// ListPatients reads a page of the patient directory, newest first, and the start of the
// next page: nil after the last.
func (s *Service) ListPatients(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*directory.Patient, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*directory.Patient, error) {
		return tx.Patients.List(ctx, p)
	})
}

// SearchPatients reads a page of the patients that a search finds. Truncated reports
// that there may be more than a search finds.
func (s *Service) SearchPatients(
	ctx context.Context, scope billing.Scope, what billing.Search, p billing.Page,
) (page []*directory.Patient, next *billing.Position, truncated bool, err error) {
	page, next, err = lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) (rows []*directory.Patient, err error) {
		var found []billing.PatientID
		if found, truncated, err = tx.Patients.Search(ctx, what); err == nil {
			rows, err = tx.Patients.Read(ctx, found, p)
		}
		return rows, err
	})
	return page, next, truncated, err
}
