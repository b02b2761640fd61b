package rabbitqueue

import (
	"context"
	"slices"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/molar-billing/molar/ports"
)

// mailboxes is the set of open mailboxes of an instance, by subject.
type mailboxes struct {
	name string // the instance's address

	mu    sync.Mutex
	bound bool // whether the broker delivers replies to the address
	open  map[[16]byte][]chan struct{}
}

func (b *mailboxes) await(subject [16]byte) ports.Mailbox {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[subject] = append(b.open[subject], c)
	m := ports.Mailbox{C: c, Close: func() { b.forget(subject, c) }}
	if b.bound {
		m.Address = b.name
	}
	return m
}

func (b *mailboxes) forget(subject [16]byte, c chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := slices.DeleteFunc(b.open[subject], func(other chan struct{}) bool { return other == c })
	if len(rest) == 0 {
		delete(b.open, subject)
		return
	}
	b.open[subject] = rest
}

func (b *mailboxes) wake(subject [16]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.open[subject] {
		ring(c)
	}
}

// bind sets whether the broker delivers replies. When delivery begins, bind
// wakes every waiter, because replies may have been missed.
func (b *mailboxes) bind(bound bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bound = bound
	if !bound {
		return
	}
	for _, boxes := range b.open {
		for _, c := range boxes {
			ring(c)
		}
	}
}

// ring wakes a waiter, unless a signal to it is already pending.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// serveReplies uses the consuming connection to deliver replies. Consumers open
// their channels on the same connection. The broker names the queue of replies,
// because it may still hold the queue of a lost connection.
func (q *Queue) serveReplies(ctx context.Context, c *connection, up func()) error {
	ch, err := c.Channel()
	if err != nil {
		return err
	}
	if err := q.declare(ch); err != nil {
		return err
	}
	own, err := ch.QueueDeclare("", false, true, true, false, amqp.Table{"x-queue-type": Classic})
	if err != nil {
		return err
	}
	if err := ch.QueueBind(own.Name, q.boxes.name, repliesName, false, nil); err != nil {
		return err
	}
	replies, err := ch.Consume(own.Name, "replies", true, true, false, false, nil)
	if err != nil {
		return err
	}
	up()
	q.boxes.bind(true)
	defer q.boxes.bind(false)
	for {
		select {
		case d, ok := <-replies:
			if !ok {
				return ErrAway
			}
			if len(d.Body) == 16 {
				q.boxes.wake([16]byte(d.Body))
			}
		case e := <-c.lost:
			return lostError(e)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
