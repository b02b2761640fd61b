package access

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// CreateProvider creates a provider in the call's scope.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// and CodeNotFound for the organization that an operator names.
func (s *Service) CreateProvider(
	ctx context.Context, call idempotency.Write[*directory.Provider], in intake.ProviderRequest,
) (caller.Reply, error) {
	made, faults := in.Provider()
	made.Scope = call.Scope
	return once(ctx, s, call, faults, func(ctx context.Context, tx ports.Tx) (*directory.Provider, error) {
		return &made, insertProvider(ctx, tx, &made)
	})
}

// ChangeProvider changes the fields of a provider that the request names. Files that
// were sent keep what they say.
//
// Errors: those of CreateProvider, and CodeNotFound for the provider.
func (s *Service) ChangeProvider(
	ctx context.Context, call idempotency.Write[*directory.Provider], id billing.ProviderID, in intake.ProviderRequest,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*directory.Provider, error) {
		p, err := tx.Providers.Lock(ctx, id)
		if err == nil {
			err = p.Edits.Expect(call.Request.Seen)
		}
		if err != nil {
			return nil, orFaults(err, in.Faults)
		}
		next, faults := in.Change(p)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		changed := p.Changed(next, call.Principal.ID, tx.Clock.Now())
		return changed, tx.Providers.Save(ctx, changed)
	})
}

// GetProvider reads a provider. It returns CodeNotFound if there is none, and for the
// zero ID, which the store reads as the default provider.
func (s *Service) GetProvider(ctx context.Context, scope billing.Scope, id billing.ProviderID) (*directory.Provider, error) {
	if id.IsZero() {
		return nil, billing.NotFound("provider", "")
	}
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*directory.Provider, error) {
		return tx.Providers.Get(ctx, id)
	})
}

// ListProviders reads a page of the providers of a scope, newest first, and the
// start of the next page: nil after the last.
func (s *Service) ListProviders(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*directory.Provider, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*directory.Provider, error) {
		return tx.Providers.List(ctx, p)
	})
}
