package access

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// DefaultTaxonomy is what a provider does who does not say: dentistry.
const DefaultTaxonomy = "122300000X"

// CreateProvider makes a provider in a scope; its ID and times are given here.
// Faults of the provider are CodeInvalidRequest, an unknown organization is
// CodeNotFound.
func (s *Service) CreateProvider(ctx context.Context, p billing.Provider) (*billing.Provider, error) {
	var faults billing.Faults
	mode(&faults, p.Scope.Mode)
	made := newProvider(p, &faults)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return made, s.inOrganization(ctx, made.Scope, func(ctx context.Context, tx ports.Tx) error {
		return insertProvider(ctx, tx, made)
	})
}

// MakeProvider makes a provider in the scope, at most once for the request's
// key; its ID and times are given here. Faults is what is wrong with the
// request's form already.
//
// Errors: those of the idempotency key, and CodeInvalidRequest with every
// fault.
func (s *Service) MakeProvider(
	ctx context.Context, scope billing.Scope, req billing.Request, in billing.Provider, faults billing.Faults,
	render billing.Render[*billing.Provider],
) (billing.Answer, bool, error) {
	in.Scope = scope
	faults = slices.Clone(faults)
	made := newProvider(in, &faults)
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.Provider, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		return made, insertProvider(ctx, tx, made)
	})
}

// newProvider judges a provider and fills in what it leaves out.
func newProvider(p billing.Provider, f *billing.Faults) *billing.Provider {
	if p.Taxonomy == "" {
		p.Taxonomy = DefaultTaxonomy
	}
	p.Judge(f)
	return &p
}

// insertProvider keeps a provider that is made now.
func insertProvider(ctx context.Context, tx ports.Tx, p *billing.Provider) error {
	p.CreatedAt = tx.Clock.Now()
	p.ID = billing.NewID[billing.ProviderID](p.CreatedAt)
	return tx.Providers.Insert(ctx, p)
}

// ListProviders reads a page of the providers of a scope, newest first, and
// where the next page starts: nil after the last.
func (s *Service) ListProviders(
	ctx context.Context, scope billing.Scope, p billing.Page,
) (page []*billing.Provider, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Providers.List(ctx, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(p *billing.Provider) billing.Position {
		return billing.Position{Time: p.CreatedAt, ID: p.ID}
	})
	return page, next, err
}
