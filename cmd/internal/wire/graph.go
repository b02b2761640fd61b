// Package wire assembles the service: it reads the settings once, chooses
// adapters by the scheme of their URLs, and starts and drains the parts that a
// binary runs.
package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
	_ "time/tzdata" // container images without time zones have offices too

	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/adapters/rabbitqueue"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/appeals"
	"github.com/molar-billing/molar/core/attachmentrules"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing/directory"
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
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/notes"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/reports"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/core/scenarios"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/core/summary"
	"github.com/molar-billing/molar/core/tasks"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

// graph is the assembled service. Its parts do nothing until they run.
type graph struct {
	settings Settings
	log      *slog.Logger
	metrics  *prometheus.Registry

	cluster  *pglocal.Cluster // of local:DIR, else nil
	store    *pgstore.Store
	queue    ports.Queue
	blobs    ports.Blobs
	payers   *directory.PayerDirectory
	networks *routing.Networks
	relay    *outboxrelay.Relay
	runner   *workers.Runner

	access        *access.Service
	attachments   *attachments.Service
	audit         *audit.Service
	batches       *batches.Service
	changes       *changes.Service
	claims        *claims.Service
	claimStatus   *claimstatus.Service
	connections   *connections.Service
	eligibility   *eligibility.Service
	enrollments   *enrollments.Service
	estimates     *estimates.Service
	tasks         *tasks.Service
	notes         *notes.Service
	appeals       *appeals.Service
	deposits      *deposits.Service
	additions     *additions.Service
	events        *events.Service
	faults        *faults.Service
	fees          *fees.Service
	idempotency   *idempotency.Service
	payerRequests *payerrequests.Service
	recovery      *recovery.Service
	remittances   *remittances.Service
	rules         *attachmentrules.Service
	sandboxes     *sandbox.Service
	scenarios     *scenarios.Service
	schedules     *schedules.Service
	reports       *reports.Service
	summary       *summary.Service
	webhooks      *webhooks.Service
	dispatcher    *webhooks.Dispatcher

	compared bool      // the store expects the live files that have copies; see knowsLiveFiles
	tried    time.Time // when they were last listed

	awaits  atomic.Pointer[string]        // what open waits for; nil once the graph is open
	closers []func(context.Context) error // in the order in which they were opened
}

