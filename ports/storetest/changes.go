package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// changed reads what changed in the scopes after a mark.
func (b *scoped) changed(mark event.Mark, limit int, scopes ...billing.Scope) (found []event.ScopeChanges, now event.Mark) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
		found, now, err = tx.Changes.After(ctx, scopes, mark, limit)
		return err
	})
	return found, now
}

func (b *scoped) watch(scopes ...billing.Scope) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Changes.Watch(ctx, scopes, time.Hour) })
}

// watched watches the scopes, and returns a mark after which their record is complete.
func (b *scoped) watched(scopes ...billing.Scope) event.Mark {
	b.t.Helper()
	mark := event.Mark{}
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); waitABit(b.t.Context()) {
		b.watch(scopes...)
		found, now := b.changed(mark, 10, scopes...)
		if mark = now; !slices.ContainsFunc(found, func(c event.ScopeChanges) bool { return !c.Complete }) {
			return mark
		}
	}
	b.t.Fatal("the record is not complete")
	return mark
}

// names returns the changes once each, sorted.
func names(c event.ScopeChanges) []string {
	once := map[string]struct{}{}
	for _, one := range c.Changes {
		once[fmt.Sprint(one.Kind, " ", one.Resource())] = struct{}{}
	}
	return slices.Sorted(maps.Keys(once))
}

// testChanges makes and changes a resource of every kind.
func testChanges(b *scoped) {
	t := b.t
	b.organization()
	mark := b.watched(b.scope)
	next := func(what string, want ...string) {
		t.Helper()
		found, now := b.changed(mark, 1000, b.scope)
		slices.Sort(want)
		if mark = now; !found[0].Complete || found[0].More || !slices.Equal(names(found[0]), want) {
			t.Errorf("%s: %+v changed, want %v", what, names(found[0]), want)
		}
	}
	next("nothing")

	check, cl, request, era, batch := b.check(0), b.claim(0), b.payerRequest(0), b.era(0), b.batch(0)
	attachment := b.attachment(0)
	office := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", CreatedAt: b.now}
	provider := &directory.Provider{ID: id[billing.ProviderID](), Scope: b.scope, FirstName: "Ana", LastName: "Diaz", NPI: "1234567893", CreatedAt: b.now}
	reading := b.era(1)
	reading.Stage, reading.ReceivedAt = remit.Reading, time.Time{}
	b.insert(check)
	b.insertClaims(cl)
	b.insertRequests(request)
	b.insertERAs(era, reading)
	b.insertBatches(batch)
	b.insertAttachments(attachment)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, office), tx.Providers.Insert(ctx, provider))
	})
	enrollment := b.put(b.enrollment())
	resources := []string{
		"eligibility_check " + check.ID.String(), "claim " + cl.ID.String(), "payer_request " + request.ID.String(), "era " + era.ID.String(),
		"batch " + batch.ID.String(), "attachment " + attachment.ID.String(), "office " + office.ID.String(), "provider " + provider.ID.String(), "enrollment " + enrollment.ID.String(),
	}
	before := mark
	next("what was made", resources...)
	mark = before
	next("what was made, read again", resources...)

	b.changeClaim(cl.ID, func(c *claim.Claim) { c.Note = "changed" })
	b.in(func(ctx context.Context, tx ports.Tx) error {
		done := *check
		done.State, done.Outcome, done.CompletedAt = coverage.CheckCompleted, coverage.OutcomeError, b.now
		err := tx.PendingChecks.Complete(ctx, []coverage.CheckCompletion{{Check: &done}})
		office.Name, provider.LastName = "Moved", "Lee"
		return errors.Join(err, tx.PayerRequests.Save(ctx, request), tx.ERAs.Save(ctx, era), tx.ERAs.Save(ctx, reading),
			tx.Attachments.Save(ctx, attachment), tx.Offices.Save(ctx, office), tx.Providers.Save(ctx, provider), tx.Batches.Save(ctx, batch))
	})
	b.put(*enrollment)
	next("what was changed", resources...)
	b.clockChanges(next)
	b.webhookChanges(next)
}

// clockChanges moves the clock of the organization. What an advance does is no change of the clock.
func (b *scoped) clockChanges(next func(what string, want ...string)) {
	put := func(c sandbox.Clock) {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.SandboxClock.Lock(ctx)
			return errors.Join(err, tx.SandboxClock.Put(ctx, &c))
		})
	}
	clock := "sandbox_clock " + b.scope.Org.String()
	put(sandbox.Clock{StandsAt: b.now})
	next("a clock that stands", clock)
	advance := sandbox.Advance{Job: id[billing.JobID](), Target: b.now.Add(time.Hour), ProgressedAt: b.now}
	put(sandbox.Clock{StandsAt: b.now, Advance: &advance})
	next("an advance", clock)
	advance.ProgressedAt = b.now.Add(time.Second)
	put(sandbox.Clock{StandsAt: b.now, Advance: &advance})
	next("an advance that made progress")
	put(sandbox.Clock{StandsAt: b.now.Add(time.Minute), Advance: &advance})
	next("an advance that moved", clock)
	put(sandbox.Clock{})
	next("a clock that runs", clock)
	reset := sandbox.Reset{Job: id[billing.JobID](), BeganAt: b.now}
	put(sandbox.Clock{Reset: &reset})
	next("a reset", clock)
	err := b.Store.System(b.t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Resets.End(ctx, b.scope.Org, reset.Job)
	})
	equal(b.t, "the end of a reset", err, nil)
	next("a reset that ended", clock)
}

