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
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
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
	store, err := pgstore.Open(ctx, pgstore.Options{URL: s.Database, MaxConns: 4, Keys: [][32]byte{{1, 2, 3}}, Staged: relay.Staged})
	if err != nil {
		return err
	}
	payers, err := directory.ShippedPayers()
	if err != nil {
		return err
	}
	n, err := sftpnet.New(s.Account)
	if err != nil {
		return err
	}
	end := func(id string) network.End { return network.End{Qualifier: "ZZ", ID: id} }
	service := batches.New(store, batches.Outside{EDI: edi.New(), Networks: routing.New(&ports.Network{
		Name: "sftp", Route: network.Route{Mode: billing.ModeTest}, Poll: 50 * time.Millisecond, Claims: n, Inbox: n,
		Envelope: network.Envelope{Sender: end("MOLAR"), Receiver: end("HOUSE")},
	})}, payers)
	runner := workers.NewRunner(store, queue, log, func(jobs.Kind, string, time.Duration) {})
	failed := make(chan error)
	for _, run := range []func() error{
		func() error { return relay.Run(ctx, store) },
		func() error { return runner.Run(ctx, workers.BatchSend(service, 2)) },
		func() error { return runner.Run(ctx, workers.ReceivedFiles(service, log)) },
		func() error { return workers.CutBatches(ctx, service, 50*time.Millisecond, log) },
		func() error { return workers.ReceiveFiles(ctx, service, log) },
	} {
		go func() { failed <- run() }()
	}
	return cmp.Or(<-failed, errors.New("a loop ended"))
}

// house is a clearinghouse that takes files and acknowledges them.
type house struct {
	t      *testing.T
	server counter
	store  *pgstore.Store
	scope  billing.Scope
	sent   map[string]int // how often each control number arrived whole
	claims map[string]int // how often each claim's number arrived in a whole file
	direct bool           // it rejects parts of files, instead of skipping them
	parts  map[string]int // how often it rejected a part of the control number
	resent int            // batches with an unknown outcome that did not arrive
}

// counter is where a house exchanges files.
type counter interface {
	shown() []string                 // the contents that came since the last call
	put(name string, content []byte) // for us
	in(folder string) []string       // the names in a folder
	uploads(name string) bool        // a file with the name in its path is going up
}

// sshd is a house that polls the folder of an sshd.
type sshd struct{ *account }

func (s sshd) shown() (all []string) {
	for _, name := range s.in("/outbox") {
		if strings.HasPrefix(name, sftpnet.DefaultTempPrefix) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(s.outbox, name))
		if err != nil || edi.New().Whole(content) != nil {
			s.t.Fatalf("%s has %d bytes and no end, error %v", name, len(content), err)
		}
		if err := os.Remove(filepath.Join(s.outbox, name)); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, string(content))
	}
	return all
}

func (s sshd) in(folder string) []string {
	return s.account.in(map[string]string{"/outbox": s.outbox, "/inbox": s.inbox}[folder])
}

func (s sshd) put(name string, content []byte) { s.account.put(filepath.Base(name), content) }

func (sshd) uploads(string) bool { return false }

// turn takes what has come, and puts acknowledgements into the inbox.
func (h *house) turn() {
	for _, content := range h.server.shown() {
		switch {
		case len(content) < 106:
		case edi.New().Whole([]byte(content)) == nil:
			for _, segment := range strings.Split(content, "~") {
				if number, is := strings.CutPrefix(segment, "CLM*"); is {
					h.claims[number[:strings.Index(number, "*")]]++
				}
			}
			h.acknowledge(content[90:99], "A", 1, h.sent)
		case h.direct:
			h.acknowledge(content[90:99], "R", 0, h.parts)
		}
	}
}

// acknowledge puts a verdict into the inbox.
func (h *house) acknowledge(control, code string, accepted int, counted map[string]int) {
	counted[control]++
	number, _ := strconv.Atoi(control)
	f := acknowledgements.Functional{
		Interchange: x12.Interchange{
			SenderQualifier: "ZZ", Sender: "HOUSE", ReceiverQualifier: "ZZ", Receiver: "MOLAR", Created: time.Now(), Control: number, Test: true,
		},
		Group:    x12.Group{Sender: "HOUSE", Receiver: "MOLAR", Created: time.Now(), Control: number},
		Standard: acknowledgements.Standard999,
		Groups: []acknowledgements.GroupVerdict{{
			FunctionalID: "HC", Control: control, Code: code, Included: 1, Received: 1, Accepted: accepted,
			Sets: []acknowledgements.SetVerdict{{ID: "837", Control: control, Code: code}},
		}},
	}
	h.server.put(fmt.Sprintf("/inbox/%s.%s.%d.999", control, code, counted[control]), acknowledgements.EncodeFunctional(&f))
}

// claim stores a claim that waits for a batch.
func (h *house) claim(n int, office billing.OfficeID, payer directory.PayerSummary) billing.ClaimID {
	h.t.Helper()
	now := time.Now()
	c := &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: h.scope, Kind: claim.KindClaim,
		Frequency: claim.FrequencyOriginal, PatientControlNumber: fmt.Sprintf("PCN-%d", n), CreatedAt: now,
		Content: claim.Content{
			OfficeID: office, Payer: payer, PlaceOfService: "11",
			Subscriber: claim.Subscriber{
				FirstName: "Jane", LastName: "Doe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, MemberID: "M1",
				Address: directory.Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "627011234"},
			},
			// Most of the file is before its last part.
			Lines: slices.Repeat([]claim.Line{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: 50_00, Quantity: 1}}, 50),
		},
		Progress: claim.Progress{State: claim.Queued, UpdatedAt: now},
	}
	porttest.In(h.t, h.store, h.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	return c.ID
}

