package storetest

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

func (b *bench) insertClaims(all ...*billing.Claim) {
	b.t.Helper()
	for _, c := range all {
		if err := b.insertClaim(c); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) getClaim(id billing.ClaimID) *billing.Claim {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*billing.Claim, error) { return tx.Claims.Get(ctx, id) })
}

func (b *bench) changeClaim(id billing.ClaimID, change func(*billing.Claim)) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		change(c)
		return tx.Claims.Save(ctx, c)
	})
}

// queuedClaim waits for a batch.
func (b *bench) queuedClaim(n int) *billing.Claim {
	c := b.claim(n)
	c.State = billing.ClaimQueued
	return c
}

// testSaveClaim changes all that can change of a claim, and reads it with the
// names of those whom it refers to.
func testSaveClaim(b *bench) {
	t := b.t
	b.organization()
	o := &billing.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: unicode, CreatedAt: b.now}
	p := &billing.Provider{ID: id[billing.ProviderID](), Scope: b.scope, FirstName: "A\"na", LastName: "{Díaz},", NPI: "1234567893", CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, o), tx.Providers.Insert(ctx, p))
	})
	c, other, estimate := b.claim(0), b.claim(1), b.claim(2)
	estimate.Kind = billing.KindPredetermination
	b.insertClaims(c, other, estimate)
	want := b.claim(3)
	want.ID, want.CreatedAt, want.State, want.OfficeID, want.OfficeName = c.ID, c.CreatedAt, billing.ClaimReconciled, o.ID, o.Name
	want.Provider = billing.ProviderSummary{ID: p.ID, FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI}
	want.Findings = []billing.Finding{{Code: "c", Field: "f", Message: unicode, Fix: "x"}}
	want.BatchID, want.SentAt, want.PayerClaimNumber, want.ReconciledAt = id[billing.FileID](), b.now, "P "+unicode, b.now.Add(time.Hour)
	want.Payments = []billing.ClaimPayment{
		{
			ERAID: id[billing.ERAID](), Ordinal: 2, StatusCode: "1", Paid: 123, Allowed: new(billing.Money(0)), PatientResponsibility: -4,
			Date: billing.Date{Year: 2026, Month: 5, Day: 4}, PayerClaimNumber: "P", Original: "O", Cancelled: true,
		},
		{ERAID: id[billing.ERAID](), StatusCode: "22", Paid: -123, Cancelled: true},
		{ERAID: id[billing.ERAID](), StatusCode: "4", Denied: true},
	}
	want.History = []billing.ClaimMove{{State: billing.ClaimQueued, At: b.now, Cause: billing.TriggerSubmit}, {State: billing.ClaimPaid, At: b.now, File: "f"}}
	want.ConvertedFrom = estimate.ID
	b.changeClaim(c.ID, func(got *billing.Claim) {
		equal(t, "locked claim", got, c)
		*got = *want
	})
	equal(t, "saved claim", b.getClaim(c.ID), want)
	b.changeClaim(estimate.ID, func(e *billing.Claim) {
		e.State, e.ConvertedTo = billing.ClaimReturned, c.ID
		e.Estimate = &billing.ClaimEstimate{
			ERAID: id[billing.ERAID](), Allowed: new(billing.Money(7)), Pay: 5, Patient: 2, ReturnedAt: b.now,
			Lines: []billing.LineEstimate{{Number: 1, Allowed: new(billing.Money(7)), Pay: 5, Patient: 2}},
		}
		estimate = e
	})
	equal(t, "saved estimate", b.getClaim(estimate.ID), estimate)
	equal(t, "a claim that was not saved", b.getClaim(other.ID), other)

	wantCode(t, "the control number of another", b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, other.ID)
		if err != nil {
			return err
		}
		c.PatientControlNumber = want.PatientControlNumber
		return tx.Claims.Save(ctx, c)
	}), billing.CodeConflict)
	_, err := b.lockClaim(id[billing.ClaimID]())
	wantCode(t, "an absent claim to lock", err, billing.CodeNotFound)
}

func (b *bench) lockClaim(id billing.ClaimID) (c *billing.Claim, err error) {
	err = b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		c, err = tx.Claims.Lock(ctx, id)
		return err
	})
	return c, err
}

