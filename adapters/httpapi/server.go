package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/appeals"
	"github.com/molar-billing/molar/core/attachmentrules"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/fault"
	"github.com/molar-billing/molar/core/changes"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/claimstatus"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/deposits"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/core/events"
	"github.com/molar-billing/molar/core/faults"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/notes"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/reports"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/core/scenarios"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/core/summary"
	"github.com/molar-billing/molar/core/tasks"
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
	ClaimStatus   *claimstatus.Service
	Connections   *connections.Service
	Eligibility   *eligibility.Service
	Enrollments   *enrollments.Service
	Estimates     *estimates.Service
	Tasks         *tasks.Service
	Notes         *notes.Service
	Appeals       *appeals.Service
	Deposits      *deposits.Service
	Additions     *additions.Service
	Events        *events.Service
	Faults        *faults.Service
	Fees          *fees.Service
	Rules         *attachmentrules.Service
	PayerRequests *payerrequests.Service
	Payers        *directory.PayerDirectory
	Remittances   *remittances.Service
	Reports       *reports.Service
	Sandbox       *sandbox.Service
	Scenarios     *scenarios.Service
	Schedules     *schedules.Service
	Summary       *summary.Service
	Webhooks      *webhooks.Service

	Pages          fasthttp.RequestHandler // serves every path outside of /api; nil when there is no dashboard
	Docs           fasthttp.RequestHandler // serves the documentation, under any host; nil when there is none
	PublicURL      string                  // the origin of the dashboard; empty means this machine only
	TrustedProxies []netip.Prefix          // whose X-Forwarded-For counts
	CursorKey      func() [32]byte         // authenticates cursors; the same in every process
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
	*httpserver.Server
	fiber      fasthttp.RequestHandler // routes a request
	routes     []route
	ids        map[string]string // the operationId of each operation
	limits     Limits
	timeout    time.Duration
	identifier identifier
	proxies    []netip.Prefix
	pages      fasthttp.RequestHandler
	docs       fasthttp.RequestHandler
	record     func(*caller.LoggedRequest) // adds an entry to the request log; never waits
	audit      func(*caller.AuditEntry) error
	faulty     func(ctx context.Context, in billing.Scope, rules []fault.Rule, operation string, now time.Time) (*fault.Rule, error)
	log        *slog.Logger
	metrics    *metrics
	rates      *rates
	tempDir    string
	now        func() time.Time

	inProgress tally // the requests of each organization
	uploads    tally // of each caller, arriving or being processed
	arrived    tally // uploads being processed, for all callers
	streaming  tally // the open streams of each caller
	streams    tally // and of each organization
}

