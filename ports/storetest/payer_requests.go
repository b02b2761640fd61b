package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// payerRequest returns an open request, n microseconds after the start of the
// test.
func (b *scoped) payerRequest(n int) *attachment.PayerRequest {
	return &attachment.PayerRequest{
		ID: id[billing.PayerRequestID](), Scope: b.scope, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork,
		ClaimID: id[billing.ClaimID](), OfficeID: id[billing.OfficeID](), PatientID: id[billing.PatientID](), Payer: b.payer(), ReferenceNumber: "REF " + unicode, Requested: unicode,
		DueDate: billing.Date{Year: 2026, Month: 6, Day: 1}, CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond),
	}
}

func (b *scoped) insertRequests(rs ...*attachment.PayerRequest) {
	b.t.Helper()
	for _, r := range rs {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Insert(ctx, r) })
	}
}

func (b *scoped) listRequests(f attachment.PayerRequestFilter, p billing.Page) []*attachment.PayerRequest {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*attachment.PayerRequest, error) {
		return tx.PayerRequests.List(ctx, f, p)
	})
}

func (b *scoped) getRequest(id billing.PayerRequestID) *attachment.PayerRequest {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*attachment.PayerRequest, error) {
		return tx.PayerRequests.Get(ctx, id)
	})
}

func answeredRequest(r *attachment.PayerRequest) *attachment.PayerRequest {
	r.Answer(&attachment.Attachment{ID: id[billing.AttachmentID](), ClosedAt: r.CreatedAt.Add(time.Minute)})
	return r
}

func testPayerRequests(b *scoped) {
	t := b.t
	full, letter, done := b.payerRequest(0), b.payerRequest(1), answeredRequest(b.payerRequest(2))
	letter.Source, letter.ClaimID, letter.DueDate = attachment.SourceStaff, billing.ClaimID{}, billing.Date{}
	for _, r := range []*attachment.PayerRequest{full, letter, done} {
		b.insertRequests(r)
		equal(t, "payer request", b.getRequest(r.ID), r)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.PayerRequests.Lock(ctx, full.ID)
		if err != nil {
			return err
		}
		equal(t, "locked payer request", r, full)
		full = answeredRequest(r)
		full.OfficeID, full.PatientID = id[billing.OfficeID](), id[billing.PatientID]()
		return tx.PayerRequests.Save(ctx, r)
	})
	equal(t, "answered payer request", b.getRequest(full.ID), full)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.PayerRequests.Lock(ctx, letter.ID)
		if err != nil {
			return err
		}
		r.AnswerElsewhere(unicode, b.now)
		letter = r
		return tx.PayerRequests.Save(ctx, r)
	})
	equal(t, "payer request answered elsewhere", b.getRequest(letter.ID), letter)
	nothing := id[billing.PayerRequestID]()
	b.absent("an absent payer request",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.PayerRequests.Get(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.PayerRequests.Lock(ctx, nothing) })
}

// testOpenRequests reads claims with what their payers ask for first, and with the time.
func testOpenRequests(b *scoped) {
	c := b.claim(0)
	b.insertClaims(c, b.claim(1))
	has := func(what string, want *claim.OpenRequest) {
		b.t.Helper()
		b.in(func(ctx context.Context, tx ports.Tx) error {
			one, err1 := tx.Claims.Get(ctx, c.ID)
			list, err2 := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 10})
			if err := errors.Join(err1, err2); err != nil || len(list) != 2 {
				return err
			}
			equal(b.t, what, []*claim.OpenRequest{one.Requested, list[1].Requested, list[0].Requested}, []*claim.OpenRequest{want, want, nil})
			if now := tx.Clock.Now(); !one.ReadAt.Equal(now) || !list[0].ReadAt.Equal(now) {
				b.t.Errorf("at %s, the claims were read at %s and %s", now, one.ReadAt, list[0].ReadAt)
			}
			return nil
		})
	}
	has("a claim that nobody asks about", nil)
	undated, due := b.payerRequest(0), b.payerRequest(1)
	undated.ClaimID, due.ClaimID, undated.DueDate = c.ID, c.ID, billing.Date{}
	b.insertRequests(undated)
	has("a request", &claim.OpenRequest{ID: undated.ID})
	b.insertRequests(due)
	has("one that is due", &claim.OpenRequest{ID: due.ID, Due: due.DueDate})
	decides := func(all decision.List) {
		b.t.Helper()
		due.Decisions = all
		b.in(func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.PayerRequests.Lock(ctx, due.ID); err != nil {
				return err
			}
			return tx.PayerRequests.Save(ctx, due)
		})
	}
	decides(decision.List{{Of: string(task.RequestDue), As: decision.WillNotSend, At: b.now}})
	has("one that a person does not answer", &claim.OpenRequest{ID: undated.ID})
	decides(nil)
	has("one whose decision was taken back", &claim.OpenRequest{ID: due.ID, Due: due.DueDate})
	for _, r := range []*attachment.PayerRequest{due, undated} {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Save(ctx, answeredRequest(r)) })
	}
	has("answered requests", nil)
}

