package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// put stores an enrollment in its scope, and returns the stored one.
func (b *scoped) put(e network.Enrollment) *network.Enrollment {
	b.t.Helper()
	stored, err := try(b, e.Scope, func(ctx context.Context, tx ports.Tx) (*network.Enrollment, error) {
		return tx.Enrollments.Put(ctx, &e)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return stored
}

// enrollment returns an enrollment with a value in every field.
func (b *scoped) enrollment() network.Enrollment {
	e := Filled[network.Enrollment](b.t)
	e.ID, e.Scope, e.OfficeID, e.Payer.ID = id[billing.EnrollmentID](), b.scope, id[billing.OfficeID](), id[billing.PayerID]()
	e.Transaction, e.State = network.Claims, directory.EnrollmentSubmitted
	e.CreatedAt, e.UpdatedAt, e.Version = b.now, b.now, 1
	return e
}

// testEnrollments puts enrollments twice, and finds and lists them.
func testEnrollments(b *scoped) {
	t := b.t
	first := b.enrollment()
	second, third, other := first, b.enrollment(), first
	second.ID, second.Transaction, second.CreatedAt = id[billing.EnrollmentID](), network.Eligibility, b.now.Add(time.Second)
	third.State, third.CreatedAt = directory.EnrollmentActive, b.now.Add(2*time.Second)
	other.ID, other.Scope = id[billing.EnrollmentID](), b.others()[0]
	for _, e := range []network.Enrollment{first, second, third, other} {
		equal(t, "put", b.put(e), &e)
	}
	again := first
	again.ID, again.CreatedAt, again.UpdatedAt = id[billing.EnrollmentID](), b.now.Add(time.Hour), b.now.Add(time.Hour)
	again.State, again.Date, again.Note, again.NetworkMessage = directory.EnrollmentRejected, billing.Date{Year: 2026, Month: 2, Day: 3}, "", ""
	again.Payer.PayerID, again.Payer.Name = "NEW", "New name"
	stored := b.put(again)
	again.ID, again.CreatedAt, again.Version = first.ID, first.CreatedAt, 2
	equal(t, "put again", stored, &again)
	equal(t, "put unchanged", b.put(again), &again)

	find := func(transaction network.Transaction, offices []billing.OfficeID, payers ...billing.PayerID) []*network.Enrollment {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*network.Enrollment, error) {
			return tx.Enrollments.Find(ctx, transaction, offices, payers)
		})
	}
	both := []billing.OfficeID{first.OfficeID, third.OfficeID}
	equal(t, "found", find(network.Claims, both, first.Payer.ID, third.Payer.ID), []*network.Enrollment{&again, &third})
	equal(t, "found for checks", find(network.Eligibility, both, first.Payer.ID), []*network.Enrollment{&second})
	equal(t, "found for one office", find(network.Claims, both[1:], first.Payer.ID, third.Payer.ID), []*network.Enrollment{&third})
	equal(t, "found with no payer", len(find(network.Claims, both)), 0)
	equal(t, "one", read(b, func(ctx context.Context, tx ports.Tx) (*network.Enrollment, error) {
		return tx.Enrollments.Get(ctx, third.ID)
	}), &third)
	b.absent("an enrollment", func(ctx context.Context, tx ports.Tx) (any, error) {
		return tx.Enrollments.Get(ctx, other.ID)
	})

	for name, x := range map[string]struct {
		f    network.EnrollmentFilter
		want []*network.Enrollment
	}{
		"all":         {network.EnrollmentFilter{}, []*network.Enrollment{&third, &second, &again}},
		"office":      {network.EnrollmentFilter{OfficeID: first.OfficeID}, []*network.Enrollment{&second, &again}},
		"payer":       {network.EnrollmentFilter{PayerID: third.Payer.ID}, []*network.Enrollment{&third}},
		"transaction": {network.EnrollmentFilter{Transaction: network.Claims}, []*network.Enrollment{&third, &again}},
		"state":       {network.EnrollmentFilter{State: directory.EnrollmentRejected}, []*network.Enrollment{&again}},
	} {
		all := walk(1, func(p billing.Page) []*network.Enrollment {
			return read(b, func(ctx context.Context, tx ports.Tx) ([]*network.Enrollment, error) {
				return tx.Enrollments.List(ctx, x.f, p)
			})
		}, func(e *network.Enrollment) billing.Position { return billing.Position{Time: e.CreatedAt, ID: e.ID} }, func() {})
		equal(t, name, all, x.want)
	}
}

// testSharedEnrollments shares an enrollment in several transactions. Another one that
// puts it waits for all of them.
func testSharedEnrollments(b *scoped) {
	t := b.t
	e := b.enrollment()
	b.put(e)
	next := e
	next.State = directory.EnrollmentActive
	share := func(ctx context.Context, tx ports.Tx, want directory.EnrollmentState) {
		t.Helper()
		found, err := tx.Enrollments.Share(ctx, e.Transaction, []billing.OfficeID{e.OfficeID, id[billing.OfficeID]()}, []billing.PayerID{e.Payer.ID})
		if err != nil || len(found) != 1 || found[0].State != want {
			t.Errorf("%d enrollments, %v; want one that is %s", len(found), err, want)
		}
	}
	shared, asked, put := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
	b.race(append(times(2, func(int) error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			share(ctx, tx, directory.EnrollmentSubmitted)
			shared <- struct{}{}
			<-asked
			for range 30 {
				waitABit(ctx)
			}
			select {
			case <-put:
				t.Error("the enrollment that a transaction uses was put")
			default:
			}
			return nil
		})
	}), func() error {
		defer close(put)
		<-shared
		<-shared
		close(asked)
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Enrollments.Put(ctx, &next)
			return err
		})
	})...)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		share(ctx, tx, directory.EnrollmentActive)
		return nil
	})
}
