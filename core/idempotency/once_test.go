package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, err := b.once(call("k", 1))
	if err != nil || first.Replayed || first.Status != 201 {
		t.Fatalf("%+v, replayed %t, %v", first, first.Replayed, err)
	}
	again, err := b.once(call("k", 1))
	if err != nil || !again.Replayed || again.Status != 201 || string(again.Body) != string(first.Body) {
		t.Errorf("again: %+v, replayed %t, %v", again, again.Replayed, err)
	}
	if _, err := b.once(call("k", 2)); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
		t.Errorf("another request with the key: %v", err)
	}
	b.offices(1)
	b.scope.Mode = billing.ModeLive
	if r, err := b.once(call("k", 2)); err != nil || r.Replayed {
		t.Errorf("the key in another mode: replayed %t, %v", r.Replayed, err)
	}
}

// TestRefusedChange leaves the key as it was.
func TestRefusedChange(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	why := errors.New("no")
	_, err := idempotency.Once(t.Context(), b.store, b.write(call("k", 1)),
		func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
			o, err := b.office(ctx, tx)
			return o, errors.Join(err, why)
		})
	if !errors.Is(err, why) {
		t.Errorf("%v, want the change's error", err)
	}
	b.offices(0)
	if r, err := b.once(call("k", 2)); err != nil || r.Replayed {
		t.Errorf("another request with the key: replayed %t, %v", r.Replayed, err)
	}
}

// TestRefusedError commits a change whose request is refused. The key stays free.
func TestRefusedError(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	why := errors.New("no")
	_, err := idempotency.Once(t.Context(), b.store, b.write(call("k", 1)),
		func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
			o, err := b.office(ctx, tx)
			return o, errors.Join(err, &idempotency.RefusedError{Cause: why})
		})
	if !errors.Is(err, why) || err.Error() != "no" {
		t.Errorf("%v, want the cause", err)
	}
	b.offices(1)
	if r, err := b.once(call("k", 2)); err != nil || r.Replayed {
		t.Errorf("another request with the key: replayed %t, %v", r.Replayed, err)
	}
}

// TestAdministration creates offices without a key, another one each time.
// Operations that need a key refuse to run without.
func TestAdministration(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	call := idempotency.Administration(b.scope, "root", func(o *directory.Office) string { return o.ID.String() })
	for range 2 {
		r, err := idempotency.Once(t.Context(), b.store, call, b.office)
		if _, bad := billing.ParseID[billing.OfficeID](string(r.Body)); err != nil || bad != nil || r.Replayed {
			t.Errorf("%+v, %v", r, err)
		}
	}
	b.offices(2)
	err := b.store.InTx(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Keys.Record(ctx, call.Request.Waiting(billing.NewID[billing.JobID](billing.RealAt(time.Now())), time.Now()))
	})
	if err == nil {
		t.Error("work waits under no key")
	}
}

// TestConflict runs the change again after a deadlock: its effect and its reply
// are those of the committed run.
func TestConflict(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	now := time.Now()
	var lock [2]billing.PayerRequestID
	for i := range lock {
		r := &attachment.PayerRequest{
			ID: billing.NewID[billing.PayerRequestID](billing.RealAt(now)), Scope: b.scope, State: attachment.PayerRequestOpen, Source: attachment.SourceStaff,
			Payer: directory.PayerSummary{ID: billing.PayerID{1}, PayerID: "P", Name: "P"}, ReferenceNumber: "R", Requested: "R", CreatedAt: now,
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Insert(ctx, r) })
		lock[i] = r.ID
	}
	// Two changes take two locks in opposite orders, each waiting for the other
	// to have its first; the server ends one of them. The ended one runs again
	// once the other is done, so that the two conflict once.
	var ready [2]sync.Once
	has, done := [2]chan struct{}{make(chan struct{}), make(chan struct{})}, [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	var runs atomic.Int32
	var all sync.WaitGroup
	var answers [2]caller.Reply
	for i := range lock {
		all.Go(func() {
			defer close(done[i])
			tries := 0
			a, err := idempotency.Once(t.Context(), b.store, b.write(call(fmt.Sprint("k", i), 1)),
				func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
					runs.Add(1)
					if tries++; tries > 1 {
						select {
						case <-done[1-i]:
						case <-time.After(time.Minute):
							return nil, errors.New("the other change is not done after a minute")
						}
					}
					o, err := b.office(ctx, tx)
					if err != nil {
						return nil, err
					}
					if _, err := tx.PayerRequests.Lock(ctx, lock[i]); err != nil {
						return nil, err
					}
					ready[i].Do(func() { close(has[i]) })
					<-has[1-i]
					_, err = tx.PayerRequests.Lock(ctx, lock[1-i])
					return o, err
				})
			if err != nil || a.Replayed {
				t.Errorf("replayed %t, %v", a.Replayed, err)
			}
			answers[i] = a
		})
	}
	all.Wait()
	if runs.Load() != 3 {
		t.Errorf("the changes ran %d times, want one of them twice", runs.Load())
	}
	b.offices(2)
	for i, a := range answers {
		again, err := b.once(call(fmt.Sprint("k", i), 1))
		if err != nil || !again.Replayed || string(again.Body) != string(a.Body) {
			t.Errorf("again: %s, replayed %t, %v; want %s", again.Body, again.Replayed, err, a.Body)
		}
		id, err := billing.ParseID[billing.OfficeID](string(a.Body))
		if err != nil {
			t.Fatal(err)
		}
		b.in(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Offices.Get(ctx, id)
			return err
		})
	}
}

