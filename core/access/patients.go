package access

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// GetPatient reads an entry of the patient directory. It returns CodeNotFound
// if there is none.
func (s *Service) GetPatient(ctx context.Context, scope billing.Scope, id billing.PatientID) (p *billing.Patient, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		p, err = tx.Patients.Get(ctx, id)
		return err
	})
	return p, err
}

// ListPatients reads a page of the patient directory, newest first, and the start of the
// next page: nil after the last.
func (s *Service) ListPatients(
	ctx context.Context, scope billing.Scope, p billing.Page,
) (page []*billing.Patient, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Patients.List(ctx, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, patientAt)
	return page, next, err
}

// SearchPatients reads a page of the patients that a search finds. Truncated reports
// that there are more than billing.MaxSearchPatients.
func (s *Service) SearchPatients(
	ctx context.Context, scope billing.Scope, what billing.Search, p billing.Page,
) (page []*billing.Patient, next *billing.Position, truncated bool, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		var found []billing.PatientID
		if found, truncated, err = tx.Patients.Search(ctx, what); err == nil {
			page, err = tx.Patients.Read(ctx, found, p)
		}
		return err
	})
	page, next = billing.Cut(page, p.Limit, patientAt)
	return page, next, truncated, err
}

func patientAt(p *billing.Patient) billing.Position {
	return billing.Position{Time: p.CreatedAt, ID: p.ID}
}
