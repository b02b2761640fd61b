package eligibility

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Get reads a check. An absent one is CodeNotFound.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.CheckID) (c *billing.EligibilityCheck, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		c, err = tx.Checks.Get(ctx, id)
		return err
	})
	return c, err
}

// List reads a page of checks, newest first, and where the next page starts:
// nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f billing.CheckFilter, p billing.Page,
) (page []*billing.EligibilityCheck, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Checks.List(ctx, f, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(c *billing.EligibilityCheck) billing.Position {
		return billing.Position{Time: c.CreatedAt, ID: c.ID}
	})
	return page, next, err
}
