package remittances

import (
	"context"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// MaxOwnPayments is the most payments of a file that a caller can import, because one
// commit stores all of them.
const MaxOwnPayments = 500

// ImportedFile is a file that a caller has imported.
type ImportedFile struct {
	Name     string
	Payments []Imported // in the order of the file
}

// ImportOwn imports an 835 for the scope of the caller, in one commit. A payment to an
// office of the scope becomes a remittance, unless the scope has it. A payment to any
// other payee goes to the quarantine of the scope. No other scope is read or changed.
//
// Errors: those of the idempotency key, and CodeInvalidRequest for a file that cannot be
// read or has too many payments.
func (s *Service) ImportOwn(
	ctx context.Context, call idempotency.Write[*ImportedFile], name string, content []byte,
) (caller.Reply, error) {
	var payments []remit.Remittance
	if len(call.Request.Faults) == 0 {
		var err error
		payments, err = s.own(name, content)
		switch {
		case errors.Is(err, remit.ErrTooManyPayments):
			call.Request.Faults.Add("file", billing.FaultTooMany, tooMany()+" Nothing was imported.")
		case err != nil:
			call.Request.Faults.Add("file", billing.FaultFormat, unreadable(err)+". Nothing was imported. Ask the sender for the file again.")
		}
	}
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*ImportedFile, error) {
		out := &ImportedFile{Name: name}
		for i := range payments {
			made, err := s.insertOwn(ctx, tx, call.Scope, &payments[i])
			if err != nil {
				return nil, err
			}
			out.Payments = append(out.Payments, made)
		}
		return out, nil
	})
}

// own reads a file of a caller. The codec does not learn its name, because logs have the
// names that the codec learns, and people put the names of patients into names of files.
func (s *Service) own(name string, content []byte) ([]remit.Remittance, error) {
	payments, err := s.payments("", content, MaxOwnPayments)
	for i := range payments {
		payments[i].File.Name, payments[i].Origin = name, clearing.FileFromImport
	}
	return payments, err
}

// tooMany says that a caller's file has too many payments, and what to do.
func tooMany() string {
	return fmt.Sprintf("The file has more than %d payments. Ask the sender for smaller files, or ask the operator of the service to import it.", MaxOwnPayments)
}

// insertOwn stores a payment of the caller's file, as a remittance or in quarantine.
func (s *Service) insertOwn(ctx context.Context, tx ports.Tx, scope billing.Scope, p *remit.Remittance) (made Imported, err error) {
	offices, err := tx.Offices.Numbered(ctx, p.PayeeNPI, p.PayeeTaxID)
	if err != nil {
		return made, err
	}
	if len(offices) > 0 {
		return s.insert(ctx, tx, scope, p, only(offices))
	}
	why := paidTo(p)
	if p.PayeeNPI != "" || p.PayeeTaxID != "" {
		why += ", which no office of the organization has"
	}
	return s.setAside(ctx, tx, scope, p, why+".")
}

// setAside stores a payment in the quarantine of the scope, unless it was assigned to
// an office before.
func (s *Service) setAside(ctx context.Context, tx ports.Tx, scope billing.Scope, p *remit.Remittance, why string) (made Imported, err error) {
	known, _, err := s.known(ctx, tx, p)
	if err != nil || !known.IsZero() {
		return Imported{ID: known, ERA: &p.ERA}, err
	}
	q := quarantine.NewPayment(p, clearing.IncomingFile{Scope: scope, Name: p.File.Name}, scope.Mode, why, tx.Real.Now(), tx.Clock.Now())
	q.Origin = p.Origin
	made = Imported{ERA: &p.ERA, Quarantined: q}
	id, err := tx.Quarantine.Insert(ctx, q)
	made.New, q.ID = id == q.ID, id
	return made, err
}
