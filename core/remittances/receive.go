package remittances

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// Receive imports an 835 that came from a clearinghouse by the route. A file with a
// scope belongs to that scope; in live mode, a payment of it to no verified office
// goes to the quarantine of the organization. Each payment of another file goes to the
// organization that was paid. A payment whose organization is uncertain goes to
// the quarantine, and so does a transaction set that cannot be read, and a file that is
// none. Receive returns what entered the quarantine. It may be called
// any number of times with the same file, even by several processes at once.
func (s *Service) Receive(ctx context.Context, by *network.Route, f clearing.IncomingFile) (aside []*quarantine.File, err error) {
	payments, err := s.payments(f.Name, f.Content, 0)
	if err != nil {
		return s.apart(ctx, by, f, err)
	}
	for i := range payments {
		p := &payments[i]
		for k, id := range p.PayerIDs {
			p.PayerIDs[k] = by.Payer(id)
		}
		p.Origin = clearing.FileFromNetwork
		q, err := s.place(ctx, by.Mode, f, p)
		if err != nil {
			return aside, err
		}
		if q != nil {
			aside = append(aside, q)
		}
	}
	return aside, nil
}

// place stores a payment from a network, for its organization or in quarantine. It returns
// one that entered the quarantine.
func (s *Service) place(ctx context.Context, mode billing.Mode, f clearing.IncomingFile, p *remit.Remittance) (*quarantine.File, error) {
	scope, why := f.Scope, ""
	if scope.Mode == billing.ModeLive {
		return s.keepVerified(ctx, scope, p)
	}
	if scope == (billing.Scope{}) {
		var err error
		if scope, why, err = s.payee(ctx, mode, p); err != nil {
			return nil, err
		}
	}
	if why != "" {
		return s.quarantine(ctx, scope, func(stamp billing.Real, now time.Time) *quarantine.File {
			return quarantine.NewPayment(p, f, mode, why, stamp, now)
		})
	}
	_, err := s.keep(ctx, scope, p)
	return nil, err
}

