package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/changes"
)

const (
	streamPath      = root + "/stream"
	heartbeat       = 15 * time.Second // between two signs of life
	eventStreamType = "text/event-stream"
)

// followChanges handles GET /stream.
func (a *api) followChanges(x *exchange) (*reply, error) {
	if x.method == http.MethodHead {
		return &reply{status: http.StatusOK, raw: []byte{}, mime: eventStreamType}, nil
	}
	release, err := x.s.follow(x.caller)
	if err != nil {
		return nil, err
	}
	var after event.Mark
	if lines := x.req.Values("Last-Event-ID"); len(lines) == 1 {
		after = a.cursors.mark(x.call.Scope, lines[0])
	}
	scope := x.call.Scope
	id := func(m event.Mark) string { return a.cursors.markID(scope, m) }
	ctx, cancel := context.WithCancel(x.s.Streams)
	f := &feed{left: []byte(": connected\n\n"), id: id, changes: a.changes.Open(x.caller, after), ctx: ctx}
	f.begin = sync.OnceFunc(func() { x.req.Follow(cancel) })
	f.atEnd = sync.OnceFunc(func() {
		cancel()
		f.changes.Close()
		release()
	})
	return &reply{status: http.StatusOK, feed: f}, nil
}

// follow reserves a place for a stream of the caller. One caller has at most a few, and
// one organization at most a quarter of all.
func (s *Server) follow(c *caller.Caller) (release func(), err error) {
	if !s.streaming.begin(c.Number(), s.limits.CallerStreams) {
		return nil, tooManyStreams("The API key or user")
	}
	if !s.streams.begin(c.Scope.Turn().Org, s.limits.Streams) {
		s.streaming.end(c.Number())
		return nil, tooManyStreams("The organization")
	}
	s.metrics.streams.Inc()
	return func() {
		s.metrics.streams.Dec()
		s.streaming.end(c.Number())
		s.streams.end(c.Scope.Turn().Org)
	}, nil
}

func tooManyStreams(who string) error {
	return &billing.Error{
		Code:    billing.CodeTooManyRequests,
		Message: who + " has the maximum number of open streams. Close one, then open the stream again.",
	}
}

// feed is the body of the reply of a stream: server-sent events. The server reads it
// after the exchange has ended, for as long as the stream is open.
type feed struct {
	changes *changes.Stream
	id      func(event.Mark) string
	ctx     context.Context // ends with the server, or when the client is gone
	atEnd   func()

	begin func() // at the first read
	left  []byte // not yet read
}

// sendFeed replies with a stream. The connection has no later reply.
func (x *exchange) sendFeed(f *feed) {
	x.set("X-Accel-Buffering", "no") // for proxies that would collect events
	x.req.Response.SetStatusCode(http.StatusOK)
	x.req.Response.Header.SetContentType(eventStreamType)
	x.req.SetConnectionClose()
	x.req.Response.SetBodyStream(f, -1)
}

// Read returns the next events. It waits for them, and returns a comment when there are
// none for a while.
func (f *feed) Read(p []byte) (int, error) {
	f.begin()
	for len(f.left) == 0 {
		u, ok := f.changes.Next(f.ctx, heartbeat)
		if !ok {
			return 0, io.EOF
		}
		f.left = eventStream(u, f.id)
	}
	n := copy(p, f.left)
	f.left = f.left[n:]
	return n, nil
}

// Close ends the stream.
func (f *feed) Close() error {
	f.atEnd()
	return nil
}

// changeJSON is the data of a change.
type changeJSON struct {
	Object event.ChangeKind `json:"object"`
	ID     string           `json:"id"`
}

// eventStream returns an update in the format of server-sent events. The last event has the
// ID, so a client that was interrupted receives the others again.
func eventStream(u changes.Update, id func(event.Mark) string) (b []byte) {
	if u.Reset {
		b = append(b, "event: reset\ndata: {}\n"...)
	}
	for _, c := range u.Changes {
		if len(b) > 0 {
			b = append(b, '\n')
		}
		data, _ := json.Marshal(changeJSON{c.Kind, c.Resource()}) // two texts always encode
		b = fmt.Appendf(b, "event: change\ndata: %s\n", data)
	}
	if len(b) == 0 {
		b = append(b, ':', '\n')
	}
	if u.Mark.Horizon > 0 {
		b = fmt.Appendf(b, "id: %s\n", id(u.Mark))
	}
	return append(b, '\n')
}
