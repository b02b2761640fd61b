package routing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// account is a peer with one adapter, whose calls end as the test says.
type account struct {
	ports.Clearinghouse
	ports.Eligibility

	result func(ctx context.Context) error
	closed atomic.Int32
}

func (*account) Probe(context.Context, bool) []network.ProbeStep { return nil }

func (a *account) Close() error {
	a.closed.Add(1)
	return errors.New("it was cut off")
}

func (a *account) Ask(ctx context.Context, _ network.Inquiry) (coverage.CheckResponse, []coverage.Exchange, error) {
	return coverage.CheckResponse{Outcome: coverage.OutcomeAnswered}, []coverage.Exchange{{Reply: []byte("271")}}, a.result(ctx)
}

func (a *account) Receive(ctx context.Context, _ int) ([]clearing.IncomingFile, error) {
	return []clearing.IncomingFile{{Name: "1"}}, a.result(ctx)
}

func (a *account) Remove(ctx context.Context, _ string) error { return a.result(ctx) }

func (a *account) Send(ctx context.Context, _ clearing.OutgoingFile, _ func(context.Context, string) error) error {
	return a.result(ctx)
}

// folder is the inbox of an account.
type folder struct{ *account }

func (f folder) List(ctx context.Context) ([]clearing.RemoteFile, error) {
	return []clearing.RemoteFile{{Name: "1"}}, f.result(ctx)
}

func (f folder) Read(ctx context.Context, _ clearing.RemoteFile, take func([]byte) error) error {
	return errors.Join(take([]byte("ISA")), f.result(ctx))
}

func (f folder) Remove(ctx context.Context, _ clearing.RemoteFile, _ [32]byte) error {
	return f.result(ctx)
}

// fixture is a connector whose accounts the test holds, by the name of the connection.
type fixture struct {
	*routing.Connector
	networks *routing.Networks

	mu       sync.Mutex
	opened   map[string][]*account
	observed []string
	result   func(ctx context.Context) error
	log      bytes.Buffer
}

func newFixture(t *testing.T, builtin ...*ports.Network) *fixture {
	t.Helper()
	f := &fixture{networks: routing.New(builtin...), opened: map[string][]*account{}, result: func(context.Context) error { return nil }}
	open := func(c *network.Connection) (*ports.Network, error) {
		if !c.Settings.AllowPrivate {
			return nil, errors.New("the key cannot be read")
		}
		a := &account{result: f.result}
		f.mu.Lock()
		f.opened[c.Name] = append(f.opened[c.Name], a)
		f.mu.Unlock()
		n := &ports.Network{Peer: a}
		if c.Carried(network.Eligibility) {
			n.Eligibility = a
		}
		if c.Carried(network.Claims) {
			n.Claims, n.Replies, n.Inbox = a, a, folder{a}
		}
		return n, nil
	}
	f.Connector = routing.NewConnector(f.networks, []ports.ConnectionKind{{Kind: network.Kind{Name: "sftp"}, Open: open}},
		func(_ context.Context, c *network.Connection, _ network.Call, err error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.observed = append(f.observed, fmt.Sprintf("%s: %v", c.Name, err))
		}, slog.New(slog.NewTextHandler(&f.log, nil)))
	t.Cleanup(f.Close)
	return f
}

func (f *fixture) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.observed = nil }()
	return strings.Join(f.observed, "\n")
}

func connection(name string, change func(c *network.Connection)) *network.Connection {
	c := &network.Connection{
		ID: billing.NewID[billing.ConnectionID](billing.RealAt(time.Now())), Name: name, Kind: "sftp", Mode: billing.ModeLive,
		Carries: []network.Transaction{network.Eligibility, network.Claims}, Enabled: true, Revision: 1,
		Settings: network.Settings{
			AllowPrivate: true,
			Envelope:     network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: name}, Usage: "P"},
			Options:      network.Options{PollInterval: time.Minute},
		},
	}
	if change != nil {
		change(c)
	}
	return c
}

