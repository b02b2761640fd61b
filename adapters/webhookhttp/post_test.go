package webhookhttp

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/molar-billing/molar/core/billing/webhook"
)

func TestBrokenTLS(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	ok := replying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	old := a.config(t, receiverHost, nil)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	var self *authority
	for name, test := range map[string]struct {
		config *tls.Config
		answer func(net.Conn)
		err    failure
	}{
		"another host":                {a.config(t, "other.example.com", nil), ok, errWrongName},
		"a wildcard of another level": {a.config(t, "*.com", nil), ok, errWrongName},
		"no host":                     {a.config(t, receiverHost, func(c *x509.Certificate) { c.DNSNames = nil }), ok, errWrongName},
		"expired":                     {a.config(t, receiverHost, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), ok, errExpired},
		"not yet":                     {a.config(t, receiverHost, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }), ok, errExpired},
		"another authority":           {other.config(t, receiverHost, nil), ok, errUnknownCA},
		"self-signed":                 {self.config(t, receiverHost, nil), ok, errUnknownCA},
		"for clients": {a.config(t, receiverHost, func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}), ok, errInvalidCert},
		"TLS 1.1":    {old, ok, errHandshake},
		"plain HTTP": {nil, func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") }, errNotTLS},
		"closed":     {nil, func(net.Conn) {}, errHandshake},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := posting(t, a, serve(t, test.config, test.answer), Options{}).attempt(t.Context(), message())
			if got.Error != string(test.err) || got.Status != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("the system's authorities", func(t *testing.T) {
		t.Parallel()
		r := serve(t, a.config(t, receiverHost, nil), ok)
		c := newClient(t, Options{Resolve: map[string]netip.AddrPort{receiverHost: r.at(t)}})
		if got := c.attempt(t.Context(), message()); got.Error != errUnknownCA.Error() {
			t.Errorf("%+v", got)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	inside := serve(t, nil, func(net.Conn) {})
	for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
		for _, location := range []string{"http://" + inside.at(t).String() + "/", "//" + inside.at(t).String(), "/elsewhere"} {
			r := serve(t, a.config(t, receiverHost, nil), replying(
				"HTTP/1.1 "+strconv.Itoa(status)+" Elsewhere\r\nLocation: "+location+"\r\nRefresh: 0;url="+location+"\r\nContent-Length: 0\r\n\r\n"))
			got := posting(t, a, r, Options{}).attempt(t.Context(), message())
			if got.Status != status || got.Succeeded() || got.Error != "" || r.connections.Load() != 1 {
				t.Errorf("%d to %s: %+v", status, location, got)
			}
		}
	}
	if n := inside.connections.Load(); n != 0 {
		t.Errorf("%d connections to where receivers pointed", n)
	}
}

// TestRebinding has a name that is public when it is registered, and inside when
// it is posted to.
func TestRebinding(t *testing.T) {
	t.Parallel()
	inside := serve(t, nil, func(net.Conn) {})
	var log logged
	var asked atomic.Int32
	c := newClient(t, Options{Log: log.logger(), Resolver: resolverFunc(func(name string) ([]netip.Addr, error) {
		switch asked.Add(1) {
		case 1:
			return always(somePublic)(name)
		case 2:
			return always("127.0.0.1")(name)
		case 3:
			return always("::ffff:127.0.0.1")(name)
		default:
			return always(somePublic, "127.0.0.1")(name)
		}
	})})
	m := message()
	m.URL = "https://" + receiverHost + ":" + strconv.Itoa(int(inside.at(t).Port())) + "/"
	if err := c.Check(t.Context(), m.URL); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := c.attempt(t.Context(), m); got.Error != errNotAllowed.Error() || got.Status != 0 {
			t.Errorf("%+v", got)
		}
	}
	// Should a look-up of any kind give way, the dialler does not.
	if _, err := c.connect(t.Context(), &c.dialer, 1, inside.at(t)); err == nil {
		t.Error("connected")
	}
	if n := inside.connections.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "127.0.0.1") {
		t.Errorf("the log has %s", log.String())
	}
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	gone := serve(t, nil, func(net.Conn) {})
	at := gone.at(t)
	_ = gone.listener.Close()
	refused := newClient(t, Options{Resolve: map[string]netip.AddrPort{receiverHost: at}})
	nowhere := newClient(t, Options{Resolver: failing(&net.DNSError{Err: "no such host", Server: "10.0.0.53", IsNotFound: true})})
	slow := newClient(t, Options{Resolver: hanging{}, Timeouts: Timeouts{Attempt: time.Millisecond}})
	for c, want := range map[*Client]failure{refused: errNotConnected, nowhere: errNotResolved, slow: "no reply within 0.001 seconds"} {
		if got := c.attempt(t.Context(), message()); got.Error != string(want) || got.Status != 0 {
			t.Errorf("%+v instead of %s", got, want)
		}
	}
	m := message()
	m.URL = "http://" + receiverHost + "/"
	if got := refused.attempt(t.Context(), m); got.Error != "the URL may not be called: The URL must begin with https://." {
		t.Errorf("%+v", got)
	}
}

