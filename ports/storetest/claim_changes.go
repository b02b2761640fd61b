package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) insertClaims(all ...*claim.Claim) {
	b.t.Helper()
	for _, c := range all {
		if err := b.insertClaim(c); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *scoped) getClaim(id billing.ClaimID) *claim.Record {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) { return tx.Claims.Get(ctx, id) })
}

func (b *scoped) changeClaim(id billing.ClaimID, change func(*claim.Claim)) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		change(c.Claim)
		return tx.Claims.Save(ctx, c.Claim)
	})
}

// queuedClaim returns a claim that waits for a batch.
func (b *scoped) queuedClaim(n int) *claim.Claim {
	c := b.claim(n)
	c.State = claim.Queued
	return c
}

// testSaveClaim overwrites every field of a claim, and reads it with the names
// of its office and provider.
func testSaveClaim(b *scoped) {
	t := b.t
	b.organization()
	o := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: unicode, CreatedAt: b.now}
	p := &directory.Provider{ID: id[billing.ProviderID](), Scope: b.scope, FirstName: "A\"na", LastName: "{Díaz},", NPI: "1234567893", CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, o), tx.Providers.Insert(ctx, p))
	})
	saved, other := b.filledClaims(), b.claim(1)
	b.insertClaims(other)
	for _, want := range saved {
		c := b.claim(0)
		c.Kind, c.ParentID = want.Kind, want.ParentID
		if !c.ParentID.IsZero() {
			c.Frequency = claim.FrequencyVoid
		}
		b.insertClaims(c)
		want.ID, want.CreatedAt, want.OfficeID, want.ProviderID = c.ID, c.CreatedAt, o.ID, p.ID
		b.changeClaim(c.ID, func(got *claim.Claim) {
			equal(t, "locked claim", got, c)
			*got = *want
		})
		got := b.getClaim(c.ID)
		equal(t, "saved claim", got.Claim, want)
		equal(t, "its office", got.OfficeName, o.Name)
		equal(t, "its provider", got.Provider, claim.ProviderSummary{ID: p.ID, FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI})
	}
	equal(t, "a claim that was not saved", b.getClaim(other.ID).Claim, other)

	wantCode(t, "the control number of another", b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, other.ID)
		if err != nil {
			return err
		}
		c.PatientControlNumber = saved[0].PatientControlNumber
		return tx.Claims.Save(ctx, c.Claim)
	}), billing.CodeConflict)
	b.absent("an absent claim to lock", func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Claims.Lock(ctx, id[billing.ClaimID]()) })
}

// filledClaims returns claims that together have a value in every field. No
// single claim can.
func (b *scoped) filledClaims() []*claim.Claim {
	b.t.Helper()
	asked, claimed := b.claim(0), b.claim(0)
	asked.Kind = claim.KindPredetermination
	b.insertClaims(asked, claimed)
	made := func(change func(c *claim.Claim)) *claim.Claim {
		c := Filled[claim.Claim](b.t)
		c.ConvertedFrom, c.SecondaryTo, c.SecondaryID = asked.ID, claimed.ID, claimed.ID
		c.Scope, c.Kind, c.Frequency = b.scope, claim.KindClaim, claim.FrequencyReplacement
		c.ParentID, c.Estimate, c.ConvertedTo = billing.ClaimID{}, nil, billing.ClaimID{}
		c.State = claim.Reconciled
		change(&c)
		return &c
	}
	all := []*claim.Claim{
		made(func(*claim.Claim) {}),
		made(func(c *claim.Claim) { c.Frequency, c.ParentID = claim.FrequencyVoid, claimed.ID }),
		made(func(c *claim.Claim) {
			c.Kind, c.State, c.Estimate, c.ConvertedTo = claim.KindPredetermination, claim.Returned, Filled[*remit.ClaimEstimate](b.t), claimed.ID
			c.ReconciledAt, c.ConvertedFrom = time.Time{}, billing.ClaimID{}
		}),
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[claim.Claim]()) {
		if !slices.ContainsFunc(all, func(c *claim.Claim) bool { return !reflect.ValueOf(*c).FieldByIndex(f.Index).IsZero() }) {
			b.t.Errorf("no claim has %s", f.Name)
		}
	}
	return all
}

