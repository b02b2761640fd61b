package remittances_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// followed creates a claim that its payer has paid but for 30.00, the remittance, and the
// claim to the secondary payer, which no file has carried, in a state.
func (b *fixture) followed(state claim.State) (first, second billing.ClaimID, era billing.ERAID) {
	b.t.Helper()
	first = b.claim("A-1")
	era = b.remit(paid("A-1", "P-1", 3000)).ID
	return first, b.unsent(first, state), era
}

// unsent bills a claim to the secondary payer, and leaves the new one in a state.
func (b *fixture) unsent(first billing.ClaimID, state claim.State) billing.ClaimID {
	b.t.Helper()
	second := b.billSecondary(first, "B-1")
	b.change(second, func(c *claim.Claim) { c.State, c.SentAt = state, time.Time{} })
	return second
}

// says returns what a claim to the secondary payer states of the primary one: the state,
// what was paid, what was left to the patient, the findings and the events.
func (b *fixture) says(id billing.ClaimID) string {
	b.t.Helper()
	c := b.get(id)
	stated := "nothing"
	if a := c.OtherCoverage[0].Adjudication; a != nil {
		stated = fmt.Sprintf("%s and %s", a.Paid, a.Patient())
	}
	var codes []string
	for _, f := range c.Findings {
		codes = append(codes, f.Code)
	}
	return strings.Join([]string{string(c.State), stated, strings.Join(codes, " "), b.events(id)}, "; ")
}

// TestClaimsFollowThePrimaryPayer changes the ledger of the first claim in every way that
// there is. The claim to the secondary payer follows in the same commit.
func TestClaimsFollowThePrimaryPayer(t *testing.T) {
	t.Parallel()
	const changed = claim.FindingEarlierChanged
	takesBack := func(b *fixture, _ billing.ClaimID, _ billing.ERAID) { b.remit(reversed(paid("A-1", "P-1", 3000))) }
	corrects := func(b *fixture, _ billing.ClaimID, _ billing.ERAID) {
		b.remit(reversed(paid("A-1", "P-1", 3000)), paid("A-1", "P-1", 1000))
	}
	for name, x := range map[string]struct {
		state  claim.State
		change func(b *fixture, first billing.ClaimID, era billing.ERAID)
		want   string
	}{
		"validated, corrected":  {claim.Validated, corrects, "validated; 140.00 and 10.00; ; "},
		"validated, taken back": {claim.Validated, takesBack, "needs_attention; nothing; not_adjudicated; claim.needs_attention"},
		"draft, taken back":     {claim.Draft, takesBack, "draft; nothing; not_adjudicated; "},
		"queued, corrected":     {claim.Queued, corrects, "queued; 140.00 and 10.00; ; "},
		"queued, taken back": {
			claim.Queued, takesBack, "needs_attention; nothing; not_adjudicated " + changed + "; claim.needs_attention",
		},
		"rejected, corrected":  {claim.Rejected, corrects, "rejected; 140.00 and 10.00; ; "},
		"voided, corrected":    {claim.Voided, corrects, "voided; 120.00 and 30.00; ; "},
		"submitted, corrected": {claim.Submitted, corrects, "submitted; 120.00 and 30.00; " + changed + "; "},
		"paid, taken back":     {claim.Paid, takesBack, "paid; 120.00 and 30.00; " + changed + "; "},
		"decided again": {claim.Queued, func(b *fixture, _ billing.ClaimID, _ billing.ERAID) {
			b.remit(paid("A-1", "P-1", 2000))
		}, "queued; 130.00 and 20.00; ; "},
		"unapplied": {claim.Queued, func(b *fixture, _ billing.ClaimID, era billing.ERAID) {
			b.decided(decision{does: claim.TriggerUnapply, era: era, ordinal: 1})
		}, "needs_attention; nothing; not_adjudicated " + changed + "; claim.needs_attention"},
		"unapplied and applied": {claim.Queued, func(b *fixture, _ billing.ClaimID, era billing.ERAID) {
			b.decided(decision{does: claim.TriggerUnapply, era: era, ordinal: 1})
			b.decided(decision{does: claim.TriggerApply, era: era, ordinal: 1})
		}, "needs_attention; 120.00 and 30.00; " + changed + "; claim.needs_attention"},
		"replaced by a correction": {claim.Queued, func(b *fixture, _ billing.ClaimID, era billing.ERAID) {
			p := b.payment(paid("A-1", "P-1", 1000))
			p.Trace.Number = b.shown(era).Payment.TraceNumber
			b.judged(b.service.Replace, b.imports(p).ID)
		}, "queued; 140.00 and 10.00; ; "},
		"matched": {claim.Validated, func(b *fixture, first billing.ClaimID, _ billing.ERAID) {
			r := b.remit(paid("OTHER", "P-9", 1000))
			b.decided(decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: first})
		}, "validated; 140.00 and 10.00; ; "},
		"sent, taken back and paid again": {claim.Paid, func(b *fixture, first billing.ClaimID, era billing.ERAID) {
			takesBack(b, first, era)
			b.remit(paid("A-1", "P-1", 3000))
		}, "paid; 120.00 and 30.00; ; "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			first, second, era := b.followed(x.state)
			x.change(b, first, era)
			if got := b.says(second); got != x.want {
				t.Errorf("%q\nwant %q", got, x.want)
			}
		})
	}
}

