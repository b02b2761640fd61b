package webhooks_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/webhookhttp"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

// receiver is an https server that verifies posts as a customer does. The path
// of a URL names the endpoint.
type receiver struct {
	t      *testing.T
	client *webhookhttp.Client // posts to the receiver

	mu      sync.Mutex
	hello   func() // runs when a handshake begins; nil for nothing
	secrets map[string]webhook.Secret
	answers map[string]http.HandlerFunc // 200 at once when missing
	got     map[string]map[string]int   // path -> event -> how often
}

const receiverHost = "hooks.example.com"

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, secrets: map[string]webhook.Secret{}, answers: map[string]http.HandlerFunc{}, got: map[string]map[string]int{}}
	server := httptest.NewUnstartedServer(r)
	server.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			r.mu.Lock()
			hello := r.hello
			r.mu.Unlock()
			if hello != nil {
				hello()
			}
			return nil, nil // the server's own
		},
	}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	at, err := netip.ParseAddrPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	o := webhookhttp.Options{
		Version: "test", Log: slog.New(slog.DiscardHandler), RootCAs: x509.NewCertPool(), Resolve: map[string]netip.AddrPort{receiverHost: at},
		Timeouts: webhookhttp.Timeouts{Attempt: time.Hour}, // the test releases a hanging receiver
	}
	o.RootCAs.AddCert(server.Certificate())
	if r.client, err = webhookhttp.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.client.Close)
	return r
}

// greets runs the function at every handshake from now on.
func (r *receiver) greets(hello func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hello = hello
}

// knows registers an endpoint at the receiver, and its response to posts.
func (r *receiver) knows(e *webhook.Endpoint, answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := strings.TrimPrefix(e.URL, "https://"+receiverHost)
	r.secrets[path], r.answers[path], r.got[path] = e.Secret, answer, map[string]int{}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	path, id := req.URL.Path, req.Header.Get("Webhook-Id")
	unix, _ := strconv.ParseInt(req.Header.Get("Webhook-Timestamp"), 10, 64)
	r.mu.Lock()
	secret, answer := r.secrets[path], r.answers[path]
	r.got[path][id]++
	r.mu.Unlock()
	if want, err := secret.Sign(id, time.Unix(unix, 0), body); err != nil || want != req.Header.Get("Webhook-Signature") {
		r.t.Errorf("%s: the signature of %s does not verify: %v", path, id, err)
	}
	if answer != nil {
		answer(w, req)
	}
}

// times returns how often each event reached the endpoint.
func (r *receiver) times(e *webhook.Endpoint) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[strings.TrimPrefix(e.URL, "https://"+receiverHost)]
}

// webhookWorker runs a process as wire assembles it: a relay, and the worker
// that passes calls to its dispatcher. Staged is the relay's.
func (b *fixture) webhookWorker(sender ports.WebhookSender) (staged func([]jobs.Job)) {
	queue, quiet := b.broker.Open(), slog.New(slog.DiscardHandler)
	relay := outboxrelay.New(queue, quiet)
	d := webhooks.NewDispatcher(b.store, queue, sender, b.clock, b.pace, quiet, func(webhook.Attempt) {})
	ctx, cancel := context.WithCancel(b.t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = relay.Run(ctx, b.store) })
	all.Go(func() { _ = d.Run(ctx) })
	all.Go(func() { _ = workers.Webhooks(ctx, queue, d) })
	b.t.Cleanup(func() { cancel(); all.Wait() })
	return relay.Staged
}

