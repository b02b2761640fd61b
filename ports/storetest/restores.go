package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
)

// numbers reads the highest numbers.
func (b *scoped) numbers() (n restore.Numbers) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
		n, err = tx.Restores.Numbers(ctx)
		return err
	})
	return n
}

// testLiveFiles numbers live files at once, of which some are rolled back: each number is
// given out once, and there is no gap.
func testLiveFiles(b *scoped) {
	t := b.t
	const callers, each = 6, 5
	var mu sync.Mutex
	given := map[int64]bool{}
	failed := errors.New("rolled back")
	b.race(times(callers, func(n int) error {
		for i := range each {
			var got restore.Numbers
			next := func(ctx context.Context, files ports.LiveFiles) (err error) {
				got, err = files.Next(ctx)
				if err == nil && i == n%each {
					err = failed
				}
				return err
			}
			var err error
			if n%2 == 0 {
				err = b.try(b.scope, func(ctx context.Context, tx ports.Tx) error { return next(ctx, tx.LiveFiles) })
			} else {
				err = b.Store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error { return next(ctx, tx.Restores) })
			}
			if err != nil {
				if errors.Is(err, failed) {
					continue
				}
				return err
			}
			mu.Lock()
			if given[got.LiveFile] {
				t.Errorf("%d was given out twice", got.LiveFile)
			}
			given[got.LiveFile] = true
			mu.Unlock()
		}
		return nil
	})...)
	equal(t, "numbers given out", len(given), callers*(each-1))
	equal(t, "the highest", b.numbers().LiveFile, int64(callers*(each-1)))
}

// testRaise lets numbers continue past others, and never lowers one.
func testRaise(b *scoped) {
	t := b.t
	for _, to := range []restore.Numbers{{LiveFile: 70, Batch: 2000, Attachment: 300}, {LiveFile: 7, Batch: 20, Attachment: 3}} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Restores.Raise(ctx, to) })
	}
	equal(t, "the highest numbers", b.numbers(), restore.Numbers{LiveFile: 70, Batch: 2000, Attachment: 300})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		file, err1 := tx.Clearing.Serial(ctx)
		attachment, err2 := tx.Attachments.Serial(ctx)
		live, err3 := tx.LiveFiles.Next(ctx)
		equal(t, "the next file and attachment", [2]int64{file, attachment}, [2]int64{2001, 301})
		equal(t, "the next live file, and the highest others", live, restore.Numbers{LiveFile: 71, Batch: 2001, Attachment: 301})
		return errors.Join(err1, err2, err3)
	})
}

// begin stores a restore, and returns it.
func (b *scoped) begin() *restore.Restore {
	b.t.Helper()
	r := &restore.Restore{ID: id[billing.RestoreID](), BegunAt: b.now, LiveFile: 7}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(tx.Restores.Insert(ctx, r), tx.Restores.Insert(ctx, r)) // the second is not stored
	})
	return r
}

// open reads the restore that is not resumed.
func (b *scoped) open() (r *restore.Restore) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
		r, err = tx.Restores.Open(ctx)
		return err
	})
	return r
}

// testRestore holds live claims and webhooks while a restore is not resumed.
func testRestore(b *scoped) {
	t := b.t
	b.scope = b.others()[0]
	b.organization()
	office := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", VerifiedAt: b.now, CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, office) })
	c := b.queuedClaim(0)
	c.OfficeID = office.ID
	b.insertClaims(c)
	endpoint := b.newEndpoint(0)
	b.appendEvents(b.event(c.ID, event.ClaimQueued, 0))
	works := func(when string, want bool) {
		t.Helper()
		held := read(b, func(ctx context.Context, tx ports.Tx) (bool, error) { return tx.LiveFiles.Held(ctx) })
		equal(t, when+": held", held, !want)
		queued := b.clearing(func(ctx context.Context, all ports.Clearing) ([]*claim.Claim, error) {
			return all.Queued(ctx, payersOf(c), time.Time{}, 10)
		})
		equal(t, when+": a claim goes out", len(queued) == 1, want)
		_, due, _ := b.dueAt(endpoint.ID, b.now.Add(time.Hour), 10)
		equal(t, when+": a webhook goes out", len(due) == 1, want)
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			called, err := tx.Jobs.Lanes(ctx, b.now.Add(time.Hour), 0, 10)
			equal(t, when+": a lane is called", len(called) == 1, want)
			return err
		})
	}
	works("before", true)
	r := b.begin()
	equal(t, "the open restore", b.open(), r)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.LiveFiles.Lacked(ctx, c.ID, endpoint.ID) })
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(tx.Restores.Lacked(ctx), tx.Restores.Lacked(ctx, office.ID), tx.Restores.Raise(ctx, restore.Numbers{LiveFile: 9}))
	})
	r.Lacked, r.Replayed = []billing.JobID{billing.JobID(c.ID), billing.JobID(endpoint.ID), billing.JobID(office.ID)}, 9
	equal(t, "the open restore after its replay", b.open(), r)
	works("while it is open", false)
	resume := func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Restores.Resume(ctx, r, b.now.Add(time.Minute))
	}
	b.system(resume)
	b.system(resume)
	if r := b.open(); r != nil {
		t.Errorf("%+v is open after its end", r)
	}
	works("after", true)
}

// testRestoredEvents continues the numbers of events 1,000 higher for each restore since the
// last event, also in one statement for several events, and for a resource without any.
func testRestoredEvents(b *scoped) {
	t := b.t
	one, silent := id[billing.ClaimID](), id[billing.ClaimID]()
	b.appendEvents(b.event(one, event.ClaimQueued, 0), b.event(one, event.ClaimSubmitted, 1))
	restored := func() {
		r := b.begin()
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Restores.Resume(ctx, r, b.now) })
	}
	restored()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		e := b.event(one, event.ClaimPaid, 2)
		e.ID = billing.EventID{}
		f := b.event(one, event.ClaimDenied, 3)
		f.ID = billing.EventID{}
		return errors.Join(tx.Events.Append(ctx, e), tx.Events.Append(ctx, f))
	})
	restored()
	restored()
	b.appendEvents(b.event(one, event.ClaimPaid, 4), b.event(silent, event.ClaimQueued, 5), b.event(id[billing.ClaimID](), event.ClaimQueued, 6))
	var got []int
	for _, e := range b.listEvents(event.Filter{}, billing.Page{Limit: 10}) { // newest first
		got = append(got, e.Sequence)
	}
	equal(t, "numbers", got, []int{1, 3001, 3005, 1004, 1003, 2, 1})
}
