package rabbitqueue_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/molar-billing/molar/adapters/rabbitqueue"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// through puts a proxy before the broker and returns the proxy and the URL.
func through(t *testing.T, broker string) (*toxiproxy.Proxy, string) {
	t.Helper()
	u, err := url.Parse(broker)
	if err != nil {
		t.Fatal(err)
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", u.Host)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	u.Host = proxy.Listen
	return proxy, u.String()
}

func poison(t *testing.T, proxy *toxiproxy.Proxy, toxic string) {
	t.Helper()
	if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		t.Fatal(err)
	}
}

// hasty returns an instance that does not wait long for a broker.
func hasty(t *testing.T, address string, kind jobs.Kind) *rabbitqueue.Queue {
	t.Helper()
	return openWith(t, rabbitqueue.Options{
		URL: address, Kinds: []jobs.Kind{kind}, Patience: 300 * time.Millisecond, Heartbeat: time.Second,
	})
}

// collect consumes and records the jobs.
func collect(t *testing.T, q ports.Queue, kind jobs.Kind) (seen func(billing.JobID) bool) {
	t.Helper()
	var came sync.Map
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = q.Consume(ctx, kind, 4, func(_ context.Context, d ports.Message) ports.Verdict {
			came.Store(d.Job.ID, true)
			return ports.Finished
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return func(id billing.JobID) bool { _, ok := came.Load(id); return ok }
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: still not so", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestDeadConnections cuts connections without notice to either end. Publishing
// must fail, both connections must be closed, and everything must continue over
// new ones.
func TestDeadConnections(t *testing.T) {
	t.Parallel()
	broker := testservers.Rabbit(t).URL()
	for name, toxics := range map[string][]string{
		"half-open":              {`{"name":"a","type":"timeout","stream":"upstream","attributes":{"timeout":0}}`, `{"name":"b","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`},
		"confirmations are lost": {`{"name":"a","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`},
		"reset with each byte":   {`{"name":"a","type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := jobs.Kind("test-dead-" + strings.ReplaceAll(name, " ", "-"))
			proxy, address := through(t, broker)
			q := hasty(t, address, kind)
			seen := collect(t, q, kind)
			first := newJob(kind)
			// On a busy machine a heartbeat may be late before anything is cut.
			eventually(t, "publishing", func() bool { return q.Publish(t.Context(), first) == nil })
			eventually(t, "delivery", func() bool { return seen(first.ID) })

			for _, toxic := range toxics {
				poison(t, proxy, toxic)
			}
			lost := newJob(kind)
			if err := q.Publish(t.Context(), lost); err == nil {
				t.Error("published over a dead connection")
			}
			eventually(t, "noticing", func() bool { return q.Ready() != nil })
			eventually(t, "noticing where nothing is asked", func() bool {
				m := q.Await([16]byte{1})
				defer m.Close()
				return m.Address == ""
			})
			proxy.Toxics.ResetToxics(t.Context())

			later := newJob(kind)
			eventually(t, "publishing again", func() bool { return q.Publish(t.Context(), later) == nil })
			eventually(t, "delivery again", func() bool { return seen(later.ID) })
		})
	}
}

// TestWritesAreBounded limits a write to a broker that reads nothing, on which
// the library itself waits without limit.
func TestWritesAreBounded(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer func() { _ = ours.Close() }()
	defer func() { _ = theirs.Close() }()
	if _, err := rabbitqueue.Timed(ours, 10*time.Millisecond).Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write without a reader: %v, want %v", err, os.ErrDeadlineExceeded)
	}
}

// TestUnconfirmedIsUnknown shows why a failed Publish proves nothing: the
// broker has the message whose confirmation was lost.
func TestUnconfirmedIsUnknown(t *testing.T) {
	t.Parallel()
	const kind = "test-unconfirmed"
	broker := testservers.Rabbit(t).URL()
	proxy, address := through(t, broker)
	q := hasty(t, address, kind)
	seen := collect(t, open(t, broker, kind, rabbitqueue.Classic), kind)
	// On a busy machine the connection may be given up before it carries anything.
	// Then the broker has nothing, and the next round tries another job.
	var tried []jobs.Job
	arrived := func() bool { return slices.ContainsFunc(tried, func(j jobs.Job) bool { return seen(j.ID) }) }
	eventually(t, "delivery of what was not confirmed", func() bool {
		proxy.Toxics.ResetToxics(t.Context())
		eventually(t, "connecting", func() bool { return q.Ready() == nil })
		poison(t, proxy, `{"name":"a","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`)
		j := newJob(kind)
		if err := q.Publish(t.Context(), j); err == nil {
			t.Fatal("confirmed over a connection that carries no confirmation")
		}
		tried = append(tried, j)
		for patience := time.Now().Add(5 * time.Second); !arrived() && time.Now().Before(patience); {
			<-time.After(5 * time.Millisecond)
		}
		return arrived()
	})
}

func TestSlowConnection(t *testing.T) {
	t.Parallel()
	const kind, total = "test-slow", 200
	proxy, address := through(t, testservers.Rabbit(t).URL())
	q := open(t, address, kind, rabbitqueue.Classic)
	seen := collect(t, q, kind)
	poison(t, proxy, `{"name":"a","type":"latency","stream":"downstream","attributes":{"latency":30,"jitter":20}}`)
	all := make([]jobs.Job, total)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = newJob(kind)
		wg.Go(func() {
			if err := q.Publish(t.Context(), all[i]); err != nil {
				t.Errorf("publish: %v", err)
			}
		})
	}
	wg.Wait()
	for _, j := range all {
		eventually(t, "delivery", func() bool { return seen(j.ID) })
	}
}

// TestQueueTakenAway deletes the queue under a publisher and a consumer.
func TestQueueTakenAway(t *testing.T) {
	t.Parallel()
	const kind = "test-taken"
	address := testservers.Rabbit(t).URL()
	q := open(t, address, kind, rabbitqueue.Classic)
	if _, err := channel(t, address).QueueDelete("molar."+kind, false, false, false); err != nil {
		t.Fatal(err)
	}
	if err := q.Publish(t.Context(), newJob(kind)); !errors.Is(err, rabbitqueue.ErrUnroutable) {
		t.Errorf("publish without a queue: %v, want %v", err, rabbitqueue.ErrUnroutable)
	}
	j := newJob(kind)
	eventually(t, "publishing again", func() bool { return q.Publish(t.Context(), j) == nil })

	seen := collect(t, q, kind)
	eventually(t, "delivery", func() bool { return seen(j.ID) })
	if _, err := channel(t, address).QueueDelete("molar."+kind, false, false, false); err != nil {
		t.Fatal(err)
	}
	// The consumer declares the queue again by itself.
	j = newJob(kind)
	eventually(t, "publishing to the consumer's queue", func() bool { return q.Publish(t.Context(), j) == nil })
	eventually(t, "delivery from the new queue", func() bool { return seen(j.ID) })
}

func TestBrokerIsAway(t *testing.T) {
	t.Parallel()
	q := openWith(t, rabbitqueue.Options{URL: "amqp://127.0.0.1:1/"})
	if err := q.Ready(); !errors.Is(err, rabbitqueue.ErrAway) {
		t.Errorf("ready: %v, want %v", err, rabbitqueue.ErrAway)
	}
	if err := q.Publish(t.Context(), newJob(jobs.KindEligibility)); !errors.Is(err, rabbitqueue.ErrAway) {
		t.Errorf("publish: %v, want %v", err, rabbitqueue.ErrAway)
	}
	if err := q.Reply(t.Context(), "another", [16]byte{1}); !errors.Is(err, rabbitqueue.ErrAway) {
		t.Errorf("reply: %v, want %v", err, rabbitqueue.ErrAway)
	}
	if _, _, _, err := q.Depth(t.Context(), jobs.KindEligibility); !errors.Is(err, rabbitqueue.ErrAway) {
		t.Errorf("depth: %v, want %v", err, rabbitqueue.ErrAway)
	}
	m := q.Await([16]byte{1})
	defer m.Close()
	if m.Address != "" {
		t.Errorf("address %q while no reply can come", m.Address)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Consume(ctx, jobs.KindEligibility, 1, nil); err != nil {
		t.Errorf("consume until the context ended: %v", err)
	}
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]rabbitqueue.Options{
		"no URL":         {},
		"another scheme": {URL: "http://user:opensesame@localhost/"},
		"a broken URL":   {URL: "amqp://user:opensesame@local host:x/"},
		"queue type":     {URL: "amqp://user:opensesame@localhost/", QueueType: "stream"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts.Log = slog.New(slog.DiscardHandler)
			_, err := rabbitqueue.Open(t.Context(), opts)
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), "opensesame") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestConsumeWithoutWorkersIsRefused(t *testing.T) {
	t.Parallel()
	q := openWith(t, rabbitqueue.Options{URL: "amqp://127.0.0.1:1/"})
	if err := q.Consume(t.Context(), jobs.KindEligibility, 0, nil); err == nil {
		t.Error("no error")
	}
}

// TestClosed checks that every call on a closed queue fails at once.
func TestClosed(t *testing.T) {
	t.Parallel()
	const kind = "test-closed"
	q := open(t, testservers.Rabbit(t).URL(), kind, rabbitqueue.Classic)
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := q.Publish(t.Context(), newJob(kind)); !errors.Is(err, rabbitqueue.ErrClosed) {
		t.Errorf("publish: %v, want %v", err, rabbitqueue.ErrClosed)
	}
	if err := q.Consume(t.Context(), kind, 1, nil); !errors.Is(err, rabbitqueue.ErrClosed) {
		t.Errorf("consume: %v, want %v", err, rabbitqueue.ErrClosed)
	}
}
