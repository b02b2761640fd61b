package corenet_test

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
)

func TestEligibilityContract(t *testing.T) {
	t.Parallel()
	for _, envelope := range envelopes() {
		t.Run(string(envelope), func(t *testing.T) {
			t.Parallel()
			networktest.RunEligibility(t, func(t *testing.T) networktest.EligibilityFixture {
				t.Helper()
				return networktest.EligibilityFixture{
					Network: edi.New().Over(newServer(t).client(envelope).Inquire), Inquiry: quill(""),
					Answered: "-ACTIVE-FULL", Rejected: "-NOT-FOUND", Failing: "-NETWORK-ERROR", Garbled: "-GARBLED", Slow: "-SLOW-900",
				}
			})
			networktest.RunInquire(t, func(t *testing.T) (ports.Inquire, []byte) {
				t.Helper()
				return newServer(t).client(envelope).Inquire, request(t, quill(""))
			})
		})
	}
}

// TestEveryAttemptHasItsPayloadID sends the same bytes twice.
func TestEveryAttemptHasItsPayloadID(t *testing.T) {
	t.Parallel()
	for _, envelope := range envelopes() {
		s := newServer(t)
		e, q := s.client(envelope), quill("")
		for range 2 {
			if _, err := e.Inquire(t.Context(), request(t, q)); err != nil {
				t.Fatal(err)
			}
		}
		sent := s.seen()
		if len(sent) != 2 || sent[0].fields["PayloadID"] == sent[1].fields["PayloadID"] {
			t.Errorf("%s: %d requests, and their PayloadIDs are the same", envelope, len(sent))
		}
		if sent[0].envelope != envelope || string(sent[0].x12) != string(request(t, q)) {
			t.Errorf("%s: the payload changed on its way", envelope)
		}
	}
}

// TestPayloadsWithMarkup sends what could end a CDATA section.
func TestPayloadsWithMarkup(t *testing.T) {
	t.Parallel()
	for _, envelope := range envelopes() {
		s := newServer(t)
		b := []byte(strings.NewReplacer("*", "]", "~", ">").Replace(strings.ReplaceAll(string(request(t, quill(""))), ":", "&")))
		if _, err := s.client(envelope).Inquire(t.Context(), b); err != nil {
			t.Errorf("%s: %v", envelope, err)
		}
		if got := s.seen(); len(got) != 1 || string(got[0].x12) != string(b) {
			t.Errorf("%s: the payload changed on its way", envelope)
		}
	}
}

// TestHeaders has servers that want other headers (D11).
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	e := s.client(corenet.SOAP220, func(c *corenet.Config) {
		c.TextXML, c.ActionHeader = true, corenet.ActionHeaderSOAP
	})
	if _, err := inquire(t, e); err != nil {
		t.Fatal(err)
	}
	h := s.seen()[0].header
	if h.Get("SOAPAction") != "RealTimeTransaction" || h.Get("Content-Type") != "text/xml; charset=UTF-8" || h.Get("Accept-Encoding") != "identity" {
		t.Errorf("headers %v", h)
	}
}

func TestConfigsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t, "molar", time.Now().Add(time.Hour))
	_, otherKey := certificate(t, "molar", time.Now().Add(time.Hour))
	for name, c := range map[string]struct {
		change func(*corenet.Config)
		names  string
	}{
		"http":                 {func(c *corenet.Config) { c.URL = "http://net.example.com/core" }, "url"},
		"no host":              {func(c *corenet.Config) { c.URL = "https:///core" }, "url"},
		"no URL":               {func(c *corenet.Config) { c.URL = "" }, "url"},
		"not a URL":            {func(c *corenet.Config) { c.URL = "https://a:p<ss@b c/" }, "url"},
		"a password in it":     {func(c *corenet.Config) { c.URL = "https://a:p<ss@net.example.com/" }, "url"},
		"a fragment":           {func(c *corenet.Config) { c.URL = "https://net.example.com/#x" }, "url"},
		"no envelope":          {func(c *corenet.Config) { c.Envelope = "" }, "envelope"},
		"another envelope":     {func(c *corenet.Config) { c.Envelope = "rest" }, "envelope"},
		"no sender":            {func(c *corenet.Config) { c.SenderID = "" }, "sender_id"},
		"no receiver":          {func(c *corenet.Config) { c.ReceiverID = "" }, "receiver_id"},
		"no user":              {func(c *corenet.Config) { c.User = "" }, "user"},
		"no password":          {func(c *corenet.Config) { c.Password = nil }, "password_file"},
		"a line break":         {func(c *corenet.Config) { c.Password = []byte("p<ss\n") }, "password_file"},
		"bytes that no text":   {func(c *corenet.Config) { c.User = "a\xff" }, "user"},
		"a bad header":         {func(c *corenet.Config) { c.ActionHeader = "a b" }, "soap_action_header"},
		"a bad type":           {func(c *corenet.Config) { c.PayloadType = "a\nb" }, "payload_type"},
		"no authority":         {func(c *corenet.Config) { c.CA = []byte("words") }, "ca_file"},
		"no key":               {func(c *corenet.Config) { c.Cert = cert }, "cert_file"},
		"another key":          {func(c *corenet.Config) { c.Cert, c.CertKey = cert, otherKey }, "cert_file"},
		"words as certificate": {func(c *corenet.Config) { c.Cert, c.CertKey = []byte("p<ss"), key }, "cert_file"},
		"phase 4 by password":  {func(c *corenet.Config) { c.Envelope = corenet.SOAPPhase4 }, "cert_file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := corenet.Config{
				URL: "https://net.example.com/core", Envelope: corenet.SOAP220, SenderID: "A", ReceiverID: "B", User: "u", Password: []byte("p"),
			}
			c.change(&config)
			_, err := corenet.New(config)
			if err == nil || !strings.Contains(err.Error(), c.names) {
				t.Fatalf("%v, want an error about %s", err, c.names)
			}
			anonymous(t, err)
		})
	}
}

// TestTLS has servers that cannot be trusted, and one that wants a certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	serverCert := func(name string, until time.Time) (tls.Certificate, []byte) {
		cert, key := certificate(t, name, until)
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return pair, cert
	}
	valid, validCA := serverCert("net", time.Now().Add(time.Hour))
	expired, expiredCA := serverCert("net", time.Now().Add(-time.Hour))
	for name, c := range map[string]struct {
		server func(*server)
		client func(*corenet.Config)
		reason network.Reason
		says   string
	}{
		"a private authority": {func(s *server) { s.TLS.Certificates = []tls.Certificate{valid} }, func(c *corenet.Config) { c.CA = validCA }, "", ""},
		"another authority":   {func(*server) {}, func(c *corenet.Config) { c.CA = validCA }, network.ReasonTLS, "certificate"},
		"the system's":        {func(*server) {}, func(c *corenet.Config) { c.CA = nil }, network.ReasonTLS, "certificate"},
		"an expired certificate": {
			func(s *server) { s.TLS.Certificates = []tls.Certificate{expired} },
			func(c *corenet.Config) { c.CA = expiredCA }, network.ReasonTLS, "expired",
		},
		"another name": {
			func(*server) {}, func(c *corenet.Config) { c.URL = strings.Replace(c.URL, "127.0.0.1", "localhost", 1) }, network.ReasonTLS, "localhost",
		},
		"TLS 1.1": {func(s *server) {
			s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		}, func(*corenet.Config) {}, network.ReasonTLS, "version"},
		"TLS 1.2": {func(s *server) { s.TLS.MaxVersion = tls.VersionTLS12 }, func(*corenet.Config) {}, "", ""},
		"no client certificate": {
			func(s *server) { s.TLS.ClientAuth = tls.RequireAnyClientCert }, func(*corenet.Config) {}, network.ReasonTLS, "certificate",
		},
		"no client certificate in TLS 1.2": {func(s *server) {
			s.TLS.ClientAuth, s.TLS.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
		}, func(*corenet.Config) {}, network.ReasonTLS, "handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, c.server)
			reason, err := inquire(t, s.client(corenet.SOAP220, c.client))
			if reason != c.reason || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v, want %q that says %q", reason, err, c.reason, c.says)
			}
			if c.reason != "" && len(s.seen()) > 0 {
				t.Error("the server has the request")
			}
		})
	}
}

// TestPrivateAddresses refuses to dial the loopback.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, url := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
		reason, err := inquire(t, s.client(corenet.SOAP220, func(c *corenet.Config) { c.URL, c.AllowPrivate = url, false }))
		if reason != network.ReasonUnreachable || !strings.Contains(err.Error(), "allow_private") || len(s.seen()) > 0 {
			t.Errorf("%s: %s, %v", url, reason, err)
		}
	}
}
