package eligibility_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// batch makes a batch of checks with items of the endings, whose names are their places.
func (b *fixture) batch(scope billing.Scope, office billing.OfficeID, in intake.CheckBatchRequest, endings ...string) billing.CheckBatchID {
	b.t.Helper()
	in.Name = "Tomorrow"
	for i, ending := range endings {
		item := intake.CheckItemInput{ItemID: fmt.Sprint(i), EligibilityRequest: b.request(fmt.Sprint(i, ending))}
		item.OfficeID = office.String()
		if in.Recheck != nil {
			item.AppointmentAt = b.clock.Now().Add(3 * time.Hour)
		}
		in.Items = append(in.Items, item)
	}
	var made *coverage.Batch
	_, err := b.service.MakeBatch(b.t.Context(), b.writing(scope, &made), in)
	if err != nil {
		b.t.Fatal(err)
	}
	return made.ID
}

func (b *fixture) writing(scope billing.Scope, made **coverage.Batch) idempotency.Write[*coverage.Batch] {
	return idempotency.Write[*coverage.Batch]{Call: calling(scope, call("")), Render: func(made2 *coverage.Batch, _ error) caller.Reply {
		*made = made2
		return caller.Reply{}
	}}
}

// feed runs the job of a batch once.
func (b *fixture) feed(scope billing.Scope, id billing.CheckBatchID) {
	b.t.Helper()
	at := porttest.Read(b.t, b.store, scope, func(ctx context.Context, tx ports.Tx) (*coverage.Batch, error) { return tx.CheckBatches.Get(ctx, id) })
	if at.Feed.IsZero() {
		b.t.Fatal("the batch has no job")
	}
	if err := b.service.Feed(b.t.Context(), jobs.Job{ID: at.Feed, Kind: jobs.KindCheckBatch, Scope: scope, Subject: id}); err != nil {
		b.t.Fatal(err)
	}
}

