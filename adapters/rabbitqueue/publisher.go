package rabbitqueue

import (
	"context"
	"errors"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// publisher is the publishing connection. Many callers share one of its
// channels. One goroutine writes their messages, and each caller waits for its
// own confirmation. So the broker can confirm many messages at a time.
type publisher struct {
	link

	nowMu sync.Mutex
	now   *session // nil while down
}

// message is a message to publish.
type message struct {
	exchange, key string
	body          amqp.Publishing
	outcome       chan error // nil for a message without a waiting caller
}

// session is the publishing state of one connection.
type session struct {
	jobs, replies *amqp.Channel
	in            chan message
	over          chan struct{} // closed when the session ends
	wrote         chan struct{} // receives after a message was added to pending

	mu      sync.Mutex
	pending []pending // not confirmed yet, in the order of their delivery tags
}

// pending is a message that the broker has yet to confirm.
type pending struct {
	id      string
	outcome chan error
	since   time.Time
}

// confirmed publishes a job and waits until the broker confirms it.
func (p *publisher) confirmed(ctx context.Context, queue, id string, body []byte) error {
	m := message{
		key: queue,
		body: amqp.Publishing{
			ContentType: "application/json", DeliveryMode: amqp.Persistent, MessageId: id, Body: body,
		},
		outcome: make(chan error, 1),
	}
	if err := p.offer(ctx, m); err != nil {
		return err
	}
	select {
	case err := <-m.outcome:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reply publishes a reply and does not wait for a confirmation.
func (p *publisher) reply(ctx context.Context, address string, subject [16]byte) error {
	return p.offer(ctx, message{
		exchange: repliesName, key: address,
		body: amqp.Publishing{DeliveryMode: amqp.Transient, Body: subject[:]},
	})
}

func (p *publisher) offer(ctx context.Context, m message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, why := p.current(); why != nil {
		return why
	}
	p.nowMu.Lock()
	s := p.now
	p.nowMu.Unlock()
	if s == nil {
		return ErrAway
	}
	select {
	case s.in <- m:
		return nil
	case <-s.over:
		return ErrAway
	case <-ctx.Done():
		return ctx.Err()
	}
}

// events holds the channels on which the library reports events of a session.
// Each must be read until it is closed, or the connection blocks.
type events struct {
	confirms <-chan amqp.Confirmation
	returns  <-chan amqp.Return
	blocked  <-chan amqp.Blocking
	closed   <-chan *amqp.Error // from either AMQP channel
}

// serve returns the serve function of a link. It runs one session per
// connection.
func (p *publisher) serve(declare func(*amqp.Channel) error) func(context.Context, *connection, func()) error {
	return func(ctx context.Context, c *connection, up func()) error {
		s := &session{in: make(chan message), over: make(chan struct{}), wrote: make(chan struct{}, 1)}
		ev, err := s.open(c, declare)
		if err != nil {
			return err
		}
		var writer sync.WaitGroup
		writer.Go(func() { s.write(c) })
		p.use(s)
		up()
		err = p.watch(ctx, c, s, ev)
		p.use(nil)
		close(s.over)
		var rest sync.WaitGroup
		rest.Go(ev.drain)
		c.end(ctx) // frees a blocked writer
		rest.Wait()
		writer.Wait()
		s.fail(ErrAway)
		return err
	}
}

func (p *publisher) use(s *session) {
	p.nowMu.Lock()
	defer p.nowMu.Unlock()
	p.now = s
}

// open opens the session's channels and declares everything that jobs need.
//
// The event channels have no buffer and one reader. The broker sends the return
// of a message before its confirmation. So when a confirmation is read, the
// return has been read too.
func (s *session) open(c *connection, declare func(*amqp.Channel) error) (ev events, err error) {
	if s.jobs, err = c.Channel(); err != nil {
		return ev, err
	}
	if err := declare(s.jobs); err != nil {
		return ev, err
	}
	if err := s.jobs.Confirm(false); err != nil {
		return ev, err
	}
	if s.replies, err = c.Channel(); err != nil {
		return ev, err
	}
	closed := make(chan *amqp.Error, 2)
	go forward(s.jobs.NotifyClose(make(chan *amqp.Error, 1)), closed)
	go forward(s.replies.NotifyClose(make(chan *amqp.Error, 1)), closed)
	return events{
		confirms: s.jobs.NotifyPublish(make(chan amqp.Confirmation)),
		returns:  s.jobs.NotifyReturn(make(chan amqp.Return)),
		blocked:  c.NotifyBlocked(make(chan amqp.Blocking)),
		closed:   closed,
	}, nil
}

// forward forwards the end of an AMQP channel. Every channel ends, so forward
// returns.
func forward(from <-chan *amqp.Error, to chan<- *amqp.Error) { to <- <-from }

// write writes messages until the session is over. No other goroutine writes,
// so pending has the order of the delivery tags.
func (s *session) write(c *connection) {
	for {
		var m message
		select {
		case m = <-s.in:
		case <-s.over:
			return
		}
		ch := s.replies
		if m.outcome != nil {
			ch = s.jobs
			s.mu.Lock()
			s.pending = append(s.pending, pending{m.body.MessageId, m.outcome, time.Now()})
			s.mu.Unlock()
			select {
			case s.wrote <- struct{}{}:
			default: // watch has not seen an earlier one
			}
		}
		if _, err := ch.PublishWithDeferredConfirm(m.exchange, m.key, m.outcome != nil, false, m.body); err != nil {
			_ = c.socket.Close() // ends the session, so the callers stop waiting
		}
	}
}

// watch passes the outcomes of messages to the callers until the session fails
// or ctx ends.
func (p *publisher) watch(ctx context.Context, c *connection, s *session, ev events) error {
	tick := time.NewTicker(c.patience / 5)
	defer tick.Stop()
	wrote := s.wrote // nil while the clock ticks; without pending messages it need not
	unroutable := make(map[string]int)
	blocked, since := false, time.Time{}
	for {
		select {
		case confirm, ok := <-ev.confirms:
			if !ok {
				return ErrAway
			}
			if s.confirm(confirm, unroutable) {
				return ErrUnroutable // the queue was deleted: the next session declares it again
			}
		case r, ok := <-ev.returns:
			if !ok {
				return ErrAway
			}
			unroutable[r.MessageId]++
		case b, ok := <-ev.blocked:
			if !ok {
				return ErrAway
			}
			if blocked, since = b.Active, time.Now(); blocked {
				p.opts.Log.WarnContext(ctx, "the broker accepts no messages", "reason", b.Reason)
				p.set(c, ErrBlocked)
				s.fail(ErrBlocked)
			} else {
				p.opts.Log.InfoContext(ctx, "the broker accepts messages again")
				p.set(c, nil)
			}
		case <-wrote:
			wrote = nil
			tick.Reset(c.patience / 5)
		case <-tick.C:
			waits, late := s.late(since, c.patience)
			if !blocked && late {
				return errLate
			}
			if !waits {
				tick.Stop()
				wrote = s.wrote
			}
		case e := <-ev.closed:
			return lostError(e)
		case e := <-c.lost:
			return lostError(e)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// drain reads the remaining events after a session until their channels are
// closed.
func (ev events) drain() {
	for ev.confirms != nil || ev.returns != nil || ev.blocked != nil {
		select {
		case _, ok := <-ev.confirms:
			if !ok {
				ev.confirms = nil
			}
		case _, ok := <-ev.returns:
			if !ok {
				ev.returns = nil
			}
		case _, ok := <-ev.blocked:
			if !ok {
				ev.blocked = nil
			}
		}
	}
}

// confirm sets the outcome of the oldest message, because the library sorts
// confirmations. It reports whether the broker had no queue for the message.
func (s *session) confirm(c amqp.Confirmation, unroutable map[string]int) bool {
	s.mu.Lock()
	oldest := s.pending[0]
	s.pending[0] = pending{}
	s.pending = s.pending[1:]
	s.mu.Unlock()
	var err error
	switch {
	case unroutable[oldest.id] > 0:
		unroutable[oldest.id]--
		err = ErrUnroutable
	case !c.Ack:
		err = ErrRefused
	}
	settle(oldest.outcome, err)
	return errors.Is(err, ErrUnroutable)
}

// settle sets the outcome of a message, unless it is already set.
func settle(outcome chan error, err error) {
	select {
	case outcome <- err:
	default:
	}
}

// fail fails every pending message. The messages stay pending, because the
// broker may still confirm them.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.pending {
		settle(m.outcome, err)
	}
}

// late reports whether messages wait, and whether the oldest one has waited longer than
// patience. The time before since does not count.
func (s *session) late(since time.Time, patience time.Duration) (waits, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 {
		return false, false
	}
	if oldest := s.pending[0].since; oldest.After(since) {
		since = oldest
	}
	return true, time.Since(since) > patience
}