// TestAtOnce sends a request many times at once.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var all sync.WaitGroup
	var made, replays, inUse atomic.Int32
	for range 20 {
		all.Go(func() {
			switch r, err := b.once(call("k", 1)); {
			case err == nil && r.Replayed:
				replays.Add(1)
			case err == nil:
				made.Add(1)
			case billing.CodeOf(err) == billing.CodeIdempotencyKeyInUse:
				inUse.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d made it, %d got its reply, %d must wait", made.Load(), replays.Load(), inUse.Load())
	}
	b.offices(1)
}

// TestKeyIsTaken uses a key that another transaction has. The reply of that is
// returned all the same.
func TestKeyIsTaken(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	if _, err := b.once(call("answered", 1)); err != nil {
		t.Fatal(err)
	}
	work := billing.NewID[billing.JobID](billing.RealAt(time.Now()))
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return tx.Keys.Record(ctx, call("waits", 1).Waiting(work, time.Now()))
	})
	claim := func(r caller.Request) (kept *caller.Reply, of billing.JobID, err error) {
		err = b.store.InTx(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) (err error) {
			kept, of, err = idempotency.Reserve(ctx, tx, r)
			return err
		})
		return kept, of, err
	}
	if kept, of, err := claim(call("waits", 1)); kept != nil || of != work || err != nil {
		t.Errorf("a key that waits: %v, %s, %v", kept, of, err)
	}
	for _, key := range []string{"answered", "waits", "new"} {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Keys.Reserve(ctx, key); err != nil {
				return err
			}
			kept, _, err := claim(call(key, 1))
			if answered := key == "answered"; answered != (kept != nil && kept.Status == 201) || answered != (err == nil) ||
				!answered && billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse {
				t.Errorf("%s, while another has it: %v, %v", key, kept, err)
			}
			if _, _, err := claim(call(key, 2)); key != "new" && billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
				t.Errorf("%s, for another request: %v", key, err)
			}
			return nil
		})
	}
}

// TestForget deletes expired keys, and none whose work is not done.
func TestForget(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	now := time.Now()
	for n := range 17 { // 17 x 59 are more than one transaction deletes
		b.in(func(ctx context.Context, tx ports.Tx) error {
			for m := range 59 {
				if err := tx.Keys.Record(ctx, call(fmt.Sprint("k", n, m), 1).Replied(caller.Reply{Status: 200}, now)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	upload, sending := jobs.Job{Kind: jobs.KindPNGConvert}, jobs.Job{Kind: jobs.KindAttachmentSend}
	for key, j := range map[string]*jobs.Job{"upload": &upload, "sending": &sending} {
		j.ID, j.Scope, j.Subject = billing.NewID[billing.JobID](billing.RealAt(now)), b.scope, billing.NewID[billing.JobID](billing.RealAt(now))
		work := j.ID
		if j.Kind == jobs.KindPNGConvert {
			work = j.Subject // the subject of an upload is its document
		}
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Keys.Record(ctx, call(key, 1).Waiting(work, now)), tx.Outbox.Stage(ctx, *j))
		})
	}
	c := &porttest.Clock{}
	s := idempotency.New(pgtest.Clocked{Store: b.store, Clock: c}, idempotency.DefaultTTL)
	forgets := func(want int) {
		t.Helper()
		if n, err := s.Forget(t.Context()); n != want || err != nil {
			t.Errorf("%d were forgotten, %v; want %d", n, err, want)
		}
	}
	c.Advance(idempotency.DefaultTTL - time.Minute)
	forgets(0)
	c.Advance(2 * time.Minute)
	forgets(1000) // per call
	forgets(3)
	if r, err := b.once(call("k0 0", 2)); err != nil || r.Replayed {
		t.Errorf("a key that was forgotten: replayed %t, %v", r.Replayed, err)
	}
	forgets(1) // it was used at the real time, a week ago here
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, sending.ID) })
	forgets(1)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, upload.ID) })
	forgets(1)
}
