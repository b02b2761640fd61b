package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// testWaiting counts remittances of every stage, and attachments that are not sent. Those
// of another mode, and a remittance that is still being read, are in no count.
func testWaiting(b *scoped) {
	count := func(b *scoped) claim.Waiting {
		return read(b, func(ctx context.Context, tx ports.Tx) (claim.Waiting, error) {
			return tx.Totals.Waiting(ctx)
		})
	}
	reading, applying, done, posted := b.era(1), b.era(2), b.era(3), b.era(4)
	reading.ReceivedAt, reading.Stage = time.Time{}, remit.Reading
	for _, e := range []*remit.ERA{reading, applying, done, posted} {
		e.ClaimCount, e.Progress = 9, remit.Progress{Applied: 1, NeedsReview: 2, Unmatched: 3}
	}
	applying.Stage, done.Stage, posted.Stage = remit.Applying, remit.Done, remit.Done
	posted.Progress = remit.Progress{Applied: 5, Ignored: 2, Forwarded: 2}
	posted.State, posted.PostedAt = remit.Posted, b.now
	b.insertERAs(reading, applying, done, posted)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Quarantine.Insert(ctx, quarantine.New(clearing.IncomingFile{Scope: b.scope, Content: []byte("ISA")}, b.scope.Mode, quarantine.Unplaced, "", billing.RealAt(b.now), b.now))
		return err
	})
	sent := b.attachment(2)
	sent.State, sent.Number, sent.ClosedAt = attachment.Closed, "7", b.now
	b.insertAttachments(b.attachment(1), sent)
	want := claim.Waiting{
		NotPosted: claim.Count{Count: 2}, NeedAttention: claim.Count{Count: 2}, OpenAttachments: claim.Count{Count: 1}, UnfinishedClaims: claim.Count{Count: applying.Unfinished() + done.Unfinished()}, Quarantined: claim.Count{Count: 1},
	}
	equal(b.t, "waiting", count(b), want)
	equal(b.t, "waiting in another mode", count(b.other()), claim.Waiting{})
}

// testToSend counts the queued claims that are in no batch by their payers, those of an office that
// is not verified apart.
func testToSend(b *scoped) {
	b.organization()
	few, many := b.payer(), b.payer()
	verified := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", VerifiedAt: b.now, CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, verified) })
	for n := range 6 {
		c := b.claim(n)
		if c.Payer, c.State, c.BatchID = many, claim.Queued, (billing.FileID{}); n >= 4 {
			c.Payer = few
		}
		if n > 0 {
			c.OfficeID = verified.ID
		}
		b.insertClaims(c)
	}
	sent, draft := b.claim(6), b.claim(7)
	sent.Payer, sent.State, sent.BatchID = few, claim.Queued, id[billing.FileID]()
	draft.Payer, draft.State = few, claim.Draft
	b.insertClaims(sent, draft)
	equal(b.t, "to send", read(b, func(ctx context.Context, tx ports.Tx) ([]claim.ToSend, error) { return tx.Totals.ToSend(ctx) }), []claim.ToSend{
		{PayerID: many.ID, PayerName: many.Name, Count: claim.Count{Count: 3}},
		{PayerID: few.ID, PayerName: few.Name, Count: claim.Count{Count: 2}},
		{PayerID: many.ID, PayerName: many.Name, Hold: claim.HoldOffice, Count: claim.Count{Count: 1}},
	})
}

// testDueRequests counts open requests on more days than are counted separately.
func testDueRequests(b *scoped) {
	first := billing.Date{Year: 2026, Month: 1, Day: 31}
	open := func(b *scoped) claim.OpenRequests {
		return read(b, func(ctx context.Context, tx ports.Tx) (claim.OpenRequests, error) {
			return tx.Totals.PayerRequests(ctx)
		})
	}
	equal(b.t, "no request", open(b), claim.OpenRequests{})
	want := claim.OpenRequests{Open: claim.Count{Count: claim.MaxDueDays + 5}, Later: claim.Count{Count: 2}, Undated: claim.Count{Count: 2}}
	for n := range claim.MaxDueDays + 2 {
		r := b.payerRequest(n)
		r.DueDate = first.AddDays(n)
		b.insertRequests(r)
		if n < claim.MaxDueDays {
			want.Due = append(want.Due, claim.DayCount{Day: r.DueDate, Count: claim.Count{Count: 1}})
		}
	}
	want.Due[0].Count.Count++
	again, answered, undated, another := b.payerRequest(90), b.payerRequest(91), b.payerRequest(92), b.payerRequest(93)
	again.DueDate, undated.DueDate, another.DueDate = first, billing.Date{}, billing.Date{}
	answered.State, answered.AnsweringAttachment, answered.AnsweredAt = attachment.PayerRequestAnswered, id[billing.AttachmentID](), b.now
	b.insertRequests(again, answered, undated, another)
	equal(b.t, "open requests", open(b), want)
	equal(b.t, "open requests of another mode", open(b.other()), claim.OpenRequests{})
}

// testDailyChecks counts checks at both ends of the activity, and just outside.
func testDailyChecks(b *scoped) {
	today := billing.Date{Year: 2026, Month: 3, Day: 1}
	first := today.AddDays(1 - claim.ActivityDays)
	for _, at := range []time.Time{
		first.Time().Add(-time.Microsecond), first.Time(), first.AddDays(1).Time().Add(-time.Microsecond), today.Time(), today.AddDays(1).Time(),
	} {
		c := b.check(0)
		c.CreatedAt = at
		b.insert(c)
	}
	days := func(b *scoped) []claim.DayCount {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]claim.DayCount, error) {
			return tx.Totals.Checks(ctx, today)
		})
	}
	want := make([]claim.DayCount, claim.ActivityDays)
	for n := range want {
		want[n].Day = first.AddDays(n)
	}
	equal(b.t, "checks of another mode", days(b.other()), want)
	want[0].Count.Count, want[len(want)-1].Count.Count = 2, 1
	equal(b.t, "checks by day", days(b), want)
}

// other returns the fixture in the other mode.
func (b *scoped) other() *scoped {
	other := *b
	other.scope.Mode = billing.ModeLive
	return &other
}
