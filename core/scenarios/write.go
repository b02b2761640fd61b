package scenarios

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Add stores a scenario of the organization's own.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and
// CodeConflict for an ending that the sandbox or the organization has.
func (s *Service) Add(ctx context.Context, call idempotency.Write[*scenario.Own], in intake.ScenarioRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*scenario.Own, error) {
		now := tx.Clock.Now()
		o, faults := in.Scenario(billing.DateOf(now))
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.builtIn, func(b scenario.Scenario) bool { return b.Has(o.Ending) }) {
			return nil, &billing.Error{Code: billing.CodeConflict, Message: "The sandbox itself has the ending " + o.Ending + ". Choose another one."}
		}
		if err := s.fill(ctx, o, &in, now); err != nil {
			return nil, err
		}
		o.Scope, o.CreatedAt = call.Scope, now
		return o, tx.Scenarios.Insert(ctx, o)
	})
}

// Change changes a scenario of the organization's own.
func (s *Service) Change(ctx context.Context, call idempotency.Write[*scenario.Own], ending string, in intake.ScenarioRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*scenario.Own, error) {
		o, err := tx.Scenarios.Lock(ctx, ending)
		if err != nil {
			return nil, err
		}
		now := tx.Clock.Now()
		faults := in.Apply(o, billing.DateOf(now))
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if err := s.fill(ctx, o, &in, now); err != nil {
			return nil, err
		}
		return o, tx.Scenarios.Save(ctx, o)
	})
}

// fill reads the payer's reply into the scenario, or tries the plan, if one is given.
func (s *Service) fill(ctx context.Context, o *scenario.Own, in *intake.ScenarioRequest, now time.Time) (err error) {
	switch {
	case in.X12 != nil:
		o.Content, o.Messages, err = s.outside.ReadReply([]byte(*in.X12))
	case in.Plan != nil:
		err = s.outside.ReadPlan(ctx, in.Plan, now)
	}
	return err
}

// Get reads a scenario of the organization's own.
func (s *Service) Get(ctx context.Context, scope billing.Scope, ending string) (*scenario.Own, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*scenario.Own, error) {
		return tx.Scenarios.Get(ctx, ending)
	})
}

// Remove removes a scenario of the organization's own.
func (s *Service) Remove(ctx context.Context, call idempotency.Write[*scenario.Own], ending string) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*scenario.Own, error) {
		o, err := tx.Scenarios.Lock(ctx, ending)
		if err != nil {
			return nil, err
		}
		return o, tx.Scenarios.Delete(ctx, ending)
	})
}
