package rabbitqueue

import (
	"net"
	"time"
)

// Die ends the instance as the end of its process would: the sockets close
// without a message.
func (q *Queue) Die() {
	q.stop()
	for _, l := range []*link{&q.publish.link, &q.consume} {
		if c, _ := l.current(); c != nil {
			_ = c.socket.Close()
		}
	}
}

// Timed limits the writes to a connection.
func Timed(conn net.Conn, patience time.Duration) net.Conn { return timedConn{conn, patience} }
