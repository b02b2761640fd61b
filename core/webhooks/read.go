package webhooks

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Get reads an endpoint. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.WebhookEndpointID) (*webhook.Endpoint, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*webhook.Endpoint, error) {
		return tx.Endpoints.Get(ctx, id)
	})
}

// List reads every endpoint of the scope, newest first; there are few.
func (s *Service) List(ctx context.Context, scope billing.Scope) ([]*webhook.Endpoint, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) ([]*webhook.Endpoint, error) {
		return tx.Endpoints.List(ctx)
	})
}

// Delivery reads a delivery. It returns CodeNotFound if there is none.
func (s *Service) Delivery(ctx context.Context, scope billing.Scope, id billing.DeliveryID) (*webhook.Delivery, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*webhook.Delivery, error) {
		return tx.Deliveries.Get(ctx, id)
	})
}

// Deliveries reads a page of deliveries, newest first, and the start of the
// next page: nil after the last.
func (s *Service) Deliveries(
	ctx context.Context, scope billing.Scope, f webhook.DeliveryFilter, p billing.Page,
) ([]*webhook.Delivery, *billing.Position, error) {
	return s.deliveries(ctx, scope, f, p, func(context.Context, ports.Tx) error { return nil })
}

// DeliveriesTo is like Deliveries for one endpoint. It returns CodeNotFound if
// there is no such endpoint.
func (s *Service) DeliveriesTo(
	ctx context.Context, scope billing.Scope, id billing.WebhookEndpointID, p billing.Page,
) ([]*webhook.Delivery, *billing.Position, error) {
	return s.deliveries(ctx, scope, webhook.DeliveryFilter{EndpointID: id}, p, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Endpoints.Get(ctx, id)
		return err
	})
}

// DeliveriesOf is like Deliveries for one event. It returns CodeNotFound if
// there is no such event.
func (s *Service) DeliveriesOf(
	ctx context.Context, scope billing.Scope, id billing.EventID, p billing.Page,
) ([]*webhook.Delivery, *billing.Position, error) {
	return s.deliveries(ctx, scope, webhook.DeliveryFilter{EventID: id}, p, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Events.Get(ctx, id)
		return err
	})
}

func (s *Service) deliveries(
	ctx context.Context, scope billing.Scope, f webhook.DeliveryFilter, p billing.Page, check func(context.Context, ports.Tx) error,
) ([]*webhook.Delivery, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*webhook.Delivery, error) {
		if err := check(ctx, tx); err != nil {
			return nil, err
		}
		return tx.Deliveries.List(ctx, f, p)
	})
}
