package claims_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// TestVoidOfAClaimThatWasNeverSent voids it at once, in every state that it can have, and
// once. One in a file is on its way.
func TestVoidOfAClaimThatWasNeverSent(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for state, change := range map[claim.State]func(in *intake.ClaimRequest){
		claim.Draft:          func(in *intake.ClaimRequest) { in.Draft = true },
		claim.Validated:      func(*intake.ClaimRequest) {},
		claim.NeedsAttention: incomplete,
		claim.Queued:         submitted,
	} {
		in := b.good()
		in.Subscriber.MemberID = "PLAN-" + string(state)
		change(&in)
		c := b.does(b.make(in))
		if c.State != state {
			t.Fatalf("%s, want %s", c.State, state)
		}
		v := b.does(b.void(c.ID))
		if v.ID != c.ID || v.State != claim.Voided || v.SubmitWhenReady || history(v) != history(c)+", void_unsent>voided" {
			t.Errorf("%s: %s by %q", state, v.State, history(v))
		}
		want := "claim.voided " + string(state) + ">voided"
		if before := b.events(c.ID); len(before) < len(want) || before[len(before)-len(want):] != want {
			t.Errorf("%s: events %q", state, before)
		}
		if got := b.refused(b.void(c.ID)); got != "CONFLICT" {
			t.Errorf("%s, again: %q", state, got)
		}
	}
	if b.count() != 4 {
		t.Errorf("%d claims", b.count())
	}
	in := b.good()
	in.Submit = true
	c := b.does(b.make(in))
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Claims.Lock(ctx, c.ID)
		if err != nil {
			return err
		}
		r.BatchID = billing.NewID[billing.FileID](billing.RealAt(start()))
		return tx.Claims.Save(ctx, r.Claim)
	})
	if got := b.refused(b.void(c.ID)); got != "CONFLICT" || b.get(c.ID).State != claim.Queued {
		t.Errorf("in a file: %q", got)
	}
}

// TestNoCircleOfConflicts bills a secondary payer by mistake, while neither claim was
// sent: the second claim is voided, and another payer is billed. Then both are voided.
func TestNoCircleOfConflicts(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, of := range []claim.State{claim.Validated, claim.Queued} {
		in := b.good()
		in.Subscriber.MemberID, in.Submit = "PLAN-"+string(of), of == claim.Queued
		first := b.does(b.make(in))
		second := b.does(b.billSecondary(first.ID, secondPlan()))
		if got := found(second); got != "other_coverage.0.adjudication not_adjudicated" || b.refused(b.submit(second.ID)) != "CONFLICT" {
			t.Errorf("billed before the decision: %q", got)
		}
		if got := b.refused(b.billSecondary(first.ID, secondPlan())); got != "CONFLICT" {
			t.Errorf("billed twice: %q", got)
		}
		b.does(b.void(second.ID))
		again := b.does(b.billSecondary(first.ID, secondPlan()))
		for _, id := range []billing.ClaimID{first.ID, again.ID} {
			if v := b.does(b.void(id)); v.State != claim.Voided {
				t.Errorf("%s", v.State)
			}
		}
	}
}

