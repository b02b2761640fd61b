package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// parrot is a transport that no release has: eligibility as JSON over HTTP. Its document
// has two fields of its own and one option.
type parrot struct {
	settings struct{ Site string }
	secrets  struct{ Token string }
	loud     bool
}

// parrotKind is the kind of connections to it.
func parrotKind() ports.ConnectionKind {
	return ports.ConnectionKind{Kind: network.Kind{
		Name: "parrot", Carries: []network.Transaction{network.Eligibility},
		Document: func(c *network.Connection) network.Document { return new(parrot).document(c) },
	}, Open: func(c *network.Connection) (*ports.Network, error) {
		p := &parrot{}
		if err := c.Load(p.document(c)); err != nil {
			return nil, err
		}
		return &ports.Network{Eligibility: p, Peer: p}, nil
	}}
}

func (p *parrot) document(*network.Connection) network.Document {
	site := network.TextField(&p.settings.Site, "site", "where the parrot lives", func(f *billing.Faults) { network.JudgeRequired(f, "site", p.settings.Site) })
	site.Address = true
	return network.Document{
		Settings: &p.settings, Secrets: &p.secrets,
		Fields:  []network.Field{site, network.PasswordField(&p.secrets.Token, "token_file", "the word that it knows")},
		Options: []network.Option{network.Choice(&p.loud, "voice", "How it speaks.", network.Named(false, "low"), network.Named(true, "loud"))},
	}
}

func (p *parrot) say(ctx context.Context, request []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.settings.Site+fmt.Sprintf("?loud=%t", p.loud), bytes.NewReader(request))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", p.secrets.Token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Body.Close() }()
	if a.StatusCode == http.StatusUnauthorized {
		return nil, network.ErrUnauthorized
	}
	return io.ReadAll(a.Body)
}

func (p *parrot) Ask(ctx context.Context, q network.Inquiry) (response coverage.CheckResponse, sent []coverage.Exchange, err error) {
	request, err := json.Marshal(map[string]string{"member": q.Inquiry.Subscriber.MemberID, "payer": q.Payer.PayerID})
	if err != nil {
		return response, nil, err
	}
	reply, err := p.say(ctx, request)
	sent = []coverage.Exchange{{MediaType: "application/json", Request: request, Reply: reply}}
	var said struct {
		Plan string `json:"plan"`
	}
	if err == nil && json.Unmarshal(reply, &said) == nil {
		response = coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: &coverage.Benefits{Plan: coverage.Plan{Name: said.Plan}}}
	}
	return response, sent, err
}

func (p *parrot) Probe(ctx context.Context, _ bool) []network.ProbeStep {
	_, err := p.say(ctx, []byte("{}"))
	return []network.ProbeStep{{Name: "it speaks", Err: err}}
}

func (*parrot) Close() error { return nil }