// testManyClaims changes hundreds of claims in one transaction, each with
// events, and finds every change and number.
func testManyClaims(b *bench) {
	t := b.t
	const many = 300
	var all []*billing.Claim
	for n := range many {
		all = append(all, b.queuedClaim(n))
	}
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		for _, c := range all {
			err = errors.Join(err, tx.Claims.Insert(ctx, c), tx.Events.Append(ctx, c.Event(billing.EventClaimQueued, billing.ClaimCause{At: b.now})))
		}
		return err
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.Clearing.Queued(ctx, many+1)
		for n, c := range locked {
			c.Note = strconv.Itoa(n)
			again := *c
			again.PayerClaimNumber = "P"
			err = errors.Join(err, tx.Claims.Save(ctx, c), tx.Events.Append(ctx, c.Event(billing.EventClaimSubmitted, billing.ClaimCause{At: b.now})),
				tx.Events.Append(ctx, c.Event(billing.EventClaimAccepted, billing.ClaimCause{At: b.now})))
			if n%50 == 0 {
				err = errors.Join(err, tx.Claims.Save(ctx, &again)) // the later one of two stands
			}
		}
		equal(t, "locked", len(locked), many)
		return err
	})
	for n, c := range []*billing.Claim{all[0], all[1], all[many-1]} {
		got := b.getClaim(c.ID)
		if got.Note == c.Note || (got.PayerClaimNumber == "P") != (got.Note != "" && mustInt(got.Note)%50 == 0) {
			t.Errorf("claim %d is saved with note %q and number %q", n, got.Note, got.PayerClaimNumber)
		}
		sequences := map[billing.EventType]int{}
		for _, e := range read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.Event, error) {
			return tx.Events.List(ctx, billing.EventFilter{Resource: c.ID}, billing.Page{Limit: 10})
		}) {
			sequences[e.Type] = e.Sequence
		}
		equal(t, "sequences", sequences, map[billing.EventType]int{
			billing.EventClaimQueued: 1, billing.EventClaimSubmitted: 2, billing.EventClaimAccepted: 3,
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

// testVoids makes a second void of a claim while the first is not rejected.
func testVoids(b *bench) {
	t := b.t
	c := b.claim(0)
	b.insertClaims(c)
	void := func(n int) *billing.Claim {
		v := b.queuedClaim(n)
		v.Frequency, v.ParentID = billing.FrequencyVoid, c.ID
		return v
	}
	has := func() bool { return b.getClaim(c.ID).HasVoid }
	first, second := void(1), void(2)
	equal(t, "a void of a claim without one", has(), false)
	b.insertClaims(first)
	equal(t, "a void", has(), true)
	wantCode(t, "a second void", b.insertClaim(second), billing.CodeConflict)
	b.changeClaim(first.ID, func(v *billing.Claim) { v.State = billing.ClaimRejected })
	equal(t, "a void that was rejected", has(), false)
	b.insertClaims(second)
	b.changeClaim(second.ID, func(v *billing.Claim) { v.State = billing.ClaimAcceptedPayer })
	equal(t, "a void that was accepted", has(), true)
	wantCode(t, "a void after one that was accepted", b.insertClaim(void(3)), billing.CodeConflict)

	other := b.claim(4)
	b.insertClaims(other)
	var made int
	for _, err := range together(func() error { v := void(5); v.ParentID = other.ID; return b.insertClaim(v) },
		func() error { v := void(6); v.ParentID = other.ID; return b.insertClaim(v) }) {
		if err == nil {
			made++
		} else {
			wantCode(t, "one of two voids at once", err, billing.CodeConflict)
		}
	}
	equal(t, "voids made at once", made, 1)
}

// testClaimLock has two transactions count up in one claim.
func testClaimLock(b *bench) {
	c := b.claim(0)
	c.Note = "0"
	b.insertClaims(c)
	count := func() error {
		for range 10 {
			if err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
				c, err := tx.Claims.Lock(ctx, c.ID)
				if err != nil {
					return err
				}
				c.Note = strconv.Itoa(mustInt(c.Note) + 1)
				return tx.Claims.Save(ctx, c)
			}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(together(count, count)...); err != nil {
		b.t.Fatal(err)
	}
	equal(b.t, "counted", b.getClaim(c.ID).Note, "20")
}
