package access

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// CreateOrganization makes an organization. A blank name is
// CodeInvalidRequest.
func (s *Service) CreateOrganization(ctx context.Context, name string) (*billing.Organization, error) {
	var faults billing.Faults
	faults.Name("name", name)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	o := &billing.Organization{Name: name}
	return o, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		o.CreatedAt = tx.Clock.Now()
		o.ID = billing.NewID[billing.OrgID](o.CreatedAt)
		return tx.Orgs.Insert(ctx, o)
	})
}

// ListOrganizations lists every organization.
func (s *Service) ListOrganizations(ctx context.Context) (orgs []*billing.Organization, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		orgs, err = tx.Orgs.List(ctx)
		return err
	})
	return orgs, err
}

// inOrganization runs fn in the scope if its organization exists.
func (s *Service) inOrganization(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Orgs.Get(ctx, scope.Org)
		return err
	})
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, scope, fn)
}

func mode(f *billing.Faults, m billing.Mode) {
	if m != billing.ModeTest && m != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "A mode is test or live.")
	}
}
