package minioblob_test

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// line is a connection to a server that tests cut, stall and slow down, with the
// bytes at which it happens counted exactly.
type line struct {
	server string
	faults atomic.Pointer[faults]

	mu       sync.Mutex
	listener net.Listener
	hangUp   context.CancelFunc // ends the connections
	under    sync.WaitGroup     // connections, and the listener
}

// faults are what befalls each connection on its way to the server and back.
type faults struct{ up, down fault }

// fault befalls one direction of a connection. The zero fault is none.
type fault struct {
	cut   int64 // after so many bytes the connection ends
	stall int64 // after so many bytes nothing moves any more
	rate  int   // bytes in a second
}

// over puts a line before the server and answers it and the URL.
func over(tb testing.TB, address string) (*line, string) {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	l := &line{server: u.Host}
	l.disturb(faults{})
	l.connect(tb, "127.0.0.1:0")
	tb.Cleanup(l.disconnect)
	u.Host = l.listener.Addr().String()
	return l, u.String()
}

// disturb sets the faults of connections from now on. One that stalled or was cut
// stays so.
func (l *line) disturb(f faults) { l.faults.Store(&f) }

func (l *line) connect(tb testing.TB, addr string) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		cancel()
		tb.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listener, l.hangUp = listener, cancel
	l.under.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			l.under.Go(func() { l.carry(ctx, client) })
		}
	})
}

// disconnect ends every connection and refuses new ones.
func (l *line) disconnect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.listener.Close()
	l.hangUp()
	l.under.Wait()
}

// away disconnects until back is called.
func (l *line) away(tb testing.TB) (back func()) {
	tb.Helper()
	l.disconnect()
	return func() { l.connect(tb, l.listener.Addr().String()) }
}

func (l *line) carry(ctx context.Context, client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, conn := range []net.Conn{client, server} {
		_ = conn.(*net.TCPConn).SetReadBuffer(64 << 10) // or the line takes megabytes ahead
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	}
	var both sync.WaitGroup
	both.Go(func() { defer cancel(); l.pump(ctx, server, client, func(f *faults) fault { return f.up }) })
	both.Go(func() { defer cancel(); l.pump(ctx, client, server, func(f *faults) fault { return f.down }) })
	both.Wait()
}

// pump carries one direction.
func (l *line) pump(ctx context.Context, to, from net.Conn, pick func(*faults) fault) {
	buf := make([]byte, 16<<10)
	for sent := int64(0); ; {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		f := pick(l.faults.Load())
		if f.cut > 0 && sent+int64(n) > f.cut {
			return
		}
		if f.stall > 0 && sent+int64(n) > f.stall {
			<-ctx.Done()
			return
		}
		if f.rate > 0 {
			select {
			case <-time.After(time.Duration(n) * time.Second / time.Duration(f.rate)):
			case <-ctx.Done():
			}
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
		sent += int64(n)
	}
}
