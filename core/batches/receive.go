package batches

import (
	"context"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// receiveAtOnce is how many files are fetched in one go.
const receiveAtOnce = 20

// Received is what a look into the mailboxes of the clearinghouses brought.
type Received struct {
	Files    int
	Rejected []Rejection
}

// Rejection tells whoever runs the service why a batch was rejected. Its claims
// go out again, so it comes again until that is mended.
type Rejection struct {
	Batch billing.FileID
	Why   []string // without patient data
}

// Receive takes in what the clearinghouses have. A file is removed there once
// all of it is committed here; one that could not be taken in is given again,
// and the error tells why. Files that cannot be read, or that name nobody
// here, go into quarantine.
func (s *Service) Receive(ctx context.Context) (all Received, err error) {
	var errs []error
	for _, mode := range s.reachable() {
		got, err := s.networks[mode].Receive(ctx, receiveAtOnce)
		if err != nil {
			errs = append(errs, fmt.Errorf("ask for files: %w", err))
		}
		for _, f := range got {
			rejected, err := s.take(ctx, mode, f)
			all.Rejected = append(all.Rejected, rejected...)
			if err == nil {
				err = s.networks[mode].Remove(ctx, f.Name)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("take %s: %w", f.Name, err))
				continue
			}
			all.Files++
		}
	}
	return all, errors.Join(errs...)
}

func (s *Service) take(ctx context.Context, mode billing.Mode, f billing.IncomingFile) (rejected []Rejection, err error) {
	kind, err := s.edi.Kind(f.Content)
	if err != nil {
		return nil, s.quarantine(ctx, mode, f, err.Error())
	}
	if kind == billing.FileRemittance {
		return nil, s.remit(ctx, mode, f)
	}
	a, err := s.edi.Acknowledgement(f.Name, f.Content)
	if err != nil {
		return nil, s.quarantine(ctx, mode, f, err.Error())
	}
	shares, strays, err := s.route(ctx, mode, a)
	if err != nil {
		return nil, err
	}
	for _, share := range shares {
		of, err := s.apply(ctx, f, share)
		if err != nil {
			return rejected, err
		}
		rejected = append(rejected, of...)
	}
	if strays > 0 {
		return rejected, s.quarantine(ctx, mode, f, fmt.Sprintf("%d of the parts of the file name no batch or office, or offices of several organizations.", strays))
	}
	return rejected, nil
}

func (s *Service) quarantine(ctx context.Context, mode billing.Mode, f billing.IncomingFile, reason string) error {
	q := f.Quarantined(mode, reason, s.clock.Now())
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Quarantine.Insert(ctx, q) })
}

// share is what an acknowledgement says to one organization.
type share struct {
	scope    billing.Scope
	file     billing.FileRef
	verdicts []verdict
	reports  []report
}

// verdict is what is said of a batch.
type verdict struct {
	*billing.FileVerdict

	batch billing.FileID
}

// report is what is said of claims, which are those of the batch if there is one.
type report struct {
	*billing.ClaimReport

	batch billing.FileID
}

// route finds out to whom the parts of an acknowledgement belong: by the batch
// that they answer, else by the provider that they name. Strays counts those
// that belong to nobody here.
func (s *Service) route(ctx context.Context, mode billing.Mode, a *billing.Acknowledgement) (shares []*share, strays int, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		shares, strays = nil, 0
		of := func(scope billing.Scope) *share {
			for _, sh := range shares {
				if sh.scope == scope {
					return sh
				}
			}
			shares = append(shares, &share{scope: scope, file: a.File})
			return shares[len(shares)-1]
		}
		r := router{tx: tx.Routes, mode: mode, batches: map[billing.ControlNumbers]*billing.Batch{}, payees: map[[2]string]billing.Scope{}}
		for i := range a.Verdicts {
			v := &a.Verdicts[i]
			b, err := r.batch(ctx, v.About)
			if err != nil {
				return err
			}
			if b == nil {
				strays++
				continue
			}
			sh := of(b.Scope)
			sh.verdicts = append(sh.verdicts, verdict{v, b.ID})
		}
		for i := range a.Reports {
			scope, batch, err := r.report(ctx, &a.Reports[i])
			if err != nil {
				return err
			}
			if scope == (billing.Scope{}) {
				strays++
				continue
			}
			sh := of(scope)
			sh.reports = append(sh.reports, report{&a.Reports[i], batch})
		}
		return nil
	})
	return shares, strays, err
}

// router looks each batch and each provider of a file up once.
type router struct {
	tx      ports.Routes
	mode    billing.Mode
	batches map[billing.ControlNumbers]*billing.Batch
	payees  map[[2]string]billing.Scope
}

// batch is the batch with the numbers; nil for none.
func (r *router) batch(ctx context.Context, n billing.ControlNumbers) (*billing.Batch, error) {
	if b, known := r.batches[n]; known {
		return b, nil
	}
	b, err := r.tx.Batch(ctx, r.mode, n)
	if err != nil && !billing.IsNotFound(err) {
		return nil, err
	}
	r.batches[n] = b
	return b, nil
}

// report is whose claims a report is about, and of which batch if it says so.
func (r *router) report(ctx context.Context, c *billing.ClaimReport) (scope billing.Scope, batch billing.FileID, err error) {
	if c.Batch != "" {
		b, err := r.batch(ctx, billing.ControlNumbers{Interchange: c.Batch, Group: c.Batch, Transaction: c.Batch})
		if err != nil {
			return scope, batch, err
		}
		if b != nil {
			return b.Scope, b.ID, nil
		}
	}
	key := [2]string{c.ProviderNPI, c.ProviderTaxID}
	if scope, known := r.payees[key]; known {
		return scope, batch, nil
	}
	offices, err := r.tx.Payees(ctx, r.mode, c.ProviderNPI, c.ProviderTaxID)
	if err != nil {
		return scope, batch, err
	}
	r.payees[key], _ = billing.ScopeOf(offices)
	return r.payees[key], batch, nil
}
