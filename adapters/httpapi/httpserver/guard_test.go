package httpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
)

// limits fast enough for a test.
func quick() Config { return Config{Stall: 200 * time.Millisecond} }

func TestDeclaredTooLarge(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "Expect: 100-continue"} {
		for _, length := range []int{1<<20 + 1, 1 << 40} {
			t.Run(fmt.Sprint(more, length), func(t *testing.T) {
				t.Parallel()
				p := startProbe(t, Config{})
				w := rawtest.Dial(t, p.addr)
				w.Send("%s\r\n", rawtest.Head("/echo", "Content-Length: "+strconv.Itoa(length), more)) // and not one byte of the body
				w.Reply().Wants(t, 413, billing.CodePayloadTooLarge)
				if p.echoed.Load() != 0 {
					t.Error("the operation ran")
				}
			})
		}
	}
}

// Without reading on before the close, a reset overtakes most of the replies.
func TestTooLargeIsSeenByEveryClient(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	data := bytes.Repeat([]byte{' '}, 5<<20)
	post := func(body io.Reader) error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.addr+"/echo", body)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer good")
		r.Header.Set("Idempotency-Key", "k")
		a, err := transport.RoundTrip(r)
		if err != nil {
			return err
		}
		if a.StatusCode != http.StatusRequestEntityTooLarge {
			err = fmt.Errorf("status %d", a.StatusCode)
		}
		return errors.Join(err, a.Body.Close())
	}
	for name, body := range map[string]func() io.Reader{
		"declared": func() io.Reader { return bytes.NewReader(data) },
		"chunked":  func() io.Reader { return io.MultiReader(bytes.NewReader(data)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 50 {
						if err := post(body()); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestLimitIsExact(t *testing.T) {
	t.Parallel()
	p := startLimited(t, 10_000, Config{})
	for _, n := range []int{0, 1, 2, 9_999, 10_000, 10_001} {
		want := 200
		if n > 10_000 {
			want = 413
		}
		body := strings.Repeat("x", n)
		w := rawtest.Dial(t, p.addr)
		w.Send("%s\r\n%s", rawtest.Head("/echo", "Content-Length: "+strconv.Itoa(n)), body)
		if a := w.Reply(); a.StatusCode != want || want == 200 && a.Text != body {
			t.Errorf("%d bytes declared: %d", n, a.StatusCode)
		}
		w = rawtest.Dial(t, p.addr)
		chunk := fmt.Sprintf("%x\r\n%s\r\n", n, body)
		if n == 0 {
			chunk = ""
		}
		w.Send("%s\r\n%s0\r\n\r\n", rawtest.Head("/echo", "Transfer-Encoding: chunked"), chunk)
		if a := w.Reply(); a.StatusCode != want || want == 200 && a.Text != body {
			t.Errorf("%d bytes chunked: %d", n, a.StatusCode)
		}
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	p := startProbe(t, quick())
	for name, sent := range map[string]string{
		"request line":   "POST /ec",
		"header section": "POST /echo HTTP/1.1\r\nHost: molar\r\nAutho",
		"before body":    rawtest.Head("/echo", "Content-Length: 1000000") + "\r\n",
		"one byte":       rawtest.Head("/echo", "Content-Length: 1000000") + "\r\nx",
		"9000 bytes":     rawtest.Head("/echo", "Content-Length: 1000000") + "\r\n" + strings.Repeat("x", 9000),
		"200000 bytes":   rawtest.Head("/echo", "Content-Length: 1000000") + "\r\n" + strings.Repeat("x", 200_000),
		"chunk size":     rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n1",
		"chunk":          rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n10\r\nxx",
		"last chunk":     rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n2\r\nxx\r\n0\r\n",
		"last line end":  rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n2\r\nxx\r\n0\r\n\r",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := p.ask(t, "%s", sent)
			a.Wants(t, 408, billing.CodeRequestTimeout)
			if !a.Close {
				t.Error("the connection stays open")
			}
		})
	}
}

func TestBodyTimeoutEndsAnEndlessDrip(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{Stall: 10 * time.Second, Body: 300 * time.Millisecond})
	p.ask(t, "%s\r\nx", rawtest.Head("/echo", "Content-Length: 100")).Wants(t, 408, billing.CodeRequestTimeout)
}

// A slow body is fine for as long as something comes, even when each byte of
// the chunks' own framing comes alone.
func TestSlowDripIsNotCut(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{Stall: 10 * time.Second}) // less than a body takes
	for name, request := range map[string][2]string{
		"declared": {rawtest.Head("/echo", "Content-Length: 16") + "\r\n", "0123456789abcdef"},
		"chunked":  {rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n", "3\r\nabc\r\n0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := rawtest.Dial(t, p.addr)
			w.Send("%s", request[0])
			tick := time.NewTicker(800 * time.Millisecond)
			defer tick.Stop()
			for i := range request[1] {
				<-tick.C
				w.Send("%c", request[1][i])
			}
			if a := w.Reply(); a.StatusCode != 200 || a.Close {
				t.Errorf("status %d, close %v", a.StatusCode, a.Close)
			}
		})
	}
}