// TestAClaimInAFileKeepsWhatItSays: the clearinghouse may have it.
func TestAClaimInAFileKeepsWhatItSays(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	_, second, _ := b.followed(claim.Queued)
	b.change(second, func(c *claim.Claim) { c.BatchID = billing.NewID[billing.FileID](billing.RealAt(b.clock.Now())) })
	b.remit(paid("A-1", "P-1", 1000))
	if got, want := b.says(second), "queued; 120.00 and 30.00; "+claim.FindingEarlierChanged+"; "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBilledBeforeThePrimaryPayerDecides: the second claim waits, and goes on by itself.
func TestBilledBeforeThePrimaryPayerDecides(t *testing.T) {
	t.Parallel()
	for _, submitted := range []bool{false, true} {
		b := newFixture(t)
		first := b.claim("A-1")
		second := b.unsent(first, claim.NeedsAttention)
		b.change(second, func(c *claim.Claim) {
			c.SubmitWhenReady, c.Findings = submitted, []claim.Finding{{Code: claim.FindingNotAdjudicated, Field: "other_coverage.0.adjudication"}}
		})
		if step := b.get(second).NextStep(); !strings.Contains(step, "waits for the decision of the payer before it") || strings.Contains(step, "then submit") == submitted {
			t.Errorf("the next step is %q", step)
		}
		b.remit(paid("A-1", "P-1", 3000))
		want := map[bool]string{
			false: "validated; 120.00 and 30.00; ; claim.validated",
			true:  "queued; 120.00 and 30.00; ; claim.validated claim.queued",
		}[submitted]
		if got := b.says(second); got != want || b.get(second).SubmitWhenReady {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWhatAPersonEnteredIsNamed: the remittance replaces it, and a finding says what it was.
func TestWhatAPersonEnteredIsNamed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	_, second, _ := b.followed(claim.Queued)
	b.change(second, func(c *claim.Claim) {
		a := c.OtherCoverage[0].Adjudication
		a.Paid, a.Lines[0].Paid, a.Lines[0].Adjustments[1].Amount = 110_00, 110_00, 40_00
	})
	b.remit(paid("A-1", "P-1", 1000))
	if got, want := b.says(second), "needs_attention; 140.00 and 10.00; "+claim.FindingEarlierChanged+"; claim.needs_attention"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	const was = "It was: paid $110.00; line 1 paid $110.00, CO-45 $50.00, PR-2 $40.00."
	if f := b.get(second).Findings; len(f) != 1 || !strings.HasSuffix(f[0].Message, was) || f[0].Field != "other_coverage.0.adjudication" {
		t.Errorf("%+v", f)
	}
	b.remit(paid("A-1", "P-1", 2000)) // the person has not looked yet
	if f := b.get(second).Findings; len(f) != 1 || !strings.HasSuffix(f[0].Message, was) {
		t.Errorf("%+v", f)
	}
}

// TestFollowingDiesAnywhere ends the process at each commit: either both claims have
// changed, or neither has.
func TestFollowingDiesAnywhere(t *testing.T) {
	t.Parallel()
	porttest.EveryEnding(t, 1, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		b := newFixture(t)
		first, second, _ := b.followed(claim.Queued)
		j := b.receive(reversed(paid("A-1", "P-1", 3000)))
		porttest.Dies(func() { _ = b.process(f).Apply(t.Context(), j) })
		if gone := b.get(first).State == claim.AcceptedPayer; gone != (b.get(second).State == claim.NeedsAttention) {
			t.Errorf("the first claim is %s, the second %s", b.get(first).State, b.get(second).State)
		}
		b.apply(j)
		if got := b.events(second); got != "claim.needs_attention" {
			t.Errorf("events %q", got)
		}
	})
}

// TestTakenBackWhileItIsCut takes a payment back while the second claim gets into a file:
// it is in the file, or it needs attention.
func TestTakenBackWhileItIsCut(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	_, second, _ := b.followed(claim.Queued)
	payers := []billing.PayerID{b.get(second).Payer.ID}
	b.receive(reversed(paid("A-1", "P-1", 3000)))
	cut := make(chan error, 1)
	go func() {
		cut <- b.store.InTx(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
			claims, err := tx.Clearing.Queued(ctx, payers, time.Time{}, 10)
			for _, c := range claims {
				c.BatchID = billing.NewID[billing.FileID](billing.RealAt(b.clock.Now()))
				err = tx.Claims.Save(ctx, c)
			}
			return err
		})
	}()
	b.settle()
	if err := <-cut; err != nil {
		t.Fatal(err)
	}
	if c := b.get(second); c.BatchID.IsZero() != (c.State == claim.NeedsAttention) || len(c.Findings) == 0 {
		t.Errorf("%s in batch %s with %+v", c.State, c.BatchID, c.Findings)
	}
}
