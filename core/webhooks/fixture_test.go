package webhooks_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has endpoints and their deliveries in a real database, and a queue in
// memory. Only the receivers, which are the outside, are simulated.
type fixture struct {
	t       *testing.T
	broker  *memqueue.Broker
	store   pgtest.Clocked
	db      *sql.DB // as an administrator
	clock   *porttest.Clock
	outside *outside
	pace    webhooks.Pace // of the processes that are started from now on
	service *webhooks.Service
	scope   billing.Scope

	mu    sync.Mutex
	calls func(jobs.Job) // receives the calls of lanes that commits make; nil drops them
	keys  int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{
		t: t, broker: memqueue.NewBroker(), clock: &porttest.Clock{}, outside: newOutside(),
		pace: webhooks.Pace{InFlight: 4, Lease: time.Minute, Linger: time.Millisecond},
	}
	var url string // of the database, for an administrator
	b.store = pgtest.Clocked{Store: pgtest.Open(t, func(o *pgstore.Options) { url, o.Staged = o.URL, b.staged }), Clock: b.clock}
	var err error
	if b.db, err = sql.Open("postgres", url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
	b.service = webhooks.New(b.store, b.outside, b.clock)
	b.scope = porttest.Organization(t, b.store, billing.ModeTest)
	return b
}

func (b *fixture) staged(staged []jobs.Job) {
	b.mu.Lock()
	calls := b.calls
	b.mu.Unlock()
	for _, j := range staged {
		if calls != nil && j.Kind == jobs.KindWebhook {
			calls(j)
		}
	}
}

// call sends the calls of lanes that commits make elsewhere from now on.
func (b *fixture) call(to func(jobs.Job)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = to
}

// process is a delivering process.
type process struct {
	*webhooks.Dispatcher
	b     *fixture
	log   *log
	fault *fault
	stop  func() // ends it as a signal does, or buries it, and waits for that
}

// process starts a process; a nil fault lets it live.
func (b *fixture) process(f *fault) *process { return b.processAt(b.clock, f) }

// processAt starts a process with its own clock.
func (b *fixture) processAt(own ports.Clock, f *fault) *process {
	if f == nil {
		f = &fault{}
	}
	over := make(chan struct{})
	f.over = over
	return b.processOn(mortalStore{b.store, f}, mortalSender{b.outside, f}, own, f, over)
}

// processOn starts a process on a store and with a sender.
func (b *fixture) processOn(store ports.Store, sender ports.WebhookSender, own ports.Clock, f *fault, over chan struct{}) *process {
	b.t.Helper()
	p := &process{b: b, fault: f, log: &log{}}
	p.Dispatcher = webhooks.NewDispatcher(store, mortalQueue{b.broker.Open(), f}, sender, own, b.pace, slog.New(p.log), func(webhook.Attempt) {})
	ctx, cancel := context.WithCancel(b.t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = p.Run(ctx) })
	end := sync.OnceFunc(func() { cancel(); close(over) })
	p.stop = func() { end(); running.Wait() }
	b.t.Cleanup(p.stop)
	porttest.Await(b.t, "the process runs", p.Running)
	return p
}

// looks calls the endpoint's lane at the process.
func (p *process) looks(e *webhook.Endpoint) {
	p.Call(jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindWebhook, Scope: e.Scope, Subject: e.ID})
}

// quiet waits until the process has no lane, or is dead.
func (p *process) quiet() {
	p.b.t.Helper()
	porttest.Await(p.b.t, "the lanes end", func() bool { return p.Lanes() == 0 || p.fault.isDead() })
}

// worked lets the process serve the lane until nothing is due.
func (p *process) worked(e *webhook.Endpoint) {
	p.b.t.Helper()
	p.looks(e)
	p.quiet()
}

// log stores warnings and errors.
type log struct {
	mu       sync.Mutex
	warnings []string
}

func (l *log) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (l *log) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l *log) WithGroup(string) slog.Handler                    { return l }

func (l *log) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	l.warnings = append(l.warnings, text)
	return nil
}

// warned returns the warnings so far.
func (l *log) warned() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.warnings)
}

// pause is how long these tests wait between two checks.
const pause = 2 * time.Millisecond

func (b *fixture) in(scope billing.Scope, fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	porttest.In(b.t, b.store, scope, fn)
}

func (b *fixture) exec(query string, args ...any) {
	b.t.Helper()
	if _, err := b.db.ExecContext(b.t.Context(), query, args...); err != nil {
		b.t.Fatal(err)
	}
}

// key returns a key that was not used before.
func (b *fixture) key() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keys++
	return "key" + strconv.Itoa(b.keys)
}

