// Package additions adds to answered checks what payers said otherwise than in their answers.
// The rules are in core/billing/coverage.
package additions

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of additions.
type Service struct{ store ports.Store }

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Add adds what the payer said otherwise to an answered check, and returns the check with
// all additions.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound, and
// CodeConflict for a check that the payer has not answered.
func (s *Service) Add(ctx context.Context, call idempotency.Write[*coverage.Amended], id billing.CheckID, r intake.AdditionsRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*coverage.Amended, error) {
		report, faults := r.Report()
		if err := faults.Err(); err != nil {
			return nil, err
		}
		return change(ctx, tx, id, func(c *coverage.Check, has []*coverage.Addition) error {
			made, err := c.Add(report, has, call.Principal.ID, tx.Clock.Now())
			if err != nil {
				return err
			}
			return tx.Additions.Insert(ctx, made)
		})
	})
}

// Strike takes an addition to a check back, and returns the check with all additions.
//
// Errors: those of the idempotency key, CodeNotFound for the check or the number, and CodeConflict
// for one that is struck already.
func (s *Service) Strike(ctx context.Context, call idempotency.Write[*coverage.Amended], id billing.CheckID, number int) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*coverage.Amended, error) {
		return change(ctx, tx, id, func(_ *coverage.Check, has []*coverage.Addition) error {
			if number < 1 || number > len(has) {
				return &billing.Error{Code: billing.CodeNotFound, Message: "The check has no addition with this number."}
			}
			a := has[number-1]
			if err := a.Strike(call.Principal.ID, tx.Clock.Now()); err != nil {
				return err
			}
			return tx.Additions.Save(ctx, a)
		})
	})
}

// change changes the additions to a check, after other changes of them.
func change(
	ctx context.Context, tx ports.Tx, id billing.CheckID, do func(c *coverage.Check, has []*coverage.Addition) error,
) (*coverage.Amended, error) {
	c, err := tx.Checks.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	has, err := tx.Additions.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := do(c, has); err != nil {
		return nil, err
	}
	return lists.Amend(ctx, tx, c)
}
