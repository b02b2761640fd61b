package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// stream is the body of a reply that is sent while it is read. It is sent after
// the exchange has ended, so it has a context of its own.
type stream struct {
	x       *exchange
	content io.ReadCloser
	size    int64           // bytes
	left    int64           // of those, to be read
	ctx     context.Context //nolint:containedctx // what content was opened with
	cancel  context.CancelFunc
	sent    bool // the server closes it
}

// openStream opens what a reply is to send, of size bytes. The context that
// open gets ends with the request's while it opens; from then on it lasts until
// the reply is sent, for as long as Limits.Body at most, or until Shutdown cuts
// what still runs.
func (x *exchange) openStream(open func(context.Context) (content io.ReadCloser, size int64, err error)) (*stream, error) {
	ctx, cancel := context.WithTimeout(x.s.base, x.s.limits.Body)
	detach := context.AfterFunc(x.ctx, cancel)
	content, size, err := open(ctx)
	if !detach() && err == nil {
		err = errors.Join(x.ctx.Err(), content.Close())
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s := &stream{x: x, content: content, size: size, left: size, ctx: ctx, cancel: cancel}
	x.atEnd = append(x.atEnd, func() {
		if !s.sent {
			_ = s.Close()
		}
	})
	return s, nil
}

// send replies with the stream.
func (x *exchange) send(status int, mime string, s *stream) {
	x.fctx.Response.SetStatusCode(status)
	x.fctx.Response.Header.SetContentType(mime)
	x.conn.startStream(x.s.limits.Write)
	s.sent = true
	x.fctx.Response.SetBodyStream(s, int(s.size))
}

// Read reads on. It gives size bytes or fails, which costs the connection: one
// byte more would be read as the next reply.
func (s *stream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	err := s.ctx.Err()
	n := 0
	if err == nil {
		n, err = s.content.Read(p[:min(int64(len(p)), s.left)])
		s.left -= int64(n)
	}
	switch {
	case s.left == 0:
		return n, nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		s.x.logCause(fmt.Errorf("reading what the reply sends: %w", err))
	}
	return n, err
}

// Close ends the stream, whether it was read to its end or not.
func (s *stream) Close() error {
	s.x.conn.endStream()
	err := s.content.Close()
	s.cancel()
	return err
}
