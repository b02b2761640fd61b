package httpserver

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// The limits for reading the unread bytes of a connection before it is closed.
// A close with unread bytes resets the connection. The reset can overtake the
// reply, and the client never sees why the request was rejected. A client that
// has sent more than lingerBytes gets lingerIdle to read the reply before the
// reset.
const (
	lingerIdle  = 2 * time.Second
	lingerTotal = 10 * time.Second
	lingerBytes = 1 << 20
)

const (
	feedStall  = 10 * time.Second // for a client that does not read
	feedBuffer = 32 << 10         // bytes that the system keeps for it
)

// listener wraps every connection, and keeps a list of the open ones.
type listener struct {
	net.Listener
	maxHead int // bytes of a header section
	closing sync.Once

	mu   sync.Mutex
	open map[*conn]struct{}
	cut  bool
	left chan struct{} // receives after a connection has closed
}

func newListener(ln net.Listener, maxHead int) *listener {
	return &listener{Listener: ln, maxHead: maxHead, open: map[*conn]struct{}{}, left: make(chan struct{}, 1)}
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &conn{Conn: inner, listener: l, cut: l.cut}
	l.open[c] = struct{}{}
	return c, nil
}

// Close stops accepting. Further calls do nothing.
func (l *listener) Close() (err error) {
	l.closing.Do(func() { err = l.Listener.Close() })
	return err
}

// cutReads ends every read, now and later: of requests that are still
// arriving, and of connections that wait for a request. Replies are still
// written.
func (l *listener) cutReads() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for c := range l.open {
		c.cutReads()
	}
}

// wait returns when every connection is closed. When ctx ends first, it closes
// the others.
func (l *listener) wait(ctx context.Context) error {
	for {
		l.mu.Lock()
		n := len(l.open)
		l.mu.Unlock()
		if n == 0 {
			return nil
		}
		select {
		case <-l.left:
		case <-ctx.Done():
			l.mu.Lock()
			defer l.mu.Unlock()
			for c := range l.open {
				_ = c.Conn.Close()
			}
			return ctx.Err()
		}
	}
}

func (l *listener) forget(c *conn) {
	l.mu.Lock()
	delete(l.open, c)
	l.mu.Unlock()
	select {
	case l.left <- struct{}{}:
	default:
	}
}

// conn is a connection that cuts off a stalled body, and that closes so that
// the last reply arrives.
type conn struct {
	net.Conn
	listener *listener
	closing  sync.Once

	mu     sync.Mutex
	cut    bool
	linger bool

	// Used by the goroutine that serves the connection.
	arrived time.Time // the time of the last bytes read
	head    []byte    // the first bytes read since the last exchange

	// Used by the same goroutine while it reads a body.
	stall   time.Duration
	until   time.Time
	stalled bool // the last read exceeded the stall time

	// Used by the same goroutine while it writes a reply.
	writeStall time.Duration // of each write; 0 if the server limits the whole reply
}

// startBody limits each read from now on to the stall time, and all reads to
// until.
func (c *conn) startBody(stall time.Duration, until time.Time) {
	c.stall, c.until, c.stalled = stall, until, false
}

// endBody returns the read deadline to the server, which sets it before each
// request.
func (c *conn) endBody() { c.stall = 0 }

// Read reads within the stall time while a body is read.
func (c *conn) Read(p []byte) (int, error) {
	if c.stall != 0 {
		if err := c.SetReadDeadline(within(c.stall, c.until)); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Read(p)
	c.arrived, c.stalled = time.Now(), errors.Is(err, os.ErrDeadlineExceeded)
	if c.stall == 0 {
		c.head = append(c.head, p[:min(n, c.listener.maxHead-len(c.head))]...)
	}
	return n, err
}

// within returns the time after d, but not after end.
func within(d time.Duration, end time.Time) time.Time {
	return time.Now().Add(min(d, time.Until(end)))
}

// Write writes within the stall time while a reply is streamed.
func (c *conn) Write(p []byte) (int, error) {
	if c.writeStall != 0 {
		if err := c.SetWriteDeadline(time.Now().Add(c.writeStall)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(p)
}

// SetReadDeadline sets the deadline, unless cutReads was called.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		t = time.Unix(1, 0)
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) cutReads() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
}

// lingerOnClose makes Close keep reading until the client has had time to read
// the reply.
func (c *conn) lingerOnClose() {
	c.mu.Lock()
	c.linger = true
	c.mu.Unlock()
}

// Close closes the connection.
func (c *conn) Close() (err error) {
	c.closing.Do(func() {
		c.mu.Lock()
		linger := c.linger
		c.mu.Unlock()
		if linger {
			c.drain()
		}
		err = c.Conn.Close()
		c.listener.forget(c)
	})
	return err
}

// drain closes the sending side, and reads until the client closes its side or
// has sent too much.
func (c *conn) drain() {
	w, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || w.CloseWrite() != nil {
		return
	}
	end := time.Now().Add(lingerTotal)
	buf := make([]byte, 16<<10)
	for left := lingerBytes; left > 0; {
		if c.Conn.SetReadDeadline(within(lingerIdle, end)) != nil {
			return
		}
		n, err := c.Conn.Read(buf[:min(left, len(buf))])
		if err != nil {
			return
		}
		left -= n
	}
	<-time.After(min(lingerIdle, time.Until(end)))
}
