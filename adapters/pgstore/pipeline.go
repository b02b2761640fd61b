package pgstore

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"time"
)

// pipeline is the socket under a lib/pq connection. It can send a message of its own,
// either alone or in front of lib/pq's next message. It drops the reply, so
// lib/pq does not wait for one. BEGIN, and COMMIT after reads, therefore cost no
// round trip. It can also send COMMIT right behind lib/pq's last statement. lib/pq's own
// COMMIT is then not sent: its reply is on the way.
//
// What goes in front of lib/pq's message has no Sync of its own. The server therefore sends
// both replies together, and if it refuses the first, it skips the second: the error is the reply
// to lib/pq's statement. After an error in reply to a message that was sent alone, the pipeline
// passes the error to lib/pq as the reply to the statement that follows, and drops the reply to that.
//
// In PostgreSQL's frontend/backend protocol, a message has a type of one byte, a
// length that includes itself, and the content. ReadyForQuery ends the reply to
// each Query and each Sync, and CommandComplete the reply to each Execute.
type pipeline struct {
	net.Conn
	in *bufio.Reader

	rider   *batch // sent in front of the next message
	commit  []byte // sent behind the next message
	ended   bool   // COMMIT was sent, and lib/pq has not sent its own yet
	refused int    // replies to drop first, after a reported error
	dropped int    // replies to drop after those, except one that reports an error
	through bool   // the current reply reports an error and goes to lib/pq
	opening int    // statements of the rider whose replies come next
	left    int    // bytes of a message that lib/pq has not read yet

	now, business  string    // the columns of the last dropped row that have the times
	sent, received time.Time // when the server was asked for that row, and when it arrived

	key atomic.Pointer[string] // that of a request to cancel a statement
}

// The types of messages from the server that the pipeline handles.
const (
	msgBackendKey      = 'K'
	msgCommandComplete = 'C'
	msgDataRow         = 'D'
	msgErrorResponse   = 'E'
	msgReadyForQuery   = 'Z'
)

// maxRow is the size of the largest row with times that it reads: that of a transaction of 100 organizations, all of whose
// sandbox clocks were touched.
const maxRow = 16 << 10

// maxKey is the size of the largest message with a key, of 256 bytes and the process.
const maxKey = 5 + 4 + 256

func newPipeline(c net.Conn) *pipeline { return &pipeline{Conn: c, in: bufio.NewReaderSize(c, maxRow)} }

// simpleQuery returns the message that runs statements without arguments.
func simpleQuery(text string) []byte {
	m := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(4+len(text)+1)) //nolint:gosec // G115: statements are short
	return append(append(m, text...), 0)
}

// batch holds messages of the extended protocol, without a Sync.
type batch struct {
	messages []byte
	executes int
}

// prepare prepares a statement and replaces any statement with the same name.
func (b *batch) prepare(name, text string) {
	b.add('C', "S"+name+"\x00")
	b.add('P', name+"\x00"+text+"\x00\x00\x00")
}

// execute runs a prepared statement with arguments as text.
func (b *batch) execute(name string, args ...string) {
	values := binary.BigEndian.AppendUint16(nil, uint16(len(args))) //nolint:gosec // G115: there are few
	for _, a := range args {
		values = append(binary.BigEndian.AppendUint32(values, uint32(len(a))), a...) //nolint:gosec // G115: they are short
	}
	b.add('B', "\x00"+name+"\x00\x00\x00"+string(values)+"\x00\x00")
	b.add('E', "\x00\x00\x00\x00\x00")
	b.executes++
}

func (b *batch) add(kind byte, content string) {
	b.messages = binary.BigEndian.AppendUint32(append(b.messages, kind), uint32(4+len(content))) //nolint:gosec // G115: statements are short
	b.messages = append(b.messages, content...)
}

// ride sends the messages in front of the next one, which is of the extended protocol.
func (p *pipeline) ride(b *batch) { p.rider, p.now, p.business = b, "", "" }