func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{})
	for _, sent := range []string{
		rawtest.Head("/echo", "Content-Length: 100") + "\r\nxx",
		rawtest.Head("/echo", "Content-Length: 100000") + "\r\n" + strings.Repeat("x", 90_000),
		rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n5\r\nab",
		rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n5\r\nabcde\r\n",
		rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n5\r\nabcde\r\n0\r\n",
		rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n5\r\nabcde\r\n0\r\n\r",
		rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\n5\r\nabcdeXX0\r\n\r\n",
		rawtest.Head("/echo", "Transfer-Encoding: chunked") + "\r\nzz\r\nabcde\r\n0\r\n\r\n",
	} {
		w := rawtest.Dial(t, p.addr)
		w.Send("%s", sent)
		if err := w.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		w.Reply().Wants(t, 400, billing.CodeInvalidRequest)
		w.Closed()
	}
	if n := p.echoed.Load(); n != 0 {
		t.Errorf("the operation ran %d times", n)
	}
}

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{Stall: 5 * time.Second})
	w := rawtest.Dial(t, p.addr)
	body := strings.Repeat("x", 20_000)
	tick := time.NewTicker(6 * time.Second) // longer than a stall: no old deadline may be left
	defer tick.Stop()
	for i := range 2 {
		w.Send("%s\r\n%s", rawtest.Head("/echo", "Content-Length: 20000"), body)
		if a := w.Reply(); a.StatusCode != 200 || a.Close || a.Text != body {
			t.Fatalf("request %d: %d, close %v, %d bytes", i, a.StatusCode, a.Close, len(a.Text))
		}
		<-tick.C
	}
	w.Send("%s\r\n5\r\nabcde\r\n0\r\n\r\n", rawtest.Head("/echo", "Transfer-Encoding: chunked"))
	if a := w.Reply(); a.Text != "abcde" || a.Close {
		t.Errorf("chunked: %q, close %v", a.Text, a.Close)
	}
	w.Send("%s\r\n", rawtest.Head("/echo/x", "Content-Length: 0")) // an error without a body keeps the connection too
	if a := w.Reply(); a.StatusCode != 404 || a.Close {
		t.Errorf("status %d, close %v", a.StatusCode, a.Close)
	}
	w.Send("GET /ok HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer %s\r\n\r\n", "good")
	if a := w.Reply(); a.StatusCode != 200 || a.Close {
		t.Errorf("status %d, close %v", a.StatusCode, a.Close)
	}
}

func TestPipelining(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{})
	w := rawtest.Dial(t, p.addr)
	w.Send("%s\r\nfirst%s\r\n6\r\nsecond\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: molar\r\n\r\n",
		rawtest.Head("/echo", "Content-Length: 5"), rawtest.Head("/echo", "Transfer-Encoding: chunked"))
	for _, want := range []string{"first", "second", "\"smuggled\"\n"} {
		if a := w.Reply(); a.Text != want {
			t.Errorf("reply %q, want %q", a.Text, want)
		}
	}
}

func TestExpectContinue(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{})
	w := rawtest.Dial(t, p.addr)
	w.Send("%s\r\n", rawtest.Head("/echo", "Expect: 100-continue", "Content-Length: 5"))
	if a, err := w.TryReply(); err != nil || a.StatusCode != 100 {
		t.Fatalf("reply %v, %v, want 100", a.StatusCode, err)
	}
	w.Send("hello")
	if a := w.Reply(); a.Text != "hello" || a.Close {
		t.Errorf("reply %q, close %v", a.Text, a.Close)
	}
}

