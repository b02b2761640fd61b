package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Reconcile notes that the user has posted what was paid. There is no event of
// it.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim in another state than paid or denied.
func (s *Service) Reconcile(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.ClaimID, render billing.Render[*billing.ClaimRecord],
) (billing.Answer, bool, error) {
	return s.change(ctx, scope, req, id, nil, render, func(_ context.Context, tx ports.Tx, c *billing.ClaimRecord) ([]billing.Event, error) {
		return nil, c.Reconcile(tx.Clock.Now())
	})
}
