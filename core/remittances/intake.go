package remittances

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Receive takes in an 835 that a clearinghouse has for the mode. Each payment
// goes to the organization that was paid; what is nobody's, and a file that
// cannot be read, goes to the quarantine. It may be called any number of times
// with the same file, also by several processes at once.
func (s *Service) Receive(ctx context.Context, mode billing.Mode, f billing.IncomingFile) error {
	payments, err := s.payments(f.Name, f.Content)
	if err != nil {
		return s.quarantine(ctx, mode, f, "It cannot be read as an 835: "+err.Error())
	}
	for i := range payments {
		p := &payments[i]
		offices, err := s.payees(ctx, mode, p)
		if err != nil {
			return err
		}
		if scope, one := billing.ScopeOf(offices); one {
			_, err = s.keep(ctx, scope, p, offices)
		} else {
			err = s.quarantine(ctx, mode, billing.IncomingFile{Name: f.Name, Content: p.Content}, unroutable(p, len(offices)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MaxFile is how many bytes a file has at most: half a million claims. It is
// read, encrypted and kept in one piece, for which Postgres takes a gigabyte at
// most and a process several times the file.
const MaxFile = 128 << 20

var (
	errNoPayment = errors.New("it has no payment")
	errTooLarge  = fmt.Errorf("it has more than %d MB", MaxFile>>20)
)

// payments reads a file to its end.
func (s *Service) payments(name string, content []byte) ([]billing.Remittance, error) {
	if len(content) > MaxFile {
		return nil, errTooLarge
	}
	payments, err := s.edi.Payments(name, content)
	if err == nil && len(payments) == 0 {
		err = errNoPayment
	}
	return payments, err
}

// payees are the offices of the mode that the payment names.
func (s *Service) payees(ctx context.Context, mode billing.Mode, p *billing.Remittance) (offices []*billing.Office, err error) {
	if p.PayeeNPI == "" && p.PayeeTaxID == "" {
		return nil, nil
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		offices, err = tx.Routes.Payees(ctx, mode, p.PayeeNPI, p.PayeeTaxID)
		return err
	})
	return offices, err
}

// unroutable says, for the operator, why a payment to so many offices is not of
// one organization.
func unroutable(p *billing.Remittance, offices int) string {
	payment := fmt.Sprintf("The payment %.50s of %.60s", p.Payment.TraceNumber, p.PayerName) // longer ones are against the guide
	payee := "NPI " + p.PayeeNPI
	switch {
	case p.PayeeNPI == "" && p.PayeeTaxID == "":
		return payment + " names its payee by neither NPI nor tax ID."
	case p.PayeeNPI == "":
		payee = "tax ID " + p.PayeeTaxID
	case p.PayeeTaxID != "":
		payee += " or tax ID " + p.PayeeTaxID
	}
	if offices == 0 {
		return payment + " is to " + payee + ", which no office has."
	}
	return payment + " is to " + payee + ", which offices of several organizations have."
}

func (s *Service) quarantine(ctx context.Context, mode billing.Mode, f billing.IncomingFile, reason string) error {
	q := f.Quarantined(mode, reason, s.clock.Now())
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Quarantine.Insert(ctx, q) })
}

// keep keeps a payment for the scope, with the job that applies it, in one
// commit. New is false when the scope had the payment before.
func (s *Service) keep(
	ctx context.Context, scope billing.Scope, p *billing.Remittance, offices []*billing.Office,
) (made Imported, err error) {
	e, now := p.ERA, s.clock.Now()
	e.ID, e.Scope, e.State, e.Progress = billing.NewID[billing.ERAID](now), scope, billing.ERANeedsReview, billing.ERAReading
	if len(offices) == 1 {
		e.OfficeID = offices[0].ID
	}
	for _, ref := range p.PayerIDs {
		if payer, ok := s.payers.Find(ref); ok {
			e.Payer = payer.PayerSummary
			break
		}
	}
	j := jobs.Job{ID: billing.NewID[billing.JobID](now), Kind: jobs.KindERA, Scope: scope, Subject: e.ID}
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		known, err := tx.ERAs.Insert(ctx, &e, p.Identity, p.Content)
		if made = (Imported{ID: known, ERA: &e}); err != nil || !known.IsZero() {
			return err
		}
		made.ID, made.New = e.ID, true
		return tx.Outbox.Stage(ctx, j)
	})
	return made, err
}

// Imported is what became of a payment of a file that an operator imports.
type Imported struct {
	ID  billing.ERAID // of the remittance that the scope has
	ERA *billing.ERA  // as read; the ID is another one unless it is new
	New bool          // false when the scope had the payment before
}

// Import takes in an 835 for the scope, whoever it says was paid. It tells of
// each payment whether it is new, and may be repeated.
//
// Errors: CodeNotFound of the field org, and CodeInvalidRequest when the file
// cannot be read.
func (s *Service) Import(ctx context.Context, scope billing.Scope, name string, content []byte) ([]Imported, error) {
	payments, err := s.payments(name, content)
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
	report := make([]Imported, 0, len(payments))
	for i := range payments {
		p := &payments[i]
		offices, err := s.payees(ctx, scope.Mode, p)
		if err != nil {
			return report, err
		}
		offices = slices.DeleteFunc(offices, func(o *billing.Office) bool { return o.Scope != scope })
		made, err := s.keep(ctx, scope, p, offices)
		if err != nil {
			return report, err
		}
		report = append(report, made)
	}
	return report, nil
}

// ImportQuarantined does the same with a file of the quarantine, and then takes
// it out of there. A file that is not there is CodeNotFound of the field id, and
// one that came in the other mode CodeConflict.
func (s *Service) ImportQuarantined(ctx context.Context, scope billing.Scope, id billing.FileID) ([]Imported, error) {
	q, err := s.QuarantinedFile(ctx, id)
	if err != nil {
		return nil, err
	}
	if q.Mode != scope.Mode {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The file came in " + string(q.Mode) + " mode and can be imported only there."}
	}
	report, err := s.Import(ctx, scope, q.Name, q.Content)
	if err != nil {
		return report, err
	}
	return report, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Quarantine.Remove(ctx, id) })
}

// absent names what is absent, when that is the error.
func absent(err error, what, field string) error {
	if billing.IsNotFound(err) {
		return billing.NotFound(what, field)
	}
	return err
}

// Quarantined lists the files of the quarantine, without their content, the
// newest first.
func (s *Service) Quarantined(ctx context.Context) (files []*billing.Quarantined, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		files, err = tx.Quarantine.List(ctx)
		return err
	})
	return files, err
}

// QuarantinedFile reads a file of the quarantine. An absent one is CodeNotFound
// of the field id.
func (s *Service) QuarantinedFile(ctx context.Context, id billing.FileID) (q *billing.Quarantined, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		q, err = tx.Quarantine.Get(ctx, id)
		return absent(err, "file in quarantine", "id")
	})
	return q, err
}

// Discard takes a file out of the quarantine for good, and tells which it was.
// An absent one is CodeNotFound of the field id.
func (s *Service) Discard(ctx context.Context, id billing.FileID) (q *billing.Quarantined, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if q, err = tx.Quarantine.Get(ctx, id); err != nil {
			return absent(err, "file in quarantine", "id")
		}
		return tx.Quarantine.Remove(ctx, id)
	})
	return q, err
}
