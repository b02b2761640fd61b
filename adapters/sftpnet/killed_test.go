package sftpnet_test

import (
	"cmp"
	"context"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/networks"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

// workerEnv has the settings of a test binary that works until it is killed.
const workerEnv = "MOLAR_SFTPNET_WORKER"

type workerSettings struct {
	Database string
	Account  sftpnet.Config
}

// work cuts batches, sends them and receives files, as payerworker does.
func work(settings string) error {
	var s workerSettings
	if err := gob.NewDecoder(hex.NewDecoder(strings.NewReader(settings))).Decode(&s); err != nil {
		return err
	}
	ctx, log := context.Background(), slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	queue := memqueue.NewBroker().Open()
	relay := outboxrelay.New(queue, log)
	store, err := pgstore.Open(ctx, pgstore.Options{URL: s.Database, MaxConns: 4, EncryptionKey: [32]byte{1, 2, 3}, Staged: relay.Staged})
	if err != nil {
		return err
	}
	payers, err := billing.ShippedPayers()
	if err != nil {
		return err
	}
	n, err := sftpnet.New(s.Account)
	if err != nil {
		return err
	}
	end := func(id string) billing.EnvelopeEnd { return billing.EnvelopeEnd{Qualifier: "ZZ", ID: id} }
	service := batches.New(store, batches.Outside{EDI: edi.New(), Networks: networks.New(&ports.Network{
		Name: "sftp", Route: billing.Route{Mode: billing.ModeTest}, Poll: 50 * time.Millisecond, Claims: n,
		Envelope: billing.Envelope{Sender: end("MOLAR"), Receiver: end("HOUSE")},
	})}, payers)
	runner := workers.NewRunner(store, queue, log, func(jobs.Kind, string, time.Duration) {})
	failed := make(chan error)
	for _, run := range []func() error{
		func() error { return relay.Run(ctx, store) },
		func() error { return runner.Run(ctx, workers.BatchSend(service, 2)) },
		func() error { return workers.CutBatches(ctx, service, 50*time.Millisecond, log) },
		func() error { return workers.ReceiveFiles(ctx, service, log) },
	} {
		go func() { failed <- run() }()
	}
	return cmp.Or(<-failed, errors.New("a loop ended"))
}

// house is a clearinghouse that takes files and acknowledges them, as an sshd shows it.
type house struct {
	*account
	store *pgstore.Store
	scope billing.Scope
	sent  map[string]int // how often each control number was picked up
}

// turn takes what is in the outbox, and puts acknowledgements into the inbox.
func (h *house) turn() {
	for _, name := range h.in(h.outbox) {
		if strings.HasPrefix(name, sftpnet.DefaultTempPrefix) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(h.outbox, name))
		if err != nil || !sftpnet.Complete(content) || len(content) < 106 {
			h.t.Fatalf("%s has %d bytes and no end, error %v", name, len(content), err)
		}
		if err := os.Remove(filepath.Join(h.outbox, name)); err != nil {
			h.t.Fatal(err)
		}
		control := string(content[90:99])
		h.sent[control]++
		number, _ := strconv.Atoi(control)
		f := acknowledgements.Functional{
			Interchange: x12.Interchange{
				SenderQualifier: "ZZ", Sender: "HOUSE", ReceiverQualifier: "ZZ", Receiver: "MOLAR", Created: time.Now(), Control: number, Test: true,
			},
			Group:    x12.Group{Sender: "HOUSE", Receiver: "MOLAR", Created: time.Now(), Control: number},
			Standard: acknowledgements.Standard999,
			Groups: []acknowledgements.GroupVerdict{{
				FunctionalID: "HC", Control: control, Code: "A", Included: 1, Received: 1, Accepted: 1,
				Sets: []acknowledgements.SetVerdict{{ID: "837", Control: control, Code: "A"}},
			}},
		}
		h.put(fmt.Sprintf("%s.%d.999", name, h.sent[control]), acknowledgements.EncodeFunctional(&f))
	}
}

// claim stores a claim that waits for a batch.
func (h *house) claim(n int, office billing.OfficeID, payer billing.PayerSummary) billing.ClaimID {
	h.t.Helper()
	now := time.Now()
	c := &billing.Claim{
		ID: billing.NewID[billing.ClaimID](now), Scope: h.scope, Kind: billing.KindClaim,
		Frequency: billing.FrequencyOriginal, PatientControlNumber: fmt.Sprintf("PCN-%d", n), CreatedAt: now,
		ClaimContent: billing.ClaimContent{
			OfficeID: office, Payer: payer, PlaceOfService: "11",
			Subscriber: billing.ClaimSubscriber{
				FirstName: "Jane", LastName: "Doe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, MemberID: "M1",
				Address: billing.Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "627011234"},
			},
			Lines: []billing.ClaimLine{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: 50_00, Quantity: 1}},
		},
		ClaimProgress: billing.ClaimProgress{State: billing.ClaimQueued, UpdatedAt: now},
	}
	porttest.In(h.t, h.store, h.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	return c.ID
}

