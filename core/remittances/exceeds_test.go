package remittances_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestPaidUnderAnotherNumber pays a claim again under another claim number of the payer.
// A person decides, unless the remittance takes the first payment back, in whatever
// order and commits.
func TestPaidUnderAnotherNumber(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A")
	first := paid("A", "P1", 0)
	b.remit(first)
	second := b.remit(paid("A", "P2", 0))
	if got, review := counts(second), second.Claims[0].Review; got != "1/1 r done" || review != remit.ReviewExceedsCharge || b.stands(id) != "paid paid 150.00" {
		t.Errorf("%s, %s, the claim is %s", got, review, b.stands(id))
	}
	second = b.decided(decision{does: claim.TriggerApply, era: second.ID, ordinal: 1})
	if got := counts(second); got != "1/1 a done" || b.stands(id) != "paid paid 300.00" {
		t.Errorf("applied: %s, the claim is %s", got, b.stands(id))
	}
	for _, pieces := range []int{1, 300} {
		b := newFixture(t)
		b.service.InPieces(pieces)
		id := b.claim("A")
		b.remit(first)
		if r := b.remit(paid("A", "P2", 2500), reversed(first)); counts(r) != "2/2 aa done" || b.stands(id) != "paid paid 125.00" {
			t.Errorf("in pieces of %d: %s, the claim is %s", pieces, counts(r), b.stands(id))
		}
	}
}
