package httpserver

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/core/billing"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps the Date header current for as long as the process lives.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		// Its worker pool notices up to ten seconds late that it was stopped.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// probe is a server with operations that show what reaches them.
type probe struct {
	t        *testing.T
	server   *Server
	addr     string
	limit    int // bytes of a body
	echoed   atomic.Int64
	smuggled atomic.Int64
}

func startProbe(t *testing.T, c Config) *probe {
	t.Helper()
	return startLimited(t, 1<<20, c)
}

func startLimited(t *testing.T, limit int, c Config) *probe {
	t.Helper()
	p := newProbe(t, limit, c)
	ln := listen(t)
	serveOn(t, p.server, ln)
	p.addr = ln.Addr().String()
	return p
}

func newProbe(t *testing.T, limit int, c Config) *probe {
	t.Helper()
	p := &probe{t: t, limit: limit}
	c.Header, c.Stall, c.Body = 16<<10, cmp.Or(c.Stall, 15*time.Second), cmp.Or(c.Body, 10*time.Minute)
	c.Idle, c.Write, c.Drain = cmp.Or(c.Idle, time.Minute), time.Minute, 2*time.Second
	c.Handle = p.handle
	c.BodyLimit = func(string, string) int { return limit }
	c.Wants = func(_, path string, _ []byte) bool { return path != "/nowhere" }
	c.Legible = "Idempotency-Key"
	p.server = New(c)
	return p
}

// handle replies as an operation with a body would.
func (p *probe) handle(r *Request) {
	body, err := p.operate(r)
	status := http.StatusOK
	if err != nil {
		code := billing.CodeInvalidRequest
		status = http.StatusUnprocessableEntity
		if m, framing := errors.AsType[*MessageError](err); framing {
			status = m.Status
		} else if code = billing.CodeOf(err); code != billing.CodeInvalidRequest {
			status = map[billing.Code]int{billing.CodePayloadTooLarge: 413, billing.CodeRequestTimeout: 408, billing.CodeNotFound: 404}[code]
		}
		body = fmt.Sprintf(`{"error":%q}`, code)
	}
	r.Response.SetStatusCode(status)
	r.Response.SetBodyString(body)
}

func (p *probe) operate(r *Request) (string, error) {
	switch err := cmp.Or(r.Unreadable, r.BodyFault); {
	case err != nil:
		return "", err
	case r.BodyLost:
		return "", Malformed()
	}
	switch path := string(r.Path()); path {
	case "/echo":
		b, err := io.ReadAll(r.Body(p.limit))
		if err == nil {
			p.echoed.Add(1)
		}
		return string(b), err
	case "/upload":
		form, err := r.Form(p.limit, func() (File, error) {
			f, err := os.CreateTemp(p.t.TempDir(), "")
			p.t.Cleanup(func() { _ = f.Close() })
			return f, err
		})
		if err != nil {
			return "", err
		}
		var faults billing.Faults
		form.ReadInto(&faults)
		form.File()
		form.End()
		return "", faults.Err()
	case "/smuggled":
		p.smuggled.Add(1)
		return "\"smuggled\"\n", nil
	case "/ok":
		return "ok", nil
	default:
		return "", &billing.Error{Code: billing.CodeNotFound}
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// serveOn runs the server until the test ends.
func serveOn(t *testing.T, s *Server, ln net.Listener) {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
}

// rawConn is a raw connection to a server.
type rawConn struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, addr string) *rawConn {
	t.Helper()
	c, err := net.Dial("tcp4", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(5 * time.Minute))
	return &rawConn{t, c, bufio.NewReader(c)}
}

func (w *rawConn) send(format string, args ...any) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.Conn, format, args...); err != nil {
		w.t.Fatalf("send: %v", err)
	}
}

// ask sends one request on a connection of its own.
func (p *probe) ask(t *testing.T, format string, args ...any) response {
	t.Helper()
	w := dial(t, p.addr)
	defer func() { _ = w.Close() }()
	w.send(format, args...)
	return w.reply()
}

// response is a reply as it came, with its body read.
type response struct {
	*http.Response
	body string
}

// reply reads the next reply.
func (w *rawConn) reply() response {
	w.t.Helper()
	a, err := w.tryReply()
	if err != nil {
		w.t.Fatalf("reply: %v", err)
	}
	return a
}

func (w *rawConn) tryReply() (response, error) {
	r, err := http.ReadResponse(w.r, nil)
	if err != nil {
		return response{}, err
	}
	b, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return response{}, err
	}
	return response{r, string(b)}, nil
}

// closed reads until the server closes, and fails when it says anything.
func (w *rawConn) closed() {
	w.t.Helper()
	b, err := io.ReadAll(w.r)
	if err != nil || len(b) > 0 {
		w.t.Errorf("after the last reply: %q, %v", b, err)
	}
}

// head is the start of a request that an operation accepts, with more lines;
// the empty line after it is the caller's.
func head(target string, more ...string) string {
	start := "POST " + target + " HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer " + "good" +
		"\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n"
	for _, line := range more {
		if line != "" {
			start += line + "\r\n"
		}
	}
	return start
}

func (a response) code() string {
	_, rest, _ := strings.Cut(a.body, `"error":"`)
	code, _, _ := strings.Cut(rest, `"`)
	return code
}

func wantStatus(t *testing.T, a response, status int, code billing.Code) {
	t.Helper()
	if a.StatusCode != status || a.code() != string(code) {
		t.Errorf("status %d %s, want %d %s: %s", a.StatusCode, a.code(), status, code, a.body)
	}
}
