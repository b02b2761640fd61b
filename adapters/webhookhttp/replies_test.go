package webhookhttp

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// TestReplies has what receivers may say, byte by byte, and what comes of it.
func TestReplies(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	big := "HTTP/1.1 200 OK\r\nX-Big: " + strings.Repeat("a", 20<<10) + "\r\nContent-Length: 0\r\n\r\n"
	closing := func(reply string) func(net.Conn) {
		return func(conn net.Conn) {
			if readRequest(bufio.NewReader(conn)) == nil {
				_, _ = io.WriteString(conn, reply)
			}
		}
	}
	for name, test := range map[string]struct {
		answer   func(net.Conn)
		status   int
		response string
		err      failure
	}{
		"200":                     {replying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 200, "ok", ""},
		"204":                     {replying("HTTP/1.1 204 No Content\r\n\r\n"), 204, "", ""},
		"299":                     {replying("HTTP/1.1 299 Whatever\r\nContent-Length: 0\r\n\r\n"), 299, "", ""},
		"chunked":                 {replying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), 200, "abc", ""},
		"HTTP/1.0":                {closing("HTTP/1.0 200 OK\r\n\r\nold"), 200, "old", ""},
		"400":                     {replying("HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nno!"), 400, "no!", ""},
		"410":                     {replying("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), 410, "", ""},
		"500":                     {replying("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"), 500, "", ""},
		"999":                     {replying("HTTP/1.1 999 Oh\r\nContent-Length: 0\r\n\r\n"), 999, "", ""},
		"early hints":             {replying("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"), 201, "", ""},
		"continue":                {replying("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 200, "", ""},
		"gzip, unasked":           {replying("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok"), 200, "ok", ""},
		"not UTF-8":               {replying("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\na\xff\x00\xfeb"), 200, "a\uFFFD\uFFFDb", ""},
		"a header of 15 KiB":      {replying("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 15<<10) + "\r\nContent-Length: 0\r\n\r\n"), 200, "", ""},
		"a header of 20 KiB":      {closing(big), 0, "", errUnreadable},
		"no status":               {closing("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n"), 0, "", errUnreadable},
		"a status of letters":     {closing("HTTP/1.1 abc\r\n\r\n"), 0, "", errUnreadable},
		"not HTTP":                {closing("220 mail.example.com ESMTP\r\n"), 0, "", errUnreadable},
		"HTTP/2":                  {closing("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 0, "", errUnreadable},
		"two lengths":             {closing("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), 0, "", errUnreadable},
		"closed at once":          {func(net.Conn) {}, 0, "", errClosed},
		"closed before the reply": {closing(""), 0, "", errClosed},
		"closed in the header":    {closing("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"), 0, "", errClosed},
		"closed in a header line": {closing("HTTP/1.1 200 OK\r\nContent-Le"), 0, "", errUnreadable},
		"closed in the body":      {closing("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), 200, "half", ""},
		"closed in a chunk":       {closing("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf"), 503, "half", ""},
		"a chunk of no length":    {closing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf"), 200, "", ""},
		"reset":                   {reset, 0, "", errClosed},
		"switching protocols":     {switching, 101, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := posting(t, a, serve(t, config, test.answer), Options{}).attempt(t.Context(), message())
			if got.Status != test.status || got.Response != test.response || got.Error != string(test.err) {
				t.Errorf("%+v", got)
			}
			if got.Succeeded() != (test.status >= 200 && test.status < 300) || got.Duration <= 0 {
				t.Errorf("succeeded: %t, after %s", got.Succeeded(), got.Duration)
			}
		})
	}
}

// TestReplyHeaders keeps some headers of a reply, in bounded size, and no
// cookies.
func TestReplyHeaders(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	long := strings.Repeat("v", 300)
	reply := "HTTP/1.1 302 Found\r\nLocation: https://other.example/hook?x=1\r\nSet-Cookie: secret=1\r\nset-cookie2: secret=2\r\n" +
		"A-Two: 1\r\nA-Two: 2\r\nA-" + long + ": " + long + "\r\nA-Odd: \xff\r\nContent-Length: 0\r\n"
	for n := range 30 {
		reply += fmt.Sprintf("X-%02d: %d\r\n", n, n)
	}
	m := message()
	got := posting(t, a, serve(t, config, replying(reply+"\r\n")), Options{}).attempt(t.Context(), m)
	want := []webhook.ReplyHeader{
		{Name: "A-Odd", Value: "\uFFFD"},
		{Name: "A-Two", Value: "1, 2"},
		{Name: "A-V" + long[:253], Value: long[:256]},
		{Name: "Content-Length", Value: "0"},
		{Name: "Location", Value: "https://other.example/hook?x=1"},
	}
	for n := range webhook.MaxReplyHeaders - len(want) {
		want = append(want, webhook.ReplyHeader{Name: fmt.Sprintf("X-%02d", n), Value: strconv.Itoa(n)})
	}
	if !slices.Equal(got.Headers, want) {
		t.Errorf("headers %v\nwant %v", got.Headers, want)
	}
	if got.Location != "https://other.example/hook?x=1" || !got.SignedAt.Equal(m.At.Truncate(time.Second)) {
		t.Errorf("redirects to %q, signed at %s", got.Location, got.SignedAt)
	}
	refused := posting(t, a, serve(t, config, func(net.Conn) {}), Options{}).attempt(t.Context(), m)
	if refused.Headers != nil || refused.Location != "" {
		t.Errorf("without a reply: %+v", refused)
	}
}

// reset ends a connection as a process does that dies with unread bytes.
func reset(conn net.Conn) {
	if readRequest(bufio.NewReader(conn)) != nil {
		return
	}
	if tcp, ok := conn.(*tls.Conn).NetConn().(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
		_ = tcp.Close()
	}
}

// switching asks for another protocol and says no more.
func switching(conn net.Conn) {
	in := bufio.NewReader(conn)
	if readRequest(in) == nil {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
		_, _ = in.ReadByte() // until it is closed
	}
}

// endless writes the same bytes for ever, and counts them.
func endless(head, again string, written *atomic.Int64) func(net.Conn) {
	return func(conn net.Conn) {
		if readRequest(bufio.NewReader(conn)) != nil {
			return
		}
		_, err := io.WriteString(conn, head)
		for err == nil {
			var n int
			n, err = io.WriteString(conn, again)
			written.Add(int64(n))
		}
	}
}

func TestEndlessReplies(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	kilobyte := strings.Repeat("x", 1024)
	for name, test := range map[string]struct {
		head, again string
		want        webhook.Attempt
	}{
		"10 GB":           {"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n", kilobyte, webhook.Attempt{Status: 200, Response: kilobyte}},
		"no length":       {"HTTP/1.1 500 Oh\r\n\r\n", kilobyte, webhook.Attempt{Status: 500, Response: kilobyte}},
		"chunks":          {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "400\r\n" + kilobyte + "\r\n", webhook.Attempt{Status: 200, Response: kilobyte}},
		"header fields":   {"HTTP/1.1 200 OK\r\n", "X: " + kilobyte + "\r\n", webhook.Attempt{Error: errUnreadable.Error()}},
		"one header line": {"HTTP/1.1 200 OK\r\nX: ", kilobyte, webhook.Attempt{Error: errUnreadable.Error()}},
		"a status line":   {"HTTP/1.1 200 ", kilobyte, webhook.Attempt{Error: errUnreadable.Error()}},
		"early hints":     {"", "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", webhook.Attempt{Error: errUnreadable.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var written atomic.Int64
			r := serve(t, config, endless(test.head, test.again, &written))
			got := posting(t, a, r, Options{}).attempt(t.Context(), message())
			if got.Status != test.want.Status || got.Response != test.want.Response || got.Error != test.want.Error {
				t.Errorf("%+v", got)
			}
			// What was read, and what the system had taken ahead of it.
			if n := written.Load(); n > 32<<20 {
				t.Errorf("%d bytes were taken", n)
			}
		})
	}
}

// TestSlowReplies has receivers that never end what they began.
func TestSlowReplies(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	short := Timeouts{Attempt: 500 * time.Millisecond}
	drip := func(head string) func(net.Conn) {
		return func(conn net.Conn) {
			if readRequest(bufio.NewReader(conn)) != nil {
				return
			}
			_, err := io.WriteString(conn, head)
			for tick := time.Tick(10 * time.Millisecond); err == nil; <-tick {
				_, err = io.WriteString(conn, "x")
			}
		}
	}
	hang := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	for name, test := range map[string]struct {
		config   *tls.Config
		answer   func(net.Conn)
		timeouts Timeouts
		status   int
		err      string
	}{
		"no reply":         {config, hang, short, 0, "no reply within 0.5 seconds"},
		"a dripping field": {config, drip("HTTP/1.1 200 OK\r\nX: "), short, 0, "no reply within 0.5 seconds"},
		"a dripping body":  {config, drip("HTTP/1.1 200 OK\r\n\r\n"), short, 200, ""},
		"a dripping error": {config, drip("HTTP/1.1 500 Oh\r\nContent-Length: 100000\r\n\r\n"), short, 500, ""},
		"no handshake":     {nil, hang, Timeouts{Attempt: 50 * time.Millisecond}, 0, "no reply within 0.05 seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := posting(t, a, serve(t, test.config, test.answer), Options{Timeouts: test.timeouts}).attempt(t.Context(), message())
			if got.Status != test.status || got.Error != test.err {
				t.Errorf("%+v", got)
			}
			if test.status == 0 != (got.Response == "") {
				t.Errorf("the response is %q", got.Response)
			}
		})
	}
}

// TestSlowHandshake has a handshake that takes longer than the five seconds at
// which it was once cut off, within the time of the attempt.
func TestSlowHandshake(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		time.Sleep(5200 * time.Millisecond)
		return nil, nil // what the interface says for "as it is"
	}
	r := serve(t, config, replying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	o := Options{RootCAs: a.pool, Resolve: map[string]netip.AddrPort{receiverHost: r.at(t)}}
	if got := newClient(t, o).attempt(t.Context(), message()); got.Status != 200 {
		t.Errorf("%+v", got)
	}
}

func TestCutOff(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := serve(t, a.config(t, receiverHost, nil), func(conn net.Conn) {
		_ = readRequest(bufio.NewReader(conn))
		cancel()
		_, _ = io.Copy(io.Discard, conn)
	})
	if got := posting(t, a, r, Options{}).attempt(ctx, message()); got.Error != errCutOff.Error() || got.Status != 0 {
		t.Errorf("%+v", got)
	}
}
