package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) getCheck(id billing.CheckID) *coverage.Check {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*coverage.Check, error) {
		return tx.Checks.Get(ctx, id)
	})
}

func (b *scoped) listChecks(f coverage.CheckFilter, p billing.Page) []*coverage.Check {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*coverage.Check, error) {
		return tx.Checks.List(ctx, f, p)
	})
}

func testCheckRoundTrip(b *scoped) {
	t := b.t
	pending, done, rejected, hit := b.check(0), b.answered(1), b.check(2), b.answered(3)
	rejected.State, rejected.Outcome, rejected.CompletedAt = coverage.CheckCompleted, coverage.OutcomeRejected, b.now.Add(time.Hour)
	rejected.Rejection = &coverage.Rejection{
		Kind: coverage.RejectionFixAndResend, PayerCode: "75",
		Reasons: []coverage.RejectionReason{{Code: coverage.ReasonMemberNotFound, About: coverage.AboutSubscriber, Message: "m", Fix: "f"}},
	}
	rejected.Inquiry.Patient = &coverage.Dependent{FirstName: "Kim", LastName: "L", Relationship: coverage.RelationChild, DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}}
	rejected.ParentID, rejected.TenantReference = done.ID, new("Ref \u2603 100%")
	rejected.RequestID, rejected.OfPerson = billing.RequestID{}, id[billing.RequestID]()
	rejected.Shown, rejected.ShownFailure = done.Shown, []byte(`{"error": "PAYER_REJECTED"}`)
	hit.CacheSource, hit.LatencyMS = done.ID, nil
	for _, c := range []*coverage.Check{pending, done, rejected, hit} {
		b.insert(c)
		equal(t, "check", b.getCheck(c.ID), c)
	}
	b.absent("an absent check", func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Checks.Get(ctx, id[billing.CheckID]()) })
}

// complete completes one check.
func complete(ctx context.Context, tx ports.Tx, c *coverage.Check, exchanges ...coverage.Exchange) error {
	return tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: c, Exchanges: exchanges}})
}

func testComplete(b *scoped) {
	t := b.t
	c := b.check(0)
	b.insert(c)
	answer(c)
	completes := func(c *coverage.Check) error {
		_, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (bool, error) {
			return true, complete(ctx, tx, c, coverage.Exchange{MediaType: coverage.MediaX12, Request: []byte("ISA"), Reply: []byte("271")}, coverage.Exchange{MediaType: "application/json", Request: []byte("{}")})
		})
		return err
	}
	if err := completes(c); err != nil {
		t.Errorf("the check was not completed: %v", err)
	}
	equal(t, "check", b.getCheck(c.ID), c)
	exchanged := func(ctx context.Context, tx ports.Tx) (coverage.CheckExchange, error) {
		return tx.Exchanges.Get(ctx, c.ID)
	}
	equal(t, "messages", read(b, exchanged).Messages, []coverage.Exchange{
		{MediaType: coverage.MediaX12, Request: []byte("ISA"), Reply: []byte("271")}, {MediaType: "application/json", Request: []byte("{}"), Reply: []byte{}},
	})
	other := *c
	answer(&other)
	other.Network = "other"
	if err := completes(&other); !errors.Is(err, coverage.ErrNotPending) {
		t.Errorf("the check was completed twice: %v", err)
	}
	equal(t, "check", b.getCheck(c.ID), c)
	equal(t, "messages of a check that was completed again", len(read(b, exchanged).Messages), 2)
	pending := b.check(1)
	b.insert(pending)
	equal(t, "messages of a pending check", len(read(b, func(ctx context.Context, tx ports.Tx) (coverage.CheckExchange, error) {
		return tx.Exchanges.Get(ctx, pending.ID)
	}).Messages), 0)
	b.scope = newScope()
	_, err := try(b, b.scope, exchanged)
	wantCode(t, "messages of another scope's check", err, billing.CodeNotFound)
}

