package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
)

// attachment returns an open attachment without a claim, n microseconds after
// the start of the test.
func (b *scoped) attachment(n int) *attachment.Attachment {
	at := b.now.Add(time.Duration(n) * time.Microsecond)
	return &attachment.Attachment{
		ID: id[billing.AttachmentID](), Scope: b.scope, State: attachment.Open, Kind: attachment.Unsolicited,
		OfficeID: id[billing.OfficeID](), Payer: b.payer(), Narrative: unicode,
		About: attachment.Subject{
			Patient:    attachment.Patient{FirstName: unicode, LastName: "B", DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}},
			Subscriber: attachment.Subscriber{FirstName: "C", LastName: unicode, MemberID: "M", Relationship: coverage.RelationChild},
			ServiceDates: billing.DateSpan{
				From: billing.Date{Year: 2026, Month: 5, Day: 4}, To: billing.Date{Year: 2026, Month: 5, Day: 6},
			},
		},
		RequestID: id[billing.RequestID](), CreatedAt: at, UpdatedAt: at,
	}
}

// solicited returns an open attachment for a payer request.
func (b *scoped) solicited(n int, request billing.PayerRequestID) *attachment.Attachment {
	a := b.attachment(n)
	a.Kind, a.PayerRequestID, a.PayerReference = attachment.Solicited, request, unicode
	return a
}

// closing closes an attachment under a number.
func closing(a *attachment.Attachment, number string) *attachment.Attachment {
	a.Number, a.State, a.ClosedAt = number, attachment.Closed, a.CreatedAt.Add(time.Minute)
	a.UpdatedAt = a.ClosedAt
	return a
}

func (b *scoped) insertAttachments(as ...*attachment.Attachment) {
	b.t.Helper()
	for _, a := range as {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Attachments.Insert(ctx, a) })
	}
}

func (b *scoped) getAttachment(id billing.AttachmentID) *attachment.Attachment {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		return tx.Attachments.Get(ctx, id)
	})
}

func (b *scoped) listAttachments(f attachment.Filter, p billing.Page) []*attachment.Attachment {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*attachment.Attachment, error) {
		return tx.Attachments.List(ctx, f, p)
	})
}

func testAttachments(b *scoped) {
	t := b.t
	alone, claimed, asked, sending := b.attachment(0), b.attachment(1), b.solicited(2, id[billing.PayerRequestID]()), b.attachment(3)
	claimed.ClaimID = id[billing.ClaimID]()
	alone.RequestID, alone.About.ServiceDates = billing.RequestID{}, billing.DateSpan{}
	sending.Number, sending.Sending, sending.SendingSince = "MLR000000001", id[billing.JobID](), b.now.Add(time.Second)
	for _, a := range []*attachment.Attachment{alone, claimed, asked, sending, closing(b.attachment(4), "MLR000000002")} {
		b.insertAttachments(a)
		equal(t, "attachment", b.getAttachment(a.ID), a)
	}
	// It is announced, sent, stalled, not sent, given up, announced again, sent
	// and closed.
	job := id[billing.JobID]()
	for _, change := range []func(*attachment.Attachment) error{
		func(a *attachment.Attachment) error { return a.SetNarrative("", "usr_1", b.now.Add(time.Second)) },
		func(a *attachment.Attachment) error { return a.BeginSending(job, 3, b.now.Add(2*time.Second)) },
		func(a *attachment.Attachment) error { return did(a.Stall(job)) },
		func(a *attachment.Attachment) error { return did(a.NotSent(job)) },
		func(a *attachment.Attachment) error { return a.BeginSending(job, 3, b.now.Add(2*time.Second)) },
		func(a *attachment.Attachment) error { return did(a.GiveUp(job)) },
		func(a *attachment.Attachment) error {
			return a.SetNarrative(unicode+".", "usr_1", b.now.Add(3*time.Second))
		},
		func(a *attachment.Attachment) error { return a.BeginSending(job, 4, b.now.Add(4*time.Second)) },
		func(a *attachment.Attachment) error { return did(a.Sent(a.Number, b.now.Add(5*time.Second))) },
	} {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			a, err := tx.Attachments.Lock(ctx, asked.ID)
			if err != nil {
				return err
			}
			equal(t, "locked attachment", a, asked)
			if err = change(a); err != nil {
				return err
			}
			asked = a
			return tx.Attachments.Save(ctx, a)
		})
		equal(t, "saved attachment", b.getAttachment(asked.ID), asked)
	}
	nothing := id[billing.AttachmentID]()
	b.absent("an absent attachment",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Attachments.Get(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Attachments.Lock(ctx, nothing) })
}

