// Package summary counts what an organization has: what needs a person, where the money
// is, and how much was done lately.
package summary

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// Service has the use case.
type Service struct{ store ports.Store }

// New creates the use case.
func New(store ports.Store) *Service { return &Service{store} }

// Read returns the summary of a scope. The counts and sums of claims are exact; the
// others up to their maximum. Each part is as of a moment of its own, during the call.
func (s *Service) Read(ctx context.Context, scope billing.Scope) (sum *claim.Summary, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		sum = &claim.Summary{}
		if sum.Remittances, err = tx.Totals.Remittances(ctx); err != nil {
			return err
		}
		sum.At = tx.Clock.Now()
		today := billing.DateOf(sum.At)
		if sum.Claims, err = tx.Totals.Claims(ctx, today); err != nil {
			return err
		}
		if sum.PayerRequests, err = tx.Totals.PayerRequests(ctx); err != nil {
			return err
		}
		if sum.Checks, err = tx.Totals.Checks(ctx, today); err != nil {
			return err
		}
		if sum.PendingOffices, err = tx.Totals.PendingOffices(ctx); err != nil {
			return err
		}
		endpoints, err := tx.Endpoints.List(ctx)
		for _, e := range endpoints {
			switch {
			case e.Status == webhook.EndpointDisabled:
				sum.EndpointsDisabled++
			case e.Health.Failures > 0:
				sum.EndpointsFailing++
			default:
				sum.EndpointsWorking++
			}
		}
		return err
	})
	return sum, err
}
