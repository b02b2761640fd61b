package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// stream is a reply body that is sent while it is read. The server sends it
// after the exchange has ended, so it has a context of its own.
type stream struct {
	x       *exchange
	content io.ReadCloser
	size    int64           // bytes
	left    int64           // bytes still to read
	ctx     context.Context // content was opened with it
	cancel  context.CancelFunc
	sent    bool // the server closes it
}

// unknownSize is that of content which is made while it is read.
const unknownSize = -1

// openStream opens the content of a reply, of size bytes or of unknownSize. While it opens, its
// context ends with the request's. After that the context lasts until the
// reply is sent, for at most Limits.Body, or until Shutdown cuts the remaining
// requests.
func (x *exchange) openStream(open func(context.Context) (content io.ReadCloser, size int64, err error)) (*stream, error) {
	ctx, cancel := context.WithTimeout(x.s.Requests, x.s.limits.Body)
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
	x.req.Response.SetStatusCode(status)
	x.req.Response.Header.SetContentType(mime)
	s.sent = true
	x.req.Stream(s, s.size)
}

// Read returns size bytes in all, or fails, which costs the connection: a
// client would read one byte more as the next reply.
func (s *stream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	err := s.ctx.Err()
	n := 0
	if s.size == unknownSize && err == nil {
		if n, err = s.content.Read(p); err == nil || errors.Is(err, io.EOF) {
			return n, err
		}
	} else if err == nil {
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
		s.x.logCause(fmt.Errorf("read the content of the reply: %w", err))
	}
	return n, err
}

// Close ends the stream, even if it was not read to its end.
func (s *stream) Close() error {
	err := s.content.Close()
	s.cancel()
	return err
}
