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

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// broker takes what is published, and can be made to fail.
type broker struct {
	ports.Queue
	mu        sync.Mutex
	published []jobs.Job
	fail      error
	away      error
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

// fails sets what becomes of the next publications.
func (b *broker) fails(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

// of counts what was published about the subject.
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

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); <-time.After(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never happens that %s", what)
		}
	}
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
	return jobs.Job{ID: billing.NewID[billing.JobID](time.Now()), Kind: jobs.KindWebhook, Scope: scope, Subject: lane}
}

func work() jobs.Job {
	id := billing.NewID[billing.JobID](time.Now())
	return jobs.Job{ID: id, Kind: jobs.KindEligibility, Subject: id}
}

func newScope() billing.Scope {
	return billing.Scope{Org: billing.NewID[billing.OrgID](time.Now()), Mode: billing.ModeTest}
}

// TestCallsAreGathered has many commits call a lane before the broker is given
// the first call: that one is enough. What comes later is another call, also
// when the one before was lost.
func TestCallsAreGathered(t *testing.T) {
	t.Parallel()
	b := &broker{}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	one, two := billing.NewID[billing.WebhookEndpointID](time.Now()), billing.NewID[billing.WebhookEndpointID](time.Now())
	for range 10_000 { // more than are kept
		r.Staged([]jobs.Job{call(newScope(), one), call(newScope(), two)})
	}
	run(t, r, pgtest.Open(t))
	await(t, "both lanes are called", func() bool { return b.of(one) > 0 && b.of(two) > 0 })
	for n, fail := range []error{errors.New("lost"), nil, nil} {
		b.fails(fail)
		r.Staged([]jobs.Job{call(newScope(), one)})
		await(t, "the lane is called again", func() bool { return b.of(one) == n+2 })
	}
	if n := b.of(two); n != 1 {
		t.Errorf("the other lane was called %d times", n)
	}
}

// TestCallsBeyondThePlaceThereIs stages more than can wait. What finds no place
// is dropped, and does not keep later calls of its lane from being published.
func TestCallsBeyondThePlaceThereIs(t *testing.T) {
	t.Parallel()
	b := &broker{}
	r := outboxrelay.New(b, slog.New(slog.DiscardHandler))
	first, last := billing.NewID[billing.WebhookEndpointID](time.Now()), billing.NewID[billing.WebhookEndpointID](time.Now())
	r.Staged([]jobs.Job{call(newScope(), first)})
	var many []jobs.Job
	for range 5000 {
		many = append(many, work())
	}
	r.Staged(many)
	r.Staged([]jobs.Job{call(newScope(), last)})
	run(t, r, pgtest.Open(t))
	await(t, "what waited is published", func() bool { return b.of(first) == 1 && b.of(many[4000].Subject) == 1 })
	if n := b.of(last) + b.of(many[4999].Subject); n > 0 {
		t.Error("there was a place for more than are kept")
	}
	r.Staged([]jobs.Job{call(newScope(), last)})
	await(t, "the lane that found no place is called", func() bool { return b.of(last) == 1 })
}

// TestDueLanesAreCalled has two relays see to lanes that nobody was called for.
// Each is called once, and again while nobody takes it; one that somebody has
// taken, or that has nothing due, is not.
func TestDueLanesAreCalled(t *testing.T) {
	t.Parallel()
	s, scope := pgtest.Open(t), newScope()
	now := time.Now()
	var ids []billing.WebhookEndpointID
	for range 5 {
		e := &billing.WebhookEndpoint{
			ID: billing.NewID[billing.WebhookEndpointID](now), Scope: scope, URL: "https://example.com", Status: billing.EndpointEnabled,
			Secret: billing.NewWebhookSecret(), CreatedAt: now,
		}
		if len(ids) == 4 {
			e.EventTypes = []billing.EventType{billing.EventClaimDenied} // nothing for it happens
		}
		ids = append(ids, e.ID)
		if err := s.InTx(t.Context(), scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, e) }); err != nil {
			t.Fatal(err)
		}
	}
	held := ids[3]
	err := s.InTx(t.Context(), scope, func(ctx context.Context, tx ports.Tx) error {
		if _, _, err := tx.Lanes.Take(ctx, held, billing.NewID[billing.JobID](now), "", time.Hour); err != nil {
			return err
		}
		return tx.Events.Append(ctx, billing.Event{
			ID: billing.NewID[billing.EventID](now), Scope: scope, Type: billing.EventClaimPaid, Resource: [16]byte{1}, CreatedAt: now, Data: []byte("{}"),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &broker{}
	for range 2 {
		run(t, outboxrelay.New(b, slog.New(slog.DiscardHandler)), s)
	}
	await(t, "the lanes are called twice", func() bool {
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
