package claims_test

import (
	"context"
	"slices"
	"testing"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// secondPlan is the plan of the patient's spouse, with an insurer other than the
// test payer.
func secondPlan() intake.SecondaryRequest {
	return intake.SecondaryRequest{
		PayerID: "84105", Relationship: "spouse", GroupNumber: new("G-2"),
		Subscriber: &intake.ClaimSubscriberInput{MemberID: "SECOND-1", PersonInput: intake.PersonInput{
			FirstName: "Joe", LastName: "Doe", DateOfBirth: "1984-01-02",
			Address: &intake.AddressInput{Line1: "2 Oak Street", City: "Springfield", State: "IL", ZIP: "62701"},
		}},
	}
}

func (b *fixture) billSecondary(id billing.ClaimID, in intake.SecondaryRequest) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return b.service.BillSecondary(b.t.Context(), b.write(req, r), id, in)
	}
}

// decided applies a remittance claim of the test payer to a good claim: it
// pays 800.00 for the crown and 60.00 for the examination, and leaves 200.00 of the
// crown to the patient.
func (b *fixture) decided(id billing.ClaimID) {
	b.t.Helper()
	b.decides(id, "1", billing.SequencePrimary, 860_00, []remit.Line{
		{ControlNumber: "1", ProcedureCode: "D2740", Charge: 1250_00, Paid: 800_00, Units: "1", Adjustments: []remit.Adjustment{
			{Group: "CO", Reason: "45", Amount: 250_00}, {Group: "PR", Reason: "2", Amount: 200_00},
		}},
		{ControlNumber: "2", ProcedureCode: "D0120", Charge: 60_00, Paid: 60_00, Units: "1"},
	})
}

// decides applies a remittance claim of a claim's payer.
func (b *fixture) decides(id billing.ClaimID, status string, s billing.Sequence, pays billing.Money, lines []remit.Line) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		e := &remit.ERA{ID: billing.NewID[billing.ERAID](billing.RealAt(start())), Scope: b.scope, Payer: c.Payer, PayerName: c.Payer.Name, State: remit.NeedsReview, Origin: clearing.FileFromNetwork, Stage: remit.Done, ReceivedAt: start()}
		row := &remit.Claim{
			Ordinal: 1, ControlNumber: c.PatientControlNumber, PayerClaimNumber: "P-" + status, StatusCode: status, Charge: 1310_00, Paid: pays, Balanced: true,
			Date: day(3, 20), Lines: lines,
			ClaimProgress: remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: id, Sequence: s, LineNumbers: []int{1, 2}[:len(lines)], AppliedAt: start()},
		}
		if _, err := tx.ERAs.Insert(ctx, e, [32]byte(append(id[:], id[:]...)), []byte("835")); err != nil {
			return err
		}
		if err := tx.RemittanceClaims.Insert(ctx, e.ID, []*remit.Claim{row}); err != nil {
			return err
		}
		entry := &remit.LedgerEntry{Claim: row, ERA: e.Source()}
		c.Settle(c.Claim.Ledger([]*remit.LedgerEntry{entry}), entry, claim.Cause{At: start()})
		return tx.Claims.Save(ctx, c.Claim)
	})
}

// paidInPart returns a claim that the primary payer has decided.
func (b *fixture) paidInPart() *claim.Record {
	b.t.Helper()
	c := b.put(b.does(b.make(b.good())).ID, claim.AcceptedPayer)
	b.decided(c.ID)
	return c
}