// decide is the operator's part: a batch with an unknown outcome goes out again if it has
// not arrived.
func (h *house) decide(b *clearing.Batch) {
	h.t.Helper()
	if h.server.uploads(b.File.Name) {
		return
	}
	h.turn()
	if n := b.File.ControlNumbers.Interchange; h.sent[n]+h.parts[n] > 0 {
		return // the acknowledgement is on its way
	}
	if _, err := batches.New(h.store, batches.Outside{}, nil).Resend(h.t.Context(), b.ID); err != nil {
		h.t.Fatal(err)
	}
	h.resent++
}

// settled reports whether every batch is acknowledged, no claim waits, and every reply
// was received.
func (h *house) settled() bool {
	waiting, open := 0, []*clearing.Batch{}
	porttest.In(h.t, h.store, h.scope, func(ctx context.Context, tx ports.Tx) error {
		claims, err := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim, States: []claim.State{claim.Queued}}, billing.Page{Limit: 500})
		waiting = len(claims)
		all, e := tx.Batches.List(ctx, billing.Page{Limit: 500})
		for _, m := range all {
			if m.State != clearing.BatchAcknowledged {
				open = append(open, m)
			}
		}
		return errors.Join(err, e)
	})
	for _, b := range open {
		if !b.UnknownSince.IsZero() {
			h.decide(b)
		}
	}
	return waiting == 0 && len(open) == 0 && len(h.server.in("/inbox")) == 0
}

// TestKilledWorker kills a worker whenever some bytes have passed, in either direction:
// while it connects, uploads, renames, lists, reads and removes; and when the server gets
// a call of an upload. Every claim arrives in one whole file, and every acknowledgement is
// applied once. A server that polls needs no decision of the operator.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (counter, sftpnet.Config){
		"a server that polls": func(t *testing.T) (counter, sftpnet.Config) {
			t.Helper()
			a := newAccount(t, testservers.StartSSH(t))
			return sshd{a}, a.config
		},
		"one that takes at close": func(t *testing.T) (counter, sftpnet.Config) {
			t.Helper()
			d := &deviant{takesAtClose: true}
			c := d.start(t)
			c.Direct = true
			return d, c
		},
		"one that takes temporary names at close": func(t *testing.T) (counter, sftpnet.Config) {
			t.Helper()
			d := &deviant{takesAtClose: true}
			return d, d.start(t)
		},
		"one that acts at close": func(t *testing.T) (counter, sftpnet.Config) {
			t.Helper()
			d := &deviant{actsAtClose: true}
			c := d.start(t)
			c.Direct = true
			return d, c
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, config := open(t)
			killedWorker(t, server, config)
		})
	}
}

func killedWorker(t *testing.T, server counter, config sftpnet.Config) {
	t.Helper()
	rounds := 100
	if testing.Short() {
		rounds = 4
	}
	var database string
	h := &house{t: t, server: server, direct: config.Direct, sent: map[string]int{}, claims: map[string]int{}, parts: map[string]int{}}
	h.store = pgtest.Open(t, func(o *pgstore.Options) { database = o.URL })
	h.scope = porttest.Organization(t, h.store, billing.ModeTest)
	office := porttest.Office(t, h.store, h.scope, func(o *directory.Office) {
		o.TaxID, o.Address = "123456789", directory.Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "627011234"}
	})
	payer, _ := porttest.Payers(t).Find("60054")
	p := newProxy(t, config.Addr)
	settings := workerSettings{Database: pgtest.Service(t, database), Account: config}
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
		if d, deviates := server.(*deviant); deviates {
			d.strikeAt(f.calls, f.then)
		}
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
		switch _, deviates := server.(*deviant); {
		case n%3 == 1:
			f = fault{down: 1 + rand.Int64N(down)}
		case n%3 == 2 && deviates:
			f = fault{calls: 1 + rand.IntN(8)}
		}
		if run(f) {
			kills++
		}
	}
	if run(fault{}) {
		t.Fatal("the worker ended by itself")
	}
	t.Logf("%d rounds, %d kills, %d files, %d parts rejected, %d resent", rounds, kills, len(h.sent), len(h.parts), h.resent)
	if _, polls := server.(sshd); polls && h.resent > 0 {
		t.Errorf("%d batches needed a decision", h.resent)
	}
	porttest.In(t, h.store, h.scope, func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Batches.List(ctx, billing.Page{Limit: 500})
		for _, m := range all {
			n := m.File.ControlNumbers.Interchange
			if len(m.Acknowledgements) != 1 || h.sent[n]+h.parts[n] != 1 || (m.Result == clearing.BatchAccepted) != (h.sent[n] == 1) {
				t.Errorf("batch %s is %s, has %d acknowledgements, and came %d times whole and %d times in part", m.ID, m.Result, len(m.Acknowledgements), h.sent[n], h.parts[n])
			}
		}
		if len(all) != len(h.sent)+len(h.parts) {
			t.Errorf("%d batches in %d files and %d parts", len(all), len(h.sent), len(h.parts))
		}
		return err
	})
	if len(h.claims) != len(claims) {
		t.Errorf("%d claims came of %d", len(h.claims), len(claims))
	}
	for number, times := range h.claims {
		if times != 1 {
			t.Errorf("claim %s came %d times", number, times)
		}
	}
	for _, id := range claims {
		if c := porttest.Claim(t, h.store, h.scope, id); c.State != claim.Submitted || len(h.parts) == 0 && len(porttest.Events(t, h.store, h.scope, id)) != 1 {
			t.Errorf("claim %s is %s", id, c.State)
		}
	}
	left := server.in("/inbox")
	if d, keeps := server.(*deviant); !keeps || !d.actsAtClose {
		left = append(left, server.in("/outbox")...)
	}
	if len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
