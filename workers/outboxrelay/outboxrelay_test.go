package outboxrelay_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// broker accepts publications, and can be made to fail. Replies come from the
// test.
type broker struct {
	ports.Queue
	mu        sync.Mutex
	published []jobs.Job
	fail      error
	away      error
	boxes     map[[16]byte]chan struct{}
	workers   int
}

func (b *broker) Await(subject [16]byte) ports.Mailbox {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.boxes == nil {
		b.boxes = map[[16]byte]chan struct{}{}
	}
	b.boxes[subject] = make(chan struct{}, 1)
	return ports.Mailbox{C: b.boxes[subject], Close: func() {}}
}

// reply reports that the work on the subject is done.
func (b *broker) reply(subject [16]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.boxes[subject] <- struct{}{}
}

func (b *broker) Publish(_ context.Context, j jobs.Job) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.published = append(b.published, j)
	return b.fail
}

func (b *broker) Ready() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away
}

func (b *broker) Depth(context.Context, jobs.Kind) (waiting, dead, consumers int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return 0, 0, b.workers, nil
}

// fails sets the result of the next publications.
func (b *broker) fails(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

// of counts the publications about the subject.
func (b *broker) of(subject [16]byte) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.published {
		if j.Subject == subject {
			n++
		}
	}
	return n
}

// ofScope counts the publications of the scope.
func (b *broker) ofScope(scope billing.Scope) (n int) {
	for _, j := range b.from(0) {
		if j.Scope == scope {
			n++
		}
	}
	return n
}

// from returns the publications from the nth on.
func (b *broker) from(n int) []jobs.Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.published[n:])
}

// stage stages jobs in one transaction of the scope.
func stage(t *testing.T, s ports.Store, in billing.Scope, staged ...jobs.Job) {
	t.Helper()
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) (err error) {
		for _, j := range staged {
			j.Scope = in
			err = errors.Join(err, tx.Outbox.Stage(ctx, j))
		}
		return err
	})
}

// crowdOf returns n jobs.
func crowdOf(n int) []jobs.Job {
	all := make([]jobs.Job, n)
	for i := range all {
		all[i] = work()
	}
	return all
}

// run runs the relay until the test ends.
func run(t *testing.T, r *outboxrelay.Relay, s ports.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = r.Run(ctx, s) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

func call(scope billing.Scope, lane billing.WebhookEndpointID) jobs.Job {
	return jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindWebhook, Scope: scope, Subject: lane}
}

func work() jobs.Job {
	id := billing.NewID[billing.JobID](billing.RealAt(time.Now()))
	return jobs.Job{ID: id, Kind: jobs.KindEligibility, Subject: id}
}

func newScope() billing.Scope {
	return billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Mode: billing.ModeTest}
}

// TestCallsAreGathered makes many commits call a lane before the broker gets
// the first call: that one is enough. A later event is another call, even when
// the one before was lost.
func TestCallsAreGathered(t *testing.T) {
	t.Parallel()
	b := &broker{}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	one, two := billing.NewID[billing.WebhookEndpointID](billing.RealAt(time.Now())), billing.NewID[billing.WebhookEndpointID](billing.RealAt(time.Now()))
	for range 10_000 { // more than are kept
		r.Staged([]jobs.Job{call(newScope(), one), call(newScope(), two)})
	}
	run(t, r, pgtest.Open(t))
	porttest.Await(t, "both lanes are called", func() bool { return b.of(one) > 0 && b.of(two) > 0 })
	for n, fail := range []error{errors.New("lost"), nil, nil} {
		b.fails(fail)
		r.Staged([]jobs.Job{call(newScope(), one)})
		porttest.Await(t, "the lane is called again", func() bool { return b.of(one) == n+2 })
	}
	if n := b.of(two); n != 1 {
		t.Errorf("the other lane was called %d times", n)
	}
}

