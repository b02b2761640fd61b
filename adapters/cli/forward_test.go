package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

func TestParseTarget(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"http://localhost:3000/hooks", "http://127.0.0.1", "http://127.8.9.1:1/x?y=z", "https://[::1]:8443/", "http://api.localhost:3000", "http://[::ffff:127.0.0.1]:3000/",
	} {
		if u, err := parseTarget(good); err != nil || u.String() != good {
			t.Errorf("%s: %v, %v", good, u, err)
		}
	}
	for bad, want := range map[string]string{
		"http://example.com/hooks": "on this machine", "http://10.0.0.1:3000": "on this machine", "http://0.0.0.0:3000": "on this machine",
		"http://169.254.169.254/": "on this machine", "http://localhost.example.com": "on this machine", "http://[::ffff:10.0.0.1]/": "on this machine",
		"localhost:3000/hooks": "http://localhost:3000", "ftp://localhost/": "want a URL", "http://": "want a URL", "3000": "want a URL", "": "want a URL", "http://localhost:bad/": "want a URL",
	} {
		_, err := parseTarget(bad)
		check(t, err, []string{"--forward-to", want})
	}
}

func TestOnlyLoopback(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "127.255.0.1:1": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:80": false, "0.0.0.0:80": false, "[::]:80": false, "93.184.216.34:443": false, "[fe80::1%lo]:80": false, "x": false,
	} {
		if err := onlyLoopback("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// received is a request as the receiver got it.
type received struct {
	header http.Header
	body   []byte
}

func TestPost(t *testing.T) {
	t.Parallel()
	got := make(chan received, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- received{r.Header, b}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(srv.Close)
	target, err := url.Parse(srv.URL + "/hooks")
	if err != nil {
		t.Fatal(err)
	}
	secret := webhook.NewWebhookSecret()
	f := newForwarder(target, secret, "1.2.3")

	now := time.Now()
	want := event.Event{
		ID: billing.NewID[billing.EventID](billing.RealAt(now)), Type: event.ClaimPaid, Sequence: 3, CreatedAt: now,
		Data: []byte(`{"id":"clm_1","name":"<Åsa & Sons> \u003c1.50\u2028"}`),
	}
	var page eventPage // as the API gives it, with white space around it
	if err := json.Unmarshal([]byte(`{"data":[ `+string(want.JSON())+"\n],\"next_cursor\":null}"), &page); err != nil {
		t.Fatal(err)
	}
	e := page.Data[0]
	if o := f.post(t.Context(), e); o.err != nil || o.status != http.StatusTemporaryRedirect || o.taken() || o.absent() {
		t.Errorf("outcome %+v: a redirect is an answer, and is not followed", o)
	}
	r := <-got
	if !bytes.Equal(r.body, want.JSON()) {
		t.Errorf("posted\n%s\nand a webhook endpoint gets\n%s", r.body, want.JSON())
	}
	d := webhookRequest{r.header.Get("webhook-id"), r.header.Get("webhook-timestamp"), r.header.Get("webhook-signature"), r.body}
	if err := d.verify(secret, time.Now(), time.Minute); err != nil || d.id != want.ID.String() {
		t.Errorf("%s: %v", d.id, err)
	}
	if ct, ua := r.header.Get("Content-Type"), r.header.Get("User-Agent"); ct != "application/json" || ua != "Molar-Webhooks/1.2.3" {
		t.Errorf("content type %q, user agent %q", ct, ua)
	}
}

func TestAbsentReceiver(t *testing.T) {
	t.Parallel()
	for status, absent := range map[int]bool{200: false, 404: false, 500: false, 502: true, 503: true, 504: true} {
		if (outcome{status: status}).absent() != absent {
			t.Errorf("%d: absent is %t", status, !absent)
		}
	}
	srv := httptest.NewServer(http.NotFoundHandler())
	target, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	srv.Close()
	f := newForwarder(target, webhook.NewWebhookSecret(), "1.2.3")
	if o := f.post(t.Context(), happened(t, 1)[0]); !o.absent() || o.String() != "connection refused" {
		t.Errorf("outcome %+v", o)
	}
	f.url.Host = netip.MustParseAddrPort("192.0.2.1:9").String() // an address of documentation: nothing goes there
	if o := f.post(t.Context(), happened(t, 1)[0]); !strings.Contains(o.String(), errNotLoopback.Error()) {
		t.Errorf("outcome %+v", o)
	}
}

// TestPostCutOff is a receiver that dies with the event in its hands: it has
// been met, so that this counts as an answer.
func TestPostCutOff(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(srv.Close)
	target, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := newForwarder(target, webhook.NewWebhookSecret(), "1.2.3").post(t.Context(), happened(t, 1)[0])
	if o.absent() || o.taken() || o.String() != "connection closed without a reply" {
		t.Errorf("outcome %+v", o)
	}
}
