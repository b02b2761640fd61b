package rabbitqueue_test

import (
	"context"
	"log/slog"
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
