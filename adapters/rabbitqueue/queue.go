// Package rabbitqueue sends jobs through RabbitMQ. It implements ports.Queue.
//
// An instance has two connections, one that publishes and one that consumes. A
// broker that is short of disk or memory stops reading from connections that
// publish.
//
// Each connection reconnects without limit. It then declares everything it
// needs on the broker again, so a broker may restart, or come back empty, at
// any time.
package rabbitqueue

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// The errors of a queue that cannot be used now. After any error but ErrClosed,
// a published message may still have reached the broker.
var (
	ErrClosed     = errors.New("rabbitqueue: closed")
	ErrAway       = errors.New("rabbitqueue: no connection to the broker")
	ErrBlocked    = errors.New("rabbitqueue: the broker is short of disk or memory and accepts no messages")
	ErrUnroutable = errors.New("rabbitqueue: the broker has no queue for the message")
	ErrRefused    = errors.New("rabbitqueue: the broker refused the message")
	errLate       = errors.New("rabbitqueue: the broker did not confirm a message in time")
)

// The types of queues.
const (
	Classic = "classic" // for one broker
	Quorum  = "quorum"  // for a cluster of three; it survives the loss of one
)

// deliveryLimit is the number of redeliveries, after lost consumers, at which a
// quorum queue moves a message to the dead letters. RabbitMQ has no default
// before version 4.
const deliveryLimit = 5

// Options holds the address of the broker and the settings of a queue.
type Options struct {
	URL       string // amqp:// or amqps://, with user and password
	Log       *slog.Logger
	Instance  string      // name in the broker's list of connections; may be empty
	QueueType string      // Classic when empty; an existing queue keeps its type
	Kinds     []jobs.Kind // the kinds that have queues; jobs.Kinds() when empty

	// Patience is the time in which the broker must respond, confirm a message
	// or read what is written. Otherwise the connection counts as dead. 0 means
	// 5 s.
	//
	// An idle connection counts as dead after three Heartbeats. A Heartbeat of
	// 0 means 10 s.
	Patience, Heartbeat time.Duration

	// Observe is called with the time that the broker needed to confirm a
	// message, or with the error. It may be nil.
	Observe func(kind jobs.Kind, took time.Duration, err error)
}

// Queue is one instance's access to the broker.
type Queue struct {
	opts    Options
	stop    context.CancelFunc
	done    <-chan struct{} // closed when Close begins
	tasks   sync.WaitGroup
	publish publisher
	consume link
	boxes   mailboxes
}

var _ ports.Queue = (*Queue)(nil)

// Open starts the connections and waits for the first attempt. If that fails,
// it retries in the background, and Ready reports the state. An error means
// that the options are wrong or that ctx ended.
func Open(ctx context.Context, opts Options) (*Queue, error) {
	if _, err := amqp.ParseURI(opts.URL); err != nil {
		return nil, errors.New("rabbitqueue: the URL must begin with amqp:// or amqps://") // the cause would show the password
	}
	if opts.QueueType != "" && opts.QueueType != Classic && opts.QueueType != Quorum {
		return nil, fmt.Errorf("rabbitqueue: queue type %q, want %q or %q", opts.QueueType, Classic, Quorum)
	}
	if len(opts.Kinds) == 0 {
		opts.Kinds = jobs.Kinds()
	}
	opts.Patience = cmp.Or(opts.Patience, 5*time.Second)
	opts.Heartbeat = cmp.Or(opts.Heartbeat, 10*time.Second)
	opts.QueueType = cmp.Or(opts.QueueType, Classic)
	if opts.Observe == nil {
		opts.Observe = func(jobs.Kind, time.Duration, error) {}
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	q := &Queue{opts: opts, stop: stop, done: life.Done()}
	q.boxes.open = make(map[[16]byte][]chan struct{})
	q.boxes.name = rand.Text()
	q.publish.link = newLink(opts, "publish", q.publish.serve(q.declare))
	q.consume = newLink(opts, "consume", q.serveReplies)
	q.tasks.Go(func() { q.publish.run(life) })
	q.tasks.Go(func() { q.consume.run(life) })
	for _, tried := range []<-chan struct{}{q.publish.tried, q.consume.tried} {
		select {
		case <-tried:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), q.Close(context.WithoutCancel(ctx)))
		}
	}
	return q, nil
}

