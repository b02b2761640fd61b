package pgtest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Clocked is a Store whose transactions use the time of the test's clock, as that of the
// business and as the real one. Leases still use the database's time.
type Clocked struct {
	*pgstore.Store
	Clock ports.Clock
}

// frozen is the time of one transaction, which reads the clock at most once.
type frozen struct {
	clock ports.Clock
	now   time.Time
}

// realClock is the same time as a real one.
type realClock struct{ *frozen }

func (r realClock) Now() billing.Real { return billing.RealAt(r.frozen.Now()) }

func (f *frozen) Now() time.Time {
	if f.now.IsZero() {
		f.now = f.clock.Now().UTC().Truncate(time.Microsecond)
	}
	return f.now
}

// InTx calls the store's InTx with the test's time.
func (c Clocked) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return c.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		now := &frozen{clock: c.Clock}
		tx.Clock, tx.Real = now, realClock{now}
		return fn(ctx, tx)
	})
}

// View calls the store's View with the test's time.
func (c Clocked) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return c.Store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		now := &frozen{clock: c.Clock}
		tx.Clock, tx.Real = now, realClock{now}
		return fn(ctx, tx)
	})
}

// InScopes calls the store's InScopes with the test's time.
func (c Clocked) InScopes(ctx context.Context, scopes []billing.Scope, fn func(context.Context, ports.ScopesTx) error) error {
	return c.Store.InScopes(ctx, scopes, c.ofScopes(fn))
}

// ViewScopes calls the store's ViewScopes with the test's time.
func (c Clocked) ViewScopes(ctx context.Context, scopes []billing.Scope, fn func(context.Context, ports.ScopesTx) error) error {
	return c.Store.ViewScopes(ctx, scopes, c.ofScopes(fn))
}

func (c Clocked) ofScopes(fn func(context.Context, ports.ScopesTx) error) func(context.Context, ports.ScopesTx) error {
	return func(ctx context.Context, tx ports.ScopesTx) error {
		now := &frozen{clock: c.Clock}
		tx.ClockOf, tx.Real = func(billing.Scope) ports.Clock { return now }, realClock{now}
		return fn(ctx, tx)
	}
}

// System calls the store's System with the test's time.
func (c Clocked) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return c.Store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		tx.Real = realClock{&frozen{clock: c.Clock}}
		return fn(ctx, tx)
	})
}
