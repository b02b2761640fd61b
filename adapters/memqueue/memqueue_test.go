package memqueue_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{
		Broker: func(_ *testing.T, kind jobs.Kind) queuetest.Broker {
			b := memqueue.NewBroker()
			return queuetest.Broker{
				Open: func(*testing.T) ports.Queue { return b.Open() },
				Raw:  func(_ *testing.T, body []byte) { b.Put(kind, body) },
			}
		},
	})
}

func TestClosedMailboxesAreForgotten(t *testing.T) {
	t.Parallel()
	q := memqueue.NewBroker().Open()
	one, two := q.Await([16]byte{1}), q.Await([16]byte{1})
	one.Close()
	two.Close()
	two.Close()
	if n := q.Mailboxes(); n != 0 {
		t.Errorf("%d mailboxes are kept after all were closed", n)
	}
}

func TestConsumeWithoutWorkersIsRefused(t *testing.T) {
	t.Parallel()
	if err := memqueue.NewBroker().Open().Consume(t.Context(), "k", 0, nil); err == nil {
		t.Error("no error")
	}
}
