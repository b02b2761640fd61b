package remittances

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Receive imports an 835 that a clearinghouse has for the mode. A file with a
// scope belongs to that scope; in live mode, a payment of it to no verified office
// goes to the quarantine of the organization. Each payment of another file goes to the
// organization that was paid. A payment whose organization is uncertain goes to
// the quarantine, and so does a file that cannot be read. Receive may be called
// any number of times with the same file, even by several processes at once.
func (s *Service) Receive(ctx context.Context, mode billing.Mode, f billing.IncomingFile) error {
	payments, err := s.payments(f.Name, f.Content, 0)
	if err != nil {
		return s.quarantine(ctx, mode, f, unreadable(err)+".")
	}
	for i := range payments {
		p, scope, why := &payments[i], f.Scope, ""
		for k, id := range p.PayerIDs {
			p.PayerIDs[k] = f.Route.Payer(id)
		}
		p.Origin = billing.FileFromNetwork
		if scope.Mode == billing.ModeLive {
			if err := s.keepVerified(ctx, scope, p); err != nil {
				return err
			}
			continue
		}
		if scope == (billing.Scope{}) {
			if scope, why, err = s.payee(ctx, mode, p); err != nil {
				return err
			}
		}
		if why != "" {
			err = s.quarantinePayment(ctx, mode, f, p, why)
		} else {
			_, err = s.keep(ctx, scope, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MaxFile is the maximum size of a file in bytes: half a million claims. A file
// is read, encrypted and stored in one piece. PostgreSQL stores at most a
// gigabyte, and a process needs several times the file.
const MaxFile = 128 << 20

var (
	errNoPayment = errors.New("it has no payment")
	errTooLarge  = fmt.Errorf("it has more than %d MB", MaxFile>>20)
)

func unreadable(why error) string { return "The file cannot be read as an 835: " + why.Error() }

// payments reads a file to its end.
func (s *Service) payments(name string, content []byte, most int) ([]billing.Remittance, error) {
	if len(content) > MaxFile {
		return nil, errTooLarge
	}
	payments, err := s.edi.Payments(name, content, most)
	if err == nil && len(payments) == 0 {
		err = errNoPayment
	}
	return payments, err
}

// payee returns the scope of a payment from outside, or the reason that it is
// uncertain. Only organizations with a verified office that has the payee's
// numbers count: an NPI is public, and anyone can create an office with it.
// When several organizations have such an office, the payment belongs to the
// one that sent one of its claims.
func (s *Service) payee(ctx context.Context, mode billing.Mode, p *billing.Remittance) (scope billing.Scope, why string, err error) {
	var offices []*billing.Office
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		offices, err = tx.Routes.Payees(ctx, mode, p.PayeeNPI, p.PayeeTaxID)
		return err
	})
	candidates := billing.ScopesOf(offices)
	if err == nil && len(candidates) > 1 {
		candidates, err = s.senders(ctx, candidates, p)
	}
	switch {
	case err != nil:
		return scope, "", err
	case len(candidates) == 1:
		return candidates[0], "", nil
	default:
		return scope, unroutable(p, len(offices) > 0), nil
	}
}

// senders returns the scopes that have sent a claim of the payment.
func (s *Service) senders(ctx context.Context, scopes []billing.Scope, p *billing.Remittance) (have []billing.Scope, err error) {
	for _, scope := range scopes {
		sent, err := s.sent(ctx, scope, p)
		if err != nil {
			return nil, err
		}
		if sent {
			have = append(have, scope)
		}
	}
	return have, nil
}

// sent reports whether the scope has a claim of the payment: by control number,
// and by charge or patient name.
func (s *Service) sent(ctx context.Context, scope billing.Scope, p *billing.Remittance) (bool, error) {
	marks := make([]billing.ClaimMark, 0, s.chunk)
	fits := func() (found bool, err error) {
		err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			found, err = fit(ctx, tx, marks)
			return err
		})
		marks = marks[:0]
		return found, err
	}
	for r, err := range s.edi.Claims(p.Content) {
		if err != nil {
			return false, err
		}
		if marks = append(marks, r.Mark()); len(marks) < s.chunk {
			continue
		}
		if found, err := fits(); found || err != nil {
			return found, err
		}
	}
	return fits()
}

// fit reports whether one of the marks is of a claim of the scope.
func fit(ctx context.Context, tx ports.Tx, marks []billing.ClaimMark) (bool, error) {
	var numbers []string
	for _, m := range marks {
		numbers = add(numbers, m.ControlNumber)
	}
	claims, err := tx.Clearing.Match(ctx, numbers, nil)
	return slices.ContainsFunc(claims, func(c *billing.Claim) bool {
		return slices.ContainsFunc(marks, func(m billing.ClaimMark) bool { return m.Fits(c) })
	}), err
}