// TestBeyondThePlaceThereIs stages more calls of one scope than can wait. The
// surplus is dropped, and does not keep later calls of its lane from being
// published.
func TestBeyondThePlaceThereIs(t *testing.T) {
	t.Parallel()
	b := &broker{}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	scope := newScope()
	lanes := make([]billing.WebhookEndpointID, 5000)
	for n := range lanes {
		lanes[n] = billing.NewID[billing.WebhookEndpointID](billing.RealAt(time.Now()))
		r.Staged([]jobs.Job{call(scope, lanes[n])})
	}
	run(t, r, pgtest.Open(t))
	porttest.Await(t, "what waited is published", func() bool { return b.of(lanes[0]) == 1 && b.of(lanes[4000]) == 1 })
	last := lanes[4999]
	if b.of(last) > 0 {
		t.Error("there was a place for more than are kept")
	}
	r.Staged([]jobs.Job{call(scope, last)})
	porttest.Await(t, "the lane that found no place is called", func() bool { return b.of(last) == 1 })
}

// TestFewInFlight stages many jobs of one scope, and then the first of another.
// That one is published at once. Of the many only a few are, until replies or
// the outbox report that they are done.
func TestFewInFlight(t *testing.T) {
	t.Parallel()
	const crowd, window = 500, 64
	b := &broker{}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	s := pgtest.Open(t, func(o *pgstore.Options) { o.Staged = r.Staged })
	run(t, r, s)
	many, other := newScope(), newScope()
	all, first := crowdOf(crowd), work()
	staged := time.Now()
	stage(t, s, many, all...)
	stage(t, s, other, first)
	porttest.Await(t, "the other scope's job is published, and a window of the crowd", func() bool {
		return b.of(first.Subject) == 1 && b.ofScope(many) >= window
	})
	if n := b.ofScope(many); n != window && time.Since(staged) < billing.JobLease { // later their leases publish them
		t.Errorf("%d of the crowd are in flight, want %d", n, window)
	}
	b.reply(all[0].Subject)
	porttest.Await(t, "a reply gives its place to the next", func() bool { return b.of(all[window].Subject) == 1 })
	porttest.In(t, s, many, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Outbox.Done(ctx, all[1].ID), tx.Outbox.Postpone(ctx, all[2].ID, time.Now().Add(time.Hour)))
	})
	porttest.Await(t, "what is done or postponed gives its place to the next", func() bool {
		return b.of(all[window+1].Subject) == 1 && b.of(all[window+2].Subject) == 1
	})
}

// TestWindowFollowsWorkers has three workers with more places than a window.
func TestWindowFollowsWorkers(t *testing.T) {
	t.Parallel()
	const crowd, places, several = 500, 50, 3
	b := &broker{workers: several}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	r.Places = map[jobs.Kind]int{jobs.KindEligibility: places}
	s := pgtest.Open(t, func(o *pgstore.Options) { o.Staged = r.Staged })
	run(t, r, s)
	many := newScope()
	staged := time.Now()
	stage(t, s, many, crowdOf(crowd)...)
	porttest.Await(t, "a job for each place is published", func() bool { return b.ofScope(many) >= several*places })
	if n := b.ofScope(many); n != several*places && time.Since(staged) < billing.JobLease {
		t.Errorf("%d of the crowd are in flight, want %d", n, several*places)
	}
}

// TestAnotherRelayGoesOn has one relay find what is due until it ends, and then another.
func TestAnotherRelayGoesOn(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	due := func() jobs.Job {
		j := work()
		j.NotBefore = time.Now().Add(-time.Second)
		stage(t, s, newScope(), j)
		return j
	}
	one, two := &broker{}, &broker{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = outboxrelay.New(one, slog.New(slog.DiscardHandler)).Run(ctx, s)
	}()
	first := due()
	porttest.Await(t, "the first relay publishes", func() bool { return one.of(first.Subject) > 0 })
	run(t, outboxrelay.New(two, slog.New(slog.DiscardHandler)), s)
	second := due()
	porttest.Await(t, "the first relay publishes again", func() bool { return one.of(second.Subject) > 0 })
	cancel()
	<-ended
	third := due()
	porttest.Await(t, "the second relay publishes", func() bool { return two.of(third.Subject) > 0 })
}

