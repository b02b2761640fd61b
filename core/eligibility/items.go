package eligibility

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// begins waits until a check of a batch may start, and reports whether its job is still to be done.
// Each attempt has a job of its own, and a message may come again after its end.
func (s *Service) begins(ctx context.Context, j jobs.Job) (there bool, err error) {
	if err := s.pace.wait(ctx); err != nil {
		return false, err
	}
	err = s.store.View(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		there, err = tx.Outbox.Pending(ctx, j.ID)
		return err
	})
	return there, err
}

// items are the items of checks that belong to batches, by check.
type items map[billing.CheckID]*coverage.BatchItem

// itemsOf locks and reads the items of the checks: none, without a statement, if all were asked
// alone.
func itemsOf(ctx context.Context, tx ports.Tx, all []*ending) (items, error) {
	var ids []billing.CheckID
	for _, e := range all {
		if !e.check.BatchID.IsZero() {
			ids = append(ids, e.check.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return tx.CheckItems.Of(ctx, ids)
}

// repeats reports whether the check stays pending: the payer is asked again later, or is being
// asked by another job.
func (all items) repeats(s *Service, e *ending, now time.Time) bool {
	i := all[e.check.ID]
	if i == nil {
		return false
	}
	if i.Asking != e.job.ID {
		delete(all, e.check.ID)
		return true
	}
	via, err := s.networks.For(e.check.Scope, e.check.Payer.ID, network.Eligibility)
	if e.final || err != nil || via.Options.NoRepeat || !i.Repeats(&e.answer, now) {
		return false
	}
	i.Repeat(now)
	return true
}

// complete gives the item of the check its outcome.
func (all items) complete(c *coverage.Check, e *ending, now time.Time) {
	if i := all[c.ID]; i != nil {
		i.Complete(c, e.answer.Benefits != nil && len(e.answer.Benefits.Differences) > 0, now)
	}
}

// save stores the items, and whether the payers of their lanes respond. The payers of the sandbox
// are never down: how they answer depends on the member.
func (all items) save(ctx context.Context, tx ports.Tx, endings []*ending) error {
	if len(all) == 0 {
		return nil
	}
	changed := make([]*coverage.BatchItem, 0, len(all))
	lanes := map[coverage.Lane]bool{} // whether the payer responded
	for _, e := range endings {
		i := all[e.check.ID]
		if i == nil {
			continue
		}
		changed = append(changed, i)
		if i.Scope.Mode == billing.ModeLive {
			lanes[i.Lane] = lanes[i.Lane] || e.answer.Outcome != coverage.OutcomePayerUnavailable
		}
	}
	slices.SortFunc(changed, func(a, b *coverage.BatchItem) int { return slices.Compare(a.ID[:], b.ID[:]) })
	if err := tx.CheckItems.Save(ctx, changed); err != nil {
		return err
	}
	return noteLanes(ctx, tx, lanes)
}

// noteLanes notes which payers responded, always in the same order.
func noteLanes(ctx context.Context, tx ports.Tx, lanes map[coverage.Lane]bool) error {
	ordered := make([]coverage.Lane, 0, len(lanes))
	for l := range lanes {
		ordered = append(ordered, l)
	}
	slices.SortFunc(ordered, func(a, b coverage.Lane) int {
		return slices.Compare(append([]byte(a.Network), a.Payer[:]...), append([]byte(b.Network), b.Payer[:]...))
	})
	for _, l := range ordered {
		var err error
		if lanes[l] {
			err = tx.CheckFeed.Reached(ctx, l)
		} else {
			err = tx.CheckFeed.Rest(ctx, l, coverage.LaneRest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