// TestManyEndpoints delivers to two hundred endpoints at once from three
// processes; some hang and some fail. The healthy ones get everything once.
func TestManyEndpoints(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.pace = webhooks.Pace{InFlight: 4, Lease: time.Minute, Linger: 100 * time.Millisecond}
	r := newReceiver(t)
	release := make(chan struct{})
	hangs := func(_ http.ResponseWriter, req *http.Request) {
		select {
		case <-release:
		case <-req.Context().Done():
		}
	}
	fails := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	const scopes, events = 20, 8
	var in []billing.Scope
	var well, hung, ill []*webhook.Endpoint
	for range scopes {
		scope := porttest.Organization(b.t, b.store, billing.ModeTest)
		in = append(in, scope)
		for n := range webhook.MaxEndpoints {
			e := b.endpointOf(scope)
			switch n {
			case 0:
				r.knows(e, hangs)
				hung = append(hung, e)
			case 1:
				r.knows(e, fails)
				ill = append(ill, e)
			default:
				r.knows(e, nil)
				well = append(well, e)
			}
		}
	}
	relays := []func([]jobs.Job){b.webhookWorker(r.client), b.webhookWorker(r.client), b.webhookWorker(r.client)}
	var turn sync.Mutex
	n := 0
	b.call(func(j jobs.Job) {
		turn.Lock()
		defer turn.Unlock()
		n++
		relays[n%len(relays)]([]jobs.Job{j})
	})
	var all sync.WaitGroup
	for _, scope := range in {
		all.Go(func() {
			for range events {
				b.happensIn(scope)
			}
		})
	}
	all.Wait()
	porttest.Await(b.t, "all is delivered where all is well", func() bool { return b.counted(well, webhook.DeliveryDelivered) == len(well)*events })
	if n := b.counted(hung, webhook.DeliveryPending); n != len(hung)*events {
		t.Errorf("%d wait for those that hang", n)
	}
	close(release)
	porttest.Await(b.t, "all is delivered where it hung", func() bool { return b.counted(hung, webhook.DeliveryDelivered) == len(hung)*events })
	for _, e := range append(well, hung...) {
		if times := r.times(e); len(times) != events {
			t.Errorf("%d events came, want %d", len(times), events)
		} else if once := fmt.Sprint(times); strings.Contains(once, ":2") {
			t.Errorf("events came as often as %s", once)
		}
	}
	if n := b.counted(ill, webhook.DeliveryPending); n != len(ill)*events {
		t.Errorf("%d wait for those that fail", n)
	}
}

// counted returns how many deliveries of the endpoints are in the state.
func (b *fixture) counted(of []*webhook.Endpoint, state webhook.DeliveryState) (n int) {
	b.t.Helper()
	for _, e := range of {
		if n += b.states(e)[state]; state == webhook.DeliveryDelivered && n == 0 {
			return 0
		}
	}
	return n
}

// TestReceiversThatFail posts to receivers of several kinds: their responses
// are recorded.
func TestReceiversThatFail(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	r := newReceiver(t)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   webhook.Attempt
		wait   time.Duration // until the next attempt, at least; zero for none
	}{
		"takes it": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, webhook.Attempt{Status: 202}, 0},
		"is busy": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			http.Error(w, "busy", http.StatusTooManyRequests)
		}, webhook.Attempt{Status: 429, Response: "busy\n"}, time.Hour},
		"redirects": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://"+receiverHost+"/elsewhere")
			w.WriteHeader(http.StatusPermanentRedirect)
		}, webhook.Attempt{Status: 308}, 4500 * time.Millisecond},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, webhook.Attempt{Error: "the connection was closed"}, 4500 * time.Millisecond},
	} {
		e := b.endpoint()
		r.knows(e, test.answer)
		b.backlog(1)
		p := b.processOn(b.store, r.client, b.clock, &fault{}, make(chan struct{}))
		p.worked(e)
		p.stop()
		got := b.deliveries(e)[0]
		if len(got.Attempts) != 1 {
			t.Fatalf("%s: %d attempts", name, len(got.Attempts))
		}
		a := got.Attempts[0]
		if a.Status != test.want.Status || a.Error != test.want.Error || a.Response != test.want.Response || a.Duration <= 0 {
			t.Errorf("%s: %+v, want %+v", name, a, test.want)
		}
		if wait := got.NextAttemptAt.Sub(a.At.Add(a.Duration)); test.wait == 0 && !got.NextAttemptAt.IsZero() || test.wait > 0 && wait < test.wait-time.Millisecond {
			t.Errorf("%s: the next attempt comes after %v", name, wait)
		}
		b.removed(e)
	}
}
