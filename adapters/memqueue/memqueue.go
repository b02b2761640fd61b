// Package memqueue is a queue inside one process, for running the whole service
// in that process. It carries the same bytes as a real broker and has the same
// contract. Its messages are lost when the process ends; the store has the jobs.
package memqueue

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Broker holds the messages. It has no limit of its own: the relay bounds how
// many jobs are in flight.
type Broker struct {
	mu        sync.Mutex
	topics    map[jobs.Kind]*topic
	instances map[string]*Queue
}

// topic is the messages of one kind, which are served in turn by scope.
type topic struct {
	waiting   jobs.Turns[message]
	dead      int
	consumers int
	more      chan struct{} // closed, and made anew, when a message arrives
}

type message struct {
	scope billing.Scope
	body  []byte
}

// NewBroker makes an empty broker.
func NewBroker() *Broker {
	return &Broker{topics: make(map[jobs.Kind]*topic), instances: make(map[string]*Queue)}
}

// Open makes an instance at the broker.
func (b *Broker) Open() *Queue {
	q := &Queue{broker: b, address: rand.Text(), boxes: make(map[[16]byte][]chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.instances[q.address] = q
	return q
}

// topic returns the messages of a kind; the caller holds the broker's lock.
func (b *Broker) topic(kind jobs.Kind) *topic {
	t := b.topics[kind]
	if t == nil {
		t = &topic{more: make(chan struct{})}
		b.topics[kind] = t
	}
	return t
}

func (b *Broker) put(kind jobs.Kind, scope billing.Scope, body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topic(kind)
	t.waiting.Put(scope, message{scope, body})
	close(t.more)
	t.more = make(chan struct{})
}

// take returns the message of a kind whose turn it is and that has a place, or
// a channel that is closed when another message arrives.
func (b *Broker) take(kind jobs.Kind, places *jobs.Places) (m message, more <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topic(kind)
	m, ok := t.waiting.Start(places)
	if !ok {
		return m, t.more
	}
	return m, nil
}

// bury counts a dead letter. It is not kept, because nothing outside of this
// process could read it.
func (b *Broker) bury(kind jobs.Kind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.topic(kind).dead++
}

// count counts the consumers of a kind.
func (b *Broker) count(kind jobs.Kind, more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.topic(kind).consumers += more
}

// Queue is an instance at a Broker: a ports.Queue.
type Queue struct {
	broker  *Broker
	address string

	mu    sync.Mutex
	boxes map[[16]byte][]chan struct{}
}

var _ ports.Queue = (*Queue)(nil)

// Publish queues a job. It never waits.
func (q *Queue) Publish(ctx context.Context, j jobs.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.broker.put(j.Kind, j.Scope, j.Encode())
	return nil
}

// Consume runs handle for jobs of the kind until ctx ends.
func (q *Queue) Consume(
	ctx context.Context, kind jobs.Kind, parallel int, handle func(context.Context, ports.Message) ports.Verdict,
) error {
	if parallel < 1 {
		return errors.New("memqueue: consume: parallel must be at least 1")
	}
	places := jobs.NewPlaces(parallel)
	ended := make(chan billing.Scope, places.Len()) // of the calls that ended
	q.broker.count(kind, 1)
	defer q.broker.count(kind, -1)
	var calls sync.WaitGroup
	defer calls.Wait()
	for ctx.Err() == nil {
		m, more := q.broker.take(kind, places)
		if more != nil {
			select {
			case <-more:
			case scope := <-ended:
				places.End(scope)
			case <-ctx.Done():
			}
			continue
		}
		calls.Go(func() {
			defer func() { ended <- m.scope }()
			j, err := jobs.Decode(m.body)
			if err != nil || handle(ctx, ports.Message{Job: j}) == ports.Dead {
				q.broker.bury(kind)
			}
		})
	}
	return nil
}

// Reply wakes the mailboxes for the subject at the address. An unknown address is
// no error.
func (q *Queue) Reply(ctx context.Context, address string, subject [16]byte) error {
	q.broker.mu.Lock()
	to := q.broker.instances[address]
	q.broker.mu.Unlock()
	if to != nil {
		to.wake(subject)
	}
	return ctx.Err()
}

func (q *Queue) wake(subject [16]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.boxes[subject] {
		select {
		case c <- struct{}{}:
		default: // it was woken and has not looked yet
		}
	}
}

// Await opens a mailbox.
func (q *Queue) Await(subject [16]byte) ports.Mailbox {
	c := make(chan struct{}, 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.boxes[subject] = append(q.boxes[subject], c)
	return ports.Mailbox{Address: q.address, C: c, Close: func() { q.forget(subject, c) }}
}

func (q *Queue) forget(subject [16]byte, c chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	rest := slices.DeleteFunc(q.boxes[subject], func(other chan struct{}) bool { return other == c })
	if len(rest) == 0 {
		delete(q.boxes, subject)
		return
	}
	q.boxes[subject] = rest
}

// Ready returns nil: the queue is always ready.
func (q *Queue) Ready() error { return nil }

// Depth counts the messages that wait, the dead letters, and the consumers.
func (q *Queue) Depth(_ context.Context, kind jobs.Kind) (waiting, dead, consumers int, err error) {
	q.broker.mu.Lock()
	defer q.broker.mu.Unlock()
	t := q.broker.topic(kind)
	return t.waiting.Len(), t.dead, t.consumers, nil
}
