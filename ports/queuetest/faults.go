package queuetest

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// runFaults breaks one broker in each way in turn, because starting a broker
// takes seconds of CPU time.
func runFaults(t *testing.T, h Harness) {
	t.Helper()
	broker, faults := h.Frail(t)
	for _, fault := range []struct {
		name string
		test func(*testing.T, jobs.Kind, Broker, Faults)
	}{
		{"a killed broker comes back", testKilled},
		{"a wiped broker is made ready again", testWiped},
		{"a blocked broker fails fast", testBlocked}, // the last: it leaves the broker blocked
	} {
		t.Run(fault.name, func(t *testing.T) {
			kind := newKind()
			fault.test(t, kind, broker(kind), faults)
		})
	}
}

// rounds returns how often a broker is broken: n times, or once with -short.
func rounds(all int) int {
	if testing.Short() {
		return 1
	}
	return all
}

// refuses checks that publishing fails, long before its context ends or soon
// after.
func refuses(t *testing.T, q ports.Queue, kind jobs.Kind) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- q.Publish(ctx, newJob(kind)) }()
	if err := take(t, done, "the end of Publish"); err == nil {
		t.Error("published to a broker that is away")
	}
}

// recovers publishes until it works and checks that the consumer has the job.
func recovers(t *testing.T, q ports.Queue, kind jobs.Kind, got <-chan ports.Message) {
	t.Helper()
	j := newJob(kind)
	eventually(t, "publishing", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return q.Publish(ctx, j) == nil
	})
	for take(t, got, "the job").Job != j {
	}
	awaitReady(t, q)
}

func awaitReady(t *testing.T, q ports.Queue) {
	t.Helper()
	eventually(t, "being ready", func() bool { return q.Ready() == nil })
}

func testKilled(t *testing.T, kind jobs.Kind, b Broker, faults Faults) {
	q, other := b.Open(t), b.Open(t)
	kept := publish(t, q, kind, 100)
	stop := keepPublishing(t, b.Open(t), kind)
	// A broker may take a moment to write a new queue to disk, and the queue's
	// messages are lost until then. RabbitMQ 3.10 takes up to two seconds.
	<-time.After(3 * time.Second)
	subject := newSubject()
	kills := rounds(3)
	for range kills {
		box := mailbox(t, q, subject)
		faults.Kill()
		eventually(t, "noticing", func() bool { return q.Ready() != nil })
		refuses(t, q, kind)
		faults.Restart()
		take(t, box.C, "the waking of the mailbox")
		box.Close()
	}
	kept = append(kept, stop()...)
	t.Logf("%d jobs confirmed over %d kills", len(kept), kills)
	got := make(chan ports.Message)
	consume(t, other, kind, 4, into(got))
	missing := make(map[jobs.Job]bool, len(kept))
	for _, j := range kept {
		missing[j] = true
	}
	for len(missing) > 0 {
		delete(missing, take(t, got, "what was confirmed before the kill").Job)
	}
	recovers(t, q, kind, got)
	awaitReady(t, other)
	box := mailbox(t, q, subject)
	reply(t, other, box.Address, subject)
	take(t, box.C, "a reply after the kill")
}

// keepPublishing publishes through all faults. Stop returns the confirmed jobs.
func keepPublishing(t *testing.T, q ports.Queue, kind jobs.Kind) (stop func() []jobs.Job) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan []jobs.Job, 1)
	go func() {
		var confirmed []jobs.Job
		for ctx.Err() == nil {
			j := newJob(kind)
			if q.Publish(ctx, j) == nil {
				confirmed = append(confirmed, j)
				continue
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond):
			}
		}
		result <- confirmed
	}()
	return func() []jobs.Job {
		cancel()
		return <-result
	}
}

func testWiped(t *testing.T, kind jobs.Kind, b Broker, faults Faults) {
	q, other := b.Open(t), b.Open(t)
	got := make(chan ports.Message)
	consume(t, other, kind, 2, into(got))
	recovers(t, q, kind, got)
	for range rounds(2) {
		faults.Wipe()
		recovers(t, q, kind, got)
	}
	awaitReady(t, other)
	subject := newSubject()
	box := mailbox(t, q, subject)
	eventually(t, "a reply after the wipe", func() bool {
		reply(t, other, box.Address, subject)
		select {
		case <-box.C:
			return true
		case <-time.After(50 * time.Millisecond):
			return false
		}
	})
}

func testBlocked(t *testing.T, kind jobs.Kind, b Broker, faults Faults) {
	q := b.Open(t)
	got := make(chan ports.Message)
	consume(t, q, kind, 2, into(got))
	recovers(t, q, kind, got)
	faults.Block(true)
	refuses(t, q, kind) // which makes the broker report that it is blocked
	eventually(t, "noticing", func() bool { return q.Ready() != nil })
	refuses(t, q, kind)
	faults.Block(false)
	recovers(t, q, kind, got)
	faults.Block(true) // closing an instance must still work
	refuses(t, q, kind)
}