const smuggled = "GET /smuggled HTTP/1.1\r\nHost: molar\r\n\r\n"

func TestFraming(t *testing.T) {
	t.Parallel()
	p := startProbe(t, quick())
	post := rawtest.Head("/echo")
	lines := func(l ...string) string { return post + strings.Join(l, "\r\n") + "\r\n\r\n" }
	for name, request := range map[string]string{
		"length and encoding":    lines("Content-Length: 6", "Transfer-Encoding: chunked") + "0\r\n\r\n" + smuggled,
		"encoding and length":    lines("Transfer-Encoding: chunked", "Content-Length: 5") + "0\r\n\r\n" + smuggled,
		"two lengths":            lines("Content-Length: 0", "Content-Length: 5") + "abcde",
		"two equal lengths":      lines("Content-Length: 5", "Content-Length: 5") + "abcde",
		"list of lengths":        lines("Content-Length: 5, 5") + "abcde",
		"signed length":          lines("Content-Length: +5") + "abcde",
		"negative length":        lines("Content-Length: -1") + "abcde",
		"hexadecimal length":     lines("Content-Length: 0x5") + "abcde",
		"empty length":           lines("Content-Length:") + "abcde",
		"length overflows":       lines("Content-Length: 18446744073709551617") + "a",
		"space before colon":     lines("Content-Length : 5") + "abcde",
		"encoding space colon":   lines("Transfer-Encoding : chunked") + "0\r\n\r\n",
		"encoding xchunked":      lines("Transfer-Encoding: xchunked") + "0\r\n\r\n",
		"encoding identity":      lines("Transfer-Encoding: identity", "Content-Length: 5") + "abcde",
		"identity alone":         lines("Transfer-Encoding: identity") + smuggled,
		"encoding list":          lines("Transfer-Encoding: gzip, chunked") + "0\r\n\r\n",
		"two encodings":          lines("Transfer-Encoding: chunked", "Transfer-Encoding: x") + "0\r\n\r\n",
		"two equal encodings":    lines("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + "0\r\n\r\n",
		"vertical tab":           lines("Transfer-Encoding: \x0bchunked") + "0\r\n\r\n",
		"encoding in HTTP/1.0":   "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"folded encoding":        lines("Transfer-Encoding:", " chunked") + "0\r\n\r\n",
		"folded key":             lines("Content-Length: 5", "X-A: b", "\tc") + "abcde",
		"bare CR in a header":    lines("X: a\rContent-Length: 5"),
		"NUL in a header":        lines("X: a\x00b"),
		"two hosts":              lines("Host: other"),
		"HTTP/1.2":               "GET /smuggled HTTP/1.2\r\nHost: molar\r\n\r\n",
		"HTTP/2.0":               "GET /smuggled HTTP/2.0\r\nHost: molar\r\n\r\n",
		"HTTP/0.9":               "GET /smuggled\r\n\r\n",
		"no target":              "GET HTTP/1.1\r\nHost: molar\r\n\r\n",
		"GET with two lengths":   "GET /smuggled HTTP/1.1\r\nHost: molar\r\nContent-Length: 0\r\nContent-Length: 38\r\n\r\n" + smuggled,
		"GET of two framings":    "GET /smuggled HTTP/1.1\r\nHost: molar\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"space in a name":        lines("Transfer Encoding: chunked"),
		"space, and a length":    lines("Transfer Encoding: chunked", "Content-Length: 5") + "abcde",
		"space in another name":  lines("X A: b"),
		"tab in a name":          lines("Transfer\tEncoding: chunked"),
		"brackets in a name":     lines("X[A]: b"),
		"letters beyond ASCII":   lines("X-\xc3\xa9: b"),
		"no colon":               lines("Transfer-Encoding chunked"),
		"no name":                lines(": chunked"),
		"chunk extension LF":     lines("Transfer-Encoding: chunked") + "5;a\nX\r\nabcde\r\n0\r\n\r\n",
		"chunk size LF":          lines("Transfer-Encoding: chunked") + "5\nabcde\r\n0\r\n\r\n",
		"chunk size 0x5":         lines("Transfer-Encoding: chunked") + "0x5\r\nabcde\r\n0\r\n\r\n",
		"chunk size overflows":   lines("Transfer-Encoding: chunked") + "10000000000000005\r\nabcde\r\n0\r\n\r\n",
		"chunk size negative":    lines("Transfer-Encoding: chunked") + "-5\r\nabcde\r\n0\r\n\r\n",
		"chunk without its end":  lines("Transfer-Encoding: chunked") + "5\r\nabcdeXX0\r\n\r\n",
		"chunk size then spaces": lines("Transfer-Encoding: chunked") + "5 ;a\r\nabcde\r\n0\r\n\r\n",
		"length as a trailer":    lines("Transfer-Encoding: chunked", "Trailer: Content-Length") + "0\r\nContent-Length: 5\r\n\r\n",
		"bytes":                  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"header section too big": lines("X: " + strings.Repeat("x", 20_000)),
		"bare LF":                "GET /smuggled HTTP/1.1\nHost: molar\n\n",
		"no host":                "GET /smuggled HTTP/1.1\r\nX: y\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := rawtest.Dial(t, p.addr)
			w.Send("%s", request)
			a := w.Reply()
			switch want := map[string]int{"header section too big": 431, "bare LF": 408}[name]; {
			case want != 0:
				if a.StatusCode != want {
					t.Errorf("status %d, want %d", a.StatusCode, want)
				}
			default:
				a.Wants(t, 400, billing.CodeInvalidRequest)
			}
			if !a.Close {
				t.Error("the connection stays open")
			}
			w.Closed()
		})
	}
	t.Cleanup(func() {
		if p.smuggled.Load() != 0 || p.echoed.Load() != 0 {
			t.Errorf("%d smuggled requests and %d operations ran", p.smuggled.Load(), p.echoed.Load())
		}
	})
}

