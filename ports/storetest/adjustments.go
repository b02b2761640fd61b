package storetest

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// testNamed finds claims by the numbers that a provider adjustment may have: those of the
// claim, and those of its payer in remittances that are applied.
func testNamed(b *scoped) {
	t := b.t
	e := b.era(0)
	own, submitted, payers, applied, another := b.claim(0), b.claim(1), b.claim(2), b.claim(3), b.claim(4)
	for n, c := range []*claim.Claim{own, submitted, payers, applied, another} {
		c.Payer, c.PayerClaimNumber = e.Payer, ""
		c.PatientControlNumber = "OWN-" + string(rune('A'+n))
	}
	submitted.SubmittedNumber, payers.PayerClaimNumber = "SENT-1", "ICN-1"
	another.Payer, another.PayerClaimNumber = b.payer(), "ICN-1" // of another payer
	b.insertClaims(own, submitted, payers, applied, another)
	b.insertERAs(e)
	row := b.became(b.remittanceClaim(1), remit.StatusApplied, applied.ID)
	left := b.became(b.remittanceClaim(2), remit.StatusIgnored, applied.ID)
	b.insertRemittanceClaims(e.ID, row, left)
	named := func(payer remit.Source, numbers ...string) map[string][]billing.ClaimID {
		found := read(b, func(ctx context.Context, tx ports.Tx) (map[string][]billing.ClaimID, error) {
			return tx.Adjustments.Named(ctx, payer, numbers)
		})
		for _, ids := range found {
			slices.SortFunc(ids, func(x, y billing.ClaimID) int { return bytes.Compare(x[:], y[:]) })
		}
		return found
	}
	equal(t, "claims by number", named(e.Source(), "own-a", "sent-1", "ICN-1", row.PayerClaimNumber, left.PayerClaimNumber, "NONE"), map[string][]billing.ClaimID{
		"own-a": {own.ID}, "sent-1": {submitted.ID}, "ICN-1": {payers.ID}, row.PayerClaimNumber: {applied.ID},
	})
	equal(t, "no number", len(named(e.Source())), 0)
	other := b.era(1)
	other.Payer = another.Payer
	equal(t, "the same number of another payer", named(other.Source(), "ICN-1", row.PayerClaimNumber), map[string][]billing.ClaimID{"ICN-1": {another.ID}})
	b.scope = newScope()
	equal(t, "of another scope", len(named(e.Source(), "OWN-A", "ICN-1")), 0)
}

// testForwarded reads the balances that a payer carried forward, in the order of the
// payments. Those of other payers and of remittances that do not stand are left out.
func testForwarded(b *scoped) {
	t := b.t
	forwards := func(n, day int, trace string, amounts ...billing.Money) *remit.ERA {
		e := b.era(n)
		e.Payment.TraceNumber, e.Payment.Date.Day, e.Corrects, e.ProviderAdjustments = trace, day, nil, nil
		for _, a := range amounts {
			e.ProviderAdjustments = append(e.ProviderAdjustments, remit.ProviderAdjustment{Reason: "FB", Reference: "R-" + trace, Amount: a})
		}
		return e
	}
	later, earlier, none := forwards(0, 9, "later", 50, -20), forwards(1, 4, "earlier", -70), b.era(2)
	another := forwards(6, 8, "another", 9)
	unnamed, discarded, correction := forwards(3, 5, "unnamed", 5), forwards(4, 6, "discarded", 7), forwards(5, 7, "correction", 8)
	for _, e := range []*remit.ERA{earlier, none, discarded, correction} {
		e.Payer = later.Payer
	}
	unnamed.Payer, unnamed.PayerName = directory.PayerSummary{}, "Some Payer"
	discarded.State = remit.Discarded
	correction.Corrects = []billing.ERAID{later.ID} // nobody has decided about it
	b.insertERAs(later, earlier, none, unnamed, discarded, correction, another)
	forwarded := func(of remit.Source) []remit.Forwarded {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]remit.Forwarded, error) {
			return tx.Adjustments.Forwarded(ctx, of)
		})
	}
	balance := func(e *remit.ERA, amount billing.Money) remit.Forwarded {
		return remit.Forwarded{ERA: e.ID, Date: e.Payment.Date, TraceNumber: e.Payment.TraceNumber, Reference: "R-" + e.Payment.TraceNumber, Amount: amount}
	}
	equal(t, "of a payer", forwarded(later.Source()), []remit.Forwarded{balance(earlier, -70), balance(later, 50), balance(later, -20)})
	named := unnamed.Source()
	named.PayerName = strings.ToUpper(named.PayerName)
	equal(t, "of a payer without an entry", forwarded(named), []remit.Forwarded{balance(unnamed, 5)})
	b.scope = newScope()
	equal(t, "of another scope", len(forwarded(later.Source())), 0)
}
