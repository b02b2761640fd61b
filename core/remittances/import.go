package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// Imported is the result for one payment of a file that is imported.
type Imported struct {
	ID          billing.ERAID // of the remittance in the scope; zero for a quarantined payment
	ERA         *remit.ERA    // as read
	New         bool          // false when the scope, or its quarantine, had the payment before
	Quarantined *quarantine.File
}

// Import imports an 835 for the scope, even if it names another payee. It
// returns whether each payment is new. It may be repeated.
//
// Errors: CodeNotFound for the field org, and CodeInvalidRequest when the file
// cannot be read.
func (s *Service) Import(ctx context.Context, scope billing.Scope, name string, content []byte) ([]Imported, error) {
	return s.importAs(ctx, scope, &quarantine.File{Origin: clearing.FileFromImport, Name: name, Content: content})
}

func (s *Service) importAs(ctx context.Context, scope billing.Scope, f *quarantine.File) ([]Imported, error) {
	payments, err := s.payments(f.Name, f.Content, 0)
	if err != nil {
		return nil, &billing.Error{Code: billing.CodeInvalidRequest, Message: "The file cannot be read as an 835.", Cause: err}
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Orgs.Get(ctx, scope.Org)
		return absent(err, "organization", "org")
	})
	if err != nil {
		return nil, err
	}
	f.Restore(payments)
	report := make([]Imported, 0, len(payments))
	for i := range payments {
		made, err := s.keep(ctx, scope, &payments[i])
		if err != nil {
			return report, err
		}
		report = append(report, made)
	}
	return report, nil
}

// ImportQuarantined imports a file of the quarantine, and then removes it from
// there. An absent file is CodeNotFound for the field id; a file of the other
// mode is CodeConflict.
func (s *Service) ImportQuarantined(ctx context.Context, scope billing.Scope, id billing.FileID) ([]Imported, error) {
	q, err := s.QuarantinedFile(ctx, id)
	if err != nil {
		return nil, err
	}
	if q.Scope.Mode != scope.Mode {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The file arrived in " + string(q.Scope.Mode) + " mode and can be imported only there."}
	}
	report, err := s.importAs(ctx, scope, q)
	if err != nil {
		return report, err
	}
	return report, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Quarantine.Remove(ctx, id) })
}

// absent names the absent object when the error is CodeNotFound.
func absent(err error, what, field string) error {
	if billing.IsNotFound(err) {
		return billing.NotFound(what, field)
	}
	return err
}
