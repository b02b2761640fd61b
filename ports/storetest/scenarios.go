package storetest

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports"
)

// testScenarios stores, changes and removes an organization's own scenarios, which no other
// scope sees.
func testScenarios(b *scoped) {
	t := b.t
	own := Filled[scenario.Own](t)
	own.Scope, own.Ending, own.Operation, own.Dates, own.CreatedAt, own.Messages = b.scope, "-MINE", scenario.Eligibility, scenario.Keep, b.now, nil
	insert := func(o scenario.Own) error {
		return b.try(o.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Scenarios.Insert(ctx, &o) })
	}
	if err := insert(own); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the ending again", insert(own), billing.CodeConflict)
	other := own
	other.Scope, other.Summary = newScope(), "of others"
	if err := insert(other); err != nil {
		t.Fatal(err)
	}
	lock := func(ctx context.Context, tx ports.Tx) (*scenario.Own, error) {
		return tx.Scenarios.Lock(ctx, own.Ending)
	}
	got, err := try(b, b.scope, lock)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "locked", got, &own)
	own.Summary, own.Dates, own.Content = "changed", scenario.Move, []byte("other content")
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Scenarios.Save(ctx, &own) })
	got = read(b, func(ctx context.Context, tx ports.Tx) (*scenario.Own, error) {
		return tx.Scenarios.Get(ctx, own.Ending)
	})
	equal(t, "saved", got, &own)
	all := read(b, func(ctx context.Context, tx ports.Tx) ([]*scenario.Own, error) { return tx.Scenarios.List(ctx) })
	listed := own
	listed.Content = nil
	equal(t, "listed", all, []*scenario.Own{&listed})
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		_, err := tx.Scenarios.Lock(ctx, own.Ending)
		wantCode(t, "in "+string(mode), err, billing.CodeNotFound)
		_, err = tx.Scenarios.Get(ctx, own.Ending)
		wantCode(t, "read in "+string(mode), err, billing.CodeNotFound)
		if err := tx.Scenarios.Save(ctx, &other); err != nil {
			return err
		}
		return tx.Scenarios.Delete(ctx, own.Ending)
	})
	got, _ = try(b, b.scope, lock)
	equal(t, "after others", got, &own)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Scenarios.Delete(ctx, own.Ending) })
	_, err = try(b, b.scope, lock)
	wantCode(t, "removed", err, billing.CodeNotFound)
	for n := range scenario.MaxOwn {
		next := own
		next.Ending = "-MINE-" + string(rune('A'+n%26)) + string(rune('A'+n/26))
		if err := insert(next); err != nil {
			t.Fatal(err)
		}
	}
	own.Ending = "-ONE-TOO-MANY"
	wantCode(t, "one too many", insert(own), billing.CodeConflict)
}
