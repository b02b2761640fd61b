package fees

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// PutLimits stores until when a payer accepts claims and appeals, in place of what there was. The
// claims to it, and their tasks, follow after the commit.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and CodeNotFound for
// the payer.
func (s *Service) PutLimits(ctx context.Context, call idempotency.Write[*limit.OfPayer], payer string, in intake.PayerLimitsRequest) (caller.Reply, error) {
	terms, faults := in.Limits()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*limit.OfPayer, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		of, ok := s.payers.Find(payer)
		if !ok {
			return nil, billing.NotFound("payer", "")
		}
		now := tx.Clock.Now()
		stored, err := tx.PayerLimits.Put(ctx, &limit.OfPayer{
			ID: billing.NewID[billing.JobID](tx.Real.Now()), Scope: call.Scope, Payer: of.PayerSummary, Terms: terms, CreatedAt: now, UpdatedAt: now,
		})
		if err != nil {
			return nil, err
		}
		return stored, lists.ChangeTerms(ctx, tx, call.Scope)
	})
}

// DeleteLimits removes the limits of a payer. Those of contracts stay.
//
// Errors: those of the idempotency key, and CodeNotFound for the payer and for one without limits.
func (s *Service) DeleteLimits(ctx context.Context, call idempotency.Write[*limit.OfPayer], payer string) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*limit.OfPayer, error) {
		if err := call.Request.Faults.Err(); err != nil {
			return nil, err
		}
		of, err := s.Payer(payer)
		if err != nil {
			return nil, billing.NotFound("payer", "")
		}
		if err := tx.PayerLimits.Delete(ctx, of); err != nil {
			return nil, err
		}
		return nil, lists.ChangeTerms(ctx, tx, call.Scope)
	})
}

// Limits reads a page of the limits of payers, newest first, and the start of the next page: nil
// after the last.
func (s *Service) Limits(ctx context.Context, scope billing.Scope, p billing.Page) ([]*limit.OfPayer, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*limit.OfPayer, error) {
		return tx.PayerLimits.List(ctx, p)
	})
}
