package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestItemsGoWithTheirCheck removes a check of a batch when it is old enough. Its item goes with it,
// and the batch and its other item stay.
func TestItemsGoWithTheirCheck(t *testing.T) {
	t.Parallel()
	f := filedUp(t)
	c, now := check(f.in), time.Now().UTC().Truncate(time.Microsecond)
	c.State, c.Outcome, c.CompletedAt = coverage.CheckCompleted, coverage.OutcomeError, now
	b := &coverage.Batch{ID: billing.NewID[billing.CheckBatchID](billing.RealAt(now)), Scope: f.in, Name: "Tomorrow", CreatedAt: now, NotAfter: now.Add(time.Hour)}
	var items []*coverage.BatchItem
	for n, of := range []billing.CheckID{c.ID, {}} {
		i := &coverage.BatchItem{
			ID: b.ItemAt(n), Scope: f.in, BatchID: b.ID, CreatedAt: now, ItemID: string(rune('a' + n)), Request: json.RawMessage("{}"), CheckID: of,
			Lane: coverage.Lane{Network: "sandbox", Payer: c.Payer.ID},
		}
		i.Begin(b, now)
		items = append(items, i)
	}
	porttest.In(t, f.store, f.in, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Checks.Insert(ctx, c), tx.CheckBatches.Insert(ctx, b, items))
	})
	left := func() (names string) {
		t.Helper()
		for _, i := range porttest.Read(t, f.store, f.in, func(ctx context.Context, tx ports.Tx) ([]*coverage.BatchItem, error) {
			return tx.CheckItems.List(ctx, coverage.ItemFilter{BatchID: b.ID}, billing.Page{Limit: 25, Oldest: true})
		}) {
			names += i.ItemID
		}
		return names
	}
	forget(t, f.store)
	if got := left(); got != "ab" {
		t.Errorf("items before the check is old: %q", got)
	}
	setAge(t, admin(t, f.url), f.in.Mode, "-1 minute")
	forget(t, f.store)
	if got := left(); got != "b" {
		t.Errorf("items after the check went: %q", got)
	}
	porttest.Read(t, f.store, f.in, func(ctx context.Context, tx ports.Tx) (*coverage.Batch, error) { return tx.CheckBatches.Get(ctx, b.ID) })
}
