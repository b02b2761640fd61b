package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

func (b *scoped) stage(js ...jobs.Job) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, j := range js {
			if err := tx.Outbox.Stage(ctx, j); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *scoped) due(lease time.Duration, limit int) []billing.JobID {
	b.t.Helper()
	return jobIDs(system(b, func(ctx context.Context, tx ports.SystemTx) ([]jobs.Job, error) {
		return tx.Jobs.Due(ctx, tx.Real.Now().Time, lease, limit)
	}))
}

func jobIDs(all []jobs.Job) (ids []billing.JobID) {
	for _, j := range all {
		ids = append(ids, j.ID)
	}
	return ids
}

func (b *scoped) release() {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
}

func testOutbox(b *scoped) {
	t := b.t
	j := b.job()
	b.stage(j)
	if !b.pending(j.ID) || b.pending(b.job().ID) {
		t.Error("pending is wrong")
	}
	for range 2 {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
		if b.pending(j.ID) {
			t.Error("a job that was done is pending")
		}
	}
}

func testDue(b *scoped) {
	t := b.t
	now, later, past := b.job(), b.job(), b.job()
	later.NotBefore = b.now.Add(time.Hour)
	past.NotBefore = b.now.Add(-time.Hour)
	b.stage(now, later, past)
	equal(t, "jobs to publish after the commit", b.Staged(), []jobs.Job{now})
	takes := func(what string, at time.Time, want jobs.Job) {
		t.Helper()
		equal(t, what, system(b, func(ctx context.Context, tx ports.SystemTx) ([]jobs.Job, error) {
			return tx.Jobs.Due(ctx, at, time.Minute, 10)
		}), []jobs.Job{want})
	}
	takes("due at once, when the commit has leased another", past.NotBefore, past)
	equal(t, "due while the jobs are leased", len(b.due(time.Minute, 10)), 0)
	b.release()
	equal(t, "due after the release", len(b.due(time.Minute, 10)), 2)
	takes("due when its time has come", later.NotBefore, later)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Outbox.Postpone(ctx, later.ID, b.now), tx.Outbox.Postpone(ctx, now.ID, b.now.Add(time.Hour)))
	})
	equal(t, "due after its time was changed", b.due(time.Minute, 10), []billing.JobID{later.ID})
}

// testLeases leases a job repeatedly. Each lease is twice as long as the one
// before.
func testLeases(b *scoped) {
	t := b.t
	j := b.job()
	b.stage(j)
	b.release()
	const lease = 40 * time.Millisecond
	began := time.Now()
	for n := range 3 {
		for len(b.due(lease, 10)) == 0 {
			waitABit(t.Context())
		}
		least := time.Duration(1<<n-1) * lease // the sum of the leases so far
		if took := time.Since(began); took < least {
			t.Errorf("leased for the %dth time after %v, before the leases of %v ran out", n+1, took, least)
		}
	}
	b.release()
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Jobs.Renew(ctx, []billing.JobID{j.ID}, time.Minute)
	})
	equal(t, "due while it is worked on", len(b.due(lease, 10)), 0)
	postponed := b.job()
	b.stage(postponed)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Postpone(ctx, postponed.ID, b.now) })
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Jobs.Renew(ctx, []billing.JobID{j.ID, postponed.ID}, time.Minute)
	})
	equal(t, "due of two that are renewed, when one is postponed", b.due(lease, 10), []billing.JobID{postponed.ID})
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, postponed.ID) })
	for want := range 2 {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			n, err := tx.Jobs.Attempt(ctx, j.ID, false)
			equal(t, "attempts", n, want+1)
			return err
		})
	}
	b.release()
	equal(t, "due after the release", b.due(lease, 10), []billing.JobID{j.ID})
}

