package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/changes"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/events"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/summary"
	"github.com/molar-billing/molar/core/webhooks"
)

// Options are the dependencies and settings of the API. The use cases and the
// payer directory are required; everything else has a default.
type Options struct {
	Access        *access.Service
	Attachments   *attachments.Service
	Audit         *audit.Service
	Batches       *batches.Service
	Changes       *changes.Service
	Claims        *claims.Service
	Connections   *connections.Service
	Eligibility   *eligibility.Service
	Enrollments   *enrollments.Service
	Events        *events.Service
	PayerRequests *payerrequests.Service
	Payers        *directory.PayerDirectory
	Remittances   *remittances.Service
	Summary       *summary.Service
	Webhooks      *webhooks.Service

	Pages          fasthttp.RequestHandler // serves every path outside of /api; nil when there is no dashboard
	PublicURL      string                  // the origin of the dashboard; empty means this machine only
	TrustedProxies []netip.Prefix          // whose X-Forwarded-For counts
	CursorKey      [32]byte                // authenticates cursors; the same in every process
	RequestTimeout time.Duration           // counted from the end of the body; default 30 s
	DrainTimeout   time.Duration           // how long requests may continue after Shutdown; default 2 s
	Limits         Limits                  // zero fields get their defaults
	RateRequests   int                     // per API key and second, in this process; 0 for no limit
	RateChecks     int                     // eligibility checks among them; 0 for no limit
	TempDir        string                  // for uploads while they are processed; default is the system's
	Log            *slog.Logger            // nil discards
	Metrics        prometheus.Registerer   // nil discards
	Now            func() time.Time        // nil means time.Now
}

// Limits are the limits on the resources that a client can use. Tests vary
// them; the API contract states the defaults.
type Limits struct {
	JSON   int           // bytes of a JSON body; 1,048,576
	Upload int           // bytes of an upload's body; 15 MB and 64 KiB
	Header int           // bytes of a header section; 16 KiB
	Stall  time.Duration // the longest time without a byte of the header section or the body; 15 s
	Body   time.Duration // for a whole body, and for a whole streamed reply; 10 minutes
	Idle   time.Duration // between the requests of a connection; 60 s
	Write  time.Duration // for a reply, or for each piece of a streamed one; 60 s

	Requests       int // in progress at once; 4,096, at most a quarter of them for one organization
	KeyUploads     int // in progress at once for one key; 2
	ArrivedUploads int // processed at once, for all keys; 6
	Streams        int // open at once; 4,096, at most a quarter of them for one organization
	CallerStreams  int // open at once for one key or user; 20
}

// Server serves the API.
type Server struct {
	app        *fiber.App
	fiber      fasthttp.RequestHandler // routes a request
	routes     []route
	limits     Limits
	timeout    time.Duration
	drain      time.Duration
	identifier identifier
	proxies    []netip.Prefix
	pages      fasthttp.RequestHandler
	record     func(*caller.LoggedRequest) // adds an entry to the request log; never waits
	audit      func(*caller.AuditEntry) error
	log        *slog.Logger
	metrics    *metrics
	uploads    *uploads
	rates      *rates
	quotas     *quotas
	tempDir    string
	now        func() time.Time

	base   context.Context //nolint:containedctx // the parent of every request's context; Shutdown ends it
	cancel context.CancelFunc

	streams      context.Context //nolint:containedctx // the parent of every open stream's; Shutdown ends it first
	endStreams   context.CancelFunc
	streaming    *tally
	streamQuotas *quotas

	mu       sync.Mutex
	listener *listener
	stopped  bool
}

// New returns a server that does not serve yet. It fails if a use case is
// missing or the metrics are registered already.
func New(o Options) (*Server, error) {
	if o.Access == nil || o.Attachments == nil || o.Audit == nil || o.Batches == nil || o.Changes == nil || o.Claims == nil || o.Connections == nil ||
		o.Eligibility == nil || o.Enrollments == nil || o.Events == nil || o.PayerRequests == nil || o.Payers == nil || o.Remittances == nil || o.Summary == nil || o.Webhooks == nil {
		return nil, errors.New("httpapi: a use case or the payer directory is missing")
	}
	a := &api{
		o.Access, o.Attachments, o.Audit, o.Batches, o.Changes, o.Claims, o.Connections, o.Eligibility, o.Enrollments, o.Events, o.PayerRequests, o.Payers, o.Remittances, o.Summary, o.Webhooks,
		cursors{o.CursorKey},
	}
	s, err := newServer(o, a.routes(), identifier{key: o.Access.Authenticate, session: o.Access.Resume})
	if err == nil {
		s.record, s.audit = o.Audit.Record, o.Audit.Store
	}
	return s, err
}