// TestRoutes chooses among several connections and the sandbox.
func TestRoutes(t *testing.T) {
	t.Parallel()
	mine, other := billing.OrgID{1}, billing.OrgID{2}
	aetna, delta := billing.PayerID{1}, billing.PayerID{2}
	only := func(p billing.PayerID) []network.Payer {
		return []network.Payer{{Payer: p, NetworkID: "N7", Transactions: []network.Transaction{network.Claims}}}
	}
	f := newFixture(t, &ports.Network{Name: "sandbox", Route: network.Route{Mode: billing.ModeTest}, Claims: files{}, Attachments: images{}})
	f.Replace([]*network.Connection{
		connection("every payer", nil),
		connection("only delta", func(c *network.Connection) { c.Settings.Payers = only(delta) }),
		connection("own", func(c *network.Connection) { c.Org = mine; c.Settings.Payers = only(delta) }),
		connection("test", func(c *network.Connection) { c.Mode = billing.ModeTest; c.Org = mine }),
		connection("off", func(c *network.Connection) { c.Enabled = false; c.Org = other }),
	})
	for _, c := range []struct {
		org   billing.OrgID
		mode  billing.Mode
		payer billing.PayerID
		want  string // the sender
	}{
		{mine, billing.ModeLive, delta, "own"},
		{mine, billing.ModeLive, aetna, "every payer"},
		{other, billing.ModeLive, delta, "only delta"},
		{other, billing.ModeLive, aetna, "every payer"},
		{mine, billing.ModeTest, aetna, "test"},
		{other, billing.ModeTest, aetna, ""},
	} {
		n, err := f.networks.For(billing.Scope{Org: c.org, Mode: c.mode}, c.payer, network.Claims)
		if err != nil || n.Envelope.Sender.ID != c.want {
			t.Errorf("%v %s: %+v, %v, want %q", c.org[0], c.mode, n, err, c.want)
		}
	}
	n, err := f.networks.For(billing.Scope{Org: mine, Mode: billing.ModeLive}, delta, network.Claims)
	if err != nil || n.Poll != time.Minute || n.Options.PollInterval != time.Minute || n.Envelope.Usage != "P" || !strings.HasPrefix(n.Name, "con_") ||
		n.Route.PayerID(directory.PayerSummary{ID: delta, PayerID: "CDUT1"}, network.Claims) != "N7" {
		t.Errorf("the network is %+v, %v", n, err)
	}
	if all := f.networks.Clearinghouses(); len(all) != 5 {
		t.Errorf("%d clearinghouses", len(all))
	}
	f.Replace(nil)
	if _, err := f.networks.For(billing.Scope{Org: mine, Mode: billing.ModeLive}, delta, network.Claims); billing.CodeOf(err) != billing.CodeUnavailable {
		t.Errorf("without a connection: %v", err)
	}
	if all := f.networks.Clearinghouses(); len(all) != 1 {
		t.Errorf("%d clearinghouses", len(all))
	}
}

// TestReplaceKeepsWhatDidNotChange opens a connection again only when it changed.
func TestReplaceKeepsWhatDidNotChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	kept, changed, gone := connection("kept", nil), connection("changed", nil), connection("gone", nil)
	f.Replace([]*network.Connection{kept, changed, gone})
	again := *changed
	again.Revision++
	f.Replace([]*network.Connection{kept, &again})
	f.Close()
	for name, want := range map[string]int{"kept": 1, "changed": 2, "gone": 1} {
		all := f.opened[name]
		if len(all) != want {
			t.Errorf("%s was opened %d times, want %d", name, len(all), want)
		}
		for _, a := range all {
			if n := a.closed.Load(); n != 1 {
				t.Errorf("%s was closed %d times", name, n)
			}
		}
	}
}

