// Package queuetest is the contract of ports.Queue as tests. Every adapter of
// the port runs it, against a real broker if it has one.
package queuetest

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Harness connects the suite to an adapter.
type Harness struct {
	// Broker returns a broker without jobs of the kind. Tests may share it.
	Broker func(t *testing.T, kind jobs.Kind) Broker

	// Frail starts a separate broker that the test can break, and returns how
	// jobs of a kind use it. It is nil when the adapter's broker lives and dies
	// with the process.
	Frail func(t *testing.T) (func(jobs.Kind) Broker, Faults)
}

// Broker is a broker as a test uses it.
type Broker struct {
	// Open returns an instance at the broker, like that of a process. It ends
	// with the test.
	Open func(t *testing.T) ports.Queue

	// Raw publishes bytes as a job of the kind.
	Raw func(t *testing.T, body []byte)

	// Die ends an instance as if its process were killed. It is nil when an
	// instance cannot die alone.
	Die func(t *testing.T, q ports.Queue)
}

// Faults are the faults of a test's own broker. Each function returns when the
// broker is in the state. Clients may notice later.
type Faults struct {
	Kill    func() // SIGKILL
	Restart func() // with the existing data
	Wipe    func() // kills the broker, deletes its data, starts it
	Block   func(on bool)
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Helper()
	tests := map[string]func(*testing.T, jobs.Kind, Broker){
		"a published job is consumed":                 testConsumed,
		"at most parallel at once":                    testParallel,
		"scopes take turns":                           testTurns,
		"a scope finds a place beside a busy one":     testPlaces,
		"a job published often waits its turn":        testSameJobInTurn,
		"a dead job is with the dead letters":         testDead,
		"an unreadable message is a dead letter":      testUnreadable,
		"waiting jobs are counted":                    testDepth,
		"consumers are counted":                       testConsumers,
		"publishing honors its context":               testPublishContext,
		"consuming ends when the jobs under way do":   testConsumeEnds,
		"many jobs, two consumers, each exactly once": testMany,
		"a job comes again when its consumer died":    testAgain,
		"a reply reaches the addressed instance only": testReply,
		"every mailbox of a subject is woken":         testMailboxes,
		"a closed mailbox does no harm":               testClosedMailbox,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := newKind()
			test(t, kind, h.Broker(t, kind))
		})
	}
	if h.Frail != nil {
		t.Run("faults", func(t *testing.T) {
			t.Parallel()
			runFaults(t, h)
		})
	}
}

// newKind returns a unique kind, so that tests can share a broker.
func newKind() jobs.Kind { return jobs.Kind("test-" + rand.Text()) }

func newJob(kind jobs.Kind) jobs.Job {
	j := jobs.Job{
		ID:    billing.NewID[billing.JobID](billing.RealAt(time.Now())),
		Kind:  kind,
		Scope: billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Mode: billing.ModeTest},
	}
	j.Subject = newSubject()
	return j
}

func newSubject() (s [16]byte) {
	_, _ = rand.Read(s[:])
	return s
}

