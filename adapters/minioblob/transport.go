package minioblob

import (
	"context"
	"net"
	"net/http"
	"time"
)

// maxIdle is how many connections wait for their next use: more than requests
// run at once on an instance.
const maxIdle = 16

// writeBuffer is how much the system buffers for a connection. Its progress is
// not seen here, and the system's own choice of some megabytes would make a slow
// line look dead.
const writeBuffer = 256 << 10

// newTransport makes connections that are closed when nothing moves on them for
// as long as patience. Requests have no other limit than their context: a slow
// line may take its time.
func newTransport(patience time.Duration) *http.Transport {
	dialer := net.Dialer{Timeout: patience, KeepAlive: patience}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetWriteBuffer(writeBuffer) // the system may refuse
			}
			return timedConn{conn, patience}, nil
		},
		TLSHandshakeTimeout: patience,
		MaxIdleConns:        maxIdle,
		MaxIdleConnsPerHost: maxIdle,
		IdleConnTimeout:     patience / 2, // before the connection itself gives up
		DisableCompression:  true,         // images do not shrink, and their length is needed
	}
}

// timedConn ends a Read or Write in which nothing moves. A Write that makes
// progress keeps a Read alive that waits for the reply.
type timedConn struct {
	net.Conn
	patience time.Duration
}

func (c timedConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c timedConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
