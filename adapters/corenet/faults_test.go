package corenet_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports/porttest"
)

// respondRaw makes the server write the bytes of its connection itself. Write gets the
// usual reply.
func respondRaw(t *testing.T, write func(w io.Writer, usual reply)) func(*server) {
	t.Helper()
	return func(s *server) {
		usual := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			in, err := readRequest(r)
			if err != nil {
				t.Error(err)
				return
			}
			s.mu.Lock()
			s.requests = append(s.requests, in)
			s.mu.Unlock()
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			x12, err := sandboxnet.NewEligibility(&porttest.Clock{}).Inquire(r.Context(), in.x12)
			if err != nil {
				t.Error(err)
			}
			write(conn, in.respond(string(x12), "Success"))
		})
		s.Config.Handler = usual
	}
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// TestTransport has replies that are strange as HTTP.
func TestTransport(t *testing.T) {
	t.Parallel()
	const either = network.ReasonOther // protocol or interrupted: the peer's haste decides
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"
	for name, c := range map[string]struct {
		instead func(in *received, x12 string) reply
		raw     func(w io.Writer, usual reply)
		reason  network.Reason
		says    string
	}{
		"gzip": {instead: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			r.body, r.header = gzipped(r.body), map[string]string{"Content-Encoding": "gzip"}
			return r
		}},
		"gzip that is none": {instead: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			r.header = map[string]string{"Content-Encoding": "gzip"}
			return r
		}, reason: network.ReasonProtocol, says: "gzip"},
		"gzip with damage": {instead: func(in *received, x12 string) reply {
			r := in.respond(x12, "Success")
			damaged := []byte(gzipped(r.body))
			damaged[10] |= 0x06 // after the header: a block of a type that does not exist
			r.body, r.header = string(damaged), map[string]string{"Content-Encoding": "gzip"}
			return r
		}, reason: network.ReasonProtocol, says: "gzip"},
		"gzip that expands": {instead: func(*received, string) reply {
			return reply{body: gzipped(strings.Repeat(" ", 64<<20)), header: map[string]string{"Content-Encoding": "gzip"}}
		}, reason: network.ReasonProtocol, says: "more than"},
		"gzip that breaks off": {instead: func(in *received, x12 string) reply {
			body := gzipped(in.respond(x12, "Success").body)
			return reply{body: body[:len(body)/2], header: map[string]string{"Content-Encoding": "gzip"}}
		}, reason: network.ReasonInterrupted},
		"another compression": {instead: func(*received, string) reply {
			return reply{body: "x", header: map[string]string{"Content-Encoding": "br"}}
		}, reason: network.ReasonProtocol, says: "compressed"},
		"a huge body": {instead: func(*received, string) reply {
			return reply{contentType: "text/xml", body: "<Payload>" + strings.Repeat("A", 9<<20)}
		}, reason: network.ReasonProtocol, says: "more than"},
		"chunks": {raw: func(w io.Writer, r reply) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: "+r.contentType+"\r\nTransfer-Encoding: chunked\r\n\r\n")
			for i := range len(r.body) {
				_, _ = fmt.Fprintf(w, "1\r\n%s\r\n", r.body[i:i+1])
			}
			_, _ = io.WriteString(w, "0\r\n\r\n")
		}},
		"a body that breaks off": {raw: func(w io.Writer, r reply) {
			_, _ = io.WriteString(w, head+"Content-Length: 100000\r\n\r\n"+r.body)
		}, reason: network.ReasonInterrupted, says: "ended"},
		"a chunk that breaks off": {raw: func(w io.Writer, r reply) {
			_, _ = io.WriteString(w, head+"Transfer-Encoding: chunked\r\n\r\nffff\r\n"+r.body)
		}, reason: network.ReasonInterrupted, says: "ended"},
		"a chunk of no length": {raw: func(w io.Writer, _ reply) {
			_, _ = io.WriteString(w, head+"Transfer-Encoding: chunked\r\n\r\nQuillfeather\r\n")
		}, reason: network.ReasonProtocol},
		"nothing at all":                {raw: func(io.Writer, reply) {}, reason: network.ReasonInterrupted, says: "ended"},
		"a header that breaks off":      {raw: func(w io.Writer, _ reply) { _, _ = io.WriteString(w, head) }, reason: network.ReasonInterrupted},
		"another protocol":              {raw: func(w io.Writer, _ reply) { _, _ = io.WriteString(w, "220 Quillfeather\r\n") }, reason: network.ReasonProtocol},
		"another protocol in few bytes": {raw: func(w io.Writer, _ reply) { _, _ = io.WriteString(w, "hi") }, reason: either},
		"a header that is none": {raw: func(w io.Writer, _ reply) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\ntls: Quillfeather, Ottoline\r\n\r\n")
		}, reason: network.ReasonProtocol},
		"a header without end": {raw: func(w io.Writer, _ reply) {
			_, _ = io.WriteString(w, head)
			for range 3000 {
				if _, err := io.WriteString(w, "X-Name: "+strings.Repeat("Quillfeather", 9)+"\r\n"); err != nil {
					return
				}
			}
		}, reason: either},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := func(s *server) { s.instead = c.instead }
			if c.raw != nil {
				change = respondRaw(t, c.raw)
			}
			s := newServer(t, change)
			e := s.client(corenet.SOAP220)
			reason, err := inquire(t, e)
			switch {
			case c.reason == either:
				if reason != network.ReasonProtocol && reason != network.ReasonInterrupted {
					t.Errorf("%q, %v", reason, err)
				}
			case reason != c.reason || err != nil && !strings.Contains(err.Error(), c.says):
				t.Errorf("%q, %v, want %q that says %q", reason, err, c.reason, c.says)
			}
			if n := len(s.seen()); n != 1 {
				t.Errorf("the network was asked %d times", n)
			}
		})
	}
}

