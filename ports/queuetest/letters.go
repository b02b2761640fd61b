package queuetest

import (
	"context"
	"testing"

	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// awaitDepth waits until the queue holds n messages, because brokers count with
// a delay.
func awaitDepth(t *testing.T, q ports.Queue, kind jobs.Kind, waiting, dead int) {
	t.Helper()
	eventually(t, "the depth", func() bool {
		w, d, _, err := q.Depth(t.Context(), kind)
		return err == nil && w == waiting && d == dead
	})
}

// testConsumers counts the consumers of two instances, and what is left of them.
func testConsumers(t *testing.T, kind jobs.Kind, b Broker) {
	one, two := b.Open(t), b.Open(t)
	finish := func(context.Context, ports.Message) ports.Verdict { return ports.Finished }
	await := func(want int) {
		t.Helper()
		eventually(t, "the consumers", func() bool {
			_, _, n, err := one.Depth(t.Context(), kind)
			return err == nil && n == want
		})
	}
	await(0)
	stop := consume(t, one, kind, 1, finish)
	consume(t, two, kind, 1, finish)
	await(2)
	stop()
	await(1)
}

func testDead(t *testing.T, kind jobs.Kind, b Broker) {
	q := b.Open(t)
	called := make(chan struct{}, 2)
	consume(t, q, kind, 1, func(context.Context, ports.Message) ports.Verdict {
		called <- struct{}{}
		return ports.Dead
	})
	publish(t, q, kind, 1)
	take(t, called, "the call")
	awaitDepth(t, q, kind, 0, 1)
}

func testUnreadable(t *testing.T, kind jobs.Kind, b Broker) {
	q := b.Open(t)
	bodies := []string{"", "{", "[]", `{"v":99}`, `{"v":1,"id":"job_0"}`, "\x00\xff"}
	for _, body := range bodies {
		b.Raw(t, []byte(body))
	}
	want := publish(t, q, kind, 1)[0]
	got := make(chan ports.Message)
	consume(t, q, kind, 1, into(got))
	if d := take(t, got, "the readable job"); d.Job != want {
		t.Errorf("called with %+v", d)
	}
	awaitDepth(t, q, kind, 0, len(bodies))
}

func testDepth(t *testing.T, kind jobs.Kind, b Broker) {
	q := b.Open(t)
	awaitDepth(t, q, kind, 0, 0)
	publish(t, q, kind, 3)
	awaitDepth(t, q, kind, 3, 0)
}

// mailbox opens a mailbox with an address, which an instance has once it is
// connected.
func mailbox(t *testing.T, q ports.Queue, subject [16]byte) ports.Mailbox {
	t.Helper()
	var m ports.Mailbox
	eventually(t, "an address", func() bool {
		m = q.Await(subject)
		if m.Address == "" {
			m.Close()
		}
		return m.Address != ""
	})
	t.Cleanup(m.Close)
	return m
}

func reply(t *testing.T, q ports.Queue, address string, subject [16]byte) {
	t.Helper()
	if err := q.Reply(t.Context(), address, subject); err != nil {
		t.Fatal(err)
	}
}

func testReply(t *testing.T, _ jobs.Kind, b Broker) {
	one, two := b.Open(t), b.Open(t)
	subject, last := newSubject(), newSubject()
	boxOne, boxTwo, barrier := mailbox(t, one, subject), mailbox(t, two, subject), mailbox(t, two, last)
	if boxOne.Address == boxTwo.Address {
		t.Fatal("two instances have one address")
	}
	reply(t, two, boxOne.Address, subject)
	take(t, boxOne.C, "the reply")
	// Replies to one instance arrive in order, so a wrong one would have
	// arrived by now.
	reply(t, two, boxTwo.Address, last)
	take(t, barrier.C, "the second reply")
	select {
	case <-boxTwo.C:
		t.Error("the reply reached another instance too")
	default:
	}
}

func testMailboxes(t *testing.T, _ jobs.Kind, b Broker) {
	q := b.Open(t)
	subject := newSubject()
	one, two := mailbox(t, q, subject), mailbox(t, q, subject)
	reply(t, q, one.Address, subject)
	take(t, one.C, "the first mailbox")
	take(t, two.C, "the second mailbox")
	for range 3 { // no mailbox is read between these: they must not block each other
		reply(t, q, one.Address, subject)
	}
	take(t, one.C, "a later reply")
}

func testClosedMailbox(t *testing.T, _ jobs.Kind, b Broker) {
	q := b.Open(t)
	closed, open := newSubject(), newSubject()
	m, barrier := mailbox(t, q, closed), mailbox(t, q, open)
	m.Close()
	m.Close()
	reply(t, q, m.Address, closed)
	reply(t, q, "unknown", closed)
	reply(t, q, barrier.Address, open)
	take(t, barrier.C, "the reply after")
	select {
	case <-m.C:
		t.Error("a closed mailbox was woken")
	default:
	}
}
