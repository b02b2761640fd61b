package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// testWaitingRemittances counts remittances of every stage. Those of another mode, and
// one that is still being read, are in no count.
func testWaitingRemittances(b *scoped) {
	count := func(b *scoped) billing.WaitingRemittances {
		return read(b, func(ctx context.Context, tx ports.Tx) (billing.WaitingRemittances, error) {
			return tx.Totals.Remittances(ctx)
		})
	}
	reading, applying, done, posted := b.era(1), b.era(2), b.era(3), b.era(4)
	reading.ReceivedAt, reading.Stage = time.Time{}, billing.ERAReading
	for _, e := range []*billing.ERA{reading, applying, done, posted} {
		e.ClaimCount, e.Progress = 9, billing.ERAProgress{Applied: 1, NeedsReview: 2, Unmatched: 3}
	}
	applying.Stage, done.Stage, posted.Stage = billing.ERAApplying, billing.ERADone, billing.ERADone
	posted.Progress = billing.ERAProgress{Applied: 5, Ignored: 2, Forwarded: 2}
	posted.State, posted.PostedAt = billing.ERAPosted, b.now
	b.insertERAs(reading, applying, done, posted)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Quarantine.Insert(ctx, billing.Quarantine(billing.IncomingFile{Scope: b.scope, Content: []byte("ISA")}, b.scope.Mode, billing.QuarantineUnplaced, "", b.now))
		return err
	})
	want := billing.WaitingRemittances{
		NotPosted: billing.Count{Count: 2}, UnfinishedClaims: billing.Count{Count: applying.Unfinished() + done.Unfinished()}, Quarantined: billing.Count{Count: 1},
	}
	equal(b.t, "waiting", count(b), want)
	equal(b.t, "waiting in another mode", count(b.other()), billing.WaitingRemittances{})
}

// testDueRequests counts open requests on more days than are counted separately.
func testDueRequests(b *scoped) {
	first := billing.Date{Year: 2026, Month: 1, Day: 31}
	open := func(b *scoped) billing.OpenRequests {
		return read(b, func(ctx context.Context, tx ports.Tx) (billing.OpenRequests, error) {
			return tx.Totals.PayerRequests(ctx)
		})
	}
	equal(b.t, "no request", open(b), billing.OpenRequests{})
	want := billing.OpenRequests{Open: billing.Count{Count: billing.MaxDueDays + 5}, Later: billing.Count{Count: 2}, Undated: billing.Count{Count: 2}}
	for n := range billing.MaxDueDays + 2 {
		r := b.payerRequest(n)
		r.DueDate = first.AddDays(n)
		b.insertRequests(r)
		if n < billing.MaxDueDays {
			want.Due = append(want.Due, billing.DayCount{Day: r.DueDate, Count: billing.Count{Count: 1}})
		}
	}
	want.Due[0].Count.Count++
	again, answered, undated, another := b.payerRequest(90), b.payerRequest(91), b.payerRequest(92), b.payerRequest(93)
	again.DueDate, undated.DueDate, another.DueDate = first, billing.Date{}, billing.Date{}
	answered.State, answered.AnsweringAttachment, answered.AnsweredAt = billing.PayerRequestAnswered, id[billing.AttachmentID](), b.now
	b.insertRequests(again, answered, undated, another)
	equal(b.t, "open requests", open(b), want)
	equal(b.t, "open requests of another mode", open(b.other()), billing.OpenRequests{})
}

// testDailyChecks counts checks at both ends of the activity, and just outside.
func testDailyChecks(b *scoped) {
	today := billing.Date{Year: 2026, Month: 3, Day: 1}
	first := today.AddDays(1 - billing.ActivityDays)
	for _, at := range []time.Time{
		first.Time().Add(-time.Microsecond), first.Time(), first.AddDays(1).Time().Add(-time.Microsecond), today.Time(), today.AddDays(1).Time(),
	} {
		c := b.check(0)
		c.CreatedAt = at
		b.insert(c)
	}
	days := func(b *scoped) []billing.DayCount {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]billing.DayCount, error) {
			return tx.Totals.Checks(ctx, today)
		})
	}
	want := make([]billing.DayCount, billing.ActivityDays)
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