// publish publishes jobs and returns them.
func publish(t *testing.T, q ports.Queue, kind jobs.Kind, n int) []jobs.Job {
	t.Helper()
	all := make([]jobs.Job, n)
	for i := range all {
		all[i] = newJob(kind)
		if err := q.Publish(t.Context(), all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// consume consumes in the background until the test ends, or until stop is
// called. Stop waits for Consume.
func consume(
	t *testing.T, q ports.Queue, kind jobs.Kind, parallel int, handle func(context.Context, ports.Message) ports.Verdict,
) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- q.Consume(ctx, kind, parallel, handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Consume: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// into sends each delivery to a channel and finishes it.
func into(c chan<- ports.Message) func(context.Context, ports.Message) ports.Verdict {
	return func(ctx context.Context, d ports.Message) ports.Verdict {
		select {
		case c <- d:
		case <-ctx.Done():
		}
		return ports.Finished
	}
}

// take receives a value, or fails when the test runs out of time.
func take[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(5 * time.Minute): // no correct run takes that long
		t.Fatalf("%s: nothing came", what)
		panic("unreachable")
	}
}

// eventually waits until the condition becomes true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: still not so", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func testConsumed(t *testing.T, kind jobs.Kind, b Broker) {
	q := b.Open(t)
	want := newJob(kind)
	want.ReplyTo = "an instance"
	if err := q.Publish(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got := make(chan ports.Message)
	consume(t, q, kind, 1, into(got))
	if d := take(t, got, "the job"); d.Job != want || d.Redelivered {
		t.Errorf("delivered %+v, want %+v for the first time", d, want)
	}
}

func testParallel(t *testing.T, kind jobs.Kind, b Broker) {
	const parallel, total = 3, 12
	q := b.Open(t)
	entered, release := make(chan struct{}), make(chan struct{})
	var now, most atomic.Int32
	stop := consume(t, q, kind, parallel, func(context.Context, ports.Message) ports.Verdict {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		entered <- struct{}{}
		<-release
		now.Add(-1)
		return ports.Finished
	})
	publish(t, q, kind, total)
	for range parallel {
		take(t, entered, "a call")
	}
	for range total - parallel {
		release <- struct{}{}
		take(t, entered, "the next call")
	}
	close(release)
	stop()
	if most.Load() != parallel {
		t.Errorf("%d calls at once, want %d", most.Load(), parallel)
	}
}

// steady waits until the broker has delivered all that it will.
func steady(t *testing.T, q ports.Queue, kind jobs.Kind) {
	t.Helper()
	last := -1
	for same := 0; same < 10; {
		waiting, _, _, err := q.Depth(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		if same++; waiting != last {
			last, same = waiting, 0
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // the broker says nothing when it is done
	}
}

// testTurns has many jobs of one scope wait when a job of another scope
// arrives. That job must not wait for all of them.
func testTurns(t *testing.T, kind jobs.Kind, b Broker) {
	turns(t, kind, b, 300, newJob)
}

// testSameJobInTurn publishes one job a thousand times while another scope's
// job waits. That job must not wait for all of them.
func testSameJobInTurn(t *testing.T, kind jobs.Kind, b Broker) {
	same := newJob(kind)
	turns(t, kind, b, 1000, func(jobs.Kind) jobs.Job { return same })
}

func turns(t *testing.T, kind jobs.Kind, b Broker, crowd int, next func(jobs.Kind) jobs.Job) {
	t.Helper()
	const soon = 30 // allows for deliveries on their way from the broker
	q := b.Open(t)
	taken, release := make(chan ports.Message, crowd+2), make(chan struct{})
	consume(t, q, kind, 1, func(_ context.Context, d ports.Message) ports.Verdict {
		taken <- d
		<-release
		return ports.Finished
	})
	first := publish(t, q, kind, 1)[0]
	take(t, taken, "the first job")
	for range crowd {
		j := next(kind)
		j.Scope = first.Scope
		if err := q.Publish(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	other := first.Scope
	other.Mode = billing.ModeLive // of the same organization, but another scope
	j := newJob(kind)
	j.Scope = other
	if err := q.Publish(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	steady(t, q, kind) // until then the crowd may not be complete
	defer close(release)
	for turn := range crowd + 1 {
		release <- struct{}{}
		if d := take(t, taken, "a job"); d.Job.ID == j.ID {
			if turn > soon {
				t.Errorf("the job of the other scope was taken after %d of a crowd of %d", turn, crowd)
			}
			return
		}
	}
	t.Error("the job of the other scope was not delivered")
}

// testPlaces has the calls of one scope occupy all places while more of its
// jobs wait. A job of another scope must not wait for the end of a call.
func testPlaces(t *testing.T, kind jobs.Kind, b Broker) {
	const parallel = 4
	q := b.Open(t)
	busy, other := newJob(kind), newJob(kind)
	calls := map[billing.Scope]chan struct{}{busy.Scope: make(chan struct{}, 2*parallel), other.Scope: make(chan struct{}, 1)}
	release := make(chan struct{})
	consume(t, q, kind, parallel, func(_ context.Context, d ports.Message) ports.Verdict {
		calls[d.Job.Scope] <- struct{}{}
		<-release
		return ports.Finished
	})
	t.Cleanup(func() { close(release) })
	for range 2 * parallel {
		j := newJob(kind)
		j.Scope = busy.Scope
		if err := q.Publish(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	for range parallel {
		take(t, calls[busy.Scope], "a call of the busy scope")
	}
	if err := q.Publish(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	take(t, calls[other.Scope], "a call of the other scope")
}

func testConsumeEnds(t *testing.T, kind jobs.Kind, b Broker) {
	q := b.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	entered, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	var finished atomic.Bool
	go func() {
		done <- q.Consume(ctx, kind, 1, func(context.Context, ports.Message) ports.Verdict {
			close(entered)
			<-release
			finished.Store(true)
			return ports.Finished
		})
	}()
	publish(t, q, kind, 1)
	take(t, entered, "a call")
	cancel()
	select {
	case <-done:
		t.Fatal("Consume returned during a call")
	case <-time.After(20 * time.Millisecond): // a wrong return would come at once
	}
	close(release)
	if err := take(t, done, "the return"); err != nil || !finished.Load() {
		t.Errorf("Consume: %v, call finished: %t", err, finished.Load())
	}
	// The outcome of the call counts, although the context had ended.
	rest := publish(t, q, kind, 1)
	got := make(chan ports.Message)
	consume(t, q, kind, 1, into(got))
	if d := take(t, got, "the next job"); d.Job != rest[0] {
		t.Errorf("delivered %v, want only the job published later", d.Job.ID)
	}
}

func testMany(t *testing.T, kind jobs.Kind, b Broker) {
	const total = 2000
	one, two := b.Open(t), b.Open(t)
	var mu sync.Mutex
	times := make(map[billing.JobID]int, total)
	all := make(chan struct{})
	handle := func(_ context.Context, d ports.Message) ports.Verdict {
		mu.Lock()
		defer mu.Unlock()
		if times[d.Job.ID]++; len(times) == total && times[d.Job.ID] == 1 {
			close(all)
		}
		return ports.Finished
	}
	stopOne, stopTwo := consume(t, one, kind, 4, handle), consume(t, two, kind, 4, handle)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range total / 10 {
				if err := one.Publish(t.Context(), newJob(kind)); err != nil {
					t.Errorf("publish: %v", err)
				}
			}
		})
	}
	wg.Wait()
	take(t, all, "the last job")
	stopOne()
	stopTwo()
	for id, n := range times {
		if n != 1 {
			t.Errorf("%v came %d times", id, n)
		}
	}
	if waiting, dead, _, err := one.Depth(t.Context(), kind); waiting != 0 || dead != 0 || err != nil {
		t.Errorf("left: %d waiting, %d dead, %v", waiting, dead, err)
	}
}

func testAgain(t *testing.T, kind jobs.Kind, b Broker) {
	if b.Die == nil {
		t.Log("an instance of this adapter cannot die alone: nothing to see")
		return
	}
	victim, heir := b.Open(t), b.Open(t)
	held, release := make(chan ports.Message), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- victim.Consume(ctx, kind, 1, func(_ context.Context, d ports.Message) ports.Verdict {
			held <- d
			<-release
			return ports.Finished
		})
	}()
	want := publish(t, heir, kind, 1)[0]
	take(t, held, "the job")
	b.Die(t, victim)
	got := make(chan ports.Message)
	consume(t, heir, kind, 1, into(got))
	if d := take(t, got, "the job again"); d.Job != want || !d.Redelivered {
		t.Errorf("delivered %+v, want %v again", d, want.ID)
	}
	cancel()
	close(release)
	<-done
}

func testPublishContext(t *testing.T, kind jobs.Kind, b Broker) {
	q := b.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Publish(ctx, newJob(kind)); err == nil {
		t.Error("published although the context had ended")
	}
	publish(t, q, kind, 1) // publishing still works
}