// TestRedirects follows none: the next server would get patient data and a password.
func TestRedirects(t *testing.T) {
	t.Parallel()
	other := newServer(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := newServer(t, func(s *server) {
			s.instead = func(*received, string) reply {
				return reply{status: status, header: map[string]string{"Location": other.URL}}
			}
		})
		reason, err := inquire(t, s.client(corenet.SOAP220, func(c *corenet.Config) { c.CA = append(s.ca(), other.ca()...) }))
		if reason != network.ReasonRefused || !strings.Contains(err.Error(), "redirect") || len(other.seen()) > 0 {
			t.Errorf("%d: %s, %v", status, reason, err)
		}
	}
}

// TestNobodyThere dials a port without a server, and names without an address.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	for _, url := range []string{"https://" + l.Addr().String(), "https://no.such.name.invalid/core"} {
		reason, err := inquire(t, s.client(corenet.SOAP220, func(c *corenet.Config) { c.URL = url }))
		if reason != network.ReasonUnreachable || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %s, %v", url, reason, err)
		}
	}
}

// TestPlainHTTP has a server without TLS.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	plain := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })}
	ended := make(chan error, 1)
	go func() { ended <- plain.Serve(l) }()
	defer func() { _ = plain.Close(); <-ended }()
	reason, err := inquire(t, s.client(corenet.SOAP220, func(c *corenet.Config) { c.URL = "https://" + l.Addr().String() }))
	if reason != network.ReasonTLS || !strings.Contains(err.Error(), "does not speak TLS") || asked.Load() > 0 {
		t.Errorf("%s, %v", reason, err)
	}
}

// TestPeersThatHang waits for no peer longer than the timeouts.
func TestPeersThatHang(t *testing.T) {
	t.Parallel()
	t.Run("in the handshake", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		reason, err := inquire(t, s.client(corenet.SOAP220, func(c *corenet.Config) {
			c.URL, c.Timeouts.Connect = "https://"+l.Addr().String(), time.Second
		}))
		if reason != network.ReasonTLS || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, %v", reason, err)
		}
	})
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	const total = 5 * time.Second
	for name, c := range map[string]struct {
		raw      func(w io.Writer, usual reply)
		timeouts corenet.Timeouts
	}{
		"before the header": {func(io.Writer, reply) { <-hang }, corenet.Timeouts{FirstByte: time.Second}},
		"amid the header": {func(w io.Writer, _ reply) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-")
			<-hang
		}, corenet.Timeouts{FirstByte: time.Second}},
		"amid the body": {func(w io.Writer, r reply) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"+r.body)
			<-hang
		}, corenet.Timeouts{Total: total}},
		"with endless continues": {func(w io.Writer, _ reply) {
			for {
				if _, err := io.WriteString(w, "HTTP/1.1 102 Processing\r\n\r\n"); err != nil {
					return
				}
				select {
				case <-hang:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		}, corenet.Timeouts{Total: total}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, respondRaw(t, c.raw))
			t.Cleanup(s.CloseClientConnections)
			reason, err := inquire(t, s.client(corenet.SOAP220, func(config *corenet.Config) { config.Timeouts = c.timeouts }))
			if reason != network.ReasonTimeout || !errors.Is(err, context.DeadlineExceeded) || !regexp.MustCompile(`^corenet: no reply after \d+(m\d+)?s$`).MatchString(err.Error()) {
				t.Errorf("%s, %v, want a silent payer", reason, err)
			}
		})
	}
}

// TestCallerGivesUp ends the wait with the caller's context.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	e := s.client(corenet.SOAP220)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := ask(ctx, t, e, "-SLOW-900")
		ended <- err
	}()
	for len(s.seen()) == 0 {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || network.ReasonOf(err) != network.ReasonOther {
		t.Errorf("%v", err)
	}
}