// TestLeasesRunOutInFlight has no worker for a window of jobs, so that their
// leases end: they are published again, and no others in their place.
func TestLeasesRunOutInFlight(t *testing.T) {
	t.Parallel()
	const crowd, window = 500, 64
	b := &broker{}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	s := pgtest.Open(t, func(o *pgstore.Options) { o.Staged = r.Staged })
	run(t, r, s)
	scope := newScope()
	stage(t, s, scope, crowdOf(crowd)...)
	times := func() map[billing.JobID]int {
		n := map[billing.JobID]int{}
		for _, j := range b.from(0) {
			n[j.ID]++
		}
		return n
	}
	porttest.Await(t, "a window is published", func() bool { return len(times()) >= window })
	porttest.Await(t, "all that is in flight is published again and again", func() bool {
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
		thrice := 0
		for _, n := range times() {
			if n >= 3 {
				thrice++
			}
		}
		return thrice >= window
	})
	if n := len(times()); n != window {
		t.Errorf("%d jobs are in flight, want %d", n, window)
	}
	const alone = 2 // of those that are published first
	first, again, seen := 0, 0, map[billing.JobID]bool{}
	for _, j := range b.from(0) {
		switch {
		case j.Together && seen[j.ID]:
			again++
		case j.Together:
			first++
		}
		seen[j.ID] = true
	}
	if first != window-alone || again > 0 {
		t.Errorf("%d jobs end together, want %d; %d of them after their lease, want none", first, window-alone, again)
	}
}

// TestBacklogInTurn has due jobs of one scope that no relay knows. None keeps
// the other scope's from being published, and all are published in the end.
func TestBacklogInTurn(t *testing.T) {
	t.Parallel()
	const crowd = 300
	b := &broker{}
	s := pgtest.Open(t)
	many, other := newScope(), newScope()
	last := work()
	stage(t, s, many, crowdOf(crowd)...)
	stage(t, s, other, last)
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
	run(t, outboxrelay.New(b, slog.New(slog.DiscardHandler)), s)
	porttest.Await(t, "the other scope's job is published", func() bool { return b.of(last.Subject) > 0 })
	if n := b.ofScope(many); n > 100 {
		t.Errorf("%d of the crowd came before it", n)
	}
	replied := 0
	porttest.Await(t, "all of the crowd are published", func() bool {
		for _, j := range b.from(replied) {
			porttest.In(t, s, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
			replied++
		}
		return replied > crowd
	})
}

// TestDueLanesAreCalled has two relays call lanes without a call. Each is
// called once, and again until a process takes it; a taken lane, or one with
// nothing due, is not.
func TestDueLanesAreCalled(t *testing.T) {
	t.Parallel()
	s, scope := pgtest.Open(t), newScope()
	now := time.Now()
	var ids []billing.WebhookEndpointID
	for range 5 {
		e := &webhook.Endpoint{
			ID: billing.NewID[billing.WebhookEndpointID](billing.RealAt(now)), Scope: scope, URL: "https://example.com", Status: webhook.EndpointEnabled,
			Secret: webhook.NewWebhookSecret(), CreatedAt: now,
		}
		if len(ids) == 4 {
			e.EventTypes = []event.Type{event.ClaimDenied} // nothing for it happens
		}
		ids = append(ids, e.ID)
		porttest.In(t, s, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, e) })
	}
	held := ids[3]
	porttest.In(t, s, scope, func(ctx context.Context, tx ports.Tx) error {
		if _, _, err := tx.Lanes.Take(ctx, held, billing.NewID[billing.JobID](billing.RealAt(now)), "", time.Hour); err != nil {
			return err
		}
		return tx.Events.Append(ctx, event.Event{
			ID: billing.NewID[billing.EventID](billing.RealAt(now)), Scope: scope, Type: event.ClaimPaid, Resource: [16]byte{1}, CreatedAt: now, Data: []byte("{}"),
		})
	})
	b := &broker{}
	for range 2 {
		run(t, outboxrelay.New(b, slog.New(slog.DiscardHandler)), s)
	}
	porttest.Await(t, "the lanes are called twice", func() bool {
		return !slices.ContainsFunc(ids[:3], func(id billing.WebhookEndpointID) bool { return b.of(id) < 2 })
	})
	for _, id := range ids[:3] {
		if n := b.of(id); n > 3 {
			t.Errorf("a lane was called %d times in the time that another one was called twice", n)
		}
	}
	if n := b.of(held) + b.of(ids[4]); n > 0 {
		t.Errorf("lanes that are taken, or have nothing due, were called %d times", n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.published {
		if j.Kind != jobs.KindWebhook || j.Scope != scope {
			t.Errorf("published %+v", j)
		}
	}
}