func did(ok bool) error {
	if !ok {
		return errStop
	}
	return nil
}

// testAttachmentLock locks an attachment in two transactions. The second waits,
// and then sees what the first added.
func testAttachmentLock(b *scoped) {
	t := b.t
	a, d := b.attachment(0), b.document(0)
	b.insertAttachments(a)
	held, asking := make(chan struct{}), make(chan struct{})
	var got atomic.Pointer[attachment.Attachment]
	b.race(func() error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Attachments.Lock(ctx, a.ID); err != nil {
				return err
			}
			close(held)
			<-asking
			for range 30 {
				waitABit(ctx)
			}
			if got.Load() != nil {
				t.Error("two transactions have the attachment locked")
			}
			return tx.Documents.Insert(ctx, a.ID, d)
		})
	}, func() error {
		<-held
		close(asking)
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			locked, err := tx.Attachments.Lock(ctx, a.ID)
			got.Store(locked)
			return err
		})
	})
	equal(t, "documents after the lock", got.Load().Documents, []*attachment.Document{d})
}

// testDocumentRace adds documents to one attachment concurrently, some with the
// same image. Each is stored once, and each transaction sees those before it.
func testDocumentRace(b *scoped) {
	t := b.t
	const images, adders = 5, 10
	a := b.attachment(0)
	b.insertAttachments(a)
	seen := make(chan int, adders)
	b.race(times(adders, func(n int) error {
		added := -1
		err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			mine, err := tx.Attachments.Lock(ctx, a.ID)
			if err != nil {
				return err
			}
			d := b.document(n % images)
			added = -1
			if fresh, err := mine.Add(d, d.CreatedAt); err != nil || !fresh {
				return err
			}
			added = len(mine.Documents)
			return errors.Join(tx.Documents.Insert(ctx, a.ID, d), tx.Attachments.Save(ctx, mine))
		})
		seen <- added
		return err
	})...)
	close(seen)
	var counts []int
	for n := range seen {
		if n > 0 {
			counts = append(counts, n)
		}
	}
	slices.Sort(counts)
	equal(t, "counts seen by those who added", counts, []int{1, 2, 3, 4, 5})
	equal(t, "documents", len(b.getAttachment(a.ID).Documents), images)
}

// testAnsweringRace creates many attachments for one payer request.
func testAnsweringRace(b *scoped) {
	t := b.t
	request := id[billing.PayerRequestID]()
	made := 0
	for _, err := range together(times(6, func(n int) error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Attachments.Insert(ctx, b.solicited(n, request))
		})
	})...) {
		if err == nil {
			made++
			continue
		}
		wantCode(t, "another attachment for the request", err, billing.CodeConflict)
	}
	equal(t, "attachments made", made, 1)
	f := attachment.Filter{PayerRequestID: request}
	all := b.listAttachments(f, billing.Page{Limit: 10})
	equal(t, "attachments", len(all), 1)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(
			tx.Attachments.Save(ctx, closing(all[0], "MLR000000009")),
			tx.Attachments.Insert(ctx, b.solicited(10, request)),
			tx.Attachments.Insert(ctx, b.solicited(11, id[billing.PayerRequestID]())))
	})
	equal(t, "attachments, of which one is closed", len(b.listAttachments(f, billing.Page{Limit: 10})), 2)
}