// TestEveryAddressIsTried has a host whose first addresses lead nowhere.
func TestEveryAddressIsTried(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	r := serve(t, a.config(t, receiverHost, nil), replying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	c := newClient(t, Options{
		RootCAs: a.pool, Resolver: always("127.0.0.2", "127.0.0.3", "127.0.0.1"),
		AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	m := message()
	m.URL = "https://" + receiverHost + ":" + strconv.Itoa(int(r.at(t).Port()))
	if got := c.attempt(t.Context(), m); got.Status != 200 {
		t.Errorf("%+v", got)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	secret := webhook.NewWebhookSecret()
	verifier, err := standardwebhooks.NewWebhook(string(secret))
	if err != nil {
		t.Fatal(err)
	}
	type seen struct {
		request *http.Request
		body    []byte
	}
	requests := make(chan seen, 1)
	r := serve(t, a.config(t, receiverHost, nil), func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for {
			request, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(request.Body)
			requests <- seen{request, body}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	c := posting(t, a, r, Options{Version: "1.2.3"})
	for _, body := range []string{`{"id":"evt_1","data":{"name":"Zoë"}}`, strings.Repeat("x", 1<<20), ""} {
		m := message()
		m.Body = []byte(body)
		signature, err := m.Signature(secret)
		if err != nil {
			t.Fatal(err)
		}
		current := func(context.Context) (webhook.Secret, error) { return secret, nil }
		if got, err := c.Post(t.Context(), m, current); err != nil || got.Status != 200 || !got.At.Equal(m.At) {
			t.Fatalf("%+v, %v", got, err)
		}
		got := <-requests
		if err := verifier.Verify(got.body, got.request.Header); err != nil {
			t.Error(err)
		}
		want := map[string]string{
			"Content-Type": "application/json", "User-Agent": "Molar-Webhooks/1.2.3", "Webhook-Id": m.ID,
			"Webhook-Timestamp": strconv.FormatInt(m.At.Unix(), 10), "Webhook-Signature": signature, "Content-Length": strconv.Itoa(len(body)),
		}
		for name := range got.request.Header {
			if got.request.Header.Get(name) != want[name] || len(got.request.Header[name]) != 1 {
				t.Errorf("%s: %q", name, got.request.Header[name])
			}
		}
		if len(got.request.Header) != len(want) {
			t.Errorf("%d header fields: %v", len(got.request.Header), got.request.Header)
		}
		if q := got.request; q.Method != http.MethodPost || q.Host != receiverHost || q.RequestURI != "/hook?x=y" || string(got.body) != body {
			t.Errorf("%s %s %s", q.Method, q.Host, q.RequestURI)
		}
	}
}

// TestConnections has connections that are used again, and one that the receiver
// closes at the moment of its next use.
func TestConnections(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	var requests atomic.Int32
	r := serve(t, a.config(t, receiverHost, nil), func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for readRequest(in) == nil {
			if requests.Add(1) == 3 {
				return // without a word
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"+strings.Repeat("x", 60000))
		}
	})
	c := posting(t, a, r, Options{})
	for range 4 {
		if got := c.attempt(t.Context(), message()); got.Status != 200 || len(got.Response) != webhook.MaxResponse {
			t.Errorf("%+v", got)
		}
	}
	if requests.Load() != 5 || r.connections.Load() != 2 {
		t.Errorf("%d requests on %d connections", requests.Load(), r.connections.Load())
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	at := time.Now()
	date := at.Add(90 * time.Minute).UTC().Truncate(time.Second)
	const long = 100 * 365 * 24 * time.Hour
	for header, right := range map[string]func(got webhook.Attempt) bool{
		"":                        func(got webhook.Attempt) bool { return got.RetryAfter == 0 },
		"120":                     func(got webhook.Attempt) bool { return got.RetryAfter == 2*time.Minute },
		"0":                       func(got webhook.Attempt) bool { return got.RetryAfter == 0 },
		"-5":                      func(got webhook.Attempt) bool { return got.RetryAfter == 0 },
		"1.5":                     func(got webhook.Attempt) bool { return got.RetryAfter == 0 },
		"soon":                    func(got webhook.Attempt) bool { return got.RetryAfter == 0 },
		"9223372036854775807":     func(got webhook.Attempt) bool { return got.RetryAfter > long },
		"99999999999999999999999": func(got webhook.Attempt) bool { return got.RetryAfter > long },
		date.Format(http.TimeFormat): func(got webhook.Attempt) bool {
			return got.At.Add(got.Duration + got.RetryAfter).Equal(date)
		},
		"Sun, 06 Nov 1994 08:49:37 GMT": func(got webhook.Attempt) bool { return got.RetryAfter == 0 },
		"Fri, 31 Dec 9999 23:59:59 GMT": func(got webhook.Attempt) bool { return got.RetryAfter > long },
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			field := ""
			if header != "" {
				field = "Retry-After: " + header + "\r\n"
			}
			for status, asks := range map[string]bool{"429 Slowly": true, "503 Later": true, "200 OK": false} {
				r := serve(t, config, replying("HTTP/1.1 "+status+"\r\n"+field+"Content-Length: 0\r\n\r\n"))
				m := message()
				m.At = at
				got := posting(t, a, r, Options{}).attempt(t.Context(), m)
				if strconv.Itoa(got.Status) != status[:3] || asks && !right(got) || !asks && got.RetryAfter != 0 {
					t.Errorf("%s: %+v", status, got)
				}
			}
		})
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("a", webhook.MaxResponse-1)
	for in, want := range map[string]string{
		"":                           "",
		"ok":                         "ok",
		"a\x00b":                     "ab",
		"\xff\xfe":                   "\uFFFD",
		"a\xffb":                     "a\uFFFDb",
		"\xed\xa0\x80":               "\uFFFD", // half of a surrogate pair
		full + "b":                   full + "b",
		full + "\xc3":                full, // the start of what was cut
		full[:1022] + "\xe2\x82":     full[:1022],
		full[:1021] + "\xe2\x82\xac": full[:1021] + "€",
		full + "\xff":                full + "", // replaced, it is longer than it may be
		"\xff" + full[:1022]:         "\uFFFD" + full[:1021],
	} {
		if got := bounded(in, webhook.MaxResponse); got != want || len(got) > webhook.MaxResponse || !utf8.ValidString(got) {
			t.Errorf("%q became %q", in, got)
		}
	}
}
