package httpserver

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
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
	ln := rawtest.Listen(t)
	rawtest.Serve(t, p.server, ln)
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

// ask sends one request on a connection of its own.
func (p *probe) ask(t *testing.T, format string, args ...any) rawtest.Reply {
	t.Helper()
	w := rawtest.Dial(t, p.addr)
	defer func() { _ = w.Close() }()
	w.Send(format, args...)
	return w.Reply()
}
