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
