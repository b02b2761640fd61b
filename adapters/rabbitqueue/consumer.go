package rabbitqueue

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// ahead is the number of messages that a consumer fetches beyond those in work.
// The broker delivers messages in order of arrival, so only fetched messages
// can take turns by scope. The relays of several processes let one scope have
// fewer messages than this at the broker.
const ahead = 512

// even is the priority at the broker of consumers that share messages evenly: below that of any other.
const even = math.MinInt64

// consumer is one call of Consume. Its running handler calls may outlive the
// connection that delivered their jobs, so consumer counts them.
type consumer struct {
	q      *Queue
	kind   jobs.Kind
	handle func(context.Context, ports.Message) ports.Verdict
	places *jobs.Places
	rank   int64              // its priority for jobs that end together: the earlier it began, the higher
	ended  chan billing.Scope // of the calls that ended; it has room for all
	next   chan delivery      // to a goroutine whose call ended: its stack has grown to what a call needs
	calls  sync.WaitGroup
}

// Consume runs handle for jobs of the kind until ctx ends. It reconnects as
// often as necessary.
func (q *Queue) Consume(
	ctx context.Context, kind jobs.Kind, parallel int, handle func(context.Context, ports.Message) ports.Verdict,
) error {
	if parallel < 1 {
		return errors.New("rabbitqueue: consume: parallel must be at least 1")
	}
	places := jobs.NewPlaces(parallel)
	c := &consumer{
		q: q, kind: kind, handle: handle, places: places, rank: -time.Now().UnixMilli(), ended: make(chan billing.Scope, places.Len()), next: make(chan delivery),
	}
	defer c.calls.Wait()
	defer close(c.next)
	wait := minWait
	for ctx.Err() == nil {
		conn, err := q.consume.wait(ctx)
		if errors.Is(err, ErrClosed) {
			return err
		}
		if conn == nil {
			break // ctx has ended
		}
		started := time.Now()
		err = c.on(ctx, conn)
		if ctx.Err() != nil {
			return nil
		}
		q.opts.Log.WarnContext(ctx, "consumer interrupted", "kind", string(kind), "error", err)
		if time.Since(started) > maxWait {
			wait = minWait
		}
		select { // the connection is up, but has no channel for this consumer
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, maxWait)
	}
	return nil
}

// on consumes on one connection until the connection is lost or ctx ends. When
// ctx ends, it waits for the running calls and acknowledges their messages.
func (c *consumer) on(ctx context.Context, conn *connection) error {
	ready := conn.hurry()
	defer ready()
	ch, err := conn.Channel()
	if err != nil {
		return err
	}
	defer conn.closeChannel(ch)
	if err := c.q.declareKind(ch, c.kind); err != nil {
		return err
	}
	in, tags, err := c.inlet(ch)
	if err != nil {
		return err
	}
	ready()
	return c.serve(ctx, in, func() {
		for _, tag := range tags {
			_ = ch.Cancel(tag, true)
		}
	})
}

// inlet is where messages arrive. The consumers of all processes share evenly what arrives as rest.
// Of the jobs that end together, those that began first fill an eighth of their places before others
// get one, and share what is beyond.
type inlet struct{ rest, first, beyond <-chan amqp.Delivery }

func (c *consumer) inlet(ch *amqp.Channel) (in inlet, tags []string, err error) {
	fetch := func(queue string, most int, priority int64) (arrive <-chan amqp.Delivery) {
		if err == nil {
			err = ch.Qos(most, 0, false) // for the consumers that follow
		}
		if err == nil {
			tags = append(tags, strconv.Itoa(len(tags))) // unique on the channel
			arrive, err = ch.Consume(queue, tags[len(tags)-1], false, false, false, false, amqp.Table{"x-priority": priority})
		}
		return arrive
	}
	all := c.places.Len() + ahead
	if c.kind.Together() {
		in.first = fetch(togetherName(c.kind), max(1, c.places.Len()/8), c.rank)
		in.beyond = fetch(togetherName(c.kind), all, even)
	}
	in.rest = fetch(queueName(c.kind), all, even) // Depth counts this one, which has the others
	return in, tags, err
}

// delivery is a message that waits for a place.
type delivery struct {
	amqp.Delivery
	job jobs.Job
}

// line is the queue of messages that wait for a place, one for each job. A
// second message for a waiting job is not needed.
type line struct {
	jobs.Turns[delivery]

	jobs map[billing.JobID]bool
}

// serve calls the handler for delivered messages, taking turns by scope. When
// serve returns, some messages may still wait. They return to the broker's
// queue when the channel closes.
func (c *consumer) serve(ctx context.Context, in inlet, cancel func()) error {
	waiting := line{jobs: map[billing.JobID]bool{}}
	for up := true; up; {
		select { // all messages that have arrived enter the line before the next call
		case d, ok := <-in.rest:
			up = c.line(ctx, &waiting, d, ok)
			continue
		case d, ok := <-in.first:
			up = c.line(ctx, &waiting, d, ok)
			continue
		case d, ok := <-in.beyond:
			up = c.line(ctx, &waiting, d, ok)
			continue
		default:
		}
		if d, ok := waiting.Start(c.places); ok {
			delete(waiting.jobs, d.job.ID)
			c.start(ctx, d)
			continue
		}
		select {
		case d, ok := <-in.rest:
			up = c.line(ctx, &waiting, d, ok)
		case d, ok := <-in.first:
			up = c.line(ctx, &waiting, d, ok)
		case d, ok := <-in.beyond:
			up = c.line(ctx, &waiting, d, ok)
		case scope := <-c.ended:
			c.places.End(scope)
		case <-ctx.Done():
			cancel()
			c.calls.Wait()
			return nil
		}
	}
	return ErrAway
}

// start calls the handler on a goroutine that waits for its next call, or else on a new one.
func (c *consumer) start(ctx context.Context, d delivery) {
	select {
	case c.next <- d:
		return
	default:
	}
	c.calls.Go(func() {
		for {
			c.call(ctx, d)
			c.ended <- d.job.Scope
			var more bool
			select {
			case d, more = <-c.next:
			case <-ctx.Done():
			}
			if !more {
				return
			}
		}
	})
}

// line adds a message to the line, and reports whether the broker is still there: ok is false
// when it is not. It rejects an unreadable message, and acknowledges one whose job already waits.
func (c *consumer) line(ctx context.Context, waiting *line, d amqp.Delivery, ok bool) bool {
	if !ok {
		return false
	}
	j, err := jobs.Decode(d.Body)
	switch {
	case err != nil:
		c.q.opts.Log.ErrorContext(ctx, "unreadable message moved to the dead letters", "kind", string(c.kind), "bytes", len(d.Body))
		_ = d.Reject(false)
	case waiting.jobs[j.ID]:
		_ = d.Ack(false)
	default:
		waiting.jobs[j.ID] = true
		waiting.Put(j.Scope, delivery{d, j})
	}
	return true
}

// call handles one message. If the acknowledgment is lost, the broker delivers
// the message again, which ports.Queue allows.
func (c *consumer) call(ctx context.Context, d delivery) {
	switch c.handle(ctx, ports.Message{Job: d.job, Redelivered: redelivered(d.Delivery)}) {
	case ports.Dead:
		_ = d.Reject(false)
	case ports.Finished:
		_ = d.Ack(false)
	}
}

// redelivered reports whether the message was delivered before. Quorum queues
// count deliveries in a header.
func redelivered(d amqp.Delivery) bool {
	n, _ := d.Headers["x-delivery-count"].(int64)
	return d.Redelivered || n > 0
}