// testAnswerRace answers one payer request many times at once. One answer is
// stored, and the others see it.
func testAnswerRace(b *scoped) {
	t := b.t
	r := b.payerRequest(0)
	b.insertRequests(r)
	var won atomic.Int32
	b.race(times(6, func(int) error {
		first := false
		err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			mine, err := tx.PayerRequests.Lock(ctx, r.ID)
			if err != nil {
				return err
			}
			if first = mine.State == attachment.PayerRequestOpen; !first {
				return nil
			}
			waitABit(ctx)
			return tx.PayerRequests.Save(ctx, answeredRequest(mine))
		})
		if first && err == nil {
			won.Add(1)
		}
		return err
	})...)
	equal(t, "those who answered", won.Load(), int32(1))
}

func testListPayerRequests(b *scoped) {
	listed(b, b.payerRequest, b.insertRequests,
		func(p billing.Page) []*attachment.PayerRequest {
			return b.listRequests(attachment.PayerRequestFilter{}, p)
		},
		func(r *attachment.PayerRequest) billing.Position {
			return billing.Position{Time: r.CreatedAt, ID: r.ID}
		})
}

func testPayerRequestsReceived(b *scoped) {
	t := b.t
	one, none, letter, other := b.payerRequest(0), b.payerRequest(1), b.payerRequest(2), b.payerRequest(3)
	none.ClaimID = billing.ClaimID{}
	letter.Source, letter.ReferenceNumber = attachment.SourceStaff, "LETTER"
	other.ClaimID, other.ReferenceNumber = one.ClaimID, "OTHER"
	b.insertRequests(one, none, letter, other, answeredRequest(b.payerRequest(4)))
	for name, test := range map[string]struct {
		payer     billing.PayerID
		claim     billing.ClaimID
		reference string
		want      bool
	}{
		"about a claim":      {one.Payer.ID, one.ClaimID, one.ReferenceNumber, true},
		"about none":         {none.Payer.ID, billing.ClaimID{}, none.ReferenceNumber, true},
		"another of a claim": {other.Payer.ID, one.ClaimID, other.ReferenceNumber, true},
		"another claim":      {one.Payer.ID, id[billing.ClaimID](), one.ReferenceNumber, false},
		"another payer":      {id[billing.PayerID](), one.ClaimID, one.ReferenceNumber, false},
		"another reference":  {one.Payer.ID, one.ClaimID, "ref", false},
		"about no claim":     {other.Payer.ID, billing.ClaimID{}, other.ReferenceNumber, false},
		"by letter":          {letter.Payer.ID, letter.ClaimID, letter.ReferenceNumber, false},
	} {
		equal(t, name, read(b, func(ctx context.Context, tx ports.Tx) (bool, error) {
			return tx.PayerRequests.Received(ctx, test.payer, test.claim, test.reference)
		}), test.want)
	}
}

func testPayerRequestFilters(b *scoped) {
	t := b.t
	one, two, three := answeredRequest(b.payerRequest(0)), b.payerRequest(10), b.payerRequest(20)
	two.ClaimID, two.DueDate = billing.ClaimID{}, one.DueDate.AddDays(1)
	three.DueDate = billing.Date{}
	of := b.claim(1)
	of.PatientID, three.ClaimID = id[billing.PatientID](), of.ID
	b.insertClaims(of)
	b.insertRequests(one, two, three)
	for name, test := range map[string]struct {
		f    attachment.PayerRequestFilter
		want []*attachment.PayerRequest
	}{
		"none":     {attachment.PayerRequestFilter{}, []*attachment.PayerRequest{three, two, one}},
		"open":     {attachment.PayerRequestFilter{State: attachment.PayerRequestOpen}, []*attachment.PayerRequest{three, two}},
		"answered": {attachment.PayerRequestFilter{State: attachment.PayerRequestAnswered}, []*attachment.PayerRequest{one}},
		"claim":    {attachment.PayerRequestFilter{ClaimID: three.ClaimID}, []*attachment.PayerRequest{three}},
		"patient":  {attachment.PayerRequestFilter{PatientID: of.PatientID}, []*attachment.PayerRequest{three}},
		"payer":    {attachment.PayerRequestFilter{PayerID: two.Payer.ID}, []*attachment.PayerRequest{two}},
		"due":      {attachment.PayerRequestFilter{DueBy: one.DueDate}, []*attachment.PayerRequest{one}},
		"due soon": {attachment.PayerRequestFilter{DueBy: two.DueDate}, []*attachment.PayerRequest{two, one}},
		"overdue":  {attachment.PayerRequestFilter{DueBy: one.DueDate.AddDays(-1)}, []*attachment.PayerRequest{}},
		"all at once": {
			attachment.PayerRequestFilter{State: one.State, ClaimID: one.ClaimID, PayerID: one.Payer.ID, DueBy: one.DueDate},
			[]*attachment.PayerRequest{one},
		},
		"nothing": {attachment.PayerRequestFilter{ClaimID: id[billing.ClaimID]()}, []*attachment.PayerRequest{}},
	} {
		equal(t, "filter by "+name, b.listRequests(test.f, billing.Page{Limit: 25}), test.want)
	}
}