// Close closes the connections. End the consumers before Close.
func (q *Queue) Close(ctx context.Context) error {
	q.stop()
	ended := make(chan struct{})
	go func() {
		q.tasks.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ready reports whether both connections are up and the broker accepts messages.
func (q *Queue) Ready() error {
	if _, err := q.publish.current(); err != nil {
		return err
	}
	_, err := q.consume.current()
	return err
}

// Publish sends a job to the broker. It returns when the broker has confirmed
// that the job is queued and on disk.
func (q *Queue) Publish(ctx context.Context, j jobs.Job) error {
	start := time.Now()
	name := queueName(j.Kind)
	if j.Together {
		name = togetherName(j.Kind)
	}
	err := q.publish.confirmed(ctx, name, j.ID.String(), j.Encode())
	q.opts.Observe(j.Kind, time.Since(start), err)
	if err != nil {
		return fmt.Errorf("publish job: %w", err)
	}
	return nil
}

// Reply wakes the mailboxes for the subject at the address. It does not wait
// for a confirmation.
func (q *Queue) Reply(ctx context.Context, address string, subject [16]byte) error {
	if err := q.publish.reply(ctx, address, subject); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	return nil
}

// Await opens a mailbox.
func (q *Queue) Await(subject [16]byte) ports.Mailbox { return q.boxes.await(subject) }

// Depth returns the numbers of waiting and dead jobs and of consumers at the broker.
func (q *Queue) Depth(ctx context.Context, kind jobs.Kind) (waiting, dead, consumers int, err error) {
	conn, err := q.consume.current()
	if err != nil {
		return 0, 0, 0, fmt.Errorf("queue depth: %w", err)
	}
	type depth struct {
		waiting, dead, consumers int
		err                      error
	}
	// The client library accepts no contexts. A call that outlives ctx ends with
	// the connection, or after the broker's Patience.
	counted := make(chan depth, 1)
	go func() {
		var d depth
		d.waiting, d.dead, d.consumers, d.err = conn.depth(kind)
		counted <- d
	}()
	select {
	case d := <-counted:
		return d.waiting, d.dead, d.consumers, d.err
	case <-ctx.Done():
		return 0, 0, 0, ctx.Err()
	}
}

func (c *connection) depth(kind jobs.Kind) (waiting, dead, consumers int, err error) {
	defer c.hurry()()
	ch, err := c.Channel()
	if err != nil {
		return 0, 0, 0, fmt.Errorf("queue depth: %w", err)
	}
	defer c.closeChannel(ch)
	for _, name := range append(namesOf(kind), deadName(kind)) {
		state, err := ch.QueueDeclarePassive(name, true, false, false, false, nil)
		switch {
		case err != nil:
			return 0, 0, 0, fmt.Errorf("queue depth: %w", err)
		case name == deadName(kind):
			dead = state.Messages
			continue
		case name == queueName(kind):
			consumers = state.Consumers
		}
		waiting += state.Messages
	}
	return waiting, dead, consumers, nil
}

// repliesName is the exchange for replies to instances.
const repliesName = "molar.replies"

func queueName(kind jobs.Kind) string    { return "molar." + string(kind) }
func togetherName(kind jobs.Kind) string { return queueName(kind) + ".together" } // of jobs.Job.Together
func deadName(kind jobs.Kind) string     { return queueName(kind) + ".dead" }

// namesOf returns the names of the queues of a kind.
func namesOf(kind jobs.Kind) []string {
	if kind.Together() {
		return []string{queueName(kind), togetherName(kind)}
	}
	return []string{queueName(kind)}
}

// declare declares everything that jobs need on the broker, unless it exists.
func (q *Queue) declare(ch *amqp.Channel) error {
	for _, kind := range q.opts.Kinds {
		if err := q.declareKind(ch, kind); err != nil {
			return err
		}
	}
	return ch.ExchangeDeclare(repliesName, amqp.ExchangeDirect, true, false, false, false, nil)
}

func (q *Queue) declareKind(ch *amqp.Channel, kind jobs.Kind) error {
	args := amqp.Table{"x-queue-type": q.opts.QueueType}
	if _, err := ch.QueueDeclare(deadName(kind), true, false, false, false, args); err != nil {
		return explain(err)
	}
	args = amqp.Table{
		"x-queue-type":              q.opts.QueueType,
		"x-dead-letter-exchange":    "", // the default exchange, which routes by the name of the queue
		"x-dead-letter-routing-key": deadName(kind),
	}
	if q.opts.QueueType == Quorum {
		args["x-delivery-limit"] = deliveryLimit
	}
	for _, name := range namesOf(kind) {
		if _, err := ch.QueueDeclare(name, true, false, false, false, args); err != nil {
			return explain(err)
		}
	}
	return nil
}

// explain adds to an error what the operator can do.
func explain(err error) error {
	if e, ok := errors.AsType[*amqp.Error](err); ok && e.Code == amqp.PreconditionFailed && strings.Contains(e.Reason, "inequivalent") {
		return fmt.Errorf("%w; delete the queue on the broker to change its settings: its jobs are in the database too", err)
	}
	return err
}
