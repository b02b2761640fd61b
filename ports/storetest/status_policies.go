package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/ports"
)

// testStatusPolicies stores the policy for a payer twice, and finds the claims that it has asked
// about: each at its time, and none that another transaction has locked.
func testStatusPolicies(b *scoped) {
	t := b.t
	first := &claimstatus.Policy{
		ID: id[billing.StatusPolicyID](), Scope: b.scope, Payer: b.payer(), CreatedAt: b.now, UpdatedAt: b.now, After: 14, Every: 7, Feed: id[billing.JobID](),
	}
	put := func(p *claimstatus.Policy) *claimstatus.Policy {
		stored, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*claimstatus.Policy, error) {
			return tx.StatusPolicies.Put(ctx, p)
		})
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	equal(t, "a stored policy", put(first), first)
	second := *first
	second.ID, second.CreatedAt, second.UpdatedAt, second.Every, second.Feed = id[billing.StatusPolicyID](), b.now.Add(time.Hour), b.now.Add(time.Hour), 20, id[billing.JobID]()
	want := second
	want.ID, want.CreatedAt = first.ID, first.CreatedAt
	equal(t, "a replaced policy", put(&second), &want)
	p := read(b, func(ctx context.Context, tx ports.Tx) (*claimstatus.Policy, error) {
		return tx.StatusPolicies.Get(ctx, want.Payer.ID)
	})
	equal(t, "the policy of a payer", p, &want)
	equal(t, "policies", read(b, func(ctx context.Context, tx ports.Tx) ([]*claimstatus.Policy, error) {
		return tx.StatusPolicies.List(ctx, billing.Page{Limit: 10})
	}), []*claimstatus.Policy{&want})

	sent := func(n, days int, change func(*claim.Claim)) *claim.Claim {
		c := b.claim(n)
		c.State, c.Kind, c.Frequency, c.SentAt = claim.AcceptedPayer, claim.KindClaim, claim.FrequencyOriginal, b.now.AddDate(0, 0, -days)
		c.Payer, c.History, c.Asked = p.Payer, nil, nil
		change(c)
		return c
	}
	asked := func(days, repeated int, missed bool) func(*claim.Claim) {
		return func(c *claim.Claim) {
			c.Asked = &claim.Asked{At: b.now.AddDate(0, 0, -days), SaidAt: b.now, Outcome: "found", Category: "P1", Repeated: repeated, Missed: missed}
		}
	}
	never := func(*claim.Claim) {}
	all := []*claim.Claim{
		sent(0, 14, never), sent(1, 13, never), // due now, and tomorrow
		sent(2, 60, asked(20, 0, false)), sent(3, 60, asked(19, 0, false)),
		sent(4, 90, asked(28, 3, false)), sent(5, 90, asked(27, 3, false)), // twice 20 is more than 28
		sent(6, 90, asked(1, 9, true)), sent(7, 600, asked(30, 0, false)), // at the payer's silence after a day; archived
		sent(8, 90, func(c *claim.Claim) { c.State = claim.Paid }),
		sent(9, 90, func(c *claim.Claim) { c.Payer.ID = id[billing.PayerID]() }),
		sent(10, 90, func(c *claim.Claim) {
			c.Asked = &claim.Asked{At: b.now.AddDate(0, 0, -50), Outcome: "found", Category: "F1"}
		}),
	}
	b.insertClaims(all...)
	due := func(limit int) (found []billing.ClaimID) {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			claims, err := tx.StatusFeed.Due(ctx, p, b.now, limit)
			found = nil
			for _, c := range claims {
				if !p.Due(c.Claim, b.now) {
					t.Errorf("claim %s is due in the store alone", c.ID)
				}
				found = append(found, c.ID)
			}
			return err
		})
		return found
	}
	equal(t, "due claims", due(50), []billing.ClaimID{all[0].ID, all[2].ID, all[4].ID, all[6].ID})
	equal(t, "the first due claim", len(due(1)), 1)
	next := func() time.Time {
		return read(b, func(ctx context.Context, tx ports.Tx) (time.Time, error) { return tx.StatusFeed.Next(ctx, p) })
	}
	equal(t, "the next time", next(), b.now)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, n := range []int{0, 2, 4, 6} {
			c, err := tx.Claims.Lock(ctx, all[n].ID)
			if err != nil {
				return err
			}
			claimstatus.Begin(c.Claim, b.now)
			if err := tx.Claims.Save(ctx, c.Claim); err != nil {
				return err
			}
		}
		return nil
	})
	equal(t, "due claims that were asked about", len(due(50)), 0)
	equal(t, "the time after", next(), b.now.AddDate(0, 0, 1))

	room := func(most int) int {
		n, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) { return tx.StatusFeed.Room(ctx, p.Payer.ID, most) })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	pending := func(by billing.RequestID) {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return tx.StatusInquiries.Insert(ctx, &claimstatus.Inquiry{
				ID: id[billing.StatusInquiryID](), Scope: b.scope, ClaimID: all[0].ID, Payer: p.Payer, RequestID: by, CreatedAt: b.now, State: claimstatus.Pending,
			})
		})
	}
	before := room(2)
	pending(id[billing.RequestID]())
	equal(t, "the room beside a question of a caller", room(2), before)
	pending(billing.RequestID{})
	equal(t, "the room beside a question of the policy", room(2), before-1)
	pending(billing.RequestID{})
	pending(billing.RequestID{})
	equal(t, "no room", room(2), 0)

	b.in(func(ctx context.Context, tx ports.Tx) error {
		kept, err := tx.StatusFeed.Lock(ctx, p.ID)
		equal(t, "a locked policy", kept, &want)
		return err
	})
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		_, err := tx.StatusPolicies.Get(ctx, p.Payer.ID)
		all, failed := tx.StatusPolicies.List(ctx, billing.Page{Limit: 10})
		if deleted := tx.StatusPolicies.Delete(ctx, p.Payer.ID); !billing.IsNotFound(err) || !billing.IsNotFound(deleted) || len(all) > 0 {
			t.Errorf("%s sees another scope's policy: %v, %v", mode, all, err)
		}
		return failed
	})
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.StatusPolicies.Delete(ctx, p.Payer.ID) })
	b.absent("a deleted policy",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.StatusPolicies.Get(ctx, p.Payer.ID) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.StatusFeed.Lock(ctx, p.ID) },
		func(ctx context.Context, tx ports.Tx) (any, error) {
			return nil, tx.StatusPolicies.Delete(ctx, p.Payer.ID)
		})
	equal(t, "no policy has a next time", next(), time.Time{})
}
