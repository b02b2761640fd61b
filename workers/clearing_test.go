package workers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

// failing is a clearinghouse that fails at first.
type failing struct {
	ports.Replies
	mu    sync.Mutex
	fails int
}

func (f *failing) Receive(ctx context.Context, limit int) ([]clearing.IncomingFile, error) {
	f.mu.Lock()
	f.fails--
	left := f.fails
	f.mu.Unlock()
	if left >= 0 {
		return nil, errors.New("no response")
	}
	return f.Replies.Receive(ctx, limit)
}

// TestFailuresOfConnections are in the log once, and not again at each poll. Others
// stay in it.
func TestFailuresOfConnections(t *testing.T) {
	t.Parallel()
	down, store := errors.New("down"), pgtest.Open(t)
	for want, err := range map[string]error{"DEBUG": &network.ObservedError{Err: down}, "WARN": down} {
		var l log
		sandbox := &ports.Network{Name: "main", Poll: time.Millisecond, Claims: broken{err}, Replies: broken{err}}
		s := batches.New(store, batches.Outside{Networks: routing.New(sandbox)}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- workers.ReceiveFiles(ctx, s, slog.New(slog.NewTextHandler(&l, &slog.HandlerOptions{Level: slog.LevelDebug})))
		}()
		porttest.Await(t, "the poll fails", func() bool { return strings.Contains(l.text(), "files not received") })
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if !strings.Contains(l.text(), "level="+want+` msg="files not received"`) {
			t.Errorf("want %s: %s", want, l.text())
		}
	}
}

// TestQuarantineLog has a line for each file that enters the quarantine, without its name,
// which may be a patient's.
func TestQuarantineLog(t *testing.T) {
	t.Parallel()
	var l log
	given := &given{files: []clearing.IncomingFile{{Name: "QUILLFEATHER.999"}, {Name: "QUILLFEATHER.txt", Content: []byte("a report")}}}
	store := pgtest.Open(t)
	s := batches.New(store, batches.Outside{EDI: edi.New(), Networks: routing.New(&ports.Network{
		Name: "main", Route: network.Route{Mode: billing.ModeTest}, Poll: time.Millisecond, Claims: given, Replies: given,
	})}, porttest.Payers(t))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- workers.ReceiveFiles(ctx, s, slog.New(slog.NewTextHandler(&l, nil))) }()
	porttest.Await(t, "two polls", func() bool { return given.polled() > 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	text := l.text()
	if strings.Count(text, "file quarantined") != 2 || !strings.Contains(text, "file.cause=empty") || !strings.Contains(text, "file.cause=report") || strings.Contains(text, "QUILLFEATHER") {
		t.Error(text)
	}
}

// given is a clearinghouse that always has the files.
type given struct {
	broken

	files []clearing.IncomingFile
	mu    sync.Mutex
	polls int
}

func (g *given) Receive(context.Context, int) ([]clearing.IncomingFile, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.polls++
	return g.files, nil
}

func (g *given) polled() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.polls
}

func (g *given) Remove(context.Context, string) error { return nil }

// broken is a clearinghouse that fails.
type broken struct{ err error }

func (b broken) Send(context.Context, clearing.OutgoingFile, func(context.Context, string) error) error {
	return b.err
}

func (b broken) Receive(context.Context, int) ([]clearing.IncomingFile, error) { return nil, b.err }

func (b broken) Remove(context.Context, string) error { return b.err }