// New returns a server that does not serve yet. It fails if a use case is
// missing or the metrics are registered already.
func New(o Options) (*Server, error) {
	if o.Access == nil || o.Attachments == nil || o.Audit == nil || o.Batches == nil || o.Changes == nil || o.Claims == nil || o.Connections == nil ||
		o.Eligibility == nil || o.Enrollments == nil || o.Estimates == nil || o.Tasks == nil || o.Notes == nil || o.Appeals == nil || o.Deposits == nil || o.Events == nil || o.Faults == nil || o.Fees == nil || o.Rules == nil || o.PayerRequests == nil || o.Payers == nil || o.Remittances == nil || o.Reports == nil || o.Sandbox == nil || o.Scenarios == nil || o.Schedules == nil || o.Summary == nil || o.Webhooks == nil {
		return nil, errors.New("httpapi: a use case or the payer directory is missing")
	}
	a := &api{
		o.Access, o.Attachments, o.Audit, o.Batches, o.Changes, o.Claims, o.ClaimStatus, o.Connections, o.Eligibility, o.Enrollments, o.Estimates, o.Tasks, o.Notes, o.Appeals, o.Deposits, o.Additions, o.Events, o.Faults, o.Fees, o.PayerRequests, o.Payers, o.Remittances, o.Rules, o.Reports, o.Sandbox, o.Scenarios, o.Schedules, o.Summary, o.Webhooks,
		cursors{o.CursorKey},
	}
	s, err := newServer(o, a.routes(), identifier{key: o.Access.Authenticate, session: o.Access.Resume})
	if err == nil {
		s.record, s.audit, s.faulty = o.Audit.Record, o.Audit.Store, o.Faults.Strike
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
		ids:        operationIDs(contract),
		limits:     o.Limits.withDefaults(),
		timeout:    cmp.Or(o.RequestTimeout, 30*time.Second),
		identifier: callers,
		proxies:    o.TrustedProxies,
		pages:      o.Pages,
		docs:       o.Docs,
		record:     func(*caller.LoggedRequest) {},
		audit:      func(*caller.AuditEntry) error { return nil },
		log:        cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		metrics:    m,
		inProgress: tally{shared: true},
		streams:    tally{shared: true},
		tempDir:    o.TempDir, // empty means the system's own
		now:        o.Now,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.clientsUnknown() {
		s.log.Warn("all clients seem to have the address of the proxy: set MOLAR_TRUSTED_PROXIES to its network")
	}
	s.rates = newRates(o.RateRequests, o.RateChecks, s.now)
	s.Server = httpserver.New(httpserver.Config{
		Header: s.limits.Header, Stall: s.limits.Stall, Body: s.limits.Body, Idle: s.limits.Idle, Write: s.limits.Write,
		Drain:     cmp.Or(o.DrainTimeout, 2*time.Second),
		Handle:    s.serve,
		BodyLimit: s.bodyLimit,
		Wants:     s.wantsBody,
		Legible:   idempotencyKey,
	})
	s.fiber = s.router()
	return s, nil
}

// router lets Fiber find the operation of a request. Fiber's own server is never
// started.
func (s *Server) router() fasthttp.RequestHandler {
	app := fiber.New(fiber.Config{
		Immutable:     true, // otherwise strings alias buffers that the next request overwrites
		CaseSensitive: true,
		StrictRouting: true,
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
		app.Add(r.method, r.fiberPath(), handle)
		if r.method == fiber.MethodGet {
			app.Add(fiber.MethodHead, r.fiberPath(), handle)
		}
	}
	app.Use(func(c *fiber.Ctx) error {
		of(c).unrouted()
		return nil
	})
	return app.Handler()
}

// serve handles every request.
func (s *Server) serve(r *httpserver.Request) {
	x := s.begin(r)
	defer x.finish()
	switch {
	case r.Unreadable != nil:
		x.fail(r.Unreadable)
	case !slices.Contains(fiber.DefaultMethods, x.method): // Fiber replies to these itself
		x.unrouted()
	default:
		s.fiber(r.RequestCtx)
	}
}

// bodyLimit returns the maximum number of bytes of the request's body. An
// unknown path, and an operation without a body, get the limit of JSON; their
// bodies are never read.
func (s *Server) bodyLimit(method, path string) int {
	if r := s.find(method, path); r != nil && r.body == uploadBody {
		return s.limits.Upload
	}
	return s.limits.JSON
}

// lookupTime limits how long looking up a key may delay an arriving body. The
// exchange looks it up again, within the time of the request.
const lookupTime = time.Second

// wantsBody reports whether the header section names an operation, and has a
// key and an idempotency key that the operation accepts.
func (s *Server) wantsBody(method, path string, lines []byte) bool {
	r := s.find(method, path)
	if r == nil {
		return false
	}
	if r.need != caller.NeedNothing {
		ctx, cancel := context.WithTimeout(s.Requests, lookupTime)
		defer cancel()
		by, err := s.identifier.identify(ctx, lines, netip.IPv6Loopback(), netip.Addr{}, false) // the exchange knows the addresses
		if err == nil && by.Can(r.need) != nil || err != nil && billing.CodeOf(err) == billing.CodeUnauthorized {
			return false // the exchange tries again, since any other error may be temporary
		}
	}
	if r.changes() {
		if _, err := readIdempotencyKey(lines); err != nil {
			return false
		}
	}
	return true
}

func (l Limits) withDefaults() Limits {
	return Limits{
		JSON:   cmp.Or(l.JSON, 1<<20),
		Upload: cmp.Or(l.Upload, 15<<20+httpserver.FormLimit),
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
