package e2e_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// receiverHost is the host that webhooks are registered for. molar dev resolves
// it to the receiver of the test.
const receiverHost = "example.com"

// webhookReceiver receives webhooks over https, as a customer would: it
// verifies each.
type webhookReceiver struct {
	tb   testing.TB
	addr string
	ca   string // file

	mu      sync.Mutex
	secrets map[string]webhook.Secret       // path -> secret
	answer  map[string]func() int           // path -> its response; 200 at once when missing
	got     map[string]map[string][]arrival // path -> event ID -> each time it came
}

type arrival struct {
	at      time.Time
	created time.Time
}

func startWebhookReceiver(tb testing.TB) *webhookReceiver {
	tb.Helper()
	r := &webhookReceiver{
		tb: tb, secrets: map[string]webhook.Secret{}, answer: map[string]func() int{}, got: map[string]map[string][]arrival{},
	}
	r.addr, r.ca = serveTLS(tb, r)
	return r
}

// serveTLS serves the host example.com, and returns the address and the file
// with the certificate.
func serveTLS(tb testing.TB, handler http.Handler) (addr, ca string) {
	tb.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of those that are killed
	server.StartTLS()
	tb.Cleanup(server.Close)
	ca = filepath.Join(tb.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		tb.Fatal(err)
	}
	return server.Listener.Addr().String(), ca
}

// flags let molar dev reach the receiver.
func (r *webhookReceiver) flags() []string {
	return []string{"--webhook-resolve", receiverHost + "=" + r.addr, "--webhook-ca", r.ca}
}

func (r *webhookReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender died
	}
	path := req.URL.Path
	r.mu.Lock()
	secret, answer := r.secrets[path], r.answer[path]
	r.mu.Unlock()
	id, stamp := req.Header.Get("webhook-id"), req.Header.Get("webhook-timestamp")
	unix, _ := strconv.ParseInt(stamp, 10, 64)
	if want, err := secret.Sign(id, time.Unix(unix, 0), body); err != nil || want != req.Header.Get("webhook-signature") {
		r.tb.Errorf("%s: the signature of %s does not verify: %v", path, id, err)
	}
	var event struct {
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.ID != id {
		r.tb.Errorf("%s: body %q is not of event %s: %v", path, body, id, err)
	}
	if answer != nil {
		if code := answer(); code != http.StatusOK {
			w.WriteHeader(code)
			return
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.got[path] == nil {
		r.got[path] = map[string][]arrival{}
	}
	r.got[path][id] = append(r.got[path][id], arrival{now, event.CreatedAt})
}

// distinct returns the number of events that reached the path.
func (r *webhookReceiver) distinct(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got[path])
}

// register creates an endpoint with the path at the API.
func (r *webhookReceiver) register(base, key, path string) (id string) {
	r.tb.Helper()
	a, err := post(r.tb.Context(), http.DefaultClient, base+"/webhook_endpoints", key, unique("register"), "application/json",
		fmt.Appendf(nil, `{"url":"https://%s%s"}`, receiverHost, path))
	if err != nil || a.status != http.StatusOK {
		r.tb.Fatalf("register %s: %v %v", path, a, err)
	}
	secret, _ := a.body["secret"].(string)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path] = webhook.Secret(secret)
	return idOf(a)
}

func unique(prefix string) string { return prefix + "-" + strconv.FormatInt(serial.Add(1), 10) }

// developers is one or more processes of molar dev on the same PostgreSQL and
// RabbitMQ: the one command that may post to a receiver on this machine.
type developers struct {
	*system
	receiver *webhookReceiver
	procs    []*process
	ready    []ready
}

func startDevelopers(s *system, r *webhookReceiver, n int) *developers {
	tb := s.tb
	tb.Helper()
	d := &developers{system: s, receiver: r}
	for range n {
		flags := append([]string{"dev", "--json", "--addr", freeAddr(tb), "--data", tb.TempDir()}, r.flags()...)
		p := newProcess(tb, "molar", append(s.env, "MOLAR_OPS_LISTEN="+freeAddr(tb)), flags...)
		d.procs = append(d.procs, p)
		d.ready = append(d.ready, readReady(tb, p))
	}
	s.urls = []string{d.ready[0].BaseURL}
	return d
}

// make creates n events, cache hits except the first, over some connections.
func (s *system) make(n, connections int, pace time.Duration) {
	s.tb.Helper()
	var all sync.WaitGroup
	work := make(chan int)
	for range connections {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
			defer client.CloseIdleConnections()
			for range work {
				a, err := check(s.tb.Context(), client, s.urls[0], s.key, unique("event"), checkBody(s.office, "-ACTIVE-FULL", 0))
				if err != nil || a.status != http.StatusOK {
					s.tb.Errorf("check: %v %v", a.status, err)
				}
			}
		})
	}
	tick := time.NewTicker(max(pace, time.Nanosecond))
	defer tick.Stop()
	for i := range n {
		if pace > 0 {
			<-tick.C
		}
		work <- i
	}
	close(work)
	all.Wait()
}

// percentile returns one of the times from the commit of an event to its
// arrival on the path /steady.
func (r *webhookReceiver) percentile(p float64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []time.Duration
	for _, times := range r.got["/steady"] {
		all = append(all, times[0].at.Sub(times[0].created))
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(p*float64(len(all))))]
}

// forget restarts the count of a path.
func (r *webhookReceiver) forget(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.got, path)
}
