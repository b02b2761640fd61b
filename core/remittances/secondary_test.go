package remittances_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
)

// billSecondary bills a claim to the secondary payer, and sends the new claim.
func (b *fixture) billSecondary(id billing.ClaimID, number string) billing.ClaimID {
	b.t.Helper()
	second := billing.NewID[billing.ClaimID](billing.RealAt(b.clock.Now()))
	b.in(func(ctx context.Context, tx ports.Tx) error {
		first, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		entries, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{id, first.SecondaryTo})
		if err != nil {
			return err
		}
		first.Ledger = first.Claim.Ledger(entries[id])
		if !first.SecondaryTo.IsZero() {
			before, err := tx.Claims.Get(ctx, first.SecondaryTo)
			if err != nil {
				return err
			}
			first.Ledger = first.Ledger.Beside(before.Claim.Ledger(entries[before.ID]))
		}
		plan := claim.SecondPlan{
			Payer:        first.Payer, // both plans are with one insurer
			Subscriber:   claim.Subscriber{FirstName: "Ada", LastName: "Byron", MemberID: "M1"},
			Relationship: coverage.RelationSelf,
		}
		c, err := first.BillSecondary(second, number, plan, !first.SecondaryID.IsZero(), billing.RequestID{}, b.clock.Now())
		if err != nil {
			return err
		}
		c.SetElsewhere(c.Ledger(nil))
		c.State, c.SentAt = claim.AcceptedPayer, b.clock.Now()
		if err := tx.Claims.Insert(ctx, c); err != nil {
			return err
		}
		return tx.Claims.Save(ctx, first.Claim)
	})
	return second
}

// leftOver is what the primary payer leaves to the patient in these tests.
const leftOver = billing.Money(3000)

// bySecond returns the decision of the secondary payer: it pays the amount, and
// leaves the rest of what the primary left to the patient.
func bySecond(number string, pays billing.Money) remittance.Claim {
	c := paid(number, "S-1", 0)
	c.Status = "2"
	c.Services[0].Adjustments = []remittance.Adjustment{
		{Group: "OA", Reason: "23", Amount: fee - leftOver}, {Group: "PR", Reason: "2", Amount: leftOver - pays},
	}
	return c
}

func (b *fixture) figures(id billing.ClaimID) string {
	b.t.Helper()
	s := b.get(id).Standing
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("paid %s, patient %s, written off %s, %s", s.Paid, s.PatientResponsibility, s.Contractual, s.Outcome)
}

// TestSecondaryClaim pays the claims to both payers. Each shows its own payments, and
// both show what the patient owes.
func TestSecondaryClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first := b.claim("A-1")
	primary := paid("A-1", "P-1", 3000)
	if r := b.remit(primary); counts(r) != "1/1 a done" {
		t.Fatal(counts(r))
	}
	second := b.billSecondary(first, "B-1")
	wants := func(when, ofFirst, ofSecond string) {
		t.Helper()
		if got := b.figures(first); got != ofFirst {
			t.Errorf("%s, the first claim: %s, want %s", when, got, ofFirst)
		}
		if got := b.figures(second); got != ofSecond {
			t.Errorf("%s, the second claim: %s, want %s", when, got, ofSecond)
		}
	}
	wants("billed", "paid 120.00, patient 30.00, written off 50.00, paid", "none")

	r := b.remit(bySecond("B-1", 2000))
	if counts(r) != "1/1 a done" || r.Claims[0].Sequence != billing.SequenceSecondary || len(r.Claims[0].Warnings) > 0 {
		t.Errorf("%s as %s with %v", counts(r), r.Claims[0].Sequence, r.Claims[0].Warnings)
	}
	wants("paid by both", "paid 120.00, patient 10.00, written off 50.00, paid", "paid 20.00, patient 10.00, written off 50.00, paid")
	if b.events(first) != "claim.paid" || b.events(second) != "claim.paid" {
		t.Errorf("events %q and %q", b.events(first), b.events(second))
	}
	if first := b.get(first); first.State != claim.Paid || len(b.ledger(first.ID)) != 1 || !first.SettledAt.Equal(b.get(second).SettledAt) {
		t.Errorf("the first claim is %s", first.State)
	}

	b.remit(reversed(bySecond("B-1", 2000)))
	wants("the secondary takes its payment back", "paid 120.00, patient 30.00, written off 50.00, paid", "none")

	denial := bySecond("B-1", 0)
	denial.Status = "4"
	denial.Services[0].Adjustments[1] = remittance.Adjustment{Group: "OA", Reason: "18", Amount: 3000}
	b.remit(denial)
	wants("the secondary refuses", "paid 120.00, patient 30.00, written off 50.00, paid", "paid 0.00, patient 30.00, written off 50.00, denied")
}

// TestSecondaryClaimIsFinished unapplies the secondary payment by hand.
func TestSecondaryClaimIsFinished(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first := b.claim("A-1")
	b.remit(paid("A-1", "P-1", 3000))
	b.change(first, func(c *claim.Claim) { c.State, c.ReconciledAt = claim.Reconciled, b.clock.Now() })
	b.billSecondary(first, "B-1")
	r := b.remit(bySecond("B-1", 3000))
	if got := b.figures(first); got != "paid 120.00, patient 0.00, written off 50.00, paid" {
		t.Errorf("the first claim: %s", got)
	}
	if c := b.get(first); !c.Unposted() {
		t.Error("the change of what the patient owes need not be posted")
	}
	b.decided(decision{does: claim.TriggerUnapply, era: r.ID, ordinal: 1})
	if got := b.figures(first); got != "paid 120.00, patient 30.00, written off 50.00, paid" {
		t.Errorf("the first claim, after it is taken back: %s", got)
	}
}
