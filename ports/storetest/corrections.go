package storetest

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) ofPayment(e *remit.ERA) (all []*remit.ERA) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		all, err = tx.Corrections.OfPayment(ctx, e.Payment.TraceNumber, e.Payment.Date)
		return err
	})
	return all
}

// testOfPayment reads the remittances of a payment. Two transactions that insert one
// each do so one after the other, and the second one sees the first.
func testOfPayment(b *scoped) {
	t := b.t
	unread, second, dateless, another := b.era(3), b.era(2), b.era(1), b.era(0)
	unread.Stage, unread.ReceivedAt = remit.Reading, unread.PostedAt
	dateless.Payment.Date, another.Payment.TraceNumber = billing.Date{}, "another"
	b.insertERAs(unread, second, dateless, another)
	equal(t, "a payment in two remittances", b.ofPayment(unread), []*remit.ERA{unread, second})
	equal(t, "a payment without a date", b.ofPayment(dateless), []*remit.ERA{dateless})
	mine := b.scope
	b.scope = newScope()
	equal(t, "of another scope", len(b.ofPayment(unread)), 0)
	b.scope = mine
	third, fourth := b.era(4), b.era(5)
	third.Payment.TraceNumber, fourth.Payment.TraceNumber = "at once", "at once"
	seen := make([]int, 2)
	insert := func(n int, e *remit.ERA) func() error {
		return func() error {
			return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				all, err := tx.Corrections.OfPayment(ctx, e.Payment.TraceNumber, e.Payment.Date)
				if err != nil {
					return err
				}
				seen[n] = len(all)
				_, err = tx.ERAs.Insert(ctx, e, digest(e.ID.String()), nil)
				return err
			})
		}
	}
	b.race(insert(0, third), insert(1, fourth))
	equal(t, "what both saw of each other", seen[0]+seen[1], 1)
}

// testAside reads the claims of a remittance that count, and those that are set aside.
func testAside(b *scoped) {
	t := b.t
	e, other := b.era(0), b.era(1)
	b.insertERAs(e, other)
	var all []*remit.Claim
	for n := range 8 {
		r := b.became(b.remittanceClaim(n+1), remit.StatusApplied, id[billing.ClaimID]())
		r.ControlNumber = "Abc-" + string(rune('0'+n/2))
		if n%2 == 1 {
			b.became(r, remit.StatusNeedsReview, r.ClaimID).Review = remit.ReviewCorrection
		}
		all = append(all, r)
	}
	foreign := b.became(b.remittanceClaim(1), remit.StatusNeedsReview, id[billing.ClaimID]())
	foreign.Review = remit.ReviewCorrection
	b.insertRemittanceClaims(e.ID, all...)
	b.insertRemittanceClaims(other.ID, foreign)
	left := func(after, limit int) []*remit.Claim {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*remit.Claim, error) {
			return tx.Corrections.Left(ctx, e.ID, after, limit)
		})
	}
	aside := func(limit int, numbers ...string) []*remit.Claim {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*remit.Claim, error) {
			return tx.Corrections.Aside(ctx, e.ID, numbers, limit)
		})
	}
	equal(t, "those that count", left(0, 10), []*remit.Claim{all[0], all[2], all[4], all[6]})
	equal(t, "some of them", left(1, 2), []*remit.Claim{all[2], all[4]})
	equal(t, "those set aside", aside(10), []*remit.Claim{all[1], all[3], all[5], all[7]})
	equal(t, "the first of them", aside(1), []*remit.Claim{all[1]})
	equal(t, "by control number", aside(10, "aBC-1", "abc-3", "none"), []*remit.Claim{all[3], all[7]})
	b.became(all[7], remit.StatusIgnored, all[7].ClaimID).Review = remit.ReviewCorrection
	b.saveRemittanceClaims(e.ID, all[7])
	for _, want := range []int{3, 0} {
		n, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) { return tx.Corrections.Discard(ctx, e.ID) })
		if n != want || err != nil {
			t.Errorf("%d claims discarded, %v, want %d", n, err, want)
		}
	}
	for _, n := range []int{1, 3, 5} {
		all[n].Status = remit.StatusIgnored
	}
	b.view(func(ctx context.Context, tx ports.Tx) error {
		mine, err1 := tx.RemittanceClaims.List(ctx, e.ID, 0, 10)
		theirs, err2 := tx.RemittanceClaims.List(ctx, other.ID, 0, 10)
		equal(t, "after they were discarded", append(mine, theirs...), append(all, foreign))
		return errors.Join(err1, err2)
	})
}
