package porttest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Organization makes an organization, and is its scope in a mode.
func Organization(tb testing.TB, store ports.Store, mode billing.Mode) billing.Scope {
	tb.Helper()
	now := time.Now()
	o := &caller.Organization{ID: billing.NewID[billing.OrgID](billing.RealAt(now)), Name: "Test Dental", CreatedAt: now}
	err := store.System(tb.Context(), func(ctx context.Context, tx ports.SystemTx) error { return tx.Orgs.Insert(ctx, o) })
	if err != nil {
		tb.Fatal(err)
	}
	return billing.Scope{Org: o.ID, Mode: mode}
}

// Office makes an office of the scope, in New York, with everything that claim files
// state about it. Each change may set what it likes.
func Office(tb testing.TB, store ports.Store, scope billing.Scope, changes ...func(*directory.Office)) *directory.Office {
	tb.Helper()
	now := time.Now()
	o := &directory.Office{
		ID: billing.NewID[billing.OfficeID](billing.RealAt(now)), Scope: scope, Name: "Main", NPI: "1234567893", TaxID: "123456789", Phone: "5185550100",
		Address:  directory.Address{Line1: "1 Main Street", City: "Albany", State: "NY", ZIP: "122070001"},
		TimeZone: "America/New_York", CreatedAt: now, OfficeDetails: directory.OfficeDetails{Taxonomy: "1223G0001X"},
	}
	for _, change := range changes {
		change(o)
	}
	In(tb, store, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, o) })
	return o
}

// In runs a transaction that must go well.
func In(tb testing.TB, store ports.Store, scope billing.Scope, fn func(context.Context, ports.Tx) error) {
	tb.Helper()
	if err := store.InTx(tb.Context(), scope, fn); err != nil {
		tb.Fatal(err)
	}
}

// System runs a transaction without a scope that must go well.
func System(tb testing.TB, store ports.Store, fn func(context.Context, ports.SystemTx) error) {
	tb.Helper()
	if err := store.System(tb.Context(), fn); err != nil {
		tb.Fatal(err)
	}
}

// Payers is the directory that ships.
func Payers(tb testing.TB) *directory.PayerDirectory {
	tb.Helper()
	payers, err := directory.ShippedPayers()
	if err != nil {
		tb.Fatal(err)
	}
	return payers
}

// Read returns what fn reads in a transaction of the scope, which must go well.
func Read[T any](tb testing.TB, store ports.Store, scope billing.Scope, fn func(context.Context, ports.Tx) (T, error)) (out T) {
	tb.Helper()
	In(tb, store, scope, func(ctx context.Context, tx ports.Tx) (err error) {
		out, err = fn(ctx, tx)
		return err
	})
	return out
}

// Claim returns a claim of the scope.
func Claim(tb testing.TB, store ports.Store, scope billing.Scope, id billing.ClaimID) *claim.Record {
	tb.Helper()
	return Read(tb, store, scope, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) { return tx.Claims.Get(ctx, id) })
}

// Events returns the events of a resource, the oldest first. Their sequences
// must count up from 1.
func Events(tb testing.TB, store ports.Store, scope billing.Scope, resource [16]byte) []*event.Event {
	tb.Helper()
	all := Read(tb, store, scope, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
		return tx.Events.List(ctx, event.Filter{Resource: resource}, billing.Page{Limit: 100})
	})
	slices.SortFunc(all, func(x, y *event.Event) int { return x.Sequence - y.Sequence })
	for i, e := range all {
		if e.Sequence != i+1 {
			tb.Errorf("event %s has the sequence %d, want %d", e.Type, e.Sequence, i+1)
		}
	}
	return all
}

// Pending reports whether a job is in the outbox.
func Pending(tb testing.TB, store ports.Store, j jobs.Job) bool {
	tb.Helper()
	return Read(tb, store, j.Scope, func(ctx context.Context, tx ports.Tx) (bool, error) { return tx.Outbox.Pending(ctx, j.ID) })
}

// Due ends the leases of all jobs, and leases those that are due within the
// duration from now.
func Due(tb testing.TB, store ports.Store, within time.Duration) (due []jobs.Job) {
	tb.Helper()
	System(tb, store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		if err = tx.Jobs.Release(ctx, 0); err == nil {
			due, err = tx.Jobs.Due(ctx, tx.Real.Now().Add(within), billing.JobLease, 10_000)
		}
		return err
	})
	return due
}
