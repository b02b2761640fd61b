// Package summary counts what an organization has: what needs a person, where the money
// is, and how much was done lately.
package summary

import (
	"cmp"
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// Service has the use case.
type Service struct {
	store    ports.Store
	networks ports.Networks
}

// New creates the use case.
func New(store ports.Store, networks ports.Networks) *Service { return &Service{store, networks} }

// Read returns the summary of a scope. The counts and sums of claims are exact; the
// others up to their maximum. Each part is as of a moment of its own, during the call.
func (s *Service) Read(ctx context.Context, scope billing.Scope) (sum *claim.Summary, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		sum = &claim.Summary{}
		if sum.Waiting, err = tx.Totals.Waiting(ctx); err != nil {
			return err
		}
		sum.At = tx.Clock.Now()
		today := billing.DateOf(sum.At)
		if sum.Claims, err = tx.Totals.Claims(ctx, today); err != nil {
			return err
		}
		if sum.Overpaid, err = count(ctx, tx, claim.Filter{Overpaid: true}); err != nil {
			return err
		}
		if sum.Changed, err = count(ctx, tx, claim.Filter{Changed: true}); err != nil {
			return err
		}
		if sum.Unrouted, err = s.unrouted(ctx, tx, scope); err != nil {
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

func count(ctx context.Context, tx ports.Tx, f claim.Filter) (all claim.Count, err error) {
	f.Kind = claim.KindClaim
	states, err := tx.Claims.Count(ctx, f)
	for _, n := range states {
		all.Count, all.More = all.Count+n.Count, all.More || n.More
	}
	return all, err
}

// unrouted returns the payers to which queued claims wait for the operator: for a connection, the
// end of a restore, or the verification of their office. The sandbox carries all claims of test mode.
func (s *Service) unrouted(ctx context.Context, tx ports.Tx, scope billing.Scope) (waiting []claim.ToSend, err error) {
	if scope.Mode != billing.ModeLive {
		return nil, nil
	}
	queued, err := tx.Totals.ToSend(ctx)
	if err != nil || len(queued) == 0 {
		return nil, err
	}
	restoring, err := tx.LiveFiles.Held(ctx)
	for _, q := range queued {
		_, route := s.networks.For(scope, q.PayerID, network.Claims)
		if hold := network.Unrouted(route, s.networks.Available(scope, network.Claims)); hold != "" {
			q.Hold = hold
		} else if restoring {
			q.Hold = claim.HoldRestore
		}
		same := slices.IndexFunc(waiting, func(w claim.ToSend) bool { return w.PayerID == q.PayerID && w.Hold == q.Hold })
		switch {
		case q.Hold == "":
		case same < 0:
			waiting = append(waiting, q)
		default: // of offices that are verified, and of others
			waiting[same].Count.Count, waiting[same].More = waiting[same].Count.Count+q.Count.Count, waiting[same].More || q.More
		}
	}
	slices.SortStableFunc(waiting, func(a, b claim.ToSend) int { return cmp.Compare(b.Count.Count, a.Count.Count) })
	return waiting, err
}
