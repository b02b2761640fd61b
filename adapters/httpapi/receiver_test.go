package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/adapters/webhookhttp"
)

// receiver is a server of a caller's, which webhooks are posted to. Each path is
// an endpoint of its own, responds with 204 unless a test sets another status, and remembers what
// it was sent.
type receiver struct {
	addr netip.AddrPort
	cert *x509.Certificate

	mu       sync.Mutex
	received map[string][]received
	statuses map[string]int
	arrived  chan struct{} // closed and made anew when something arrives
}

// received is one post as it arrived.
type received struct {
	header http.Header
	body   string
	query  string
}

// hooks is the host of a receiver; gone is one whose server does not listen.
const (
	hooks = "hooks.example.com"
	gone  = "gone.example.com"
)

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{received: map[string][]received{}, statuses: map[string]int{}, arrived: make(chan struct{})}
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.Close)
	r.addr, r.cert = netip.MustParseAddrPort(server.Listener.Addr().String()), server.Certificate()
	return r
}

// ServeHTTP takes a webhook.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	b, err := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && q.Method == http.MethodPost {
		r.received[q.URL.Path] = append(r.received[q.URL.Path], received{q.Header, string(b), q.URL.RawQuery})
		close(r.arrived)
		r.arrived = make(chan struct{})
	}
	status := r.statuses[q.URL.Path]
	if status == 0 {
		status = http.StatusNoContent
	}
	if w.WriteHeader(status); status != http.StatusNoContent {
		_, _ = io.WriteString(w, "status "+strconv.Itoa(status)+" of "+q.URL.Path)
	}
}

// answers sets the status that a path answers from now on.
func (r *receiver) answers(path string, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses[path] = status
}

// at gives what has arrived at a path.
func (r *receiver) at(path string) []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.received[path]...)
}

// wait waits until n posts have arrived at a path, and gives them.
func (r *receiver) wait(t *testing.T, path string, n int) []received {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		r.mu.Lock()
		got, more := append([]received(nil), r.received[path]...), r.arrived
		r.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-more:
		case <-ctx.Done():
			t.Fatalf("%d posts at %s, want %d", len(got), path, n)
		}
	}
}

// verifies checks a post's signature as the Standard Webhooks specification
// says, with nothing of ours.
func (p received) verifies(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return false
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(p.header.Get("Webhook-Id") + "." + p.header.Get("Webhook-Timestamp") + "." + p.body))
	return p.header.Get("Webhook-Signature") == "v1,"+base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// sender posts to the receiver by name, and knows a few names more.
func (r *receiver) sender(t *testing.T, log *slog.Logger) *webhookhttp.Client {
	t.Helper()
	closed := rawtest.Listen(t)
	refuses := netip.MustParseAddrPort(closed.Addr().String())
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(r.cert)
	c, err := webhookhttp.New(webhookhttp.Options{
		Version: "test", Log: log, RootCAs: roots, Resolver: names{},
		Resolve: map[string]netip.AddrPort{hooks: r.addr, gone: refuses},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// names is the DNS of the tests.
type names struct{}

// LookupNetIP knows one name inside, one outside and one whose server fails.
func (names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch strings.TrimSuffix(host, ".") {
	case "public.example.com":
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	case "inside.example.com":
		return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
	case "unanswered.example.com":
		return nil, &net.DNSError{Err: "server misbehaving", Name: host, Server: "10.0.0.53", IsTemporary: true}
	}
	return nil, &net.DNSError{Err: errors.ErrUnsupported.Error(), Name: host, IsNotFound: true}
}