// items reads the items of a batch.
func (b *fixture) items(scope billing.Scope, id billing.CheckBatchID) []*eligibility.Item {
	b.t.Helper()
	all, _, err := b.service.Items(b.t.Context(), scope, coverage.ItemFilter{BatchID: id}, billing.Page{Limit: billing.MaxPageLimit, Oldest: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

// under returns the jobs that ask for items now.
func (b *fixture) under(scope billing.Scope, id billing.CheckBatchID) (all []jobs.Job) {
	b.t.Helper()
	for _, i := range b.items(scope, id) {
		if !i.Asking.IsZero() {
			all = append(all, jobs.Job{ID: i.Asking, Kind: jobs.KindBatchEligibility, Scope: scope, Subject: i.CheckID})
		}
	}
	return all
}

func (b *fixture) answer(all ...jobs.Job) {
	b.t.Helper()
	for _, j := range all {
		if err := b.service.Answer(b.t.Context(), j); err != nil {
			b.t.Fatal(err)
		}
	}
}

func repeated(ending string, n int) []string { return slices.Repeat([]string{ending}, n) }

// TestLanes feeds batches of two organizations to one payer. They share its places, which are
// free again after answers.
func TestLanes(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	other := porttest.Organization(t, b.store, billing.ModeTest)
	first := b.batch(b.scope, b.office.ID, intake.CheckBatchRequest{}, repeated("-ACTIVE-FULL", 20)...)
	b.feed(b.scope, first)
	b.feed(b.scope, first)
	if n := len(b.under(b.scope, first)); n != coverage.LaneChecks {
		t.Fatalf("%d checks at once", n)
	}
	second := b.batch(other, porttest.Office(t, b.store, other).ID, intake.CheckBatchRequest{}, repeated("-ACTIVE-FULL", 20)...)
	b.feed(other, second)
	if n := len(b.under(other, second)); n > 0 {
		t.Fatalf("%d checks beyond the lane", n)
	}
	b.answer(b.under(b.scope, first)[:6]...)
	b.feed(b.scope, first) // it has its half, less the two that it still asks
	b.feed(other, second)
	if mine, theirs := len(b.under(b.scope, first)), len(b.under(other, second)); mine != 4 || theirs != 4 {
		t.Errorf("%d and %d checks at once", mine, theirs)
	}
	for range 20 {
		for scope, id := range map[billing.Scope]billing.CheckBatchID{b.scope: first, other: second} {
			b.answer(b.under(scope, id)...)
			if got := b.read(scope, id); !got.Feed.IsZero() {
				b.feed(scope, id)
			}
		}
	}
	for scope, id := range map[billing.Scope]billing.CheckBatchID{b.scope: first, other: second} {
		if got := b.read(scope, id); got.State() != coverage.BatchDone || got.Counts.Outcomes[coverage.ItemAnswered] != 20 || !got.Feed.IsZero() {
			t.Errorf("at the end: %+v", got)
		}
	}
}

func (b *fixture) read(scope billing.Scope, id billing.CheckBatchID) *eligibility.Batched {
	b.t.Helper()
	got, err := b.service.Batch(b.t.Context(), scope, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// TestBatchRepeats asks a payer that does not respond until the time of the batch is over. The
// check stays pending, and completes once with one event.
func TestBatchRepeats(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	id := b.batch(b.scope, b.office.ID, intake.CheckBatchRequest{NotAfter: b.clock.Now().Add(12 * time.Minute)}, "-PAYER-DOWN")
	check := billing.CheckID{}
	for attempt := 1; attempt <= 2; attempt++ {
		b.feed(b.scope, id)
		asking := b.under(b.scope, id)
		if len(asking) != 1 {
			t.Fatalf("attempt %d: %v", attempt, asking)
		}
		b.answer(asking...)
		asked := sandbox.asked()
		b.answer(asking...) // its message comes again
		i := b.items(b.scope, id)[0]
		if sandbox.asked() != asked || i.Attempts != attempt || i.Check.State != coverage.CheckPending || i.State() != coverage.ItemPending {
			t.Fatalf("after attempt %d: %+v, asked %d times more", attempt, i, sandbox.asked()-asked)
		}
		if check.IsZero() {
			check = i.CheckID
		}
		b.feed(b.scope, id)
		if len(b.under(b.scope, id)) > 0 || i.CheckID != check {
			t.Fatal("asked again too early, or with another check")
		}
		b.clock.Advance(coverage.BatchRetryAfter + time.Second)
	}
	b.feed(b.scope, id) // the last attempt: another one would be too late
	b.answer(b.under(b.scope, id)...)
	i := b.items(b.scope, id)[0]
	if i.Outcome != coverage.ItemPayerUnavailable || !i.NeedsAPerson || i.Attempts != 3 || i.Check.Outcome != coverage.OutcomePayerUnavailable {
		t.Errorf("at the end: %+v", i)
	}
	if got := porttest.Events(t, b.store, b.scope, check); len(got) != 1 {
		t.Errorf("%d events", len(got))
	}
	b.feed(b.scope, id)
	if got := b.read(b.scope, id); got.State() != coverage.BatchDone || !got.Feed.IsZero() || got.CompletedAt().IsZero() {
		t.Errorf("at the end: %+v", got)
	}
}

// TestBatchOver has items whose time is over: one was never asked, and one waits for its next
// attempt.
func TestBatchOver(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	in := intake.CheckBatchRequest{NotAfter: b.clock.Now().Add(time.Hour)}
	late := b.batch(b.scope, b.office.ID, in, "-ACTIVE-FULL")
	down := b.batch(b.scope, b.office.ID, in, "-PAYER-DOWN")
	b.feed(b.scope, down)
	b.answer(b.under(b.scope, down)...)
	b.clock.Advance(2 * time.Hour)
	b.feed(b.scope, late)
	b.feed(b.scope, down)
	if i := b.items(b.scope, late)[0]; i.Outcome != coverage.ItemNotAsked || i.Check != nil || !i.NeedsAPerson {
		t.Errorf("never asked: %+v", i)
	}
	i := b.items(b.scope, down)[0]
	if i.Outcome != coverage.ItemPayerUnavailable || i.Check.State != coverage.CheckCompleted || len(porttest.Events(t, b.store, b.scope, i.CheckID)) != 1 {
		t.Errorf("without an answer: %+v", i)
	}
}

// TestBatchRecheck asks again before the appointment, without the cache.
func TestBatchRecheck(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	hour := "PT1H"
	id := b.batch(b.scope, b.office.ID, intake.CheckBatchRequest{Recheck: &hour}, "-ACTIVE-FULL")
	b.feed(b.scope, id)
	b.answer(b.under(b.scope, id)...)
	first := b.items(b.scope, id)[0]
	if got := b.read(b.scope, id); got.State() != coverage.BatchWaiting || first.State() != coverage.ItemWaiting || first.Outcome != coverage.ItemAnswered || got.ExpectedAt(got.Now) != first.NextAt {
		t.Fatalf("before the appointment: %+v, %+v", got, first)
	}
	asked := sandbox.asked()
	b.clock.Advance(2*time.Hour + time.Minute)
	b.feed(b.scope, id)
	b.answer(b.under(b.scope, id)...)
	again := b.items(b.scope, id)[0]
	if sandbox.asked() == asked || again.CheckID == first.CheckID || again.Outcome != coverage.ItemAnswered || again.Attempts != 1 {
		t.Errorf("checked again: %+v", again)
	}
	if got := b.read(b.scope, id); got.State() != coverage.BatchDone {
		t.Errorf("at the end: %+v", got)
	}
}

// TestBatchCached answers items from the cache, without a job.
func TestBatchCached(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	b.work()
	known := b.check("known", b.request("0-ACTIVE-FULL"))
	asked := sandbox.asked()
	id := b.batch(b.scope, b.office.ID, intake.CheckBatchRequest{}, "-ACTIVE-FULL")
	b.feed(b.scope, id)
	i := b.items(b.scope, id)[0]
	if i.Outcome != coverage.ItemAnswered || i.Check.CacheSource != known.ID || sandbox.asked() != asked || len(porttest.Events(t, b.store, b.scope, i.CheckID)) != 1 {
		t.Errorf("from the cache: %+v", i)
	}
}

// TestBatchWithoutRoute asks in live mode, where no connection carries checks to a payer. Such items are invalid,
// and a batch of nothing else is refused.
func TestBatchWithoutRoute(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	b.scope = porttest.Organization(t, b.store, billing.ModeLive)
	b.office = porttest.Office(t, b.store, b.scope)
	p := b.process()
	b.service = p.Service
	items := func(payers ...string) (in intake.CheckBatchRequest) {
		in.Name = "Tomorrow"
		for i, payer := range payers {
			item := intake.CheckItemInput{ItemID: fmt.Sprint(i), EligibilityRequest: b.request("-ACTIVE-FULL")}
			item.PayerID = payer
			in.Items = append(in.Items, item)
		}
		return in
	}
	refused := func(payers ...string) {
		t.Helper()
		write := b.writing(b.scope, new(*coverage.Batch))
		var err error
		write.Render = func(_ *coverage.Batch, failure error) caller.Reply { err = failure; return caller.Reply{} }
		if _, failure := b.service.MakeBatch(t.Context(), write, items(payers...)); failure != nil {
			err = failure
		}
		e, ok := errors.AsType[*billing.Error](err)
		if !ok || e.Code != billing.CodeInvalidRequest || len(e.Faults) != len(payers) {
			t.Fatalf("%v: %v", payers, err)
		}
		for i, f := range e.Faults {
			if f.Field != fmt.Sprintf("items.%d.payer_id", i) || f.Code != billing.FaultNotAllowed {
				t.Errorf("%v: %+v", payers, f)
			}
		}
	}
	refused("CHTEST")
	refused("CHTEST", "CIGNA")
	b.must(p.connections.Add(t.Context(), intake.ConnectionRequest{
		Name: "Checks", Mode: "live", Kind: "core", Carries: []string{"eligibility"}, Usage: "P", SenderID: "MOLAR1", ReceiverID: "NET1",
		Payers: []intake.ConnectionPayerRequest{{PayerID: "CHTEST", Everything: true}}, Own: map[string][]byte{
			"url": []byte("https://core.example.com/soap"), "envelope": []byte("soap-2.2.0"), "user": []byte("molar"), "password_file": []byte("secret"),
		},
	}))
	b.follow(p)
	refused("CIGNA")
	var made *coverage.Batch
	if _, err := b.service.MakeBatch(t.Context(), b.writing(b.scope, &made), items("CIGNA", "CHTEST")); err != nil {
		t.Fatal(err)
	}
	if all := b.items(b.scope, made.ID); all[0].Outcome != coverage.ItemInvalid || len(all[0].Faults) != 1 || all[1].State() != coverage.ItemPending {
		t.Errorf("%+v", made.Counts)
	}
}

// TestDownPayer rests the lane of a payer that did not respond several times, and then asks one
// check at a time.
func TestDownPayer(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	lane := coverage.Lane{Network: "sandbox", Payer: billing.PayerID{1}}
	room := func() int {
		return porttest.Read(t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) (int, error) {
			all, err := tx.CheckFeed.Room(ctx, []coverage.Lane{lane}, []int{5})
			return all[0], err
		})
	}
	rest := func(d time.Duration) {
		porttest.In(t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.CheckFeed.Rest(ctx, lane, d) })
	}
	for range coverage.LaneFailures - 1 {
		rest(time.Hour)
	}
	if n := room(); n != 5 {
		t.Errorf("room for %d after two failures", n)
	}
	rest(time.Hour)
	if n := room(); n != 0 {
		t.Errorf("room for %d in a lane that rests", n)
	}
	rest(0)
	if n := room(); n != 1 {
		t.Errorf("room for %d after the rest", n)
	}
	porttest.In(t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.CheckFeed.Reached(ctx, lane) })
	if n := room(); n != 5 {
		t.Errorf("room for %d in a lane that works again", n)
	}
}
