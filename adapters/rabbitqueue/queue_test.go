package rabbitqueue_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/rabbitqueue"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

func TestContract(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{
		Broker: func(t *testing.T, kind jobs.Kind) queuetest.Broker {
			t.Helper()
			return broker(testservers.Rabbit(t).URL(), kind, rabbitqueue.Classic)
		},
		Frail: func(t *testing.T) (func(jobs.Kind) queuetest.Broker, queuetest.Faults) {
			t.Helper()
			srv := testservers.StartRabbit(t)
			faults := queuetest.Faults{Kill: srv.Kill, Restart: srv.Restart, Wipe: srv.Wipe, Block: srv.DiskAlarm}
			return func(kind jobs.Kind) queuetest.Broker { return broker(srv.URL(), kind, rabbitqueue.Classic) }, faults
		},
	})
}

func TestContractOnQuorumQueues(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{
		Broker: func(t *testing.T, kind jobs.Kind) queuetest.Broker {
			t.Helper()
			return broker(testservers.Rabbit(t).URL(), kind, rabbitqueue.Quorum)
		},
	})
}

// TestTogether gives jobs that end together to the consumer that began first, as many at once as an eighth of its
// places. The next one gets what is beyond, and all when the first one dies. Other jobs are shared evenly.
func TestTogether(t *testing.T) {
	t.Parallel()
	for queueType, kind := range map[string]jobs.Kind{rabbitqueue.Classic: jobs.KindEligibility, rabbitqueue.Quorum: jobs.KindBatchEligibility} {
		t.Run(queueType, func(t *testing.T) {
			t.Parallel()
			const parallel, eighth = 32, 5 // of 40 places: see jobs.Places
			began, held := make(chan int, 3*eighth), make(chan struct{})
			queues := [...]*rabbitqueue.Queue{
				open(t, testservers.Rabbit(t).URL(), kind, queueType), open(t, testservers.Rabbit(t).URL(), kind, queueType),
			}
			var consuming sync.WaitGroup
			t.Cleanup(func() { close(held); consuming.Wait() })
			for i, q := range queues {
				consuming.Go(func() {
					_ = q.Consume(t.Context(), kind, parallel, func(context.Context, ports.Message) ports.Verdict {
						began <- i
						<-held
						return ports.Finished
					})
				})
				eventually(t, "the consumers", func() bool {
					_, _, n, err := q.Depth(t.Context(), kind)
					return err == nil && n == i+1
				})
			}
			for range eighth {
				publish(t, queues[1], kind, true)
				if got := <-began; got != 0 {
					t.Fatalf("consumer %d got a job before the first had its eighth", got)
				}
			}
			publish(t, queues[1], kind, true)
			if got := <-began; got != 1 {
				t.Fatalf("consumer %d got a job that was beyond the eighth of the first", got)
			}
			publish(t, queues[1], kind, false)
			publish(t, queues[1], kind, false)
			if one, other := <-began, <-began; one == other {
				t.Fatalf("consumer %d got both of two other jobs", one)
			}
			queues[0].Die()
			for range eighth + 1 {
				if got := <-began; got != 1 {
					t.Fatalf("consumer %d got the job of a dead one", got)
				}
			}
		})
	}
}

func publish(t *testing.T, q *rabbitqueue.Queue, kind jobs.Kind, together bool) {
	t.Helper()
	j := newJob(kind)
	j.Together = together
	if err := q.Publish(t.Context(), j); err != nil {
		t.Fatal(err)
	}
}

func broker(url string, kind jobs.Kind, queueType string) queuetest.Broker {
	return queuetest.Broker{
		Open: func(t *testing.T) ports.Queue {
			t.Helper()
			return open(t, url, kind, queueType)
		},
		Raw: func(t *testing.T, body []byte) {
			t.Helper()
			raw(t, url, kind, body)
		},
		Die: func(_ *testing.T, q ports.Queue) { q.(*rabbitqueue.Queue).Die() },
	}
}

// open returns an instance that ends with the test.
func open(tb testing.TB, url string, kind jobs.Kind, queueType string) *rabbitqueue.Queue {
	tb.Helper()
	return openWith(tb, rabbitqueue.Options{URL: url, Kinds: []jobs.Kind{kind}, QueueType: queueType})
}

func openWith(tb testing.TB, opts rabbitqueue.Options) *rabbitqueue.Queue {
	tb.Helper()
	opts.Log, opts.Instance = slog.New(slog.NewTextHandler(tb.Output(), nil)), tb.Name()
	q, err := rabbitqueue.Open(tb.Context(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := q.Close(ctx); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return q
}

// raw publishes bytes without the queue.
func raw(t *testing.T, url string, kind jobs.Kind, body []byte) {
	t.Helper()
	ch := channel(t, url)
	if err := ch.Confirm(false); err != nil {
		t.Fatal(err)
	}
	c, err := ch.PublishWithDeferredConfirm("", "molar."+string(kind), true, false, amqp.Publishing{Body: body})
	if err != nil || !c.Wait() {
		t.Fatalf("publish bytes: %v", err)
	}
}

// channel returns a channel on a connection of the test's own.
func channel(t *testing.T, url string) *amqp.Channel {
	t.Helper()
	conn, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func newJob(kind jobs.Kind) jobs.Job {
	now := time.Now()
	return jobs.Job{
		ID: billing.NewID[billing.JobID](billing.RealAt(now)), Kind: kind,
		Scope:   billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(now)), Mode: billing.ModeTest},
		Subject: billing.NewID[billing.CheckID](billing.RealAt(now)),
	}
}