// riding reports whether a message waits for the next one.
func (p *pipeline) riding() bool { return p.rider != nil }

// stay discards the message that waits for the next one.
func (p *pipeline) stay() { p.rider = nil }

// post sends a message and does not wait for the reply.
func (p *pipeline) post(message []byte) error {
	_, err := p.Conn.Write(message)
	p.dropped++
	return err
}

// end sends the message, which ends the transaction, behind the next one. If that fails,
// the server rolls back instead.
func (p *pipeline) end(message []byte) { p.commit = message }

func (p *pipeline) Write(b []byte) (int, error) {
	switch {
	case p.ended: // b is COMMIT or ROLLBACK
		p.ended = false
		return len(b), nil
	case p.rider == nil && p.commit == nil:
		return p.Conn.Write(b)
	}
	var opening batch
	if p.rider != nil {
		opening, p.sent = *p.rider, time.Now()
	}
	n, err := p.Conn.Write(slices.Concat(opening.messages, b, p.commit))
	n = min(max(0, n-len(opening.messages)), len(b))
	p.opening = opening.executes
	p.ended = p.commit != nil
	p.rider, p.commit = nil, nil
	return n, err
}

// Read passes messages to lib/pq, whole or in parts, and drops the others.
func (p *pipeline) Read(b []byte) (n int, err error) {
	for n < len(b) && (n == 0 || p.in.Buffered() > 0) {
		if p.left == 0 {
			if err = p.next(); err != nil {
				return n, err
			}
			continue
		}
		part, err := p.in.Read(b[n:min(len(b), n+p.left)])
		n += part
		p.left -= part
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// next reads the head of a message, and drops the message unless it is for
// lib/pq.
func (p *pipeline) next() error {
	head, err := p.in.Peek(5)
	if err != nil {
		return err
	}
	kind, size := head[0], 1+max(4, int(binary.BigEndian.Uint32(head[1:])))
	last := kind == msgReadyForQuery
	switch {
	case p.through:
		p.through = !last
		p.left = size
		return nil
	case p.refused > 0:
		if last {
			p.refused--
		}
	case p.dropped == 0 && (p.opening == 0 || kind == msgErrorResponse):
		p.left, p.opening = size, 0
		if kind == msgBackendKey {
			return p.keep(size)
		}
		return nil
	case kind == msgErrorResponse:
		p.through, p.refused, p.dropped, p.opening = true, p.dropped, 0, 0
		return nil // reads the next head
	case last:
		p.dropped = max(0, p.dropped-1)
	case kind == msgCommandComplete && p.dropped == 0:
		p.opening--
	case kind == msgDataRow && size <= p.in.Size():
		row, err := p.in.Peek(size)
		if err != nil {
			return err
		}
		p.now, p.business, p.received = column(row[5:], 0), column(row[5:], businessColumn), time.Now()
	}
	_, err = io.CopyN(io.Discard, p.in, int64(size))
	return err
}

// keep keeps the key of the connection, which lib/pq reads next. The server sends it once.
func (p *pipeline) keep(size int) error {
	m, err := p.in.Peek(min(size, maxKey))
	if err == nil {
		p.key.Store(new(string(m[5:])))
	}
	return err
}

// column returns the text of a column of a row, from 0, or an empty string for NULL and for
// one that the row does not have.
func column(row []byte, n int) string {
	if len(row) < 2 || n >= int(binary.BigEndian.Uint16(row)) {
		return ""
	}
	for row = row[2:]; len(row) >= 4; n-- {
		size := max(0, int64(int32(binary.BigEndian.Uint32(row)))) //nolint:gosec // G115: -1, as an unsigned number, means NULL
		if row = row[4:]; size > int64(len(row)) {
			return ""
		}
		if n == 0 {
			return string(row[:size])
		}
		row = row[size:]
	}
	return ""
}
