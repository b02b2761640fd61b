// Package httpserver is the HTTP server below the API: fasthttp, and what fasthttp leaves open to a
// client that is slow, broken or hostile (ADR 97).
//
// A header section is judged before a byte of its body is read (guard.go). What two HTTP programs in
// a row could read differently is refused, and so is a body that is too large or that nothing will
// read. A body is read in one place, up to a limit and with a limit on each pause (body.go). A form
// becomes parts of which only the file can be large (multipart.go, form.go). A connection whose body
// was not read to its end closes, slowly enough for the reply to arrive (conn.go).
//
// The package knows no route. Config has the questions that it asks the routes above, and Request is
// what it hands to them: fasthttp's own, with the reader of the body and the faults that were found.
package httpserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
)

// Config is what the server asks the routes above it, and its limits.
type Config struct {
	Header int           // bytes of a header section
	Stall  time.Duration // the longest time without a byte of the header section or the body
	Body   time.Duration // for a whole body
	Idle   time.Duration // between the requests of a connection
	Write  time.Duration // for a reply, or for each piece of a streamed one
	Drain  time.Duration // how long requests may continue after Shutdown

	// Handle replies to a request. It does not panic.
	Handle func(*Request)
	// BodyLimit returns the maximum number of bytes of a request's body.
	BodyLimit func(method, path string) int
	// Wants reports whether the request may send its body, from its header lines. Without
	// this check, fasthttp would wait for the first byte of the body before Handle can
	// reject the request. A chunked body is not waited for.
	Wants func(method, path string, lines []byte) bool
	// Legible is the name of a field whose control characters are a fault of its value, and
	// not of the message: each becomes the byte 0xff.
	Legible string
}

// Server serves HTTP/1.1.
type Server struct {
	Requests context.Context // the parent of every request's; Shutdown ends it after the drain time
	Streams  context.Context // the parent of every feed's; Shutdown ends it first

	config                  Config
	http                    *fasthttp.Server
	endRequests, endStreams context.CancelFunc

	mu       sync.Mutex
	listener *listener
	stopped  bool
}

// New returns a server that does not serve yet.
func New(c Config) *Server {
	s := &Server{config: c}
	s.Requests, s.endRequests = context.WithCancel(context.Background()) //nolint:forbidigo // requests outlive the caller of New; Shutdown ends them
	s.Streams, s.endStreams = context.WithCancel(s.Requests)
	s.http = &fasthttp.Server{
		Handler:        s.serve,
		ErrorHandler:   s.refuse,
		HeaderReceived: s.judge,
		Logger:         slog.NewLogLogger(slog.DiscardHandler, 0), // its log quotes requests

		ReadBufferSize: c.Header,
		ReadTimeout:    c.Stall,
		WriteTimeout:   c.Write,
		IdleTimeout:    c.Idle,

		NoDefaultServerHeader:        true,
		SecureErrorLogMessage:        true,
		CloseOnShutdown:              true,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
	}
	return s
}

// serve handles every request with a readable header section.
func (s *Server) serve(fctx *fasthttp.RequestCtx) {
	r := s.newRequest(fctx)
	defer r.end()
	s.config.Handle(r)
}

// refuse replies to a request that fasthttp could not read.
func (s *Server) refuse(fctx *fasthttp.RequestCtx, err error) {
	r := s.newRequest(fctx)
	if s.readAgain(&fctx.Request.Header, r.conn.head) {
		s.serve(fctx)
		return
	}
	defer r.end()
	r.cut = true
	timeout, ok := errors.AsType[net.Error](err)
	_, tooSmall := errors.AsType[*fasthttp.ErrSmallBuffer](err)
	switch {
	case tooSmall:
		r.Unreadable = &MessageError{fasthttp.StatusRequestHeaderFieldsTooLarge, "The header section is too large."}
	case ok && timeout.Timeout():
		r.Unreadable = &billing.Error{Code: billing.CodeRequestTimeout, Message: "The request stopped arriving. Send it again."}
	default:
		r.Unreadable = Malformed()
	}
	s.config.Handle(r)
}

// Serve serves the listener until Shutdown, and then returns nil, even if
// Shutdown came first. A server serves once.
func (s *Server) Serve(ln net.Listener) error {
	s.mu.Lock()
	switch {
	case s.stopped:
		s.mu.Unlock()
		return ln.Close()
	case s.listener != nil:
		s.mu.Unlock()
		return errors.Join(errors.New("httpserver: the server has served already"), ln.Close())
	}
	s.listener = newListener(ln, s.config.Header)
	s.mu.Unlock()
	return s.http.Serve(s.listener)
}

// Shutdown stops the server. It accepts no new connections and closes idle
// ones. Requests may continue for the drain time. The contexts of those that
// still wait then end. Shutdown returns when every connection is closed. When
// ctx ends first, it closes the others and returns the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	first, ln := !s.stopped, s.listener
	s.stopped = true
	s.mu.Unlock()
	s.endStreams()
	defer s.endRequests()
	if !first || ln == nil {
		return nil
	}
	cut := time.AfterFunc(s.config.Drain, func() {
		s.endRequests()
		ln.cutReads()
	})
	defer cut.Stop()
	_ = ln.Close() // in case Serve has not accepted from it yet
	drained := s.http.ShutdownWithContext(ctx)
	return errors.Join(drained, ln.wait(ctx))
}