// log is a log that can be read while it is written.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestTraffic runs the traffic in two processes: claims go out and responses
// are applied, each once. Both processes end when they are stopped.
func TestTraffic(t *testing.T) {
	t.Parallel()
	queue := memqueue.NewBroker().Open()
	var l log
	logger := slog.New(slog.NewTextHandler(&l, nil))
	relay := outboxrelay.New(queue, logger)
	store := pgtest.Open(t, func(o *pgstore.Options) { o.Staged = relay.Staged })
	payers := porttest.Payers(t)
	sandbox := sandboxnet.Networks(edi.New().Over, &porttest.Clock{}, store.SandboxMail(), sandboxnet.Options{ERADelay: time.Hour})[1]
	sandbox.Replies = &failing{Replies: sandbox.Replies, fails: 1}
	s := batches.New(store, batches.Outside{
		EDI: edi.New(), Networks: routing.New(sandbox),
	}, payers)
	claims := claimsOf(t, store, payers, 20)

	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = relay.Run(ctx, store) })
	for range 2 {
		runner := workers.NewRunner(store, queue, logger, func(jobs.Kind, string, time.Duration) {})
		for _, run := range []func() error{
			func() error { return runner.Run(ctx, workers.BatchSend(s, 2)) },
			func() error { return workers.CutBatches(ctx, s, 50*time.Millisecond, logger) },
			func() error { return workers.ReceiveFiles(ctx, s, logger) },
		} {
			all.Go(func() {
				if err := run(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	porttest.Await(t, "all claims at their payer", func() bool { return settled(t, store, claims) == len(claims) })
	cancel()
	all.Wait()
	for _, c := range claims {
		if events := porttest.Events(t, store, c.Scope, c.ID); len(events) != 3 { // submitted, accepted, accepted
			t.Errorf("%d events", len(events))
		}
	}
	for _, want := range []string{"batches cut", "files received", "files not received"} {
		if !strings.Contains(l.text(), want) {
			t.Errorf("the log has no %q", want)
		}
	}
}

// claimsOf creates an organization with claims that wait for a batch.
func claimsOf(t *testing.T, store *pgstore.Store, payers *directory.PayerDirectory, n int) (all []*claim.Claim) {
	t.Helper()
	now := time.Now()
	scope := porttest.Organization(t, store, billing.ModeTest)
	payer, _ := payers.Find("60054")
	address := directory.Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "627011234"}
	office := porttest.Office(t, store, scope, func(o *directory.Office) { o.TaxID, o.Address = "123456789", address })
	for i := range n {
		all = append(all, &claim.Claim{
			ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: scope, Kind: claim.KindClaim,
			Frequency: claim.FrequencyOriginal, PatientControlNumber: fmt.Sprintf("PCN-%d", i), CreatedAt: now,
			Content: claim.Content{
				OfficeID: office.ID, Payer: payer.PayerSummary, PlaceOfService: "11",
				Subscriber: claim.Subscriber{
					FirstName: "Jane", LastName: "Doe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, MemberID: "M1", Address: address,
				},
				Lines: []claim.Line{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: 50_00, Quantity: 1}},
			},
			Progress: claim.Progress{State: claim.Queued, UpdatedAt: now},
		})
	}
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) (err error) {
		for _, c := range all {
			err = errors.Join(err, tx.Claims.Insert(ctx, c))
		}
		return err
	})
	return all
}

// settled counts the claims that their payer has.
func settled(t *testing.T, store *pgstore.Store, claims []*claim.Claim) int {
	t.Helper()
	return len(porttest.Read(t, store, claims[0].Scope, func(ctx context.Context, tx ports.Tx) ([]*claim.Record, error) {
		return tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim, States: []claim.State{claim.AcceptedPayer}}, billing.Page{Limit: 100})
	}))
}

// TestOverdueAcknowledgements are in the log once, each in a line that names the file and
// the connection.
func TestOverdueAcknowledgements(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeLive)
	now := time.Now()
	c := &network.Connection{
		ID: billing.NewID[billing.ConnectionID](billing.RealAt(now)), Name: "Claims", Kind: "sandbox", Mode: scope.Mode, Org: scope.Org,
		Carries: []network.Transaction{network.Claims}, Enabled: true, CreatedAt: now,
	}
	porttest.System(t, store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Insert(ctx, c) })
	b := clearing.NewBatch(scope, c.Network(), 1, 1, billing.RealAt(now), now)
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Batches.Insert(ctx, b, []byte("ISA"))
		b.Sent(tx.Clock.Now().Add(-25 * time.Hour))
		return errors.Join(err, tx.Batches.Save(ctx, b))
	})
	var l log
	s := batches.New(store, batches.Outside{}, porttest.Payers(t))
	watch := func(until func() bool) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- workers.WatchAcknowledgements(ctx, s, slog.New(slog.NewTextHandler(&l, nil))) }()
		porttest.Await(t, "the acknowledgements are reviewed", until)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	watch(func() bool { return strings.Contains(l.text(), "acknowledgement overdue") })
	if news, err := s.Review(t.Context()); len(news) > 0 || err != nil { // another process
		t.Errorf("%+v, %v", news, err)
	}
	text := l.text()
	for _, want := range []string{"level=WARN", "batch_id=" + b.ID.String(), "connection=Claims", "kind=999", "file=" + b.File.Name, "molar batches"} {
		if strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
			t.Errorf("no %s, or more than one line: %s", want, text)
		}
	}
}