// closer is an adapter with connections to end.
type closer interface {
	Close(ctx context.Context) error
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// newGraph returns a graph that is not open.
func newGraph(s Settings, log *slog.Logger) *graph {
	g := &graph{settings: s, log: log, metrics: prometheus.NewRegistry()}
	buildMetric(g.metrics)
	g.awaits.Store(new("queue"))
	return g
}

// open assembles the service. The caller closes it, also after an error.
func (g *graph) open(ctx context.Context) (err error) {
	s, log := g.settings, g.log
	if g.payers, err = payerDirectory(s.PayersFile); err != nil {
		return err
	}
	if g.queue, err = openQueue(ctx, s, log); err != nil {
		return err
	}
	if q, ok := g.queue.(closer); ok {
		g.closers = append(g.closers, q.Close)
	}
	g.relay = outboxrelay.New(g.queue, log)
	g.relay.Places = workers.Places(s.Parallel)
	g.awaits.Store(new("database"))
	if err := g.openStore(ctx, g.relay.Staged); err != nil {
		return err
	}
	clock := systemClock{}
	g.openConnections()
	if err := g.connections.Follow(ctx); err != nil {
		log.WarnContext(ctx, "connections not read yet", "error", err)
	}
	times := eligibility.Times{Wait: s.PayerWait, Silence: eligibility.DefaultTimes().Silence, CacheTTL: s.CacheTTL}
	g.awaits.Store(new("images"))
	if err := g.openAttachments(ctx); err != nil {
		return err
	}
	if err := g.openWebhooks(clock); err != nil {
		return err
	}
	g.claimStatus = claimstatus.New(g.store, g.queue, g.networks, g.payers, claimstatus.Times{Wait: s.PayerWait, Silence: claimstatus.DefaultTimes().Silence})
	g.openClaims()
	g.audit = audit.New(g.store, s.AuditRetention, log)
	g.access = access.New(g.store, g.payers, clock, credentials.Late(g.secret(pgstore.PurposePasswords)))
	g.eligibility = eligibility.New(g.store, g.queue, g.networks, edi.New(), g.payers, times)
	g.changes = changes.New(g.store, clock, changes.DefaultTimes(), log)
	g.events = events.New(g.store)
	g.faults = faults.New(g.store)
	g.reports = reports.New(g.store)
	g.summary = summary.New(g.store, g.networks)
	g.scenarios = scenarios.New(g.store, sandboxnet.Catalog(g.sandbox()), scenarios.Outside{
		ReadReply: sandboxnet.ReadReply, ReadPlan: sandboxnet.ReadPlan(g.over()), ReadERA: sandboxnet.ReadERA, Simulate: sandboxnet.Simulate, Networks: g.batches.Sandbox,
	})
	g.idempotency = idempotency.New(g.store, s.IdempotencyTTL)
	g.runner = workers.NewRunner(g.store, g.queue, log, jobMetrics(g.metrics))
	registerMetrics(g)
	g.awaits.Store(nil)
	return nil
}

func openQueue(ctx context.Context, s Settings, log *slog.Logger) (ports.Queue, error) {
	if s.QueueURL == "mem:" {
		return memqueue.NewBroker().Open(), nil
	}
	return rabbitqueue.Open(ctx, rabbitqueue.Options{URL: s.QueueURL, QueueType: s.QueueType, Log: log})
}

// errOtherKey is for the operator.
var errOtherKey = errors.New("MOLAR_SECRET_KEY is not the key of this database, and what is encrypted cannot be read with another\n" +
	"Set it to the keys that the service has; that of molar dev is in DIR/demo.json, where DIR is its data folder")

// secret returns how to read a secret of the deployment, which the store knows once it was reached.
func (g *graph) secret(purpose string) func() [32]byte {
	return func() [32]byte { return g.store.Secret(purpose) }
}

// openStore opens the database; local:DIR starts the cluster in DIR first.
// Without MOLAR_SECRET_KEY encrypted data cannot be read.
func (g *graph) openStore(ctx context.Context, staged func([]jobs.Job)) error {
	url, err := g.database(ctx)
	if err != nil {
		return err
	}
	g.store, err = pgstore.Open(ctx, pgstore.Options{
		URL: url, MaxConns: g.settings.DatabaseConns, Keys: g.settings.SecretKeys, Process: g.settings.process, Begins: g.settings.begins, Waits: g.settings.waits, Staged: staged, Log: g.log,
	})
	if errors.Is(err, pgstore.ErrOtherKey) {
		return errOtherKey
	}
	if err != nil {
		return err
	}
	g.closers = append(g.closers, func(context.Context) error { return g.store.Close() })
	return nil
}

func (g *graph) database(ctx context.Context) (string, error) {
	dir, local, err := g.settings.databaseFolder()
	if err != nil || !local {
		return g.settings.DatabaseURL, err
	}
	cluster, err := pglocal.Start(ctx, dir, pglocal.Options{Log: g.log})
	if err != nil {
		return "", err
	}
	g.cluster = cluster
	g.closers = append(g.closers, cluster.Stop)
	service := cluster.ServiceURL()
	return service, prepare(ctx, cluster.URL(), service, g.settings)
}

// migrateServer prepares the database of a server. A local one is prepared
// whenever it is opened.
func migrateServer(ctx context.Context, s Settings) error {
	if _, local, err := s.databaseFolder(); local || err != nil {
		return err
	}
	return prepare(ctx, cmp.Or(s.MigrateURL, s.DatabaseURL), s.DatabaseURL, s)
}

// prepare migrates the database as its owner, sets how long it keeps the audit, and
// admits the login of the services.
func prepare(ctx context.Context, owner, service string, s Settings) error {
	if err := pgstore.Migrate(ctx, owner); err != nil {
		return err
	}
	if err := pgstore.KeepAudit(ctx, owner, s.AuditRetention); err != nil || owner == service {
		return err
	}
	return pgstore.Admit(ctx, owner, service)
}

// close closes everything that was opened, in reverse order.
func (g *graph) close(ctx context.Context) error {
	var errs []error
	for i := len(g.closers) - 1; i >= 0; i-- {
		errs = append(errs, g.closers[i](ctx))
	}
	g.closers = nil
	return errors.Join(errs...)
}

func payerDirectory(file string) (*directory.PayerDirectory, error) {
	payers, err := directory.ShippedPayers()
	if err != nil || file == "" {
		return payers, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("MOLAR_PAYERS_FILE: %w", err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	return payers, payers.Extend(f)
}