// unroutable returns, for the operator, the reason that the organization of a
// payment is uncertain. Several is true when several organizations have a
// verified office of the payee.
func unroutable(p *billing.Remittance, several bool) string {
	switch why := paidTo(p); {
	case p.PayeeNPI == "" && p.PayeeTaxID == "":
		return why + "."
	case several:
		return why + ". Verified offices of several organizations have it, and the claims do not show which organization sent them."
	default:
		return why + ", which no verified office has."
	}
}

// paidTo returns the start of a reason: the payment and the numbers of its payee.
func paidTo(p *billing.Remittance) string {
	payment := fmt.Sprintf("The payment %.50s of %.60s", p.Payment.TraceNumber, p.PayerName) // the guide forbids longer ones
	switch {
	case p.PayeeNPI == "" && p.PayeeTaxID == "":
		return payment + " has neither an NPI nor a tax ID for its payee"
	case p.PayeeNPI == "":
		return payment + " is to tax ID " + p.PayeeTaxID
	case p.PayeeTaxID == "":
		return payment + " is to NPI " + p.PayeeNPI
	}
	return payment + " is to NPI " + p.PayeeNPI + " and tax ID " + p.PayeeTaxID
}

// quarantine stores a file that cannot be read in the quarantine of its organization,
// or in the operator's.
func (s *Service) quarantine(ctx context.Context, mode billing.Mode, f billing.IncomingFile, reason string) error {
	if f.Scope != (billing.Scope{}) {
		return s.store.InTx(ctx, f.Scope, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Quarantine.Insert(ctx, f.Quarantined(mode, reason, tx.Clock.Now()))
			return err
		})
	}
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Quarantine.Insert(ctx, f.Quarantined(mode, reason, tx.Clock.Now()))
	})
}

// quarantinePayment stores a payment of no certain organization in the operator's
// quarantine.
func (s *Service) quarantinePayment(ctx context.Context, mode billing.Mode, f billing.IncomingFile, p *billing.Remittance, reason string) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Quarantine.Insert(ctx, p.Quarantined(f, mode, reason, tx.Clock.Now()))
	})
}

// keep stores a payment for the scope, with the job that applies it, in one
// commit. New is false when the scope had the payment before.
func (s *Service) keep(ctx context.Context, scope billing.Scope, p *billing.Remittance) (made Imported, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		offices, err := tx.Offices.Numbered(ctx, p.PayeeNPI, p.PayeeTaxID)
		if err != nil {
			return err
		}
		made, err = s.insert(ctx, tx, scope, p, only(offices))
		return err
	})
	return made, err
}

// keepVerified stores a payment from a live network of the scope's own: as a
// remittance, if a verified office of the scope is paid, else in its quarantine.
func (s *Service) keepVerified(ctx context.Context, scope billing.Scope, p *billing.Remittance) error {
	return s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		offices, err := tx.Offices.Numbered(ctx, p.PayeeNPI, p.PayeeTaxID)
		if err != nil {
			return err
		}
		offices = slices.DeleteFunc(offices, func(o *billing.Office) bool { return o.VerifiedAt.IsZero() })
		if len(offices) > 0 {
			_, err = s.insert(ctx, tx, scope, p, only(offices))
			return err
		}
		_, err = s.setAside(ctx, tx, scope, p, unroutable(p, false))
		return err
	})
}

// only returns the ID of the one office; zero for none or several.
func only(offices []*billing.Office) (id billing.OfficeID) {
	if len(offices) == 1 {
		return offices[0].ID
	}
	return id
}

// insert stores a payment to the office, with the job that applies it, unless the
// scope has it.
func (s *Service) insert(ctx context.Context, tx ports.Tx, scope billing.Scope, p *billing.Remittance, office billing.OfficeID) (made Imported, err error) {
	e := p.ERA
	e.Scope, e.State, e.Stage, e.OfficeID = scope, billing.ERANeedsReview, billing.ERAReading, office
	for _, ref := range p.PayerIDs {
		if payer, ok := s.payers.Find(ref); ok {
			e.Payer = payer.PayerSummary
			break
		}
	}
	e.ID = billing.NewID[billing.ERAID](tx.Clock.Now())
	known, err := tx.ERAs.Insert(ctx, &e, p.Identity, p.Content)
	if made = (Imported{ID: known, ERA: &e}); err != nil || !known.IsZero() {
		return made, err
	}
	made.ID, made.New = e.ID, true
	return made, stage(ctx, tx, scope, e.ID)
}
