package pgstore_test

import (
	"context"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestRoundTripsOfAdvice counts the round trips of a claim that is made and of one that is read,
// before its organization has attachment rules and after: advice costs none, and neither do the limits of its payer.
func TestRoundTripsOfAdvice(t *testing.T) {
	t.Parallel()
	s := openCounted(t, pgtest.URL(t))
	scope := porttest.Organization(t, s.Store, billing.ModeTest)
	of := claims.New(s.Store, routing.New(), porttest.Payers(t))
	var office billing.OfficeID
	porttest.In(t, s.Store, scope, func(ctx context.Context, tx ports.Tx) error {
		office = billing.NewID[billing.OfficeID](tx.Real.Now())
		return tx.Offices.Insert(ctx, &directory.Office{ID: office, Scope: scope, Name: "Main", NPI: "1234567893", TimeZone: "America/New_York", CreatedAt: tx.Clock.Now()})
	})
	in := intake.ClaimRequest{
		OfficeID: new(office.String()), PayerID: new("CHTEST"), Draft: true,
		Lines: []intake.ClaimLineInput{{ProcedureCode: "D2740", ServiceDate: new("2026-03-04"), Fee: "1250.00"}},
	}
	var made claim.Record
	trips := func(advised int) (writes, read int64) {
		for n := range 8 { // the first ones prepare, and the store's upkeep may interfere
			s.counts["round trips"].Store(0)
			var open []advice.Advice
			_, err := of.Make(t.Context(), idempotency.Write[*claim.Record]{Call: caller.Call{Scope: scope}, Render: func(r *claim.Record, _ error) caller.Reply {
				if r != nil {
					made = *r
					open, _ = r.Advice()
				}
				return caller.Reply{}
			}}, in)
			if err != nil || len(open) != advised {
				t.Fatalf("made with %v, %v; want %d", open, err, advised)
			}
			now := s.counts["round trips"].Load()
			s.counts["round trips"].Store(0)
			r, err := of.Get(t.Context(), scope, made.ID)
			if err != nil {
				t.Fatal(err)
			}
			if open, _ = r.Advice(); len(open) != advised {
				t.Fatalf("read with %v, want %d", open, advised)
			}
			if then := s.counts["round trips"].Load(); n == 0 || then < read {
				read = then
			}
			if n == 0 || now < writes {
				writes = now
			}
		}
		return writes, read
	}
	makes, reads := trips(0)
	porttest.In(t, s.Store, scope, func(ctx context.Context, tx ports.Tx) error {
		r := &advice.Rule{ID: billing.NewID[billing.AttachmentRuleID](tx.Real.Now()), Scope: scope, CreatedAt: tx.Clock.Now(), Needs: []advice.Need{advice.XRay, advice.Photo}, When: advice.Always, UpdatedAt: tx.Clock.Now()}
		return tx.AttachmentRules.Write(ctx, r)
	})
	if m, r := trips(2); m != makes || r != reads || makes != 5 || reads != 2 {
		t.Errorf("with a rule, a claim is made in %d round trips and read in %d; without in %d and %d", m, r, makes, reads)
	}
}
