package access

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// CreateOrganization creates an organization. It returns CodeInvalidRequest for
// a blank name.
func (s *Service) CreateOrganization(ctx context.Context, name string) (*caller.Organization, error) {
	var faults billing.Faults
	faults.Name("name", name)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	o := &caller.Organization{Name: name}
	return o, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		o.CreatedAt = tx.Real.Now().Time
		o.ID = billing.NewID[billing.OrgID](tx.Real.Now())
		return tx.Orgs.Insert(ctx, o)
	})
}

// GetOrganization reads an organization. It returns CodeNotFound if there is
// none.
func (s *Service) GetOrganization(ctx context.Context, id billing.OrgID) (*caller.Organization, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (*caller.Organization, error) {
		return tx.Orgs.Get(ctx, id)
	})
}

// Leaving returns the deletion of an organization that was asked for; nil for none.
func (s *Service) Leaving(ctx context.Context, id billing.OrgID) (*caller.Deletion, error) {
	all, err := lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Deletion, error) {
		return tx.Deletions.List(ctx)
	})
	for _, d := range all {
		if d.Org == id {
			return d, err
		}
	}
	return nil, err
}

// ListOrganizations lists every organization.
func (s *Service) ListOrganizations(ctx context.Context) ([]*caller.Organization, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Organization, error) {
		return tx.Orgs.List(ctx)
	})
}

// ChangeOrganization changes the settings of the caller's organization. It returns
// CodeInvalidRequest for a change of nothing, and CodeTOTPRequired as
// Organization.Change does.
func (s *Service) ChangeOrganization(
	ctx context.Context, call idempotency.Write[*caller.Organization], change caller.OrganizationChange,
) (caller.Reply, error) {
	if change == (caller.OrganizationChange{}) {
		call.Request.Faults.Add("", billing.FaultRequired, "Send at least one setting to change.")
	}
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*caller.Organization, error) {
		if _, err := lockUsers(ctx, tx, call.Call); err != nil {
			return nil, err
		}
		by, err := tx.Sessions.Get(ctx, call.Session)
		if err != nil {
			return nil, err
		}
		o, err := tx.Organization.Lock(ctx)
		if err != nil {
			return nil, err
		}
		if err := o.Change(change, by); err != nil {
			return nil, err
		}
		return o, tx.Organization.Save(ctx, o)
	})
}

// once makes a change in the call's scope, unless there are faults. A key
// belongs to an existing organization; the organization and mode that an
// operator names are checked first.
func once[T any](
	ctx context.Context, s *Service, call idempotency.Write[T], faults billing.Faults,
	change func(ctx context.Context, tx ports.Tx) (T, error),
) (caller.Reply, error) {
	if call.Request.Key == "" {
		if err := s.organization(ctx, call.Scope, faults); err != nil {
			return caller.Reply{}, err
		}
	}
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, change)
}

// organization checks the scope that an operator names, unless there are faults.
func (s *Service) organization(ctx context.Context, scope billing.Scope, faults billing.Faults) error {
	mode(&faults, scope.Mode)
	if err := faults.Err(); err != nil {
		return err
	}
	if scope.Mode == billing.ModeLive && billing.IsThrowAway(scope.Org) {
		return caller.ErrThrowAway("live mode")
	}
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Orgs.Get(ctx, scope.Org)
		return err
	})
}

func mode(f *billing.Faults, m billing.Mode) {
	if m != billing.ModeTest && m != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "The mode must be test or live.")
	}
}