// apart imports each transaction set of a file that cannot be read as a whole. What cannot
// be read alone goes to the quarantine.
func (s *Service) apart(ctx context.Context, by *network.Route, f clearing.IncomingFile, why error) (aside []*quarantine.File, err error) {
	var parts []clearing.FilePart
	if len(f.Content) <= MaxFile {
		parts = slices.Collect(s.edi.Apart(f.Content))
	}
	if len(parts) < 2 {
		q, err := s.quarantine(ctx, f.Scope, func(stamp billing.Real, now time.Time) *quarantine.File {
			return quarantine.New(f, by.Mode, quarantine.Unreadable, unreadable(why)+".", stamp, now)
		})
		if q != nil {
			aside = append(aside, q)
		}
		return aside, err
	}
	for _, p := range parts {
		f.Content = p.Content
		some, err := s.Receive(ctx, by, f)
		if aside = append(aside, some...); err != nil {
			return aside, err
		}
	}
	return aside, nil
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
func (s *Service) payments(name string, content []byte, most int) ([]remit.Remittance, error) {
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
func (s *Service) payee(ctx context.Context, mode billing.Mode, p *remit.Remittance) (scope billing.Scope, why string, err error) {
	var offices []*directory.Office
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		offices, err = tx.Routes.Payees(ctx, mode, p.PayeeNPI, p.PayeeTaxID)
		return err
	})
	candidates := directory.ScopesOf(offices)
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
func (s *Service) senders(ctx context.Context, scopes []billing.Scope, p *remit.Remittance) (have []billing.Scope, err error) {
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
func (s *Service) sent(ctx context.Context, scope billing.Scope, p *remit.Remittance) (bool, error) {
	marks := make([]clearing.ClaimMark, 0, s.chunk)
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
func fit(ctx context.Context, tx ports.Tx, marks []clearing.ClaimMark) (bool, error) {
	var numbers []string
	for _, m := range marks {
		numbers = add(numbers, m.ControlNumber)
	}
	claims, err := tx.Clearing.Match(ctx, numbers, nil)
	return slices.ContainsFunc(claims, func(c *claim.Claim) bool {
		return slices.ContainsFunc(marks, func(m clearing.ClaimMark) bool { return c.Fits(m) })
	}), err
}

// unroutable returns, for the operator, the reason that the organization of a
// payment is uncertain. Several is true when several organizations have a
// verified office of the payee.
func unroutable(p *remit.Remittance, several bool) string {
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
func paidTo(p *remit.Remittance) string {
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

// quarantine stores a file in the quarantine of its organization, or in the operator's. It
// returns the file if that did not have it.
func (s *Service) quarantine(
	ctx context.Context, scope billing.Scope, file func(stamp billing.Real, now time.Time) *quarantine.File,
) (entered *quarantine.File, err error) {
	var q *quarantine.File
	var id billing.FileID
	if scope != (billing.Scope{}) {
		err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) (err error) {
			q = file(tx.Real.Now(), tx.Clock.Now())
			id, err = tx.Quarantine.Insert(ctx, q)
			return err
		})
	} else {
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
			stamp := tx.Real.Now()
			q = file(stamp, stamp.Time)
			id, err = tx.Quarantine.Insert(ctx, q)
			return err
		})
	}
	if err != nil || id != q.ID {
		return nil, err
	}
	return q, nil
}

// keep stores a payment for the scope, with the job that applies it, in one
// commit. New is false when the scope had the payment before.
func (s *Service) keep(ctx context.Context, scope billing.Scope, p *remit.Remittance) (made Imported, err error) {
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
// remittance, if a verified office of the scope is paid, else in its quarantine. It
// returns a payment that entered the quarantine.
func (s *Service) keepVerified(ctx context.Context, scope billing.Scope, p *remit.Remittance) (entered *quarantine.File, err error) {
	var made Imported
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		offices, err := tx.Offices.Numbered(ctx, p.PayeeNPI, p.PayeeTaxID)
		if err != nil {
			return err
		}
		offices = slices.DeleteFunc(offices, func(o *directory.Office) bool { return o.VerifiedAt.IsZero() })
		if len(offices) > 0 {
			made, err = s.insert(ctx, tx, scope, p, only(offices))
		} else {
			made, err = s.setAside(ctx, tx, scope, p, unroutable(p, false))
		}
		return err
	})
	if err != nil || !made.New {
		return nil, err
	}
	return made.Quarantined, nil
}

// only returns the ID of the one office; zero for none or several.
func only(offices []*directory.Office) (id billing.OfficeID) {
	if len(offices) == 1 {
		return offices[0].ID
	}
	return id
}

// insert stores a payment to the office, with the job that applies it, unless the
// scope has it.
func (s *Service) insert(ctx context.Context, tx ports.Tx, scope billing.Scope, p *remit.Remittance, office billing.OfficeID) (made Imported, err error) {
	if err := moneyFirst(ctx, tx); err != nil {
		return made, err
	}
	known, siblings, err := s.known(ctx, tx, p)
	if err != nil || !known.IsZero() {
		return Imported{ID: known, ERA: &p.ERA}, err
	}
	made = Imported{ERA: &p.ERA}
	e := made.ERA
	e.Scope, e.State, e.Stage, e.OfficeID = scope, remit.NeedsReview, remit.Reading, office
	e.ID, e.Corrects, e.Difference, e.Later = billing.NewID[billing.ERAID](tx.Real.Now()), nil, nil, remit.Later{} // the commit may be a second try
	if err := s.relate(ctx, tx, p, siblings); err != nil {
		return made, err
	}
	if made.ID, err = tx.ERAs.Insert(ctx, e, p.Identity, p.Content); err != nil || !made.ID.IsZero() {
		return made, err
	}
	made.ID, made.New = e.ID, true
	return made, stage(ctx, tx, scope, e.ID)
}