// TestClosedAfterItsCalls closes a connection while a call is under way.
func TestClosedAfterItsCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	under, finish := make(chan bool), make(chan bool)
	f.result = func(context.Context) error {
		close(under)
		<-finish
		return nil
	}
	f.Replace([]*network.Connection{connection("slow", nil)})
	n := f.networks.Clearinghouses()[0]
	ended := make(chan error)
	go func() { ended <- n.Replies.Remove(t.Context(), "1") }()
	<-under
	f.Replace(nil)
	if f.opened["slow"][0].closed.Load() != 0 {
		t.Error("the connection was closed during a call")
	}
	close(finish)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	porttest.Await(t, "the connection is closed", func() bool { return f.opened["slow"][0].closed.Load() == 1 })
	if err := n.Replies.Remove(t.Context(), "1"); err == nil {
		t.Error("a closed connection was called")
	}
	// Nothing was sent, and another connection may be open by now.
	if _, _, err := n.Eligibility.Ask(t.Context(), network.Inquiry{}); !errors.As(err, new(*billing.LaterError)) {
		t.Errorf("an inquiry through a closed connection: %v", err)
	}
}

// TestPausedStaysTheRoute does not let another account stand in for a paused one, or
// for one that cannot be opened.
func TestPausedStaysTheRoute(t *testing.T) {
	t.Parallel()
	mine := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeLive}
	for name, change := range map[string]func(c *network.Connection){
		"paused": func(c *network.Connection) { c.Pause.At = time.Now() },
		"broken": func(c *network.Connection) { c.Settings.AllowPrivate = false },
		"later":  func(c *network.Connection) { c.Kind = "core" },
	} {
		f := newFixture(t)
		f.Replace([]*network.Connection{connection("deployment", nil), connection(name, func(c *network.Connection) { c.Org = mine.Org; change(c) })})
		_, err := f.networks.For(mine, billing.PayerID{1}, network.Eligibility)
		if billing.CodeOf(err) != billing.CodeEligibilityUnavailable || !strings.Contains(err.Error(), "paused") {
			t.Errorf("%s: %v", name, err)
		}
		if n, err := f.networks.For(billing.Scope{Org: billing.OrgID{2}, Mode: billing.ModeLive}, billing.PayerID{1}, network.Claims); err != nil || n.Envelope.Sender.ID != "deployment" {
			t.Errorf("%s: another organization has %+v, %v", name, n, err)
		}
		if err := f.networks.Available(mine, network.Eligibility); err != nil {
			t.Errorf("%s: some payers are reached through the deployment's, but %v", name, err)
		}
		if logged := strings.Contains(f.log.String(), "connection not opened"); logged != (name != "paused") {
			t.Errorf("%s: the log has %s", name, f.log.String())
		}
	}
}