// settled reports whether every batch is acknowledged, no claim waits, and every file
// has left the folders.
func (h *house) settled() bool {
	waiting, open := 0, 0
	porttest.In(h.t, h.store, h.scope, func(ctx context.Context, tx ports.Tx) error {
		claims, err := tx.Claims.List(ctx, billing.ClaimFilter{Kind: billing.KindClaim, States: []billing.ClaimState{billing.ClaimQueued}}, billing.Page{Limit: 500})
		waiting = len(claims)
		all, e := tx.Batches.List(ctx, billing.Page{Limit: 500})
		for _, m := range all {
			if m.State != billing.BatchAcknowledged {
				open++
			}
		}
		return errors.Join(err, e)
	})
	return waiting == 0 && open == 0 && len(h.in(h.inbox)) == 0
}

// TestKilledWorker kills a worker whenever some bytes have passed, in either direction:
// while it connects, uploads, renames, lists, reads and removes. Every file goes out
// once, and every acknowledgement is applied once.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	rounds := 100
	if testing.Short() {
		rounds = 4
	}
	var database string
	h := &house{account: newAccount(t, testservers.StartSSH(t)), sent: map[string]int{}}
	h.store = pgtest.Open(t, func(o *pgstore.Options) { database = o.URL })
	h.scope = porttest.Organization(t, h.store, billing.ModeTest)
	office := porttest.Office(t, h.store, h.scope, func(o *billing.Office) {
		o.TaxID, o.Address = "123456789", billing.Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "627011234"}
	})
	payer, _ := porttest.Payers(t).Find("60054")
	p := newProxy(t, h.server.Addr())
	settings := workerSettings{Database: pgtest.Service(t, database), Account: h.config}
	settings.Account.Addr, settings.Account.Times.Settle = p.addr(), 20*time.Millisecond
	var env strings.Builder
	if err := gob.NewEncoder(hex.NewEncoder(&env)).Encode(settings); err != nil {
		t.Fatal(err)
	}

	// run runs a worker until the fault kills it, or until all is settled.
	run := func(f fault) (killed bool) {
		worker := exec.CommandContext(t.Context(), os.Args[0])
		worker.Env, worker.Stderr = append(os.Environ(), workerEnv+"="+env.String()), os.Stderr
		var once sync.Once
		dead := make(chan struct{})
		f.then = func() { once.Do(func() { _ = worker.Process.Kill() }) }
		if f.up+f.down == 0 {
			f.then = nil
		}
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		p.set(f)
		go func() {
			_ = worker.Wait()
			close(dead)
		}()
		porttest.Await(t, "the worker is killed, or all is settled", func() bool {
			h.turn()
			select {
			case <-dead:
				killed = true
			default:
			}
			return killed || h.settled()
		})
		_ = worker.Process.Kill()
		<-dead
		return killed
	}
	claims := []billing.ClaimID{h.claim(0, office.ID, payer.PayerSummary)}
	if run(fault{}) {
		t.Fatal("the worker ended by itself")
	}
	up, down := p.counts()
	kills := 0
	for n := range rounds {
		claims = append(claims, h.claim(n+1, office.ID, payer.PayerSummary))
		f := fault{up: 1 + rand.Int64N(up)}
		if n%2 == 1 {
			f = fault{down: 1 + rand.Int64N(down)}
		}
		if run(f) {
			kills++
		}
	}
	if run(fault{}) {
		t.Fatal("the worker ended by itself")
	}
	t.Logf("%d rounds, %d kills, %d files", rounds, kills, len(h.sent))
	for control, times := range h.sent {
		if times != 1 {
			t.Errorf("file %s was delivered %d times", control, times)
		}
	}
	porttest.In(t, h.store, h.scope, func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Batches.List(ctx, billing.Page{Limit: 500})
		carried := 0
		for _, m := range all {
			carried += m.ClaimCount
			if len(m.Acknowledgements) != 1 || h.sent[m.File.ControlNumbers.Interchange] != 1 {
				t.Errorf("batch %s has %d acknowledgements and was delivered %d times", m.ID, len(m.Acknowledgements), h.sent[m.File.ControlNumbers.Interchange])
			}
		}
		if carried != len(claims) || len(all) != len(h.sent) {
			t.Errorf("%d batches of %d claims, want %d claims in %d files", len(all), carried, len(claims), len(h.sent))
		}
		return err
	})
	for _, id := range claims {
		if c := porttest.Claim(t, h.store, h.scope, id); c.State != billing.ClaimSubmitted || len(porttest.Events(t, h.store, h.scope, id)) != 1 {
			t.Errorf("claim %s is %s", id, c.State)
		}
	}
	if left := slices.Concat(h.in(h.outbox), h.in(h.inbox)); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
