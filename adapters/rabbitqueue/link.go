package rabbitqueue

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

const (
	closeTimeout = time.Second // limit for an orderly close
	// The shortest and the longest wait between attempts to connect.
	minWait = 50 * time.Millisecond
	maxWait = time.Second
)

// link is a connection that reconnects whenever it is lost.
type link struct {
	opts    Options
	purpose string
	// serve uses a connection until the connection is lost or ctx ends. It
	// calls up when the connection is ready for use.
	serve func(ctx context.Context, c *connection, up func()) error

	tried   chan struct{} // closed after the first attempt
	mu      sync.Mutex
	conn    *connection   // nil while down
	why     error         // why the connection cannot be used; nil while it can
	changed chan struct{} // closed and replaced when conn changes
}

// connection is one connection to the broker, with its socket.
type connection struct {
	*amqp.Connection
	socket   net.Conn
	lost     chan *amqp.Error // receives an error or is closed when the connection ends
	patience time.Duration
}

func newLink(opts Options, purpose string, serve func(context.Context, *connection, func()) error) link {
	return link{
		opts: opts, purpose: purpose, serve: serve,
		tried: make(chan struct{}), changed: make(chan struct{}), why: ErrAway,
	}
}

// run keeps the connection up until ctx ends.
func (l *link) run(ctx context.Context) {
	firstTry := sync.OnceFunc(func() { close(l.tried) })
	wait, silent := minWait, false
	for ctx.Err() == nil {
		wasUp := false
		err := l.once(ctx, func() {
			wasUp = true
			wait, silent = minWait, false
			firstTry()
			l.opts.Log.InfoContext(ctx, "connected to the broker", "purpose", l.purpose)
		})
		firstTry()
		if ctx.Err() == nil && (wasUp || !silent) { // one log line per outage
			l.opts.Log.WarnContext(ctx, "no connection to the broker", "purpose", l.purpose, "error", err)
			silent = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
		wait = min(2*wait, maxWait)
	}
	l.set(nil, ErrClosed)
}

// once opens a connection and serves it until it ends.
func (l *link) once(ctx context.Context, up func()) error {
	c, err := dial(ctx, l.opts, l.purpose)
	if err != nil {
		return err
	}
	defer c.end(ctx)
	defer l.set(nil, ErrAway)
	ready := c.hurry()
	defer ready()
	return l.serve(ctx, c, func() {
		ready()
		l.set(c, nil)
		up()
	})
}

func (l *link) set(c *connection, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != c {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	l.conn, l.why = c, why
}

// current returns the connection, or the reason why it cannot be used.
func (l *link) current() (*connection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn, l.why
}

// wait waits until there is a connection and returns it.
func (l *link) wait(ctx context.Context) (*connection, error) {
	for {
		l.mu.Lock()
		conn, why, changed := l.conn, l.why, l.changed
		l.mu.Unlock()
		if conn != nil || errors.Is(why, ErrClosed) {
			return conn, why
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		}
	}
}

func dial(ctx context.Context, opts Options, purpose string) (*connection, error) {
	c := &connection{lost: make(chan *amqp.Error, 1), patience: opts.Patience}
	properties := amqp.NewConnectionProperties()
	properties.SetClientConnectionName("molar " + purpose + " " + opts.Instance)
	var unwatch func() bool
	var err error
	c.Connection, err = amqp.DialConfig(opts.URL, amqp.Config{
		Heartbeat:  opts.Heartbeat,
		Properties: properties,
		Dial: func(network, addr string) (net.Conn, error) {
			d := net.Dialer{Timeout: opts.Patience}
			conn, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			c.socket = conn
			unwatch = context.AfterFunc(ctx, func() { _ = conn.Close() })
			// The library removes the deadline after the handshake.
			return timedConn{conn, opts.Patience}, conn.SetDeadline(time.Now().Add(opts.Patience))
		},
	})
	if unwatch != nil {
		unwatch()
	}
	if err != nil {
		if c.socket != nil {
			_ = c.socket.Close()
		}
		return nil, err
	}
	c.NotifyClose(c.lost)
	return c, nil
}

// timedConn is a connection with a time limit for each write. The library's
// calls would wait forever on a broker that does not read.
type timedConn struct {
	net.Conn
	patience time.Duration
}

func (c timedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// end closes the connection. If ctx has ended, the close is orderly; after an
// error it is immediate.
func (c *connection) end(ctx context.Context) {
	if ctx.Err() != nil {
		force := time.AfterFunc(closeTimeout, func() { _ = c.socket.Close() })
		_ = c.CloseDeadline(time.Now().Add(closeTimeout)) // an error means that the connection is gone already
		force.Stop()
	}
	_ = c.socket.Close()
}

// hurry closes the socket unless done is called within the patience. The
// library's calls would wait forever for a reply.
func (c *connection) hurry() (done func()) {
	force := time.AfterFunc(c.patience, func() { _ = c.socket.Close() })
	return func() { force.Stop() }
}

// closeChannel closes a channel. If the broker does not respond, it closes the
// whole connection.
func (c *connection) closeChannel(ch *amqp.Channel) {
	force := time.AfterFunc(closeTimeout, func() { _ = c.socket.Close() })
	_ = ch.Close() // an error means that the channel is gone already
	force.Stop()
}

// lostError returns why a connection ended.
func lostError(e *amqp.Error) error {
	if e == nil {
		return ErrAway
	}
	return e
}
