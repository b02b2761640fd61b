package batches

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// Sandbox lists the networks of the sandbox that carry claims of the scope.
func (s *Service) Sandbox(scope billing.Scope) (names []string) {
	for _, n := range s.networks.Clearinghouses() {
		if n.Replies != nil && n.Route.Mode == scope.Mode && (n.Route.Org.IsZero() || n.Route.Org == scope.Org) {
			names = append(names, n.Name)
		}
	}
	return names
}

// Leaves returns the network of the sandbox that carries claims between the scope and a
// payer, and when one leaves that was queued at a time, by the clock of its organization.
// The name is empty if no network of the sandbox carries it.
func (s *Service) Leaves(scope billing.Scope, payer billing.PayerID, queued time.Time) (name string, at time.Time) {
	n, err := s.networks.For(scope, payer, network.Claims)
	if err != nil || n.Replies == nil {
		return "", time.Time{}
	}
	schedule := s.schedule(&n.Options)
	return n.Name, schedule.Next(queued)
}

// schedule returns when batches leave by the clock of an organization, which does not know
// when this process looks.
func (s *Service) schedule(o *network.Options) network.Schedule {
	if o.Schedule.Every == 0 && len(o.Schedule.At) == 0 {
		return network.Schedule{Every: s.interval}
	}
	return o.Schedule
}

// Settle does what is due by the clock of an organization that stands: it cuts batches of
// claims for the payers, and applies the files of the sandbox.
func (s *Service) Settle(ctx context.Context, scope billing.Scope, payers []billing.PayerID) error {
	_, err := s.cutAll(ctx, scope, payers, s.schedule)
	errs := []error{err}
	for _, name := range s.Sandbox(scope) {
		_, err := s.Receive(ctx, name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
