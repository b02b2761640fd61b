// Package faults keeps the rules by which an organization has its requests and webhooks
// fail in test mode. A request is struck by the rules that its key was found with, so that
// an organization without rules costs nothing more.
package faults

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/fault"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of faults.
type Service struct{ store ports.Store }

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Replace stores the rules in place of those that the organization has, and returns when
// every process follows them.
//
// Errors: those of the idempotency key, and CodeInvalidRequest with every fault.
func (s *Service) Replace(ctx context.Context, call idempotency.Write[[]fault.Rule], in intake.FaultsRequest) (caller.Reply, error) {
	reply, err := idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) ([]fault.Rule, error) {
		rules, bad := in.Parse(tx.Real.Now().Time)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		return rules, tx.Faults.Replace(ctx, rules)
	})
	if err == nil && !reply.Replayed {
		select { // a key, with the rules that it was found with, is remembered that long
		case <-time.After(billing.RememberKeys):
		case <-ctx.Done():
		}
	}
	return reply, err
}

// List returns the rules that have not expired.
func (s *Service) List(ctx context.Context, scope billing.Scope) (rules []fault.Rule, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		rules, err = tx.Faults.List(ctx)
		return err
	})
	return rules, err
}

// Strike returns the first of the rules that strikes a request for the operation; nil for
// none. It counts the request for each rule that it asks.
func (s *Service) Strike(ctx context.Context, scope billing.Scope, rules []fault.Rule, operation string, now time.Time) (*fault.Rule, error) {
	for _, r := range rules {
		if !r.Concerns(operation, now) {
			continue
		}
		var n int
		if err := s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) (err error) {
			n, err = tx.Faults.Match(ctx, r.Serial)
			return err
		}); err != nil {
			return nil, err
		}
		if n > 0 && r.Strikes(n) {
			return &r, nil
		}
	}
	return nil, nil
}