// testCompleteTogether completes several checks at once, one of them completed
// already and one absent, and reads them.
func testCompleteTogether(b *scoped) {
	t := b.t
	all := []*coverage.Check{b.check(0), b.check(1), b.answered(2), b.check(3)}
	b.insert(all[:3]...)
	var completions []coverage.CheckCompletion
	for i, c := range all {
		mine := *c
		answer(&mine)
		mine.PatientID, mine.Network = id[billing.PatientID](), fmt.Sprint("network ", i)
		if i == 1 {
			mine.PatientID, mine.LatencyMS, mine.Status, mine.Benefits = billing.PatientID{}, nil, "", nil
			mine.Outcome, mine.Rejection = coverage.OutcomeRejected, &coverage.Rejection{Kind: coverage.RejectionFixAndResend, PayerCode: `7"5\`}
			mine.ShownFailure = []byte(`{"message": "\"no\""}`)
		}
		completions = append(completions, coverage.CheckCompletion{Check: &mine})
	}
	if _, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (bool, error) {
		return true, tx.PendingChecks.Complete(ctx, completions)
	}); !errors.Is(err, coverage.ErrNotPending) {
		t.Errorf("two of four were not pending: %v", err)
	}
	equal(t, "not completed", b.getCheck(all[0].ID), all[0])
	var pending []billing.CheckID
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		pending, err = tx.PendingChecks.Lock(ctx, []billing.CheckID{all[0].ID, all[1].ID, all[2].ID, all[3].ID})
		return errors.Join(err, tx.PendingChecks.Complete(ctx, completions[:2]))
	})
	if len(pending) != 2 || !slices.Contains(pending, all[0].ID) || !slices.Contains(pending, all[1].ID) {
		t.Errorf("%v are pending, want the first two", pending)
	}
	found := read(b, func(ctx context.Context, tx ports.Tx) (map[billing.CheckID]*coverage.Check, error) {
		return tx.Checks.Find(ctx, []billing.CheckID{all[0].ID, all[1].ID, all[2].ID, all[3].ID})
	})
	if len(found) != 3 {
		t.Errorf("found %d checks, want 3", len(found))
	}
	equal(t, "answered", found[all[0].ID], completions[0].Check)
	equal(t, "rejected", found[all[1].ID], completions[1].Check)
	equal(t, "completed before", found[all[2].ID], all[2])
}

// testCompleteRace completes one check from several workers. One succeeds, and
// its event is the only one.
func testCompleteRace(b *scoped) {
	t := b.t
	c := b.check(0)
	b.insert(c)
	var won atomic.Int32
	b.race(times(6, func(int) error {
		mine := *c
		answer(&mine)
		err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(complete(ctx, tx, &mine), tx.Events.Append(ctx, b.event(c.ID, event.EligibilityCompleted, 0)))
		})
		if err == nil {
			won.Add(1)
		} else if errors.Is(err, coverage.ErrNotPending) {
			err = nil
		}
		return err
	})...)
	events := b.listEvents(event.Filter{Resource: c.ID}, billing.Page{Limit: 10})
	if won.Load() != 1 || len(events) != 1 || events[0].Sequence != 1 {
		t.Errorf("%d workers completed the check, %d events", won.Load(), len(events))
	}
}

func testRecent(b *scoped) {
	t := b.t
	question := b.check(0)
	same := func(n int) *coverage.Check {
		c := b.answered(n)
		c.OfficeID, c.Payer = question.OfficeID, question.Payer
		return c
	}
	old, newer, hit, failed, unknown := same(1), same(2), same(3), same(4), same(6)
	hit.CacheSource = newer.ID
	unknown.Status = coverage.Unknown
	failed.Outcome, failed.Status, failed.Benefits = coverage.OutcomeError, "", nil
	b.insert(question, old, newer, hit, failed, unknown, b.answered(5))
	recent := func(since time.Time) *coverage.Check {
		return read(b, func(ctx context.Context, tx ports.Tx) (*coverage.Check, error) {
			return tx.Checks.Recent(ctx, question.Digest(), since)
		})
	}
	equal(t, "the newest fresh answer", recent(b.now), newer)
	equal(t, "one completed just then", recent(newer.CompletedAt), newer)
	if c := recent(newer.CompletedAt.Add(time.Microsecond)); c != nil {
		t.Errorf("found %s, which is too old", c.ID)
	}
}

func testListChecks(b *scoped) {
	listed(b, b.check, b.insert, func(p billing.Page) []*coverage.Check { return b.listChecks(coverage.CheckFilter{}, p) },
		func(c *coverage.Check) billing.Position {
			return billing.Position{Time: c.CreatedAt, ID: c.ID}
		})
}

func ids(cs []*coverage.Check) []billing.CheckID {
	var out []billing.CheckID
	for _, c := range cs {
		out = append(out, c.ID)
	}
	return out
}

func testCheckFilters(b *scoped) {
	t := b.t
	one, two := b.answered(0), b.check(10)
	one.TenantReference = new("Ref-Aa")
	two.TenantReference, two.PatientID = new("ref-aa"), id[billing.PatientID]()
	b.insert(one, two)
	for name, test := range map[string]struct {
		f    coverage.CheckFilter
		want []*coverage.Check
	}{
		"none":      {coverage.CheckFilter{}, []*coverage.Check{two, one}},
		"request":   {coverage.CheckFilter{RequestID: one.RequestID}, []*coverage.Check{one}},
		"office":    {coverage.CheckFilter{OfficeID: two.OfficeID}, []*coverage.Check{two}},
		"payer":     {coverage.CheckFilter{PayerID: two.Payer.ID}, []*coverage.Check{two}},
		"patient":   {coverage.CheckFilter{PatientID: two.PatientID}, []*coverage.Check{two}},
		"outcome":   {coverage.CheckFilter{Outcome: coverage.OutcomeAnswered}, []*coverage.Check{one}},
		"reference": {coverage.CheckFilter{TenantReference: "Ref-Aa"}, []*coverage.Check{one}},
		"after":     {coverage.CheckFilter{CreatedAfter: two.CreatedAt}, []*coverage.Check{two}},
		"before":    {coverage.CheckFilter{CreatedBefore: two.CreatedAt}, []*coverage.Check{one}},
		"nothing":   {coverage.CheckFilter{OfficeID: id[billing.OfficeID]()}, nil},
		"all at once": {coverage.CheckFilter{
			RequestID: one.RequestID, OfficeID: one.OfficeID, PayerID: one.Payer.ID, Outcome: one.Outcome,
			CreatedAfter: one.CreatedAt, CreatedBefore: two.CreatedAt, TenantReference: "Ref-Aa",
		}, []*coverage.Check{one}},
		"do not combine": {coverage.CheckFilter{OfficeID: one.OfficeID, PayerID: two.Payer.ID}, nil},
	} {
		equal(t, name, ids(b.listChecks(test.f, billing.Page{Limit: 25})), ids(test.want))
	}
}

// testForgetAnswers removes answers that are too old for reuse. The checks
// stay.
func testForgetAnswers(b *scoped) {
	t := b.t
	old, newer := b.answered(1), b.answered(2)
	newer.CompletedAt = old.CompletedAt.Add(time.Second)
	b.insert(old, newer)
	b.forgets(ports.Forgetter.Answers, newer.CompletedAt, 1)
	b.forgets(ports.Forgetter.Answers, newer.CompletedAt, 0)
	for _, test := range []struct {
		c    *coverage.Check
		want *coverage.Check
	}{{old, nil}, {newer, newer}} {
		equal(t, "the saved answer", read(b, func(ctx context.Context, tx ports.Tx) (*coverage.Check, error) {
			return tx.Checks.Recent(ctx, test.c.Digest(), b.now)
		}), test.want)
		equal(t, "the check", b.getCheck(test.c.ID), test.c)
	}
}
