// Package rawtest has what tests of an HTTP server share: connections whose bytes the
// test writes itself, and the public test data.
package rawtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Listen listens on a free port.
func Listen(tb testing.TB) net.Listener {
	tb.Helper()
	var config net.ListenConfig
	ln, err := config.Listen(tb.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return ln
}

// Server serves the connections of a listener until its shutdown.
type Server interface {
	Serve(ln net.Listener) error
	Shutdown(ctx context.Context) error
}

// Serve runs the server until the test ends.
func Serve(tb testing.TB, s Server, ln net.Listener) {
	tb.Helper()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), 5*time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			tb.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			tb.Errorf("serve: %v", err)
		}
	})
}

// Conn is a raw connection to a server.
type Conn struct {
	*net.TCPConn
	Reader *bufio.Reader // what the server sends
	tb     testing.TB
}

// Dial connects to the server. The connection ends with the test.
func Dial(tb testing.TB, addr string) *Conn {
	tb.Helper()
	var d net.Dialer
	c, err := d.DialContext(tb.Context(), "tcp4", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(5 * time.Minute))
	return &Conn{c.(*net.TCPConn), bufio.NewReader(c), tb}
}

// Send sends a text.
func (c *Conn) Send(format string, args ...any) {
	c.tb.Helper()
	if _, err := fmt.Fprintf(c, format, args...); err != nil {
		c.tb.Fatalf("send: %v", err)
	}
}

// Reply reads the next reply.
func (c *Conn) Reply() Reply {
	c.tb.Helper()
	a, err := c.TryReply()
	if err != nil {
		c.tb.Fatalf("reply: %v", err)
	}
	return a
}

// TryReply reads the next reply, if there is one.
func (c *Conn) TryReply() (Reply, error) {
	r, err := http.ReadResponse(c.Reader, nil)
	if err != nil {
		return Reply{}, err
	}
	b, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return Reply{}, err
	}
	return Reply{r, string(b)}, nil
}

// Closed reads until the server closes, and fails when it says anything.
func (c *Conn) Closed() {
	c.tb.Helper()
	b, err := io.ReadAll(c.Reader)
	if err != nil || len(b) > 0 {
		c.tb.Errorf("after the last reply: %q, %v", b, err)
	}
}

// Head is the start of a request that an operation accepts, with more lines; the
// empty line after it is the caller's.
func Head(target string, more ...string) string {
	start := "POST " + target + " HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer good\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n"
	for _, line := range more {
		if line != "" {
			start += line + "\r\n"
		}
	}
	return start
}

// Reply is a reply as it came, with its body read.
type Reply struct {
	*http.Response
	Text string
}

// Code is the code of an error.
func (a Reply) Code() string {
	_, rest, _ := strings.Cut(a.Text, `"error":"`)
	code, _, _ := strings.Cut(rest, `"`)
	return code
}

// Wants checks that the reply has the status, and is the error with the code.
func (a Reply) Wants(tb testing.TB, status int, code billing.Code) {
	tb.Helper()
	if a.StatusCode != status || a.Code() != string(code) {
		tb.Errorf("status %d %s, want %d %s: %s", a.StatusCode, a.Code(), status, code, a.Text)
	}
}

// Corpus lists files of the public test data that MOLAR_CORPUS_DIR names.
func Corpus(tb testing.TB, pattern string) []string {
	tb.Helper()
	dir := os.Getenv("MOLAR_CORPUS_DIR") //nolint:forbidigo // the variable configures the tests, not the program
	if dir == "" {
		tb.Log("MOLAR_CORPUS_DIR is unset: nothing of the public test data was checked")
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "http", pattern))
	if err != nil || len(files) == 0 {
		tb.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}

// ReadFile returns the content of a file.
func ReadFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// CorpusSeeds reads lines with a name and bytes, of the files that match.
func CorpusSeeds(tb testing.TB, pattern string) map[string][]byte {
	tb.Helper()
	seeds := map[string][]byte{}
	for _, file := range Corpus(tb, pattern) {
		for line := range strings.Lines(string(ReadFile(tb, file))) {
			var seed struct {
				Name string `json:"name"`
				Raw  []byte `json:"raw_b64"`
			}
			if err := json.Unmarshal([]byte(line), &seed); err != nil {
				tb.Fatal(err)
			}
			seeds[seed.Name] = seed.Raw
		}
	}
	return seeds
}