func TestBillSecondary(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	in := b.good()
	in.TenantReference, in.PriorAuthorization = new("mine"), new("AUTH-1")
	first := b.put(b.does(b.make(in)).ID, claim.AcceptedPayer)
	b.decided(first.ID)
	c := b.does(b.billSecondary(first.ID, secondPlan()))
	if c.Coverage != billing.SequenceSecondary || c.SecondaryTo != first.ID || c.State != claim.Validated || len(c.Findings) > 0 ||
		c.Payer.PayerID != "84105" || c.Subscriber.MemberID != "SECOND-1" || c.Subscriber.GroupNumber != "G-2" || c.PriorAuthorization != "" ||
		c.PatientID != first.PatientID || c.PatientControlNumber == first.PatientControlNumber || !c.SentAt.IsZero() || c.Standing != nil ||
		text(t, c.Lines) != text(t, first.Lines) || *c.TenantReference != "mine" {
		t.Errorf("%s with %q", text(t, c.Claim), found(c))
	}
	if p := c.Patient; p == nil || p.FirstName != "Jane" || p.LastName != "Doe" || p.Relationship != coverage.RelationSpouse ||
		p.DateOfBirth != first.Subscriber.DateOfBirth || p.Gender != claim.GenderFemale || p.Address != first.Subscriber.Address {
		t.Errorf("the patient is %+v", p)
	}
	want := []claim.OtherCoverage{{
		Sequence: billing.SequencePrimary, Payer: first.Payer, Subscriber: first.Subscriber, Relationship: coverage.RelationSelf,
		Adjudication: &claim.CoverageAdjudication{
			PaymentDate: day(3, 20), PayerClaimNumber: "P-1", Paid: 860_00,
			Lines: []claim.CoverageLine{
				{LineNumber: 1, ProcedureCode: "D2740", Paid: 800_00, Units: 1, Adjustments: []remit.Adjustment{
					{Group: "CO", Reason: "45", Amount: 250_00}, {Group: "PR", Reason: "2", Amount: 200_00},
				}},
				{LineNumber: 2, ProcedureCode: "D0120", Paid: 60_00, Units: 1},
			},
		},
	}}
	if text(t, c.OtherCoverage) != text(t, want) {
		t.Errorf("the other coverage is %s\nwant %s", text(t, c.OtherCoverage), text(t, want))
	}
	if history(c) != "validation>validated" || b.events(c.ID) != "claim.validated none>validated" {
		t.Errorf("history %q, events %q", history(c), b.events(c.ID))
	}
	now := b.get(first.ID)
	if now.SecondaryID != c.ID || now.State != claim.Paid || now.Standing.PatientResponsibility != 200_00 {
		t.Errorf("the first claim is %s", text(t, now.Claim))
	}
	if sent := b.does(b.submit(c.ID)); sent.State != claim.Queued {
		t.Errorf("submitted, it is %s", sent.State)
	}
	if got := b.refused(b.billSecondary(first.ID, secondPlan())); got != "CONFLICT" {
		t.Errorf("again: %q", got)
	}
	b.put(c.ID, claim.Voided)
	if again := b.does(b.billSecondary(first.ID, secondPlan())); b.get(first.ID).SecondaryID != again.ID {
		t.Error("after the claim to the secondary payer was voided, the first claim does not name the new one")
	}
}

// TestBillTertiary bills a third payer from the claim to the second one. Once another claim
// has taken the place of a voided one, what was decided about that no longer counts for any.
func TestBillTertiary(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first := b.paidInPart()
	plan := secondPlan()
	second := b.put(b.does(b.billSecondary(first.ID, plan)).ID, claim.AcceptedPayer)
	b.decides(second.ID, "2", billing.SequenceSecondary, 110_00, []remit.Line{
		{ControlNumber: "1", ProcedureCode: "D2740", Charge: 1250_00, Paid: 110_00, Units: "1", Adjustments: []remit.Adjustment{
			{Group: "OA", Reason: "23", Amount: 1050_00}, {Group: "PR", Reason: "2", Amount: 90_00},
		}},
		{ControlNumber: "2", ProcedureCode: "D0120", Charge: 60_00, Units: "1", Adjustments: []remit.Adjustment{{Group: "OA", Reason: "23", Amount: 60_00}}},
	})
	plan.Subscriber.MemberID = "THIRD-1"
	c := b.does(b.billSecondary(second.ID, plan))
	if c.Coverage != billing.SequenceTertiary || c.SecondaryTo != second.ID || c.State != claim.Validated || len(c.Findings) > 0 ||
		c.Subscriber.MemberID != "THIRD-1" || b.get(second.ID).SecondaryID != c.ID || c.Open() != 0 {
		t.Errorf("%s with %q", text(t, c.Claim), found(c))
	}
	var stated []string
	for _, o := range c.OtherCoverage {
		stated = append(stated, string(o.Sequence)+" "+o.Subscriber.MemberID+" "+o.Adjudication.Paid.String())
	}
	if want := []string{"primary " + first.Subscriber.MemberID + " 860.00", "secondary SECOND-1 110.00"}; !slices.Equal(stated, want) {
		t.Errorf("it states %q, want %q", stated, want)
	}
	if got := b.refused(b.billSecondary(second.ID, plan)); got != "CONFLICT" {
		t.Errorf("again: %q", got)
	}
	b.put(c.ID, claim.AcceptedPayer)
	b.decides(c.ID, "3", billing.SequenceTertiary, 90_00, []remit.Line{
		{ControlNumber: "1", ProcedureCode: "D2740", Charge: 1250_00, Paid: 90_00, Units: "1", Adjustments: []remit.Adjustment{{Group: "OA", Reason: "23", Amount: 1160_00}}},
	})
	owes := func() (all []string) {
		for _, id := range []billing.ClaimID{first.ID, second.ID} {
			r := b.get(id)
			all = append(all, r.Ledger.Standing().PatientResponsibility.String())
		}
		return all
	}
	if got := owes(); !slices.Equal(got, []string{"0.00", "0.00"}) {
		t.Errorf("paid by all, the patient owes %q", got)
	}
	b.put(c.ID, claim.Voided)
	b.does(b.billSecondary(second.ID, plan))
	if got := owes(); !slices.Equal(got, []string{"90.00", "90.00"}) {
		t.Errorf("with another third claim, the patient owes %q", got)
	}
	if one, two := b.get(first.ID), b.get(second.ID); one.Standing.PatientResponsibility != 90_00 || two.Standing.PatientResponsibility != 90_00 || one.Open() != 0 || two.Open() != 0 {
		t.Errorf("stored are %+v and %+v", one.Standing, two.Standing)
	}
}

