package storetest

import (
	"bytes"
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// testLedger reads what is applied to claims, with what its remittances say.
func testLedger(b *scoped) {
	t := b.t
	first, second, bare := b.era(0), b.era(1), b.era(2)
	bare.Payer, bare.PayerName, bare.Payment = directory.PayerSummary{}, "", remit.Payment{}
	b.insertERAs(first, second, bare)
	one, other, absent := id[billing.ClaimID](), id[billing.ClaimID](), id[billing.ClaimID]()
	row := func(ordinal int, status remit.Status, c billing.ClaimID) *remit.Claim {
		return b.became(b.remittanceClaim(ordinal), status, c)
	}
	early := []*remit.Claim{
		row(1, remit.StatusApplied, one), row(2, remit.StatusPending, one), row(3, remit.StatusNeedsReview, one), row(4, remit.StatusUnmatched, one),
		row(5, remit.StatusIgnored, one), row(6, remit.StatusForwarded, one), row(7, remit.StatusApplied, other), row(8, remit.StatusApplied, id[billing.ClaimID]()),
	}
	late := []*remit.Claim{row(1, remit.StatusApplied, one), row(2, remit.StatusApplied, one)}
	late[1].ClaimProgress = Filled[remit.ClaimProgress](t)
	late[1].Status, late[1].ClaimID = remit.StatusApplied, one
	last := row(1, remit.StatusApplied, one)
	b.insertRemittanceClaims(second.ID, late...)
	b.insertRemittanceClaims(first.ID, early...)
	b.insertRemittanceClaims(bare.ID, last)
	ledger := func(claims ...billing.ClaimID) map[billing.ClaimID][]*remit.LedgerEntry {
		return read(b, func(ctx context.Context, tx ports.Tx) (map[billing.ClaimID][]*remit.LedgerEntry, error) {
			return tx.RemittanceClaims.Ledger(ctx, claims)
		})
	}
	entry := func(e *remit.ERA, r *remit.Claim) *remit.LedgerEntry {
		return &remit.LedgerEntry{Claim: r, ERA: e.Source()}
	}
	equal(t, "ledgers", ledger(one, other, absent), map[billing.ClaimID][]*remit.LedgerEntry{
		one:   {entry(first, early[0]), entry(second, late[0]), entry(second, late[1]), entry(bare, last)},
		other: {entry(first, early[6])},
	})
	equal(t, "no ledger", len(ledger(absent))+len(ledger()), 0)
	b.saveRemittanceClaims(first.ID, b.became(early[0], remit.StatusNeedsReview, one), b.became(early[3], remit.StatusApplied, one))
	b.saveRemittanceClaims(second.ID, b.became(late[1], remit.StatusApplied, other))
	equal(t, "ledgers after changes", ledger(one, other), map[billing.ClaimID][]*remit.LedgerEntry{
		one:   {entry(first, early[3]), entry(second, late[0]), entry(bare, last)},
		other: {entry(first, early[6]), entry(second, late[1])},
	})
}

// testLinked finds the claims to other payers for the same services, from either side.
func testLinked(b *scoped) {
	first, second, alone, third := b.claim(0), b.claim(1), b.claim(2), b.claim(3)
	b.insertClaims(first, alone)
	second.SecondaryTo, third.SecondaryTo = first.ID, second.ID
	b.insertClaims(second)
	b.insertClaims(third)
	b.changeClaim(first.ID, func(c *claim.Claim) { c.SecondaryID = second.ID })
	b.changeClaim(second.ID, func(c *claim.Claim) { c.SecondaryID = third.ID })
	for name, c := range map[string]struct {
		of   []billing.ClaimID
		want []billing.ClaimID
	}{
		"the first":  {[]billing.ClaimID{first.ID, alone.ID}, []billing.ClaimID{second.ID, third.ID}},
		"the second": {[]billing.ClaimID{second.ID}, []billing.ClaimID{first.ID, third.ID}},
		"the third":  {[]billing.ClaimID{third.ID}, []billing.ClaimID{first.ID, second.ID}},
		"two":        {[]billing.ClaimID{second.ID, first.ID}, []billing.ClaimID{third.ID}},
		"all":        {[]billing.ClaimID{second.ID, first.ID, third.ID}, nil},
		"none":       {[]billing.ClaimID{alone.ID, id[billing.ClaimID]()}, nil},
		"no claim":   {nil, nil},
	} {
		var got []billing.ClaimID
		b.in(func(ctx context.Context, tx ports.Tx) error {
			found, err := tx.RemittanceClaims.Linked(ctx, c.of)
			for _, linked := range found {
				got = append(got, linked.ID)
			}
			return err
		})
		for _, ids := range [][]billing.ClaimID{got, c.want} {
			slices.SortFunc(ids, func(x, y billing.ClaimID) int { return bytes.Compare(x[:], y[:]) })
		}
		equal(b.t, name, got, c.want)
	}
}
