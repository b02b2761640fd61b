package pgstore_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/migrations"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestOpenAmountsOfEarlierClaims writes four claims as the release before did, and runs the
// migration's statements on them. The open amounts then count what other payers decided, and
// the totals have a reconciled claim whose payment changed since.
func TestOpenAmountsOfEarlierClaims(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.Open(t, func(o *pgstore.Options) { o.URL = url })
	in, at := scope(), time.Now().UTC().Truncate(time.Second)
	made := func(fee billing.Money, state billing.ClaimState, standing *billing.ClaimStanding) *billing.Claim {
		c := claim()
		c.PatientControlNumber, c.Lines, c.State, c.SentAt, c.Standing = c.ID.String()[6:], []billing.ClaimLine{{ProcedureCode: "D2740", Fee: fee, Quantity: 1}}, state, at, standing
		return c
	}
	primary := made(100_00, billing.ClaimPaid, &billing.ClaimStanding{Paid: 60_00, Contractual: 20_00, PatientResponsibility: 5_00})
	second := made(100_00, billing.ClaimPaid, &billing.ClaimStanding{Paid: 15_00, Contractual: 20_00, PatientResponsibility: 5_00})
	second.Coverage, second.SecondaryTo, primary.SecondaryID = billing.SequenceSecondary, primary.ID, second.ID
	stated := made(100_00, billing.ClaimValidated, nil)
	stated.SentAt = time.Time{}
	stated.Coverage, stated.OtherCoverage = billing.SequenceSecondary, []billing.OtherCoverage{{
		Sequence: billing.SequencePrimary, Adjudication: &billing.CoverageAdjudication{Paid: 50_00, Lines: []billing.CoverageLine{{
			LineNumber: 1, Paid: 50_00, Adjustments: []billing.Adjustment{{Group: "CO", Reason: "45", Amount: 20_00}, {Group: "PR", Reason: "2", Amount: 18_00}, {Group: "CO", Reason: "16", Amount: 12_00}},
		}}},
	}}
	changed := made(80_00, billing.ClaimReconciled, nil)
	changed.ReconciledAt, changed.SettledAt = at, at.Add(time.Minute)
	all := []*billing.Claim{primary, second, stated, changed}
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		for _, c := range all {
			first := *c
			first.SecondaryID = billing.ClaimID{}
			if err := tx.Claims.Insert(ctx, &first); err != nil {
				return err
			}
		}
		return tx.Claims.Save(ctx, primary)
	})
	migration, err := migrations.FS.ReadFile("0041_open_amounts.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, fill, _ := strings.Cut(string(migration), "\nUPDATE claims c\n")
	fill, _, _ = strings.Cut(fill, "ALTER TABLE")
	db := admin(t, url)
	exec(t, db, "UPDATE claims SET elsewhere = 0")
	exec(t, db, "UPDATE claims c\n"+fill)
	got := map[billing.ClaimID]billing.Money{}
	err = s.View(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
		for _, c := range all {
			r, err := tx.Claims.Get(ctx, c.ID)
			if err != nil {
				return err
			}
			got[c.ID] = r.Open()
		}
		return nil
	})
	want := map[billing.ClaimID]billing.Money{primary.ID: 0, second.ID: 0, stated.ID: 12_00, changed.ID: 80_00}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, open %v, want %v", err, got, want)
	}
	if totals := porttest.Totals(t, s, in); totals.Ages[0].Outstanding != 80_00 {
		t.Errorf("outstanding are %s", totals.Ages[0].Outstanding)
	}
}