// TestBillSecondaryDiesAnywhere ends the process at each of its transactions. The
// caller repeats the request with its key: there is one second claim, which the first
// one names.
func TestBillSecondaryDiesAnywhere(t *testing.T) {
	t.Parallel()
	all := newFixture(t)
	porttest.EveryEnding(t, 1, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		b := newFixtureBeside(all).with(t)
		first, req := b.paidInPart(), b.request()
		bill := func(s *claims.Service) error {
			_, err := s.BillSecondary(t.Context(), b.write(req, render), first.ID, secondPlan())
			return err
		}
		porttest.Dies(func() { _ = bill(claims.New(porttest.Store{Store: b.store, Fault: f}, routing.New(), b.payers)) })
		if now := b.get(first.ID); now.SecondaryID.IsZero() != (b.count() == 1) {
			t.Errorf("there are %d claims, and the first one names %s", b.count(), now.SecondaryID)
		}
		if err := bill(b.service); err != nil {
			t.Fatal(err)
		}
		now := b.get(first.ID)
		second := b.get(now.SecondaryID)
		if b.count() != 2 || second.SecondaryTo != first.ID || len(second.OtherCoverage) != 1 || b.events(second.ID) != "claim.validated none>validated" {
			t.Errorf("%d claims; the first one names %s, which is %s with events %q", b.count(), now.SecondaryID, second.State, b.events(second.ID))
		}
	})
}

func TestSecondaryBillsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	paid := b.at(claim.Paid)
	third := b.does(b.billSecondary(b.does(b.billSecondary(b.at(claim.Paid).ID, secondPlan())).ID, secondPlan()))
	asked := b.put(b.does(b.make(b.asking())).ID, claim.Returned)
	draft := b.good()
	draft.Draft = true
	drafted := b.does(b.make(draft))
	voided := b.at(claim.Voided)
	absent := billing.NewID[billing.ClaimID](billing.RealAt(start()))
	with := func(change func(in *intake.SecondaryRequest)) intake.SecondaryRequest {
		in := secondPlan()
		change(&in)
		return in
	}
	before := b.count()
	for name, x := range map[string]struct {
		use  use
		want string
	}{
		"no body":                {b.billSecondary(paid.ID, intake.SecondaryRequest{}), "INVALID_REQUEST payer_id required, subscriber required, relationship required"},
		"a friend's plan":        {b.billSecondary(paid.ID, with(func(in *intake.SecondaryRequest) { in.Relationship = "friend" })), "INVALID_REQUEST relationship not_allowed"},
		"an unknown payer":       {b.billSecondary(paid.ID, with(func(in *intake.SecondaryRequest) { in.PayerID = "NONE" })), "NOT_FOUND payer_id not_found"},
		"no claim":               {b.billSecondary(absent, secondPlan()), "NOT_FOUND"},
		"another organization's": {newFixtureBeside(b).billSecondary(paid.ID, secondPlan()), "NOT_FOUND"},
		"a predetermination":     {b.billSecondary(asked.ID, secondPlan()), "CONFLICT"},
		"a draft":                {b.billSecondary(drafted.ID, secondPlan()), "CONFLICT"},
		"a voided claim":         {b.billSecondary(voided.ID, secondPlan()), "CONFLICT"},
		"a tertiary claim":       {b.billSecondary(third.ID, secondPlan()), "CONFLICT"},
	} {
		if got := b.refused(x.use); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	if b.count() != before {
		t.Errorf("%d claims, want %d", b.count(), before)
	}
}