// testManyClaims changes hundreds of claims in one transaction, each with
// events, and checks every change and sequence.
func testManyClaims(b *scoped) {
	t := b.t
	const many = 300
	var all []*claim.Claim
	for n := range many {
		all = append(all, b.queuedClaim(n))
	}
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		for _, c := range all {
			err = errors.Join(err, tx.Claims.Insert(ctx, c), tx.Events.Append(ctx, c.Event(event.ClaimQueued, claim.Cause{At: b.now})))
		}
		return err
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.Clearing.Queued(ctx, payersOf(all...), time.Time{}, many+1)
		for n, c := range locked {
			c.Note = strconv.Itoa(n)
			again := *c
			again.PayerClaimNumber = "P"
			err = errors.Join(err, tx.Claims.Save(ctx, c), tx.Events.Append(ctx, c.Event(event.ClaimSubmitted, claim.Cause{At: b.now})),
				tx.Events.Append(ctx, c.Event(event.ClaimAccepted, claim.Cause{At: b.now})))
			if n%50 == 0 {
				err = errors.Join(err, tx.Claims.Save(ctx, &again)) // the later save wins
			}
		}
		equal(t, "locked", len(locked), many)
		return err
	})
	for n, c := range []*claim.Claim{all[0], all[1], all[many-1]} {
		got := b.getClaim(c.ID)
		if got.Note == c.Note || (got.PayerClaimNumber == "P") != (got.Note != "" && mustInt(got.Note)%50 == 0) {
			t.Errorf("claim %d is saved with note %q and number %q", n, got.Note, got.PayerClaimNumber)
		}
		sequences := map[event.Type]int{}
		for _, e := range read(b, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
			return tx.Events.List(ctx, event.Filter{Resource: c.ID}, billing.Page{Limit: 10})
		}) {
			sequences[e.Type] = e.Sequence
		}
		equal(t, "sequences", sequences, map[event.Type]int{
			event.ClaimQueued: 1, event.ClaimSubmitted: 2, event.ClaimAccepted: 3,
		})
	}
}

func mustInt(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// testVoids inserts a second void of a claim while the first is not rejected.
func testVoids(b *scoped) {
	t := b.t
	c := b.claim(0)
	b.insertClaims(c)
	void := func(n int) *claim.Claim {
		v := b.queuedClaim(n)
		v.Frequency, v.ParentID = claim.FrequencyVoid, c.ID
		return v
	}
	has := func() bool { return b.getClaim(c.ID).HasVoid }
	first, second := void(1), void(2)
	equal(t, "a void of a claim without one", has(), false)
	b.insertClaims(first)
	equal(t, "a void", has(), true)
	wantCode(t, "a second void", b.insertClaim(second), billing.CodeConflict)
	b.changeClaim(first.ID, func(v *claim.Claim) { v.State = claim.Rejected })
	equal(t, "a void that was rejected", has(), false)
	b.insertClaims(second)
	b.changeClaim(second.ID, func(v *claim.Claim) { v.State = claim.AcceptedPayer })
	equal(t, "a void that was accepted", has(), true)
	wantCode(t, "a void after one that was accepted", b.insertClaim(void(3)), billing.CodeConflict)

	other := b.claim(4)
	b.insertClaims(other)
	var made int
	for _, err := range together(times(2, func(n int) error { v := void(5 + n); v.ParentID = other.ID; return b.insertClaim(v) })...) {
		if err == nil {
			made++
		} else {
			wantCode(t, "one of two voids at once", err, billing.CodeConflict)
		}
	}
	equal(t, "voids made at once", made, 1)
}

// testClaimLock increments a field of one claim in two transactions.
func testClaimLock(b *scoped) {
	c := b.claim(0)
	c.Note = "0"
	b.insertClaims(c)
	b.race(times(2, func(int) error {
		for range 10 {
			if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				c, err := tx.Claims.Lock(ctx, c.ID)
				if err != nil {
					return err
				}
				c.Note = strconv.Itoa(mustInt(c.Note) + 1)
				return tx.Claims.Save(ctx, c.Claim)
			}); err != nil {
				return err
			}
		}
		return nil
	})...)
	equal(b.t, "counted", b.getClaim(c.ID).Note, "20")
}
