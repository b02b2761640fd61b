package connections_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// account is an account at a network. Its calls end with the result, and so does its
// test.
type account struct{ result error }

func (a *account) Ask(context.Context, network.Inquiry) (coverage.CheckResponse, []coverage.Exchange, error) {
	return coverage.CheckResponse{}, nil, a.result
}

func (a *account) Probe(context.Context, bool) []network.ProbeStep {
	return []network.ProbeStep{{Name: "resolve"}, {Name: "sign in", Err: a.result}}
}

func (*account) Close() error { return nil }

// process is a process of the service on a database that others share.
type process struct {
	*connections.Service
	networks *routing.Networks
	account  *account

	mu     sync.Mutex
	log    bytes.Buffer
	counts map[string]int
	opened []string // the password of each connection that was opened
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

// logged returns the log since the last call.
func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, _ := io.ReadAll(&p.log)
	return string(b)
}

func newProcess(t *testing.T, store *pgstore.Store) *process {
	t.Helper()
	p := &process{networks: routing.New(), account: &account{}, counts: map[string]int{}}
	kind := corenet.Kind(nil, nil)
	log := slog.New(slog.NewTextHandler(p, nil))
	p.Service = connections.New(store, network.Kinds{kind.Kind}, porttest.Payers(t), func(connection string, reason network.Reason) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counts[connection+" "+string(reason)]++
	}, log)
	open := func(c *network.Connection) (*ports.Network, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.opened = append(p.opened, string(c.Secrets))
		if string(c.Secrets) == `{"Password":"unreadable"}` {
			return nil, errors.New("the key cannot be read")
		}
		return &ports.Network{Eligibility: p.account, Peer: p.account}, nil
	}
	kind.Open = open
	connector := routing.NewConnector(p.networks, []ports.ConnectionKind{kind}, p.Observe, log)
	p.Use(connector)
	t.Cleanup(connector.Close)
	return p
}

// run follows the connections until the test ends.
func (p *process) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func (p *process) open(scope billing.Scope) (*ports.Network, error) {
	return p.networks.For(scope, billing.PayerID{1}, network.Eligibility)
}