// TestReplaceTakesOverTheNewDecision replaces a claim that was sent with an earlier
// decision of the primary payer. A replacement with another one keeps that.
func TestReplaceTakesOverTheNewDecision(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, edited := range []bool{false, true} {
		first := b.paidInPart()
		second := b.does(b.billSecondary(first.ID, secondPlan()))
		b.in(func(ctx context.Context, tx ports.Tx) error { // it was sent before the payer paid for the crown
			c, err := tx.Claims.Lock(ctx, second.ID)
			if err != nil {
				return err
			}
			a := c.OtherCoverage[0].Adjudication
			a.Paid, a.Lines[0].Paid, a.Lines[0].Adjustments = 60_00, 0, []remit.Adjustment{{Group: "CO", Reason: "16", Amount: 1250_00}}
			c.State, c.SentAt, c.Findings = claim.AcceptedPayer, time.Now(), []claim.Finding{{Code: claim.FindingEarlierChanged, Field: "other_coverage.0.adjudication"}}
			return tx.Claims.Save(ctx, c.Claim)
		})
		if step := b.get(second.ID).NextStep(); step != "The decision of the payer before changed after the claim was sent: replace the claim." {
			t.Errorf("the next step is %q", step)
		}
		in := b.good()
		in.PayerID, in.Coverage, in.Subscriber.MemberID = new("84105"), new("secondary"), "SECOND-1"
		in.OtherCoverage = []intake.OtherCoverageInput{{
			Sequence: "primary", PayerID: "CHTEST", Relationship: "self",
			Subscriber: &intake.ClaimSubscriberInput{MemberID: "SANDBOX-PAID-ERA", PersonInput: intake.PersonInput{FirstName: "Jane", LastName: "Doe"}},
			Adjudication: &intake.CoverageAdjudicationInput{PaymentDate: "2026-03-20", PayerClaimNumber: "P-1", Paid: "60.00", Lines: []intake.CoverageLineInput{
				{LineNumber: new(1), ProcedureCode: "D2740", Paid: "0.00", Adjustments: []intake.AdjustmentInput{{Group: "CO", Reason: "16", Amount: "1250.00"}}},
				{LineNumber: new(2), ProcedureCode: "D0120", Paid: "60.00"},
			}},
		}}
		want := billing.Money(860_00)
		if edited {
			in.OtherCoverage[0].Adjudication.PayerClaimNumber, want = "MINE", 60_00
		}
		c := b.does(b.replace(second.ID, in))
		if got := c.OtherCoverage[0].Adjudication.Paid; got != want || c.State != claim.Queued || len(c.Findings) > 0 {
			t.Errorf("%s with %s paid, want %s", c.State, got, want)
		}
		b.put(first.ID, claim.Voided) // the next one is no duplicate
		b.put(second.ID, claim.Voided)
	}
}