// testDueInTurn has more due jobs of one stream than it leases. The leased ones
// include a job of each other stream, and none of a stream that is full.
func testDueInTurn(b *scoped) {
	t := b.t
	const crowd, limit = 50, 10
	many, other, kind := b.job(), b.job(), b.job()
	for range crowd {
		j := b.job()
		b.stage(j)
		many = j
	}
	other.Scope.Mode = billing.ModeLive
	if err := b.try(other.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, other) }); err != nil {
		t.Fatal(err)
	}
	kind.Kind = jobs.KindERA
	b.stage(kind)
	b.release()
	due := func(full ...jobs.Stream) map[jobs.Stream]int {
		of := map[jobs.Stream]int{}
		for _, j := range system(b, func(ctx context.Context, tx ports.SystemTx) ([]jobs.Job, error) {
			return tx.Jobs.Due(ctx, tx.Real.Now().Time, time.Minute, limit, full...)
		}) {
			of[j.Stream()]++
		}
		return of
	}
	equal(t, "taken while two streams are full", due(many.Stream(), kind.Stream()), map[jobs.Stream]int{other.Stream(): 1})
	b.release()
	equal(t, "taken", due(), map[jobs.Stream]int{many.Stream(): limit - 2, other.Stream(): 1, kind.Stream(): 1})
}

// testHold holds jobs by their IDs: two at the broker, a postponed, a done and a
// gone one. It leases the first two again, and only after their leases have
// expired. A job that is locked then is held, too.
func testHold(b *scoped) {
	t := b.t
	published, busy, postponed, done, never, other := b.job(), b.job(), b.job(), b.job(), b.job(), b.job()
	b.stage(published, busy, postponed, done, other)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Outbox.Postpone(ctx, postponed.ID, b.now.Add(-time.Hour)), tx.Outbox.Done(ctx, done.ID))
	})
	inOrder := func(ids ...billing.JobID) []billing.JobID {
		slices.SortFunc(ids, func(x, y billing.JobID) int { return bytes.Compare(x[:], y[:]) })
		return ids
	}
	holds := func(when string, again ...billing.JobID) {
		t.Helper()
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			held, leased, err := tx.Leases.Hold(ctx, []billing.JobID{published.ID, busy.ID, postponed.ID, done.ID, never.ID}, time.Minute)
			equal(t, "held "+when, inOrder(held...), inOrder(published.ID, busy.ID))
			equal(t, "leased again "+when, jobIDs(leased), again)
			return err
		})
	}
	holds("while they have leases")
	b.release()
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Jobs.Attempt(ctx, busy.ID, false)
		holds("while one is locked", published.ID)
		return err
	})
	holds("once one was taken", busy.ID)
	holds("once both were taken")
}

func testDueRace(b *scoped) {
	t := b.t
	const total = 40
	var js []jobs.Job
	for range total {
		js = append(js, b.job())
	}
	b.stage(js...)
	b.release()
	taken := make(chan billing.JobID, 4*total)
	b.race(times(4, func(int) error {
		for range total {
			var got []jobs.Job
			err := b.Store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) (err error) {
				got, err = tx.Jobs.Due(ctx, tx.Real.Now().Time, time.Minute, 7)
				return err
			})
			if err != nil || len(got) == 0 {
				return err
			}
			for _, j := range got {
				taken <- j.ID
			}
		}
		return nil
	})...)
	for _, j := range b.due(time.Minute, total) { // the jobs that a relay skipped because they were locked
		taken <- j
	}
	close(taken)
	seen := map[billing.JobID]bool{}
	for j := range taken {
		if seen[j] {
			t.Errorf("job %s was leased twice", j)
		}
		seen[j] = true
	}
	equal(t, "jobs taken", len(seen), total)
}

func testBacklog(b *scoped) {
	t := b.t
	backlog := func() []ports.Backlog {
		return system(b, func(ctx context.Context, tx ports.SystemTx) ([]ports.Backlog, error) { return tx.Jobs.Backlog(ctx) })
	}
	equal(t, "kinds with jobs", len(backlog()), 0)
	waiting := b.job()
	waiting.NotBefore = time.Now().Add(time.Hour)
	b.stage(waiting)
	equal(t, "backlog", backlog(), []ports.Backlog{{Kind: jobs.KindEligibility, Jobs: 1}})
	due := b.job()
	due.NotBefore = time.Now().Add(-time.Hour)
	b.stage(due)
	got := backlog()
	if len(got) != 1 || got[0].Jobs != 2 || got[0].Oldest < time.Hour || got[0].Oldest > 2*time.Hour {
		t.Errorf("backlog %+v", got)
	}
}