func newServer(o Options, routes []route, callers identifier) (*Server, error) {
	if callers.origin.public = o.PublicURL; o.PublicURL != "" && !ValidOrigin(o.PublicURL) {
		return nil, errors.New("httpapi: the public URL is no origin with HTTPS")
	}
	m, err := newMetrics(o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	s := &Server{
		routes:     routes,
		limits:     o.Limits.withDefaults(),
		timeout:    cmp.Or(o.RequestTimeout, 30*time.Second),
		drain:      cmp.Or(o.DrainTimeout, 2*time.Second),
		identifier: callers,
		proxies:    o.TrustedProxies,
		pages:      o.Pages,
		record:     func(*caller.LoggedRequest) {},
		audit:      func(*caller.AuditEntry) error { return nil },
		log:        o.Log,
		metrics:    m,
		uploads:    newUploads(),
		tempDir:    o.TempDir, // empty means the system's own
		now:        o.Now,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.clientsUnknown() {
		s.log.Warn("all clients seem to have the address of the proxy: set MOLAR_TRUSTED_PROXIES to its network")
	}
	s.rates = newRates(o.RateRequests, o.RateChecks, s.now)
	s.quotas = newQuotas(s.limits.Requests)
	s.streaming, s.streamQuotas = newTally(), newQuotas(s.limits.Streams)
	s.base, s.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // requests outlive the caller of New; Shutdown ends them
	s.streams, s.endStreams = context.WithCancel(s.base)
	s.assemble()
	return s, nil
}

// assemble puts the guard in front of Fiber's server, and adds the routes.
func (s *Server) assemble() {
	s.app = fiber.New(fiber.Config{
		DisableStartupMessage:        true,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		Immutable:                    true, // otherwise strings alias buffers that the next request overwrites
		CaseSensitive:                true,
		StrictRouting:                true,
		ReadBufferSize:               s.limits.Header,
		ReadTimeout:                  s.limits.Stall,
		WriteTimeout:                 s.limits.Write,
		IdleTimeout:                  s.limits.Idle,
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			of(c).fail(err)
			return nil
		},
	})
	for i := range s.routes {
		r := &s.routes[i]
		handle := func(c *fiber.Ctx) error {
			of(c).run(r, c)
			return nil
		}
		s.app.Add(r.method, r.fiberPath(), handle)
		if r.method == fiber.MethodGet {
			s.app.Add(fiber.MethodHead, r.fiberPath(), handle)
		}
	}
	s.app.Use(func(c *fiber.Ctx) error {
		of(c).unrouted()
		return nil
	})
	server := s.app.Server()
	s.fiber = server.Handler
	server.Handler = s.serve
	server.ErrorHandler = s.refuse
	server.HeaderReceived = s.judge
	server.SecureErrorLogMessage = true
	server.CloseOnShutdown = true
}

// serve handles every request with a readable header section.
func (s *Server) serve(fctx *fasthttp.RequestCtx) {
	x := s.begin(fctx)
	defer x.finish()
	switch {
	case x.verdict == verdictMalformed:
		x.fail(malformed())
	case !slices.Contains(fiber.DefaultMethods, x.method): // Fiber replies to these itself
		x.unrouted()
	default:
		s.fiber(fctx)
	}
}

// refuse replies to a request that fasthttp could not read.
func (s *Server) refuse(fctx *fasthttp.RequestCtx, err error) {
	if c, ok := fctx.Conn().(*conn); ok && s.readAgain(&fctx.Request.Header, c.head) {
		s.serve(fctx)
		return
	}
	x := s.begin(fctx)
	defer x.finish()
	x.verdict = verdictMalformed
	timeout, ok := errors.AsType[net.Error](err)
	_, tooSmall := errors.AsType[*fasthttp.ErrSmallBuffer](err)
	switch {
	case tooSmall:
		x.fail(&transportError{fasthttp.StatusRequestHeaderFieldsTooLarge, "The header section is too large."})
	case ok && timeout.Timeout():
		x.fail(&billing.Error{Code: billing.CodeRequestTimeout, Message: "The request stopped arriving. Send it again."})
	default:
		x.fail(malformed())
	}
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
		return errors.Join(errors.New("httpapi: the server has served already"), ln.Close())
	}
	s.listener = newListener(ln, s.limits.Header)
	s.mu.Unlock()
	return s.app.Listener(s.listener)
}

// Shutdown stops the server. It accepts no new connections and closes idle
// ones. Requests may continue for the drain timeout. Those that still wait
// then get TIMEOUT, while their work continues. Shutdown returns when every
// connection is closed. When ctx ends first, it closes the others and returns
// the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	first, ln := !s.stopped, s.listener
	s.stopped = true
	s.mu.Unlock()
	s.endStreams()
	if !first || ln == nil {
		s.cancel()
		return nil
	}
	cut := time.AfterFunc(s.drain, func() {
		s.cancel()
		ln.cutReads()
	})
	defer cut.Stop()
	defer s.cancel()
	_ = ln.Close() // in case Serve has not accepted from it yet
	drained := s.app.ShutdownWithContext(ctx)
	return errors.Join(drained, ln.wait(ctx))
}

func (l Limits) withDefaults() Limits {
	return Limits{
		JSON:   cmp.Or(l.JSON, 1<<20),
		Upload: cmp.Or(l.Upload, 15<<20+formLimit),
		Header: cmp.Or(l.Header, 16<<10),
		Stall:  cmp.Or(l.Stall, 15*time.Second),
		Body:   cmp.Or(l.Body, 10*time.Minute),
		Idle:   cmp.Or(l.Idle, 60*time.Second),
		Write:  cmp.Or(l.Write, 60*time.Second),

		Requests:       cmp.Or(l.Requests, 4096),
		KeyUploads:     cmp.Or(l.KeyUploads, 2),
		ArrivedUploads: cmp.Or(l.ArrivedUploads, 6),
		Streams:        cmp.Or(l.Streams, 4096),
		CallerStreams:  cmp.Or(l.CallerStreams, 20),
	}
}
