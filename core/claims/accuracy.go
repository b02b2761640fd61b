package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Accuracy compares an estimate with what payers decided of its claim. It returns CodeNotFound
// if there is no such estimate, and CodeConflict while there is nothing to compare it with.
func (s *Service) Accuracy(ctx context.Context, scope billing.Scope, id billing.EstimateID) (*claim.Accuracy, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*claim.Accuracy, error) {
		e, err := tx.Estimates.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		found, err := tx.Claims.List(ctx, claim.Filter{EstimateID: id}, billing.Page{Limit: billing.MaxPageLimit})
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if err := weigh(ctx, tx, r); err != nil {
				return nil, err
			}
		}
		a, err := claim.AccuracyOf(e, found)
		if err != nil {
			return nil, err
		}
		switch era, err := tx.ERAs.Get(ctx, a.Standing.ERAID); {
		case err == nil:
			a.From(era)
		case !billing.IsNotFound(err): // one that is too old is gone
			return nil, err
		}
		return a, nil
	})
}

// AccuracyByPayer returns how far estimates of each payer are from what patients owe.
func (s *Service) AccuracyByPayer(ctx context.Context, scope billing.Scope) ([]estimate.PayerAccuracy, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) ([]estimate.PayerAccuracy, error) {
		return tx.Estimates.Accuracy(ctx)
	})
}