// TestCallsAreObserved reports what an operator needs to know, and no more.
func TestCallsAreObserved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var result error
	f.result = func(context.Context) error { return result }
	f.Replace([]*network.Connection{connection("main", nil)})
	mine := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeLive}
	n, err := f.networks.For(mine, billing.PayerID{1}, network.Claims)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		result error
		want   string
	}{
		{nil, "main: <nil>\nmain: <nil>\nmain: <nil>\nmain: <nil>"},
		{errors.New("down"), "main: down\nmain: down\nmain: down\nmain: down"},
		{&billing.LaterError{Until: time.Unix(1, 0)}, ""},
		{&network.UntriedError{Err: errors.New("no attempt for 2s")}, ""},
	} {
		result = c.result
		reply, sent, err := n.Eligibility.Ask(ctx, network.Inquiry{})
		if later := errors.As(c.result, new(*billing.LaterError)); network.Observed(err) != (c.result != nil && !later) {
			t.Errorf("%v is observed: %t", err, network.Observed(err))
		}
		if !errors.Is(err, c.result) || reply.Outcome != coverage.OutcomeAnswered || len(sent) != 1 {
			t.Errorf("ask: %v, %d exchanges, %v", reply.Outcome, len(sent), err)
		}
		received, err := n.Replies.Receive(ctx, 1)
		if !errors.Is(err, c.result) || len(received) != 1 {
			t.Errorf("receive: %v, %v", received, err)
		}
		if err := errors.Join(n.Claims.Send(ctx, clearing.OutgoingFile{}, nil), n.Replies.Remove(ctx, "1")); !errors.Is(err, c.result) {
			t.Error(err)
		}
		if got := f.seen(); got != c.want {
			t.Errorf("observed %q, want %q", got, c.want)
		}
	}
	cancel()
	result = context.Canceled
	if err := n.Replies.Remove(ctx, "1"); !errors.Is(err, context.Canceled) || f.seen() != "" {
		t.Errorf("the service stops: %v", err)
	}

	// One refused sign-in is enough.
	result = fmt.Errorf("sign in: %w", network.ErrUnauthorized)
	for range 3 {
		if err := n.Replies.Remove(t.Context(), "1"); err == nil {
			t.Error("the sign-in was not refused")
		}
	}
	if got := f.seen(); got != "main: sign in: the network refuses the sign-in" {
		t.Errorf("observed %q", got)
	}
	if err := f.networks.Available(mine, network.Claims); billing.CodeOf(err) != billing.CodeUnavailable || len(f.networks.Clearinghouses()) != 0 {
		t.Errorf("after a refused sign-in: %v", err)
	}
}

// TestFilesAreObserved reports a file that cannot be read as no failure of its connection.
func TestFilesAreObserved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var result error
	f.result = func(context.Context) error { return result }
	f.Replace([]*network.Connection{connection("main", nil)})
	in := f.networks.Clearinghouses()[0].Inbox
	for _, c := range []struct {
		result   error
		observed string
	}{
		{nil, "<nil>"},
		{errors.New("down"), "down"},
		{clearing.ErrFileGone, "<nil>"},
		{clearing.ErrFileChanged, "<nil>"},
		{&clearing.FileError{Err: errors.New("it has 9 GB")}, "<nil>"},
	} {
		result = c.result
		var got string
		for call, err := range map[string]error{
			"read": in.Read(t.Context(), clearing.RemoteFile{}, func(part []byte) error { got = string(part); return nil }), "remove": in.Remove(t.Context(), clearing.RemoteFile{}, [32]byte{}),
		} {
			if !errors.Is(err, c.result) || clearing.OfFile(err) != clearing.OfFile(c.result) || got != "ISA" {
				t.Errorf("%s of %q: %v, want %v", call, got, err, c.result)
			}
		}
		if got, want := f.seen(), "main: "+c.observed+"\nmain: "+c.observed; got != want {
			t.Errorf("observed %q, want %q", got, want)
		}
	}
	result = errors.New("down")
	if files, err := in.List(t.Context()); len(files) != 1 || !errors.Is(err, result) || f.seen() != "main: down" {
		t.Errorf("list: %v, %v", files, err)
	}
}

// TestCallsWhileAConnectionCloses fail at once. They do not wait for the calls that
// are under way, which may take minutes.
func TestCallsWhileAConnectionCloses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	began, end := make(chan struct{}, 2000), make(chan struct{})
	t.Cleanup(func() { close(end) })
	f.result = func(context.Context) error {
		began <- struct{}{}
		<-end
		return nil
	}
	f.Replace([]*network.Connection{connection("main", nil)})
	n := f.networks.Clearinghouses()[0]
	ended := make(chan error, 1)
	go func() { ended <- n.Replies.Remove(t.Context(), "1") }()
	<-began
	f.Replace(nil)
	for range 1000 { // before and after the connection begins to wait
		if err := n.Replies.Remove(t.Context(), "2"); err == nil || network.Observed(err) {
			t.Fatal("a call through a closed connection: ", err)
		}
		runtime.Gosched()
	}
	end <- struct{}{}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
