package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/molar-billing/molar/adapters/dashboard"
	"github.com/molar-billing/molar/adapters/docs"
	"github.com/molar-billing/molar/adapters/httpapi"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/retention"
	"github.com/molar-billing/molar/workers"
)

// Role is a part that a process runs. Every process also runs a relay and has
// an ops port.
type Role int

// The roles.
const (
	RoleAPI           Role = iota // serves HTTP
	RolePayerWorker               // asks payers, sends attachments, checks claims again, cuts batches, and fetches the files that come back
	RoleERAWorker                 // applies received files and remittances, and sweeps
	RolePNGWorker                 // converts PNGs
	RoleWebhookWorker             // posts events to webhook endpoints
)

// drainTime bounds how long a process takes to stop.
const drainTime = 5 * time.Second

// Main runs the roles until a signal comes, with settings from the
// environment, and exits.
func Main(roles ...Role) {
	boundMemory()
	if slices.Equal(os.Args[1:], []string{"--version"}) {
		_, _ = fmt.Fprintln(os.Stdout, build())
		return
	}
	if len(os.Args) > 1 {
		fmt.Fprintf(os.Stderr, "%s takes no arguments; its settings are in the environment:\n%s", os.Args[0], SettingsHelp())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, roles)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, roles []Role) error {
	s, err := LoadSettings(os.Getenv, "MOLAR_DATABASE_URL", "MOLAR_QUEUE_URL", "MOLAR_BLOB_URL", "MOLAR_SECRET_KEY")
	if err == nil && s.QueueURL == "mem:" {
		err = errors.New("MOLAR_QUEUE_URL: mem: works only within one process, for molar dev; want amqp://")
	}
	if err != nil {
		return fmt.Errorf("the settings are not complete:\n%w\n\nAll settings:\n%s", err, SettingsHelp())
	}
	return runService(ctx, s, newLog(s.LogLevel), roles)
}

func runService(ctx context.Context, s Settings, log *slog.Logger, roles []Role) error {
	s.waits, s.process = true, processName()
	g := newGraph(s, log)
	return errors.Join(g.run(ctx, roles, g.open, func(Addresses) error { return nil }), g.close(context.WithoutCancel(ctx)))
}

// processName is how molar secrets names the process: program, machine and process ID.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s on %s, process %d", filepath.Base(os.Args[0]), host, os.Getpid())
}

func newLog(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// Addresses are where a running process listens.
type Addresses struct {
	API string // host:port; empty without RoleAPI
	Ops string
}

// run opens the ops port, then the graph with prepare, and runs the roles until ctx ends or
// one of them fails. It calls ready when all are up for the first time. The API drains
// first, while workers finish the jobs that its requests wait for; then the workers; then
// the relay. While the release does not fit the database's schema, the API replies 503 and
// nothing else works.
func (g *graph) run(ctx context.Context, roles []Role, prepare func(context.Context) error, ready func(Addresses) error) error {
	var addrs Addresses
	ops, err := g.serveOps(ctx, roles, &addrs)
	if err != nil {
		return err
	}
	of := build()
	g.log.InfoContext(ctx, "starting", "version", of.Version, "commit", of.Commit, "go", of.Go, "ops", addrs.Ops, "settings", g.settings, "memory_limit", debug.SetMemoryLimit(-1))
	if err := prepare(ctx); err != nil {
		return errors.Join(err, ops.server.Close())
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)

	var api *httpapi.Server
	if slices.Contains(roles, RoleAPI) {
		if api, err = g.serveAPI(ctx, &addrs, fail); err != nil {
			fail(err)
		}
	}
	g.log.InfoContext(ctx, "listening", "api", addrs.API, "ops", addrs.Ops)
	announce := sync.OnceFunc(func() {
		if err := ready(addrs); err != nil {
			fail(err)
		}
		g.log.InfoContext(ctx, "ready", "api", addrs.API, "ops", addrs.Ops)
	})
	servers := newGroup(ctx, fail)
	if g.cluster != nil {
		servers.start(g.cluster.Keep)
	}
	var work *work
	for g.awaitFit(ctx, fail) {
		work = g.start(ctx, roles, addrs, fail)
		announce()
		if !g.whileFit(ctx) {
			break
		}
		g.log.ErrorContext(ctx, "work stopped", "error", g.store.Fit())
		if err := work.stopWithin(ctx, drainTime); err != nil {
			fail(err)
		}
		work = nil
	}
	<-ctx.Done()

	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	g.log.InfoContext(drain, "draining")
	ops.drain()
	var errs []error
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		errs = append(errs, cause)
	}
	if api != nil {
		errs = append(errs, api.Shutdown(drain))
	}
	errs = append(errs, work.stop(drain), ops.close(drain))
	_ = servers.stop(drain) // the cause has its error
	g.log.InfoContext(drain, "stopped")
	return errors.Join(errs...)
}

