package minioblob

import (
	"context"
	"net"
	"net/http"
	"time"
)

// maxIdle is the number of idle connections that are kept. An instance runs
// fewer requests than that at once.
const maxIdle = 16

// writeBuffer is the size of the kernel's send buffer for a connection. The
// client does not see progress within that buffer. The system's default of some
// megabytes would make a slow line look dead.
const writeBuffer = 256 << 10

// newTransport returns a transport that closes a connection after patience
// without progress. Only the context limits the length of a request, so a slow
// line may be slow.
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
		IdleConnTimeout:     patience / 2, // before the connection itself times out
		DisableCompression:  true,         // images do not shrink, and their length is needed
	}
}

// timedConn is a connection that ends a Read or Write without progress. The
// progress of a Write also extends a Read that waits for the reply.
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