// counted counts what is read of its connections.
type counted struct {
	net.Listener
	read atomic.Int64
}

type countedConn struct {
	*net.TCPConn
	read *atomic.Int64
}

func (c *counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{conn.(*net.TCPConn), &c.read}, nil
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// After a 413 the server reads at most a megabyte more, however much comes, and
// the client sees the reply all the same.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		framing, piece string
		limit          int64 // bytes that may be read, but for buffers
	}{
		"declared": {"Content-Length: 99999999999", strings.Repeat("a", 1<<15), 1 << 20},
		"chunked":  {"Transfer-Encoding: chunked", "8000\r\n" + strings.Repeat("a", 1<<15) + "\r\n", 2 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln := &counted{Listener: rawtest.Listen(t)}
			rawtest.Serve(t, newProbe(t, 1<<20, Config{}).server, ln)
			w := rawtest.Dial(t, ln.Addr().String())
			w.Send("%s\r\n", rawtest.Head("/echo", c.framing))
			sent := make(chan int64)
			go func() { // until the server has closed the connection
				n := int64(0)
				for {
					m, err := io.WriteString(w, c.piece)
					if n += int64(m); err != nil {
						sent <- n
						return
					}
				}
			}()
			w.Reply().Wants(t, 413, billing.CodePayloadTooLarge)
			if n := <-sent; n < c.limit {
				t.Errorf("%d bytes were sent, too few to show anything", n)
			}
			if n := ln.read.Load(); n > c.limit+64<<10 {
				t.Errorf("%d bytes were read", n)
			}
		})
	}
}

// A client cannot send what the guard reports to the exchange.
func TestGuardHeaderIsTheServersOwn(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{})
	for _, verdict := range []string{verdictMalformed, verdictTooLarge} {
		if a := p.ask(t, "%s\r\nhello", rawtest.Head("/echo", "x-molar-guard: "+verdict, "Content-Length: 5")); a.StatusCode != 200 || a.Close {
			t.Errorf("status %d, close %v", a.StatusCode, a.Close)
		}
	}
}

func TestIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Config{Idle: 100 * time.Millisecond})
	w := rawtest.Dial(t, p.addr)
	w.Send("GET /ok HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer %s\r\n\r\n", "good")
	if a := w.Reply(); a.StatusCode != 200 {
		t.Errorf("status %d", a.StatusCode)
	}
	w.Closed()
	if _, err := w.Reader.ReadByte(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