// endpoint creates an enabled endpoint with its own URL.
func (b *fixture) endpoint(types ...event.Type) *webhook.Endpoint {
	b.t.Helper()
	return b.endpointOf(b.scope, types...)
}

func (b *fixture) endpointOf(scope billing.Scope, types ...event.Type) *webhook.Endpoint {
	b.t.Helper()
	now := b.clock.Now()
	e := &webhook.Endpoint{
		ID: billing.NewID[billing.WebhookEndpointID](billing.RealAt(now)), Scope: scope, Status: webhook.EndpointEnabled, EventTypes: types,
		Secret: webhook.NewWebhookSecret(), CreatedAt: now,
	}
	e.URL = "https://hooks.example.com/" + e.ID.String()
	b.in(scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, e) })
	return e
}

// removed removes an endpoint after a test.
func (b *fixture) removed(e *webhook.Endpoint) {
	b.t.Helper()
	b.in(e.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Delete(ctx, e.ID) })
}

func (b *fixture) get(e *webhook.Endpoint) *webhook.Endpoint {
	b.t.Helper()
	now, err := b.service.Get(b.t.Context(), e.Scope, e.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return now
}

// happens commits an event.
func (b *fixture) happens() *event.Event { return b.happensIn(b.scope) }

func (b *fixture) happensIn(scope billing.Scope) *event.Event {
	now := b.clock.Now().UTC().Truncate(time.Microsecond)
	e := &event.Event{
		ID: billing.NewID[billing.EventID](billing.RealAt(now)), Scope: scope, Type: event.ClaimPaid, Resource: billing.NewID[billing.ClaimID](billing.RealAt(now)),
		Sequence: 1, CreatedAt: now, Data: json.RawMessage(`{"object":"claim"}`),
	}
	err := b.store.InTx(b.t.Context(), scope, func(ctx context.Context, tx ports.Tx) error { return tx.Events.Append(ctx, *e) })
	if err != nil {
		b.t.Error(err)
	}
	return e
}

// backlog commits n events whose calls are lost.
func (b *fixture) backlog(n int) (out []*event.Event) {
	b.mu.Lock()
	calls := b.calls
	b.mu.Unlock()
	b.call(nil)
	defer b.call(calls)
	for range n {
		out = append(out, b.happens())
	}
	return out
}

// deliveries returns the deliveries of the endpoint, oldest first.
func (b *fixture) deliveries(e *webhook.Endpoint) []*webhook.Delivery {
	b.t.Helper()
	all, next, err := b.service.DeliveriesTo(b.t.Context(), e.Scope, e.ID, billing.Page{Limit: 1000})
	if err != nil || next != nil {
		b.t.Fatalf("deliveries: %v", err)
	}
	slices.Reverse(all)
	return all
}

// states counts the endpoint's deliveries by state.
func (b *fixture) states(e *webhook.Endpoint) map[webhook.DeliveryState]int {
	b.t.Helper()
	n := map[webhook.DeliveryState]int{}
	for _, d := range b.deliveries(e) {
		n[d.State]++
	}
	return n
}

// delivered reports whether all deliveries of the endpoint are delivered.
func (b *fixture) delivered(e *webhook.Endpoint) func() bool {
	return func() bool {
		b.t.Helper()
		n := b.states(e)
		return len(n) == 1 && n[webhook.DeliveryDelivered] > 0 || len(n) == 0
	}
}

// lapse ends the lease of the lane.
func (b *fixture) lapse(e *webhook.Endpoint) {
	b.t.Helper()
	b.exec("UPDATE webhook_endpoints SET lease_until = now() - interval '1 min' WHERE id = $1 AND holder IS NOT NULL", e.ID)
}

// holder returns the holder of the lane; empty for none.
func (b *fixture) holder(e *webhook.Endpoint) (id string) {
	b.t.Helper()
	row := b.db.QueryRowContext(b.t.Context(), "SELECT coalesce(holder::text, '') FROM webhook_endpoints WHERE id = $1", e.ID)
	if err := row.Scan(&id); err != nil {
		b.t.Fatal(err)
	}
	return id
}

// sweep calls the lanes that are due, as a relay does, and returns how many.
func (b *fixture) sweep(p *process) int {
	b.t.Helper()
	var due []jobs.Job
	porttest.System(b.t, b.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		due, err = tx.Jobs.Lanes(ctx, b.clock.Now(), 0, 1000)
		return err
	})
	for _, j := range due {
		p.Call(j)
	}
	return len(due)
}

// statuses returns the statuses of the attempts, oldest first.
func statuses(d *webhook.Delivery) (out []int) {
	for _, a := range d.Attempts {
		out = append(out, a.Status)
	}
	return out
}
