package idempotency_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has a real database, in which creating an office is the change.
type fixture struct {
	t     *testing.T
	store *pgstore.Store
	scope billing.Scope
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store := pgtest.Open(t)
	return &fixture{t, store, porttest.Organization(t, store, billing.ModeTest)}
}

func call(key string, what byte) caller.Request {
	return caller.Request{Key: key, Fingerprint: [32]byte{what}}
}

func render(o *directory.Office, err error) caller.Reply {
	if err != nil {
		return caller.Reply{Status: 500}
	}
	return caller.Reply{Status: 201, Body: []byte(o.ID.String())}
}

func (b *fixture) office(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
	now := time.Now()
	o := &directory.Office{ID: billing.NewID[billing.OfficeID](billing.RealAt(now)), Scope: b.scope, Name: "Main", NPI: "1234567893", TimeZone: "America/New_York", CreatedAt: now}
	return o, tx.Offices.Insert(ctx, o)
}

// once creates an office at most once for the request.
func (b *fixture) once(r caller.Request) (caller.Reply, error) {
	return idempotency.Once(b.t.Context(), b.store, b.write(r), b.office)
}

func (b *fixture) write(r caller.Request) idempotency.Write[*directory.Office] {
	return idempotency.Write[*directory.Office]{Call: caller.Call{Scope: b.scope, Request: r}, Render: render}
}

func (b *fixture) in(fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	if err := b.store.InTx(b.t.Context(), b.scope, fn); err != nil {
		b.t.Fatal(err)
	}
}

// offices checks their number.
func (b *fixture) offices(want int) {
	b.t.Helper()
	var all []*directory.Office
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		all, err = tx.Offices.List(ctx, billing.Page{Limit: billing.MaxPageLimit})
		return err
	})
	if len(all) != want {
		b.t.Errorf("%d offices, want %d", len(all), want)
	}
}