func request(name string, change func(r *intake.ConnectionRequest)) intake.ConnectionRequest {
	r := intake.ConnectionRequest{
		Name: name, Mode: "live", Kind: "core", Carries: []string{"eligibility"}, Usage: "P", SenderID: "MOLAR1", ReceiverID: "NET1", EveryPayer: true,
		Own: map[string][]byte{
			"url": []byte("https://core.example.com/soap"), "envelope": []byte("soap-2.2.0"), "user": []byte("molar"), "password_file": []byte("hunter2\n"),
		},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func (p *process) must(t *testing.T, r intake.ConnectionRequest) *network.Connection {
	t.Helper()
	c, err := p.Add(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLifeOfAConnection manages connections as an operator does, while a process runs.
func TestLifeOfAConnection(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeLive)
	operator, service := newProcess(t, store), newProcess(t, store)
	service.run(t)
	carried := func() bool { _, err := service.open(scope); return err == nil }

	c := operator.must(t, request("Main", nil))
	if string(c.Secrets) != `{"Password":"hunter2"}` || c.Settings.Envelope.Sender.Qualifier != "ZZ" || c.State() != network.Enabled {
		t.Errorf("added %+v", c.Settings)
	}
	porttest.Await(t, "the connection is used", carried)
	if n, err := service.open(scope); err != nil || n.Name != c.ID.String() {
		t.Errorf("the network is %+v, %v", n, err)
	}

	_, err := operator.Add(t.Context(), request("MAIN", nil))
	wantCode(t, "a second one with the name", err, billing.CodeConflict)
	_, err = operator.Add(t.Context(), request("Other", func(r *intake.ConnectionRequest) { r.OrgID = new(billing.OrgID{7}.String()) }))
	wantFault(t, "an unknown organization", err, "org_id")
	_, err = operator.Add(t.Context(), request("Other", func(r *intake.ConnectionRequest) { r.Own["password_file"] = []byte("unreadable") }))
	wantCode(t, "a connection that cannot be opened", err, billing.CodeInvalidRequest)
	_, err = operator.Add(t.Context(), request("Other", func(r *intake.ConnectionRequest) { r.Kind = "fax" }))
	wantFault(t, "an unknown kind", err, "kind")

	if c, err = operator.Disable(t.Context(), "main"); err != nil || c.State() != network.Disabled {
		t.Fatal(err)
	}
	porttest.Await(t, "the connection is not used", func() bool { return !carried() })
	if _, err := service.open(scope); err.Error() != network.Eligibility.Unavailable().Error() {
		t.Errorf("without a connection in use: %v", err)
	}
	if c, err = operator.Enable(t.Context(), "main"); err != nil || c.State() != network.Enabled {
		t.Fatal(err)
	}
	porttest.Await(t, "the connection is used again", carried)

	steps, err := operator.Test(t.Context(), "main", true)
	if err != nil || len(steps) != 2 || steps[1].Err != nil {
		t.Errorf("the test has %v, %v", steps, err)
	}
	if err := operator.Remove(t.Context(), "Main", false); err != nil {
		t.Fatal(err)
	}
	porttest.Await(t, "the connection is gone", func() bool { return !carried() })
	for what, fn := range map[string]func() error{
		"get":    func() error { _, err := operator.Get(t.Context(), "main"); return err },
		"enable": func() error { _, err := operator.Enable(t.Context(), "main"); return err },
		"remove": func() error { return operator.Remove(t.Context(), "main", false) },
		"test":   func() error { _, err := operator.Test(t.Context(), "main", true); return err },
	} {
		wantCode(t, what, fn(), billing.CodeNotFound)
	}
	if all, err := operator.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("the list has %v, %v", all, err)
	}
}

// TestRefusedSignInPauses pauses a connection in every process, once.
func TestRefusedSignInPauses(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeLive)
	one, two := newProcess(t, store), newProcess(t, store)
	c := one.must(t, request("Main", nil))
	one.run(t)
	two.run(t)
	for _, p := range []*process{one, two} {
		porttest.Await(t, "the connection is used", func() bool { _, err := p.open(scope); return err == nil })
		p.logged()
	}
	one.account.result = fmt.Errorf("sign in: %w", network.ErrUnauthorized)
	n, err := one.open(scope)
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for range 8 { // checks that are under way together
		calls.Go(func() {
			if _, _, err := n.Eligibility.Ask(t.Context(), network.Inquiry{}); err == nil {
				t.Error("the sign-in was not refused")
			}
		})
	}
	calls.Wait()
	if _, err := one.open(scope); err == nil {
		t.Error("the process still uses the connection")
	}
	porttest.Await(t, "every process has paused the connection", func() bool { _, err := two.open(scope); return err != nil })
	log := one.logged()
	if strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, `msg="connection paused: the network refuses its sign-in. Correct the account, then run molar connections enable or replace" connection=Main connection_id=con_`) {
		t.Errorf("the log has %s", log)
	}
	if strings.Contains(log+two.logged(), "hunter2") {
		t.Error("the log has the password")
	}
	paused, err := two.Get(t.Context(), "main")
	if err != nil || paused.State() != network.Paused || paused.Pause.Reason != network.ReasonUnauthorized ||
		paused.Pause.Detail != "sign in: the network refuses the sign-in" || paused.Pause.At.Before(c.CreatedAt) {
		t.Errorf("the connection is %+v, %v", paused, err)
	}

	// The password is still wrong after the operator enables it.
	if _, err := two.Enable(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	porttest.Await(t, "the connection is used again", func() bool { n, err = one.open(scope); return err == nil })
	if _, _, err := n.Eligibility.Ask(t.Context(), network.Inquiry{}); err == nil {
		t.Error("the sign-in was not refused")
	}
	porttest.Await(t, "the connection is paused again", func() bool {
		c, err := two.Get(t.Context(), "main")
		return err == nil && c.State() == network.Paused
	})
	if log := one.logged(); strings.Count(log, "level=ERROR") != 1 {
		t.Errorf("the log has %s", log)
	}
}

// TestPauseOfAChangedConnection does not pause what the operator has changed since.
func TestPauseOfAChangedConnection(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	p := newProcess(t, store)
	c := p.must(t, request("Main", nil))
	p.Observe(t.Context(), c, network.CallAsk, network.ErrUnauthorized)
	if _, err := p.Enable(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	if err := p.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, err := p.Get(t.Context(), "main"); err != nil || c.State() != network.Enabled {
		t.Errorf("the connection is %+v, %v", c, err)
	}
	p.Observe(t.Context(), c, network.CallAsk, network.ErrUnauthorized)
	if err := errors.Join(p.Remove(t.Context(), "main", false), p.Follow(t.Context())); err != nil {
		t.Error("the pause of a removed connection:", err)
	}
}

// TestFailuresAreLoggedOnce logs an outage once, whatever it meets.
func TestFailuresAreLoggedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, pgtest.Open(t))
	c := p.must(t, request("Main", nil))
	p.logged()
	fail := func(err error) string {
		p.Observe(t.Context(), c, network.CallAsk, err)
		return p.logged()
	}
	timeout := &network.Error{Reason: network.ReasonTimeout, Err: errors.New("no reply within 20s")}
	if log := fail(timeout); !strings.Contains(log, `level=WARN msg="connection failed" connection=Main connection_id=`+c.ID.String()+` reason=timeout error="no reply within 20s"`) {
		t.Errorf("the log has %s", log)
	}
	if log := fail(fmt.Errorf("inquire: %w", timeout)) + fail(context.DeadlineExceeded); log != "" {
		t.Errorf("the log has more: %s", log)
	}
	if log := fail(&network.Error{Reason: network.ReasonTLS, Err: errors.New("expired")}); strings.Count(log, "\n") != 1 {
		t.Errorf("a new reason has the log %s", log)
	}
	if log := fail(nil); log != "" {
		t.Errorf("the end of a short outage has the log %s", log)
	}
	if log := fail(timeout); strings.Count(log, "\n") != 1 {
		t.Errorf("the next outage has the log %s", log)
	}
	if p.counts["Main timeout"] != 4 || p.counts["Main tls"] != 1 || len(p.counts) != 2 {
		t.Errorf("counted %v", p.counts)
	}
}