// testSerials numbers attachments, and files, of several scopes at once.
func testSerials(b *scoped) {
	t := b.t
	const callers, each = 6, 5
	for what, next := range map[string]func(ctx context.Context, tx ports.Tx) (int64, error){
		"attachment": func(ctx context.Context, tx ports.Tx) (int64, error) { return tx.Attachments.Serial(ctx) },
		"file":       func(ctx context.Context, tx ports.Tx) (int64, error) { return tx.Clearing.Serial(ctx) },
	} {
		given := make(chan int64, 2*callers*each)
		b.race(times(callers, func(n int) error {
			in := b.scope
			if n%2 == 1 {
				in = newScope()
			}
			for range each {
				if err := b.try(in, func(ctx context.Context, tx ports.Tx) error {
					one, err1 := next(ctx, tx)
					two, err2 := next(ctx, tx)
					given <- one
					given <- two
					return errors.Join(err1, err2)
				}); err != nil {
					return err
				}
			}
			return nil
		})...)
		close(given)
		seen := map[int64]bool{}
		for n := range given {
			if n < 1 || seen[n] {
				t.Errorf("%s serial %d was returned twice, or is zero", what, n)
			}
			seen[n] = true
		}
		equal(t, what+" serials", len(seen), 2*callers*each)
	}
}

// testListAttachments lists attachments that have documents of their own.
func testListAttachments(b *scoped) {
	listed(b, b.attachment, func(as ...*attachment.Attachment) {
		b.insertAttachments(as...)
		for n, a := range as {
			for i := range n % 3 {
				b.addDocument(a, b.document(i))
			}
		}
	}, func(p billing.Page) []*attachment.Attachment { return b.listAttachments(attachment.Filter{}, p) },
		func(a *attachment.Attachment) billing.Position { return billing.Position{Time: a.CreatedAt, ID: a.ID} })
}

func testAttachmentFilters(b *scoped) {
	t := b.t
	request := id[billing.PayerRequestID]()
	one, two := closing(b.solicited(0, request), "MLR000000001"), b.solicited(10, request)
	two.RequestID = billing.RequestID{}
	three := b.attachment(20)
	of := b.claim(1)
	of.PatientID, one.ClaimID = id[billing.PatientID](), of.ID
	b.insertClaims(of)
	b.insertAttachments(one, two, three)
	for name, test := range map[string]struct {
		f    attachment.Filter
		want []*attachment.Attachment
	}{
		"none":          {attachment.Filter{}, []*attachment.Attachment{three, two, one}},
		"claim":         {attachment.Filter{ClaimID: one.ClaimID}, []*attachment.Attachment{one}},
		"patient":       {attachment.Filter{PatientID: of.PatientID}, []*attachment.Attachment{one}},
		"no patient":    {attachment.Filter{PatientID: id[billing.PatientID]()}, []*attachment.Attachment{}},
		"payer request": {attachment.Filter{PayerRequestID: request}, []*attachment.Attachment{two, one}},
		"request":       {attachment.Filter{RequestID: three.RequestID}, []*attachment.Attachment{three}},
		"open":          {attachment.Filter{State: attachment.Open}, []*attachment.Attachment{three, two}},
		"closed":        {attachment.Filter{State: attachment.Closed}, []*attachment.Attachment{one}},
		"office":        {attachment.Filter{OfficeID: two.OfficeID}, []*attachment.Attachment{two}},
		"after":         {attachment.Filter{CreatedAfter: two.CreatedAt}, []*attachment.Attachment{three, two}},
		"before":        {attachment.Filter{CreatedBefore: two.CreatedAt}, []*attachment.Attachment{one}},
		"nothing":       {attachment.Filter{OfficeID: id[billing.OfficeID]()}, []*attachment.Attachment{}},
		"all at once": {attachment.Filter{
			ClaimID: one.ClaimID, PayerRequestID: request, RequestID: one.RequestID, State: one.State, OfficeID: one.OfficeID,
			CreatedAfter: one.CreatedAt, CreatedBefore: two.CreatedAt,
		}, []*attachment.Attachment{one}},
		"do not combine": {attachment.Filter{OfficeID: one.OfficeID, State: two.State}, []*attachment.Attachment{}},
	} {
		equal(t, fmt.Sprint("filter by ", name), b.listAttachments(test.f, billing.Page{Limit: 25}), test.want)
	}
}