// webhookChanges changes an endpoint, and makes a delivery of an event fail.
func (b *scoped) webhookChanges(next func(what string, want ...string)) {
	e := b.newEndpoint(0)
	endpoint := "webhook_endpoint " + e.ID.String()
	next("a new endpoint", endpoint)
	ev := b.happen(1)[0]
	next("an event", "event "+ev.ID.String())
	holder := id[billing.JobID]()
	b.take(e.ID, holder, time.Hour)
	_, due, _ := b.dueAt(e.ID, b.now.Add(time.Hour), 10)
	b.record(200, due[0])
	b.leave(e.ID, holder)
	next("a lane and a success")
	b.recordHealth(*e, webhook.EndpointHealth{Failures: 1, FailingSince: b.now})
	next("the health of an endpoint", endpoint)
	b.deleteEndpoint(e.ID)
	next("a deleted endpoint", endpoint)

	e = b.newEndpoint(1)
	ev = b.happen(1)[0]
	next("another endpoint and event", "webhook_endpoint "+e.ID.String(), "event "+ev.ID.String())
	later := b.now.Add(30 * 24 * time.Hour)
	for attempt := 1; ; attempt++ {
		_, due, _ = b.dueAt(e.ID, later, 10)
		if failed := b.record(500, due[0])[0]; failed.State == webhook.DeliveryFailed {
			next("a failed delivery", "webhook_delivery "+failed.ID.String())
			return
		}
		next(fmt.Sprint("attempt ", attempt))
	}
}

// testChangesLateCommit commits in another order than it writes.
func testChangesLateCommit(b *scoped) {
	t := b.t
	mark := b.watched(b.scope)
	late, soon := b.check(0), b.check(1)
	written, commit, committed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		committed <- b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			err := tx.Checks.Insert(ctx, late)
			if err == nil {
				_, err = tx.Checks.Get(ctx, late.ID) // writes the check
			}
			close(written)
			<-commit
			return err
		})
	}()
	<-written
	b.insert(soon)
	found, between := b.changed(mark, 10, b.scope)
	equal(t, "while a transaction is open", names(found[0]), []string{"eligibility_check " + soon.ID.String()})
	close(commit)
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
	found, _ = b.changed(between, 10, b.scope)
	equal(t, "after its commit", names(found[0]), []string{"eligibility_check " + late.ID.String()})
	parsed := event.Mark{Time: between.Time.Truncate(time.Second), Horizon: between.Horizon}
	if found, _ = b.changed(parsed, 10, b.scope); !slices.Contains(names(found[0]), "eligibility_check "+late.ID.String()) {
		t.Errorf("after the mark %+v, read as %+v: %v", between, parsed, names(found[0]))
	}
}

// testChangesApart changes scopes that are watched and one that is not.
func testChangesApart(b *scoped) {
	t := b.t
	live, other := b.others()[0], b.others()[1]
	mark := b.watched(b.scope, live)
	want := map[billing.Scope]string{}
	for _, scope := range []billing.Scope{b.scope, live, other} {
		c := b.check(0)
		c.Scope = scope
		if err := b.try(scope, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, c) }); err != nil {
			t.Fatal(err)
		}
		want[scope] = "eligibility_check " + c.ID.String()
	}
	found, _ := b.changed(mark, 10, live, b.scope, other)
	equal(t, "changes in live mode", names(found[0]), []string{want[live]})
	equal(t, "changes in test mode", names(found[1]), []string{want[b.scope]})
	equal(t, "changes in a scope that is not watched", found[2], event.ScopeChanges{})
	b.watch(other)
	if found, _ = b.changed(mark, 10, other); found[0].Complete {
		t.Error("a record that began later is complete")
	}

	b.insert(b.check(1), b.check(2))
	found, _ = b.changed(mark, 2, b.scope, live)
	equal(t, "a part of the changes", len(found[0].Changes), 2)
	equal(t, "there are more", []bool{found[0].More, found[1].More}, []bool{true, false})
}

func testForgetChanges(b *scoped) {
	t := b.t
	mark := b.watched(b.scope)
	b.insert(b.check(0), b.check(1))
	forget := func(before time.Time) int {
		return system(b, func(ctx context.Context, tx ports.SystemTx) (int, error) { return tx.Changes.Forget(ctx, before) })
	}
	equal(t, "forgotten too early", forget(b.now.Add(-time.Hour)), 0)
	found, _ := b.changed(mark, 10, b.scope)
	equal(t, "changes that are kept", len(found[0].Changes), 2)
	equal(t, "forgotten", forget(b.now.Add(24*time.Hour)), 2)
	found, _ = b.changed(mark, 10, b.scope)
	equal(t, "after the watch has expired", found[0], event.ScopeChanges{})
	b.watch(b.scope)
	found, _ = b.changed(mark, 10, b.scope)
	equal(t, "after a new watch", found[0], event.ScopeChanges{})
	if found, _ = b.changed(b.watched(b.scope), 10, b.scope); !found[0].Complete {
		t.Error("the record of a new watch is not complete")
	}
}
