package pgstore_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestRoundTripsOfAnOverview counts the round trips of the overview of a patient with a check:
// the patient, who may be the same, what is owed, the checks, the estimates, the claims, the
// attachments and the payer requests. The first one comes with the begin. Claims that are on their way add one,
// for their batches.
func TestRoundTripsOfAnOverview(t *testing.T) {
	t.Parallel()
	s := openCounted(t, pgtest.URL(t))
	f := newCheckFixture(t, s.Store)
	if err := f.check("one", "1"); billing.CodeOf(err) != billing.CodeTimeout {
		t.Fatal(err)
	}
	if err := f.service.Answer(t.Context(), s.staged[0]); err != nil {
		t.Fatal(err)
	}
	c, err := f.service.Get(t.Context(), f.scope, billing.CheckID(s.staged[0].Subject))
	if err != nil || c.Outcome != coverage.OutcomeAnswered {
		t.Fatalf("%+v, %v", c, err)
	}
	of := claims.New(s.Store, routing.New(), porttest.Payers(t))
	least := int64(0)
	for n := range 8 { // the first ones prepare, and the store's upkeep may interfere
		s.counts["round trips"].Store(0)
		o, err := of.Overview(t.Context(), f.scope, c.PatientID)
		if err != nil || len(o.Checks) != 1 || len(o.Coverages) != 1 {
			t.Fatalf("%+v, %v", o, err)
		}
		if now := s.counts["round trips"].Load(); n == 0 || now < least {
			least = now
		}
	}
	if least != 8 {
		t.Errorf("an overview takes %d round trips, want 8", least)
	}
}
