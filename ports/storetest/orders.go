package storetest

import (
	"cmp"
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// testClaimOrders walks lists of claims in each order, with equal values and a draft without
// services among them, both ways.
func testClaimOrders(b *scoped) {
	var all []*claim.Claim
	for n := range 24 {
		c := b.claim(n)
		c.State, c.History, c.Findings = []claim.State{claim.Submitted, claim.Paid, claim.Denied}[n%3], nil, nil
		c.Lines = []claim.Line{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 7, Day: 1 + n%5}, Fee: billing.Money(100 * (n % 4)), Quantity: 1}}
		if n == 7 {
			c.State, c.Lines = claim.Draft, nil
		}
		all = append(all, c)
	}
	b.insertClaims(all...)
	for name, f := range map[string]claim.Filter{
		"all": {}, "one state": {States: []claim.State{claim.Paid}}, "states": {States: []claim.State{claim.Paid, claim.Draft}},
		"served": {ServiceFrom: billing.Date{Year: 2026, Month: 7, Day: 2}}, "open": {Open: true}, "a payer": {PayerID: all[3].Payer.ID},
		"a request": {RequestID: all[5].RequestID},
	} {
		f.Kind = claim.KindClaim
		for _, f.Sort = range []claim.Sort{claim.SortCreated, claim.SortService, claim.SortCharge, claim.SortOpen} {
			var want []*claim.Claim
			for _, c := range all {
				switch {
				case len(f.States) > 0 && !slices.Contains(f.States, c.State):
				case !f.ServiceFrom.IsZero() && (len(c.Lines) == 0 || c.Lines[0].ServiceDate.Before(f.ServiceFrom)):
				case (f.Open || f.Sort == claim.SortOpen) && (!c.HasOpen() || c.Open() == 0):
				case !f.PayerID.IsZero() && c.Payer.ID != f.PayerID, !f.RequestID.IsZero() && c.RequestID != f.RequestID:
				default:
					want = append(want, c)
				}
			}
			at := func(c *claim.Claim) billing.Position { return c.PositionBy(f.Sort) }
			walksBothWays(b, name+" by "+string(f.Sort), want, at, func(p billing.Page) []*claim.Claim { return b.listClaims(f, p) })
		}
	}
}

// testRemittanceOrders walks lists of remittances in each order; one of them has no payment.
func testRemittanceOrders(b *scoped) {
	var all []*remit.ERA
	for n := range 12 {
		e := b.era(n)
		e.Payment.Date.Day, e.Payment.Total = 1+n%4, billing.Money(100*(n%3))
		if n == 5 {
			e.Payment = remit.Payment{}
		}
		all = append(all, e)
	}
	b.insertERAs(all...)
	for _, by := range []remit.Sort{remit.SortReceived, remit.SortDate, remit.SortTotal} {
		walksBothWays(b, "remittances by "+string(by), all, func(e *remit.ERA) billing.Position { return e.PositionBy(by) }, func(p billing.Page) []*remit.ERA {
			return read(b, func(ctx context.Context, tx ports.Tx) ([]*remit.ERA, error) {
				return tx.ERAs.List(ctx, remit.Filter{Sort: by}, p)
			})
		})
	}
}

// walksBothWays compares a list with the rows in the order of their places, both ways.
func walksBothWays[T any](b *scoped, name string, rows []T, at func(T) billing.Position, list func(billing.Page) []T) {
	b.t.Helper()
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y T) int {
		px, py := at(x), at(y)
		return cmp.Or(cmp.Compare(py.Order[0], px.Order[0]), py.Time.Compare(px.Time), slices.Compare(py.ID[:], px.ID[:]))
	})
	equal(b.t, name, walk(5, list, at, func() {}), rows)
	slices.Reverse(rows)
	equal(b.t, name+", the first last", walk(5, func(p billing.Page) []T {
		p.Oldest = true
		return list(p)
	}, at, func() {}), rows)
}
