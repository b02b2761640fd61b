package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("text/csv", openapi3filter.FileBodyDecoder) // by default it refuses semicolons
	goleak.VerifyTestMain(testservers.Main(m),
		// fasthttp keeps the Date header current for as long as the process lives.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		// Its worker pool notices up to ten seconds late that it was stopped.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

const (
	goodSecret  = "good"
	otherSecret = "good, of another key"
	thirdSecret = "good, of a third key"
	readSecret  = "read-only"
)

// probe is a server with operations that show what reaches them.
type probe struct {
	t        *testing.T
	server   *Server
	addr     string
	log      *syncBuffer
	echoed   atomic.Int64
	smuggled atomic.Int64
	waiting  chan struct{}
	release  chan struct{}
	content  func(ctx context.Context) (io.ReadCloser, int64, error) // of GET /content
}

func identify(_ context.Context, secret string, _ netip.Addr) (*caller.APIKey, error) {
	k := &caller.APIKey{}
	copy(k.ID[:], secret)
	copy(k.Scope.Org[:], secret)
	switch secret {
	case goodSecret, otherSecret, thirdSecret:
		k.Permissions = []billing.Permission{billing.PermissionRead, billing.PermissionSubmit}
	case readSecret:
		k.Permissions = []billing.Permission{billing.PermissionRead}
	default:
		return nil, &billing.Error{Code: billing.CodeUnauthorized, Message: "no key"}
	}
	return k, nil
}

func startProbe(t *testing.T, o Options) *probe {
	t.Helper()
	p := &probe{t: t, waiting: make(chan struct{}, 100), release: make(chan struct{}), log: &syncBuffer{}}
	o.Log = slog.New(slog.NewJSONHandler(p.log, nil))
	const read, submit = caller.NeedRead, caller.NeedSubmit
	routes := []route{
		{http.MethodPost, "/echo", submit, jsonBody, func(x *exchange) (*reply, error) {
			p.echoed.Add(1)
			return &reply{status: http.StatusOK, raw: x.body, mime: "application/octet-stream"}, nil
		}},
		{http.MethodPost, "/unread", submit, noBody, func(*exchange) (*reply, error) {
			return &reply{status: http.StatusOK, body: "unread"}, nil
		}},
		{http.MethodPost, "/status/{code}", submit, jsonBody, func(x *exchange) (*reply, error) {
			return nil, &billing.Error{Code: billing.Code(x.params.Params("code")), Message: "as asked"}
		}},
		{http.MethodPost, "/panic", submit, noBody, func(*exchange) (*reply, error) {
			panic("Jane Doe 1984-02-29")
		}},
		{http.MethodPost, "/wait", submit, jsonBody, p.wait},
		{http.MethodPost, "/upload", submit, uploadBody, showUpload},
		{http.MethodPost, "/upload/wait", submit, uploadBody, p.wait},
		{http.MethodPost, "/upload/panic", submit, uploadBody, func(*exchange) (*reply, error) {
			panic("Jane Doe 1984-02-29")
		}},
		{http.MethodGet, "/content", read, noBody, p.sendContent},
		{http.MethodGet, "/smuggled", "", noBody, func(*exchange) (*reply, error) {
			p.smuggled.Add(1)
			return &reply{status: http.StatusOK, body: "smuggled"}, nil
		}},
		{http.MethodGet, "/ok", read, noBody, func(*exchange) (*reply, error) {
			return &reply{status: http.StatusOK, body: "ok"}, nil
		}},
	}
	s, err := newServer(o, routes, identifier{key: identify})
	if err != nil {
		t.Fatal(err)
	}
	p.server, p.addr = s, serve(t, s)
	return p
}

// wait is an operation that ends when the test says so.
func (p *probe) wait(x *exchange) (*reply, error) {
	p.waiting <- struct{}{}
	select {
	case <-p.release:
		return &reply{status: http.StatusOK, body: "released"}, nil
	case <-x.ctx.Done():
		return nil, x.ctx.Err()
	}
}

// serve runs the server on a free port until the test ends.
func serve(t *testing.T, s *Server) string {
	t.Helper()
	ln := rawtest.Listen(t)
	rawtest.Serve(t, s, ln)
	return ln.Addr().String()
}

// ask sends one request on a connection of its own.
func (p *probe) ask(t *testing.T, format string, args ...any) response {
	t.Helper()
	w := dial(t, p.addr)
	defer func() { _ = w.Close() }()
	w.Send(format, args...)
	return w.reply()
}

// response is a reply as it came, with its body read.
type response struct {
	*http.Response
	body string
}

func checkHeaders(t *testing.T, r *http.Response) {
	t.Helper()
	if _, err := billing.ParseID[billing.RequestID](r.Header.Get("X-Request-Id")); err != nil {
		t.Errorf("status %d: X-Request-Id is %q", r.StatusCode, r.Header.Get("X-Request-Id"))
	}
	for _, name := range []string{"Last-Modified", "Vary", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"} {
		if _, sent := r.Header[name]; sent { // nothing can be kept, or read by another site
			t.Errorf("status %d: headers are %v", r.StatusCode, r.Header)
		}
	}
	if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("status %d: headers are %v", r.StatusCode, r.Header)
	}
	if advice := r.Header["X-Should-Retry"]; (len(advice) == 1) != (r.StatusCode >= 400) {
		t.Errorf("status %d: X-Should-Retry is %v", r.StatusCode, advice)
	}
}

// rawConn is a raw connection to a server, each reply of which has the headers that all have.
type rawConn struct {
	*rawtest.Conn
	t *testing.T
}

func dial(t *testing.T, addr string) *rawConn {
	t.Helper()
	return &rawConn{rawtest.Dial(t, addr), t}
}

func (w *rawConn) reply() response {
	w.t.Helper()
	return w.shown(w.Reply())
}

func (w *rawConn) tryReply() (response, error) {
	w.t.Helper()
	a, err := w.TryReply()
	if err != nil {
		return response{}, err
	}
	return w.shown(a), nil
}

func (w *rawConn) shown(a rawtest.Reply) response {
	w.t.Helper()
	if a.StatusCode >= http.StatusOK {
		checkHeaders(w.t, a.Response)
	}
	return response{a.Response, a.Text}
}

func (a response) code() string { return rawtest.Reply{Text: a.body}.Code() }

func wantStatus(t *testing.T, a response, status int, code billing.Code) {
	t.Helper()
	rawtest.Reply{Response: a.Response, Text: a.body}.Wants(t, status, code)
}