// TestSuccessOfAnotherCall does not end an outage: a clearinghouse that refuses our
// files may have files for us at each poll. An unknown outcome is logged by its sender.
func TestSuccessOfAnotherCall(t *testing.T) {
	t.Parallel()
	p := newProcess(t, pgtest.Open(t))
	c := p.must(t, request("Main", nil))
	p.logged()
	observe := func(call network.Call, err error) string {
		p.Observe(t.Context(), c, call, err)
		return p.logged()
	}
	full := &network.Error{Reason: network.ReasonFull, Err: errors.New("no space")}
	if log := observe(network.CallSend, full); strings.Count(log, "\n") != 1 {
		t.Errorf("the first failure has the log %s", log)
	}
	log := ""
	for range 3 {
		log += observe(network.CallReceive, nil) + observe(network.CallSend, full)
	}
	if log != "" {
		t.Errorf("the log has more: %s", log)
	}
	if log := observe(network.CallSend, nil) + observe(network.CallSend, network.ErrOutcomeUnknown); log != "" {
		t.Errorf("an unknown outcome has the log %s", log)
	}
	if log := observe(network.CallSend, full); strings.Count(log, "\n") != 1 {
		t.Errorf("the next outage has the log %s", log)
	}
	if p.counts["Main full"] != 5 || p.counts["Main unknown_outcome"] != 1 {
		t.Errorf("counted %v", p.counts)
	}
}

// TestOwn shows an organization its own connections, and little of the deployment's.
func TestOwn(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope, other := porttest.Organization(t, store, billing.ModeLive), porttest.Organization(t, store, billing.ModeLive)
	p := newProcess(t, store)
	for name, org := range map[string]billing.OrgID{"own": scope.Org, "theirs": other.Org, "deployment": {}} {
		p.must(t, request(name, func(r *intake.ConnectionRequest) {
			if !org.IsZero() {
				r.OrgID = new(org.String())
			}
		}))
	}
	all, next, err := p.Own(t.Context(), scope, billing.Page{Limit: 10})
	if err != nil || next != nil || len(all) != 2 {
		t.Fatalf("%v, %v, %v", all, next, err)
	}
	for _, c := range all {
		if !c.Secrets.IsZero() {
			t.Errorf("%s has secrets", c.Name)
		}
		if details := c.Settings.Own != nil; details != (c.Name == "own") {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	if all, next, err = p.Own(t.Context(), scope, billing.Page{Limit: 1}); err != nil || next == nil || len(all) != 1 {
		t.Errorf("%v, %v, %v", all, next, err)
	}
}

// TestDatabaseAway keeps the connections while they cannot be read.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeLive}
	p := newProcess(t, store)
	p.must(t, request("Main", nil))
	if err := p.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Follow(t.Context()); err == nil {
		t.Error("connections are read without a database")
	}
	if _, err := p.open(scope); err != nil {
		t.Error(err)
	}
}

func wantCode(t *testing.T, what string, err error, code billing.Code) {
	t.Helper()
	if billing.CodeOf(err) != code || err == nil {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func wantFault(t *testing.T, what string, err error, field string) {
	t.Helper()
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || len(e.Faults) != 1 || e.Faults[0].Field != field {
		t.Errorf("%s: %v, want a fault of %s", what, err, field)
	}
}