// TestInventedTransport adds, tests, shows, asks and pauses a connection of a kind that only
// this file and one line of the settings know, by the command and by the API.
func TestInventedTransport(t *testing.T) {
	t.Parallel()
	token := "hunter2"
	var accepted atomic.Pointer[string]
	accepted.Store(&token)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != *accepted.Load() || r.URL.RawQuery != "loud=true" || !json.Valid(body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"plan": "Parrot PPO"}`)
	}))
	t.Cleanup(site.Close)
	database := testservers.Database(t)
	if err := pgstore.Migrate(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	begin(t, database, 1)
	settings, err := LoadSettings(func(name string) string {
		return map[string]string{
			"MOLAR_DATABASE_URL": database, "MOLAR_QUEUE_URL": "mem:", "MOLAR_BLOB_URL": "file:" + t.TempDir(),
			"MOLAR_SECRET_KEY": secret(1), "MOLAR_LISTEN": "127.0.0.1:0", "MOLAR_OPS_LISTEN": "127.0.0.1:0",
		}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	settings.kinds = []ports.ConnectionKind{parrotKind()} // the one line
	settings.RateRequests, settings.RateChecks = 0, 0     // the test asks again at once until a connection follows

	var log bytes.Buffer
	g, ready, ended := newGraph(settings, slog.New(slog.NewJSONHandler(&log, nil))), make(chan Addresses, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		ended <- g.run(ctx, []Role{RoleAPI, RolePayerWorker}, g.open, func(a Addresses) error { ready <- a; return nil })
	}()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, g.close(context.WithoutCancel(ctx))); err != nil {
			t.Error(err)
		}
		if strings.Contains(log.String(), token) {
			t.Error("the log has the token")
		}
	})
	addrs := <-ready

	molar := func(args ...string) (string, error) {
		opens := func(ctx context.Context) (*connections.Service, func() error, error) {
			return openedOn(ctx, newGraph(settings, slog.New(slog.DiscardHandler)), (*graph).administeredConnections)
		}
		c := cli.New(cli.Backend{Connections: opens, Networks: opens, Kinds: described(g.kinds())})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(append([]string{"connections"}, args...))
		err := c.ExecuteContext(t.Context())
		if strings.Contains(out.String(), token) || err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%v prints the token", args)
		}
		return out.String(), err
	}
	says := func(want string, args ...string) {
		t.Helper()
		if out, err := molar(args...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%v prints %s, %v, want %s", args, out, err, want)
		}
	}
	scope := porttest.Organization(t, g.store, billing.ModeLive)
	office := porttest.Office(t, g.store, scope)
	dir := t.TempDir()
	document := func(extra string) string {
		path := filepath.Join(dir, "parrot.json")
		doc := `{"name": "Polly", "mode": "live", "kind": "parrot", "carries": ["eligibility"], "usage": "P", "org_id": "` + scope.Org.String() + `", ` + extra + `}`
		if err := errors.Join(os.WriteFile(path, []byte(doc), 0o600), os.WriteFile(filepath.Join(dir, "token"), []byte(token+"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for doc, field := range map[string]string{
		`"token_file": "token"`: "site", `"site": "x", "addr": "x:1"`: "addr", `"site": "x", "options": {"upload": "direct"}`: "options.upload", `"site": "x", "token": "hunter2"`: "token",
	} {
		_, err := molar("add", document(doc))
		if e, is := errors.AsType[*billing.Error](err); !is || len(e.Faults) != 1 || e.Faults[0].Field != field {
			t.Errorf("%s: %v", doc, err)
		}
	}
	says("Polly added: parrot, live mode, eligibility", "add", document(`"site": "`+site.URL+`", "token_file": "token", "options": {"voice": "loud"}`))
	says("it speaks  ok", "test", "Polly")
	says(`"receiver_id"`, "add", "--help")
	says("where the parrot lives", "add", "--help")
	says("  voice (default \"low\")", "add", "--help")
	says(`"site":"`+site.URL+`","allow_private":false`, "show", "Polly", "--json")
	says("site          "+site.URL, "show", "Polly")
	says(`{"voice":"loud"}`, "show", "Polly")

	var key, invitation string
	if _, err := g.access.CreateKey(t.Context(), idempotency.Administration(scope, "test", func(i access.Issued) string { key = i.Secret; return "" }),
		intake.KeyRequest{Name: "test", Mode: "live", Permissions: []string{"read", "submit"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.access.InviteUser(t.Context(), idempotency.Administration(scope, "test", func(i access.Invited) string { invitation = i.Token; return "" }),
		"owner@example.com", "", caller.RoleOwner); err != nil {
		t.Fatal(err)
	}
	call := func(method, path, body string, header map[string]string) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+addrs.API+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Body.Close() }()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(text), a.Header
	}
	checks := 0
	check := func() (int, string) {
		t.Helper()
		checks++
		status, text, _ := call(http.MethodPost, "/eligibility", `{"office_id": "`+office.ID.String()+`", "payer_id": "CHTEST",
			"subscriber": {"first_name": "Ada", "last_name": "Byron", "date_of_birth": "1985-12-10", "member_id": "W1"}}`,
			map[string]string{"Authorization": "Bearer " + key, "Idempotency-Key": fmt.Sprint("check-", checks), "Cache-Control": "no-cache"})
		return status, text
	}
	var text string
	porttest.Await(t, "the connection is used", func() bool {
		var status int
		if status, text = check(); status >= 300 && status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests {
			t.Fatalf("a check is refused: %d %s", status, text)
		}
		return status < 300
	})
	var answered struct {
		ID      string `json:"id"`
		Outcome string `json:"outcome"`
	}
	if err := json.Unmarshal([]byte(text), &answered); err != nil || !strings.Contains(text, "Parrot PPO") {
		t.Errorf("the check is %s", text)
	}
	if _, text, _ := call(http.MethodGet, "/eligibility/"+answered.ID+"/exchange", "", map[string]string{"Authorization": "Bearer " + key}); !strings.Contains(text, `{\"member\":\"W1\"`) {
		t.Errorf("the exchange is %s", text)
	}
	browser := map[string]string{"Sec-Fetch-Site": "same-origin", "Molar-Mode": "live"}
	_, _, entered := call(http.MethodPost, "/sessions", `{"token": "`+invitation+`"}`, browser)
	browser["Cookie"] = regexp.MustCompile(`[^;]+`).FindString(entered.Get("Set-Cookie"))
	shown := func(want string) bool {
		_, text, _ := call(http.MethodGet, "/connections", "", browser)
		return strings.Contains(text, `"kind":"parrot"`) && strings.Contains(text, `"address":"`+site.URL+`"`) && strings.Contains(text, want) && !strings.Contains(text, token)
	}
	if !shown(`"options":{"voice":"loud"}`) {
		t.Error("an owner does not see the connection")
	}

	rotated := "rotated"
	accepted.Store(&rotated) // the account refuses the old one
	if status, text := check(); status < 500 {
		t.Errorf("a refused sign-in: %d %s", status, text)
	}
	porttest.Await(t, "the connection is paused", func() bool { return shown(`"state":"paused"`) })
	says("paused", "list")
	token = rotated
	says("Polly replaced", "replace", document(`"site": "`+site.URL+`", "token_file": "token", "options": {"voice": "loud"}`))
	porttest.Await(t, "the new token is used", func() bool { status, _ := check(); return status < 300 })
}

// TestKindsInTheContract compares the kinds of the release with those that the contract
// documents.
func TestKindsInTheContract(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile("../../../adapters/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, schema, _ := strings.Cut(string(contract), "\n    Connection:\n")
	line := regexp.MustCompile(`\n        kind: (.*)\n`).FindStringSubmatch(schema)
	if line == nil {
		t.Fatal("the contract has no kind of connections")
	}
	var documented []string
	for _, word := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(line[1], -1) {
		documented = append(documented, word[1])
	}
	var kinds []string
	for _, k := range newGraph(Settings{}, slog.New(slog.DiscardHandler)).kinds() {
		kinds = append(kinds, k.Name)
	}
	if strings.Join(documented, " ") != strings.Join(kinds, " ") {
		t.Errorf("the contract documents %v, the kinds are %v", documented, kinds)
	}
}
