package batches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// receiveAtOnce is how many files are fetched in one go.
const receiveAtOnce = 20

// Received is what a look for files brought.
type Received struct {
	Files    int
	Rejected []Rejection
	Poll     time.Duration // how often the network is to be asked
}

// Rejection tells whoever runs the service why a batch was rejected. Its claims
// go out again, so it comes again until that is mended.
type Rejection struct {
	Batch billing.FileID
	Why   []string // without patient data
}

// Clearinghouses lists the names of the networks that are to be asked for files.
func (s *Service) Clearinghouses() (names []string) {
	for _, n := range s.networks.Clearinghouses() {
		names = append(names, n.Name)
	}
	return names
}

// Receive takes in what the network with the name has. A file is removed there
// once all of it is committed here. One that could not be taken in comes again,
// and the error says why. Files that cannot be read, or that name no batch and
// no office here, go into quarantine. What comes on an organization's own
// network concerns that organization alone.
func (s *Service) Receive(ctx context.Context, name string) (all Received, err error) {
	n, err := s.network(name)
	if err != nil {
		return all, err
	}
	all.Poll = n.Poll
	got, err := n.Claims.Receive(ctx, receiveAtOnce)
	if err != nil {
		return all, fmt.Errorf("ask %s for files: %w", name, err)
	}
	var errs []error
	for _, f := range got {
		if !n.Route.Org.IsZero() {
			f.Scope = billing.Scope{Org: n.Route.Org, Mode: n.Route.Mode}
		}
		rejected, err := s.take(ctx, n, f)
		all.Rejected = append(all.Rejected, rejected...)
		if err == nil {
			err = n.Claims.Remove(ctx, f.Name)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("take %s: %w", f.Name, err))
			continue
		}
		all.Files++
	}
	return all, errors.Join(errs...)
}

func (s *Service) take(ctx context.Context, n *ports.Network, f billing.IncomingFile) (rejected []Rejection, err error) {
	mode := n.Route.Mode
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
	shares, strays, err := s.route(ctx, n, f.Scope, a)
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
		return rejected, s.quarantine(ctx, mode, f, fmt.Sprintf("%d of the parts of the file name no batch and no verified office, or verified offices of several organizations.", strays))
	}
	return rejected, nil
}

func (s *Service) quarantine(ctx context.Context, mode billing.Mode, f billing.IncomingFile, reason string) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Quarantine.Insert(ctx, f.Quarantined(mode, reason, tx.Clock.Now()))
	})
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

// route finds out to whom the parts of an acknowledgement belong: to the scope,
// unless that is zero; else by the batch that they answer, else by the provider
// that they name. Strays counts those that belong to nobody here.
func (s *Service) route(
	ctx context.Context, n *ports.Network, only billing.Scope, a *billing.Acknowledgement,
) (shares []*share, strays int, err error) {
	r := router{network: n, only: only, batches: map[billing.ControlNumbers]*billing.Batch{}, payees: map[[2]string][]billing.Scope{}}
	verdicts, reports := make([]*billing.Batch, len(a.Verdicts)), make([]origin, len(a.Reports))
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		for i := range a.Verdicts {
			if verdicts[i], err = r.batch(ctx, tx.Routes, a.Verdicts[i].About); err != nil {
				return err
			}
		}
		for i := range a.Reports {
			if reports[i], err = r.report(ctx, tx.Routes, &a.Reports[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.senders(ctx, a.Reports, reports)
	}
	if err != nil {
		return nil, 0, err
	}
	of := func(scope billing.Scope) *share {
		for _, sh := range shares {
			if sh.scope == scope {
				return sh
			}
		}
		shares = append(shares, &share{scope: scope, file: a.File})
		return shares[len(shares)-1]
	}
	for i, b := range verdicts {
		if b == nil {
			strays++
			continue
		}
		sh := of(b.Scope)
		sh.verdicts = append(sh.verdicts, verdict{&a.Verdicts[i], b.ID})
	}
	for i, o := range reports {
		if len(o.scopes) != 1 {
			strays++
			continue
		}
		sh := of(o.scopes[0])
		sh.reports = append(sh.reports, report{&a.Reports[i], o.batch})
	}
	return shares, strays, nil
}

// origin is whose claims a report may be about: one scope when that is certain.
type origin struct {
	scopes []billing.Scope
	batch  billing.FileID // zero when the report does not say
}

// router looks each batch and each provider of a file up once.
type router struct {
	network *ports.Network
	only    billing.Scope // when not zero, the file concerns this scope alone
	batches map[billing.ControlNumbers]*billing.Batch
	payees  map[[2]string][]billing.Scope
}

// batch is the batch of the network with the numbers; nil for none.
func (r *router) batch(ctx context.Context, tx ports.Routes, n billing.ControlNumbers) (*billing.Batch, error) {
	if b, known := r.batches[n]; known {
		return b, nil
	}
	b, err := tx.Batch(ctx, r.network.Route.Mode, r.network.Name, n)
	if err != nil && !billing.IsNotFound(err) {
		return nil, err
	}
	if b != nil && r.only != (billing.Scope{}) && b.Scope != r.only {
		b = nil
	}
	r.batches[n] = b
	return b, nil
}

// report is whose claims a report may be about, and of which batch if it says so.
func (r *router) report(ctx context.Context, tx ports.Routes, c *billing.ClaimReport) (o origin, err error) {
	if c.Batch != "" {
		b, err := r.batch(ctx, tx, billing.ControlNumbers{Interchange: c.Batch, Group: c.Batch, Transaction: c.Batch})
		if err != nil {
			return o, err
		}
		if b != nil {
			return origin{[]billing.Scope{b.Scope}, b.ID}, nil
		}
	}
	if r.only != (billing.Scope{}) {
		return origin{scopes: []billing.Scope{r.only}}, nil
	}
	key := [2]string{c.ProviderNPI, c.ProviderTaxID}
	if scopes, known := r.payees[key]; known {
		return origin{scopes: scopes}, nil
	}
	offices, err := tx.Payees(ctx, r.network.Route.Mode, c.ProviderNPI, c.ProviderTaxID)
	if err != nil {
		return o, err
	}
	r.payees[key] = billing.ScopesOf(offices)
	return origin{scopes: r.payees[key]}, nil
}

// matchAtOnce is how many claims are looked up in one go.
const matchAtOnce = 300

// senders narrows the origin of each report that may be about claims of several
// scopes to those that have the claim, by its control number with its charge or
// its patient's name.
func (s *Service) senders(ctx context.Context, reports []billing.ClaimReport, origins []origin) error {
	asked, have := map[billing.Scope][]int{}, map[int][]billing.Scope{}
	for i := range origins {
		if len(origins[i].scopes) > 1 {
			have[i] = nil
			for _, scope := range origins[i].scopes {
				asked[scope] = append(asked[scope], i)
			}
		}
	}
	for scope, all := range asked {
		for some := range slices.Chunk(all, matchAtOnce) {
			var numbers []string
			for _, i := range some {
				if n := reports[i].ControlNumber; n != "" {
					numbers = append(numbers, n)
				}
			}
			var claims []*billing.Claim
			err := s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) (err error) {
				claims, err = tx.Clearing.Match(ctx, numbers, nil)
				return err
			})
			if err != nil {
				return err
			}
			for _, i := range some {
				if slices.ContainsFunc(claims, reports[i].Mark().Fits) {
					have[i] = append(have[i], scope)
				}
			}
		}
	}
	for i, scopes := range have {
		origins[i].scopes = scopes
	}
	return nil
}
