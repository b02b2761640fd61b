package access

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// DefaultTaxonomy is dentistry, for a provider that names none.
const DefaultTaxonomy = "122300000X"

// CreateProvider creates a provider in the call's scope. It sets the ID and the
// time. Faults are those that the form of the request has already.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// and CodeNotFound for the organization that an operator names.
func (s *Service) CreateProvider(
	ctx context.Context, call idempotency.Write[*billing.Provider], in billing.Provider, faults billing.Faults,
) (billing.Reply, error) {
	in.Scope = call.Scope
	faults = slices.Clone(faults)
	made := newProvider(in, &faults)
	return once(ctx, s, call, faults, func(ctx context.Context, tx ports.Tx) (*billing.Provider, error) {
		return made, insertProvider(ctx, tx, made)
	})
}

// newProvider validates a provider and fills in what it leaves out.
func newProvider(p billing.Provider, f *billing.Faults) *billing.Provider {
	if p.Taxonomy == "" {
		p.Taxonomy = DefaultTaxonomy
	}
	p.Judge(f)
	return &p
}

// insertProvider stores a new provider.
func insertProvider(ctx context.Context, tx ports.Tx, p *billing.Provider) error {
	p.CreatedAt = tx.Clock.Now()
	p.ID = billing.NewID[billing.ProviderID](p.CreatedAt)
	return tx.Providers.Insert(ctx, p)
}

// ListProviders reads a page of the providers of a scope, newest first, and the
// start of the next page: nil after the last.
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