// TestVoidOfAClaimThatCameBack voids a claim that was rejected at once, also after it was corrected: no payer has it.
// Of one that replaces another the payer has the other, and of one that was paid after all the payer has it.
func TestVoidOfAClaimThatCameBack(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	file := billing.NewID[billing.FileID](billing.RealAt(start()))
	for name, x := range map[string]struct {
		by     string
		change func(id billing.ClaimID) // after it came back
		state  claim.State
		sends  bool // a void is sent to the payer
		not    bool // it cannot be voided
	}{
		"rejected": {by: "rejected", state: claim.Rejected},
		"corrected": {by: "rejected", change: func(id billing.ClaimID) {
			b.does(b.change(id, given(intake.ClaimRequest{Note: new("Corrected.")}, "note")))
		}, state: claim.Validated},
		"a draft again":         {by: "rejected", change: func(id billing.ClaimID) { b.does(b.change(id, intake.ClaimRequest{Draft: true})) }, state: claim.Draft},
		"not found":             {by: "not found", state: claim.NeedsAttention},
		"its file was rejected": {by: "file", state: claim.Queued},
		"submitted again":       {by: "rejected", change: func(id billing.ClaimID) { b.does(b.change(id, submitting())) }, state: claim.Queued},
		"in the next file":      {by: "rejected", change: func(id billing.ClaimID) { b.does(b.change(id, submitting())); b.into(id, file) }, state: claim.Queued, not: true},
		"a replacement":         {by: "rejected", change: func(id billing.ClaimID) { b.replacing(id) }, state: claim.Rejected, sends: true},
		"a corrected one": {by: "rejected", change: func(id billing.ClaimID) {
			b.replacing(id)
			b.does(b.change(id, given(intake.ClaimRequest{Note: new("Corrected.")}, "note")))
		}, state: claim.Validated, sends: true},
		"a replacement in draft": {by: "rejected", change: func(id billing.ClaimID) { b.replacing(id); b.does(b.change(id, intake.ClaimRequest{Draft: true})) }, state: claim.Draft, not: true},
	} {
		in := b.good()
		in.Subscriber.MemberID, in.Submit = "PLAN-"+name, true
		c := b.does(b.make(in))
		b.comesBack(c.ID, file, x.by)
		if x.change != nil {
			x.change(c.ID)
		}
		before := b.get(c.ID)
		if before.State != x.state {
			t.Fatalf("%s: %s, want %s", name, before.State, x.state)
		}
		if before.Voidable() == x.not {
			t.Errorf("%s: voidable %t", name, before.Voidable())
		}
		if x.not {
			if got := b.refused(b.void(c.ID)); got != "CONFLICT" || b.get(c.ID).State != x.state {
				t.Errorf("%s: %q", name, got)
			}
			continue
		}
		v := b.does(b.void(c.ID))
		if !x.sends {
			if v.ID != c.ID || v.State != claim.Voided || history(v) != history(before)+", void_unsent>voided" {
				t.Errorf("%s: %s by %q", name, v.State, history(v))
			}
			if want := "The claim was voided after it was rejected; create a new claim if the services must still be billed."; v.NextStep() != want {
				t.Errorf("%s: %q", name, v.NextStep())
			}
			continue
		}
		if v.ID == c.ID || v.Frequency != claim.FrequencyVoid || v.State != claim.Queued || b.get(c.ID).State != x.state {
			t.Errorf("%s: %+v", name, v.Claim)
		}
		if got := b.refused(b.void(c.ID)); got != "CONFLICT" {
			t.Errorf("%s, again: %q", name, got)
		}
		if x.state == claim.Validated && b.refused(b.submit(c.ID)) != "CONFLICT" {
			t.Errorf("%s: it is submitted beside its void", name)
		}
		b.in(func(ctx context.Context, tx ports.Tx) error {
			r, err := tx.Claims.Lock(ctx, c.ID)
			if err != nil {
				return err
			}
			if _, ok := r.Voided(claim.Cause{At: start()}); !ok {
				t.Errorf("%s: an accepted void does not void it", name)
			}
			return nil
		})
	}
}

func submitting() intake.ClaimRequest { return intake.ClaimRequest{Submit: true} }

// into puts a queued claim into a file.
func (b *fixture) into(id billing.ClaimID, file billing.FileID) {
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		r.BatchID = file
		return tx.Claims.Save(ctx, r.Claim)
	})
}

// comesBack sends a queued claim with a file, and has it rejected.
func (b *fixture) comesBack(id billing.ClaimID, file billing.FileID, by string) {
	b.into(id, file)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		batch := &clearing.Batch{ID: file}
		_, sent := r.Sent(batch, start())
		cause := claim.Cause{At: start()}
		var back bool
		switch by {
		case "file":
			_, back = r.FileRejected(batch, nil, cause)
		case "not found":
			_, back = r.Reported(&clearing.ClaimReport{Side: clearing.SidePayer, Outcome: clearing.ReportNotFound}, cause)
		default:
			_, back = r.Reported(&clearing.ClaimReport{Side: clearing.SidePayer, Outcome: clearing.ReportRejected}, cause)
		}
		if !sent || !back {
			b.t.Errorf("sent %t, back %t", sent, back)
		}
		return tx.Claims.Save(ctx, r.Claim)
	})
}

// replacing has the payer take the claim, and reject what replaces it.
func (b *fixture) replacing(id billing.ClaimID) {
	b.put(id, claim.AcceptedPayer)
	in := b.good()
	in.Subscriber.MemberID = b.get(id).Subscriber.MemberID
	b.does(b.replace(id, in))
	b.comesBack(id, billing.NewID[billing.FileID](billing.RealAt(start())), "rejected")
}
