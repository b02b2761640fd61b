package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Get reads an endpoint. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.WebhookEndpointID) (e *billing.WebhookEndpoint, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		e, err = tx.Endpoints.Get(ctx, id)
		return err
	})
	return e, err
}

// List reads every endpoint of the scope, newest first; there are few.
func (s *Service) List(ctx context.Context, scope billing.Scope) (all []*billing.WebhookEndpoint, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		all, err = tx.Endpoints.List(ctx)
		return err
	})
	return all, err
}

// Deliveries reads a page of the deliveries to an endpoint, newest first, and
// the start of the next page: nil after the last. It returns CodeNotFound if
// there is no such endpoint.
func (s *Service) Deliveries(
	ctx context.Context, scope billing.Scope, id billing.WebhookEndpointID, p billing.Page,
) (page []*billing.Delivery, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Endpoints.Get(ctx, id); err != nil {
			return err
		}
		page, err = tx.Deliveries.List(ctx, id, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(d *billing.Delivery) billing.Position {
		return billing.Position{Time: d.CreatedAt, ID: d.ID}
	})
	return page, next, err
}