// sweep removes expired data until ctx ends.
func (g *graph) sweep(ctx context.Context) error {
	return workers.Sweep(ctx, []workers.SweepTask{
		// Before the keys of these requests are removed.
		{Things: "requests not in the log", Sweep: func(ctx context.Context) (int, error) { return 0, g.audit.Restore(ctx) }},
		{Things: "requests", Sweep: g.audit.Forget},
		{Things: "audit entries", Sweep: g.audit.ForgetEntries},
		{Things: "idempotency keys", Sweep: g.idempotency.Forget},
		{Things: "saved answers", Sweep: g.eligibility.ForgetAnswers},
		{Things: "throw-away organizations", Sweep: g.access.RemoveExpired},
		{Things: "deleted organizations", Sweep: records.New(g.store, g.blobs, records.Outside{Remember: g.recovery.Keep}).SweepDeletions},
		{Things: "erased patients", Sweep: records.New(g.store, g.blobs, records.Outside{}).SweepErasures},
		{Things: "estimates", Sweep: g.estimates.Forget},
		{Things: "batches of checks", Sweep: g.eligibility.ForgetBatches},
		{Things: "uploads", Sweep: g.attachments.ForgetUploads},
		{Things: "months of webhook deliveries", Search: g.webhooks.SweepMonths},
		{Things: "webhook deliveries", Sweep: g.webhooks.Sweep},
		{Things: "received files", Sweep: g.batches.ForgetReceived},
		{Things: "copies of live files", Sweep: g.recovery.Forget},
		{Things: "sessions", Sweep: g.access.ForgetSessions},
		{Things: "changes", Sweep: g.changes.Forget},
		{Things: "tasks of earlier rules", Search: g.tasks.CatchUp},
		// Last, because a first pass looks at all that is old.
		{Things: "records", Search: retention.New(g.store, nil).Sweep},
		{Things: "images", Sweep: g.attachments.Sweep}, // after their rows
	}, sweepEvery(g.settings), g.log)
}

// sweepEvery is often enough that nothing stays much longer than it should.
func sweepEvery(s Settings) time.Duration {
	return min(max(min(s.IdempotencyTTL, s.OrphanAge)/10, time.Second), 10*time.Minute)
}

// group runs work in the background until it is stopped. Work that ends by
// itself stops the process.
type group struct {
	work   errgroup.Group
	ctx    context.Context // the group's own, which only stop ends
	cancel context.CancelFunc
	fail   context.CancelCauseFunc
}

func newGroup(ctx context.Context, fail context.CancelCauseFunc) *group {
	g := &group{fail: fail}
	g.ctx, g.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return g
}

func (g *group) start(run func(context.Context) error) {
	g.work.Go(func() error {
		err := run(g.ctx)
		if err != nil {
			g.fail(err)
		}
		return err
	})
}

// handle runs jobs of a kind.
func (g *group) handle(r *workers.Runner, h workers.Handler) {
	g.start(func(ctx context.Context) error { return r.Run(ctx, h) })
}

// stop ends the work and waits for it, but not longer than ctx.
func (g *group) stop(ctx context.Context) error {
	g.cancel()
	done := make(chan error, 1)
	go func() { done <- g.work.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("work under way did not end in time; it starts again elsewhere: %w", ctx.Err())
	}
}

// origin returns the origin of the service's pages: the public one, or that of its
// listener. A listener on all addresses is named by one of this machine's.
func (g *graph) origin(a Addresses) string {
	if g.settings.PublicURL != "" {
		return g.settings.PublicURL
	}
	at, err := netip.ParseAddrPort(a.API)
	if err == nil && at.Addr().IsUnspecified() {
		return "http://" + netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
	}
	return "http://" + a.API
}

func (g *graph) serveAPI(ctx context.Context, addrs *Addresses, fail func(error)) (*httpapi.Server, error) {
	pages, err := dashboard.New()
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(httpapi.Options{ //nolint:contextcheck // a handler has the context of its request
		Access: g.access, Attachments: g.attachments, Audit: g.audit, Batches: g.batches, Changes: g.changes, ClaimStatus: g.claimStatus, Connections: g.connections, Eligibility: g.eligibility, Estimates: g.estimates, Tasks: g.tasks, Notes: g.notes, Appeals: g.appeals, Deposits: g.deposits, Additions: g.additions, Events: g.events, Faults: g.faults, Fees: g.fees, Rules: g.rules,
		PayerRequests: g.payerRequests, Webhooks: g.webhooks, Claims: g.claims, Enrollments: g.enrollments, Remittances: g.remittances, Reports: g.reports, Sandbox: g.sandboxes, Scenarios: g.scenarios, Schedules: g.schedules, Summary: g.summary, Payers: g.payers,
		Pages: pages, Docs: docs.Handler(httpapi.Contract()), PublicURL: g.settings.PublicURL, TrustedProxies: g.settings.Proxies,
		CursorKey: g.secret(pgstore.PurposeCursor), TempDir: g.settings.TempDir,
		RateRequests: g.settings.RateRequests, RateChecks: g.settings.RateChecks,
		Limits:         httpapi.Limits{Requests: g.settings.Requests},
		RequestTimeout: g.settings.RequestTimeout, Log: g.log, Metrics: g.metrics,
	})
	if err != nil {
		return nil, err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", g.settings.Listen)
	if err != nil {
		return nil, fmt.Errorf("MOLAR_LISTEN: %w", err)
	}
	addrs.API = ln.Addr().String()
	go func() {
		if err := api.Serve(ln); err != nil {
			fail(err)
		}
	}()
	return api, nil
}
