package porttest

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Organization makes an organization, and is its scope in a mode.
func Organization(tb testing.TB, store ports.Store, mode billing.Mode) billing.Scope {
	tb.Helper()
	now := time.Now()
	o := &billing.Organization{ID: billing.NewID[billing.OrgID](now), Name: "Test Dental", CreatedAt: now}
	err := store.System(tb.Context(), func(ctx context.Context, tx ports.SystemTx) error { return tx.Orgs.Insert(ctx, o) })
	if err != nil {
		tb.Fatal(err)
	}
	return billing.Scope{Org: o.ID, Mode: mode}
}

// Office makes an office of the scope, in New York. Each change may set what it
// likes.
func Office(tb testing.TB, store ports.Store, scope billing.Scope, changes ...func(*billing.Office)) *billing.Office {
	tb.Helper()
	now := time.Now()
	o := &billing.Office{
		ID: billing.NewID[billing.OfficeID](now), Scope: scope, Name: "Main", NPI: "1234567893", TimeZone: "America/New_York", CreatedAt: now,
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

// Payers is the directory that ships.
func Payers(tb testing.TB) *billing.PayerDirectory {
	tb.Helper()
	payers, err := billing.ShippedPayers()
	if err != nil {
		tb.Fatal(err)
	}
	return payers
}
