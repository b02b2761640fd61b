package eligibility_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m).Run()) }

// fixture has the use cases on a real database, a queue in memory and the
// sandbox.
type fixture struct {
	t       *testing.T
	admin   string // the database's address for an administrator
	store   pgtest.Clocked
	queue   *memqueue.Queue
	service *eligibility.Service
	// impatient waits for no payer, and leaves its checks pending.
	impatient *eligibility.Service
	clock     *porttest.Clock
	scope     billing.Scope
	office    *directory.Office
	relay     *outboxrelay.Relay
}

// payers counts inquiries, and can be made to fail.
type payers struct {
	of       *sandboxnet.Eligibility
	mu       sync.Mutex
	requests [][]byte
	fail     error
	failAt   int // the request that fails, from 1; 0 for every one
}

func (n *payers) Inquire(ctx context.Context, request []byte) ([]byte, error) {
	n.mu.Lock()
	n.requests = append(n.requests, request)
	fails := n.fail != nil && (n.failAt == 0 || n.failAt == len(n.requests))
	n.mu.Unlock()
	if fails {
		return []byte("TA1"), n.fail
	}
	return n.of.Inquire(ctx, request)
}

func (n *payers) asked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.requests)
}

func newFixture(t *testing.T, times eligibility.Times) (*fixture, *payers) {
	t.Helper()
	b := &fixture{t: t, queue: memqueue.NewBroker().Open(), clock: &porttest.Clock{}}
	b.relay = outboxrelay.New(b.queue, slog.New(slog.DiscardHandler))
	b.store = pgtest.Clocked{Store: pgtest.Open(t, func(o *pgstore.Options) { o.Staged, b.admin = b.relay.Staged, o.URL }), Clock: b.clock}
	dir := porttest.Payers(t)
	sandbox := &payers{of: sandboxnet.NewEligibility(b.clock)}
	of := sandboxnet.Networks(edi.New().Over, b.clock, nil, sandboxnet.Options{})[0]
	of.Eligibility = edi.New().Over(sandbox.Inquire)
	carriers := routing.New(of)
	b.service = eligibility.New(b.store, b.queue, carriers, edi.New(), dir, times)
	times.Wait = 0
	b.impatient = eligibility.New(b.store, b.queue, carriers, edi.New(), dir, times)
	b.scope = porttest.Organization(t, b.store, billing.ModeTest)
	b.office = porttest.Office(t, b.store, b.scope)
	return b, sandbox
}

// work runs the relay and a worker until the test ends.
func (b *fixture) work() {
	ctx, cancel := context.WithCancel(b.t.Context())
	runner := workers.NewRunner(b.store, b.queue, slog.New(slog.DiscardHandler), func(jobs.Kind, string, time.Duration) {})
	var all sync.WaitGroup
	all.Go(func() { _ = b.relay.Run(ctx, b.store) })
	all.Go(func() { _ = runner.Run(ctx, workers.Eligibility(b.service, 4)) })
	b.t.Cleanup(func() { cancel(); all.Wait() })
}

func (b *fixture) request(ending string) intake.EligibilityRequest {
	return intake.EligibilityRequest{
		OfficeID: b.office.ID.String(), PayerID: "CHTEST",
		Subscriber: intake.SubscriberInput{FirstName: "Ada", LastName: "Byron", DateOfBirth: "1985-12-10", MemberID: "SANDBOX" + ending},
	}
}

func call(key string) caller.Request {
	return caller.Request{ID: billing.NewID[billing.RequestID](billing.RealAt(time.Now())), Key: key, Fingerprint: [32]byte{1}}
}

func calling(scope billing.Scope, req caller.Request) caller.Call {
	return caller.Call{Scope: scope, Request: req}
}

// check runs a check that must complete.
func (b *fixture) check(key string, in intake.EligibilityRequest) *coverage.Check {
	b.t.Helper()
	c, replayed, err := b.service.Check(b.t.Context(), calling(b.scope, call(key)), in)
	if err != nil || replayed || c.State != coverage.CheckCompleted {
		b.t.Fatalf("check %s: %+v, replayed %t, %v", key, c, replayed, err)
	}
	return c
}

// refused runs a check that must fail with the code and the fault.
func (b *fixture) refused(key string, in intake.EligibilityRequest, code billing.Code, fault string) {
	b.t.Helper()
	_, _, err := b.service.Check(b.t.Context(), calling(b.scope, call(key)), in)
	got := ""
	if e, ok := errors.AsType[*billing.Error](err); ok && len(e.Faults) > 0 {
		got = e.Faults[0].Field + " " + string(e.Faults[0].Code)
	}
	if billing.CodeOf(err) != code || err == nil || got != fault {
		b.t.Errorf("check %s: %v with fault %q, want %s with %q", key, err, got, code, fault)
	}
}

func (b *fixture) events(id billing.CheckID) []*event.Event {
	return porttest.Events(b.t, b.store, b.scope, id)
}

// job returns the one job of the outbox.
func (b *fixture) job() jobs.Job {
	b.t.Helper()
	due := porttest.Due(b.t, b.store, 0)
	if len(due) != 1 {
		b.t.Fatalf("%d jobs are due, want one", len(due))
	}
	return due[0]
}

// begin creates a pending check without waiting for it.
func (b *fixture) begin(in intake.EligibilityRequest) jobs.Job {
	b.t.Helper()
	if _, _, err := b.impatient.Check(b.t.Context(), calling(b.scope, call(fmt.Sprint(time.Now().UnixNano()))), in); billing.CodeOf(err) != billing.CodeTimeout {
		b.t.Fatalf("%v, want a pending check", err)
	}
	return b.job()
}

func (b *fixture) get(j jobs.Job) *coverage.Check {
	b.t.Helper()
	c, err := b.service.Get(b.t.Context(), b.scope, billing.CheckID(j.Subject))
	if err != nil {
		b.t.Fatal(err)
	}
	return c.Check
}

func (b *fixture) pending(j jobs.Job) bool { return porttest.Pending(b.t, b.store, j) }

// sent returns the messages that are stored for the check of a job.
func (b *fixture) sent(j jobs.Job) []coverage.Exchange {
	b.t.Helper()
	e, err := b.service.Exchange(b.t.Context(), b.scope, billing.CheckID(j.Subject))
	if err != nil {
		b.t.Fatal(err)
	}
	return e.Messages
}
