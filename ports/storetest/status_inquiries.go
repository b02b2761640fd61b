package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
)

// testStatusInquiries stores inquiries about claims, completes them once, and finds them by
// their claim and their request.
func testStatusInquiries(b *scoped) {
	t := b.t
	c, other := b.claim(0), b.claim(1)
	b.insertClaims(c, other)
	made := func(n int, of billing.ClaimID) *claimstatus.Inquiry {
		i := &claimstatus.Inquiry{
			ID: id[billing.StatusInquiryID](), Scope: b.scope, ClaimID: of, Payer: b.payer(), RequestID: id[billing.RequestID](),
			CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond), State: claimstatus.Pending,
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.StatusInquiries.Insert(ctx, i) })
		return i
	}
	get := func(id billing.StatusInquiryID) *claimstatus.Inquiry {
		return read(b, func(ctx context.Context, tx ports.Tx) (*claimstatus.Inquiry, error) {
			return tx.StatusInquiries.Get(ctx, id)
		})
	}
	first, second, third := made(1, c.ID), made(2, c.ID), made(3, other.ID)
	equal(t, "pending inquiry", get(first.ID), first)

	sent := []coverage.Exchange{{MediaType: coverage.MediaX12, Request: []byte(unicode), Reply: []byte{0, 255}}, {MediaType: coverage.MediaX12, Request: []byte("276"), Reply: []byte{}}}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		i, err := tx.StatusInquiries.Lock(ctx, first.ID)
		if err != nil {
			return err
		}
		i.State, i.Outcome, i.Network, i.CompletedAt = claimstatus.Completed, claimstatus.Found, "sandbox", b.now.Add(time.Second)
		i.Content = claimstatus.Content{Matches: claimstatus.ByControlNumber, PayerClaimNumber: "P-" + unicode, Others: 2, Statuses: []claimstatus.Status{{
			Line: 1, Procedure: "D2740", Codes: []claimstatus.Code{{Category: "F1", Status: "65", Entity: "PR"}}, Effective: billing.Date{Year: 2026, Month: 3, Day: 9},
			Charge: new(billing.Money(125000)), Paid: new(billing.Money(0)), Payment: "17",
		}}}
		first = i
		return tx.StatusInquiries.Complete(ctx, i, sent)
	})
	equal(t, "completed inquiry", get(first.ID), first)
	exchanged := func(id billing.StatusInquiryID) claimstatus.Exchanged {
		return read(b, func(ctx context.Context, tx ports.Tx) (claimstatus.Exchanged, error) {
			return tx.StatusInquiries.Exchanged(ctx, id)
		})
	}
	equal(t, "messages", exchanged(first.ID), claimstatus.Exchanged{Inquiry: first.ID, Messages: sent})
	equal(t, "no messages", exchanged(second.ID), claimstatus.Exchanged{Inquiry: second.ID})

	list := func(f claimstatus.Filter, p billing.Page) []*claimstatus.Inquiry {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*claimstatus.Inquiry, error) {
			return tx.StatusInquiries.List(ctx, f, p)
		})
	}
	page := billing.Page{Limit: 10}
	equal(t, "all", list(claimstatus.Filter{}, page), []*claimstatus.Inquiry{third, second, first})
	equal(t, "of a claim", list(claimstatus.Filter{ClaimID: c.ID}, page), []*claimstatus.Inquiry{second, first})
	equal(t, "of a request", list(claimstatus.Filter{ClaimID: c.ID, RequestID: first.RequestID}, page), []*claimstatus.Inquiry{first})
	equal(t, "of an outcome", list(claimstatus.Filter{ClaimID: c.ID, Outcome: claimstatus.Found}, page), []*claimstatus.Inquiry{first})

	nothing := id[billing.StatusInquiryID]()
	b.absent("an absent inquiry",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.StatusInquiries.Get(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.StatusInquiries.Lock(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.StatusInquiries.Exchanged(ctx, nothing) })
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		_, err := tx.StatusInquiries.Get(ctx, first.ID)
		all, failed := tx.StatusInquiries.List(ctx, claimstatus.Filter{}, page)
		if !billing.IsNotFound(err) || len(all) > 0 {
			t.Errorf("%s sees another scope's inquiries: %v, %v", mode, all, err)
		}
		return failed
	})
}
