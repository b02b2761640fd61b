package httpserver

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/valyala/fasthttp"
)

// FuzzLegibleKey holds that nothing but control characters of the field changes, and
// nothing at all of a header section that can be read.
func FuzzLegibleKey(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nHost: m\r\nidempotency-KEY: a\x7f\x00b\r\n\r\nbody\x7f"))
	f.Add([]byte("POST / HTTP/1.1\r\nHost: m\r\nX: \x7f\r\nIdempotency-Key:\x01\n\r\n\r\n"))
	f.Add([]byte("Idempotency-Key:\x7f\r\n\r\n"))
	f.Add([]byte("POST / HTTP/1.1\r\nHost: m\r\nIdempotency-Key: \x7f"))
	f.Fuzz(func(t *testing.T, head []byte) {
		kept := bytes.Clone(head)
		legible := legibleKey(head, "Idempotency-Key")
		if !bytes.Equal(head, kept) {
			t.Fatal("what was read has changed")
		}
		if legible == nil {
			return
		}
		if len(legible) > len(head) || !bytes.HasSuffix(legible, []byte("\r\n\r\n")) {
			t.Fatalf("%q became %q", head, legible)
		}
		var h fasthttp.RequestHeader
		if err := h.Read(bufio.NewReader(bytes.NewReader(head[:len(legible)]))); err == nil {
			t.Fatalf("%q can be read as it is", head)
		}
		was := bytes.SplitAfter(head[:len(legible)], []byte("\n"))
		for i, line := range bytes.SplitAfter(legible, []byte("\n")) {
			isKey := len(line) > len("Idempotency-Key:") && strings.EqualFold(string(line[:len("Idempotency-Key:")]), "Idempotency-Key:")
			for j, c := range line {
				if before := was[i][j]; c != before && (!isKey || c != 0xff || before >= ' ' && before != 0x7f) {
					t.Fatalf("%q became %q", was[i], line)
				}
			}
		}
		if legibleKey(legible, "Idempotency-Key") != nil {
			t.Fatalf("%q has control characters left", legible)
		}
	})
}

// readingConn is a connection from which r is read.
type readingConn struct {
	net.Conn
	r io.Reader
}

func (c *readingConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// FuzzConnHead holds that a connection hands on what it reads as it is, and
// remembers the beginning.
func FuzzConnHead(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\n\r\n\x7f"), uint8(7))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, sent []byte, maxHead uint8) {
		for _, src := range []func() net.Conn{
			func() net.Conn { return &readingConn{r: bytes.NewReader(sent)} },
			func() net.Conn { return &readingConn{r: iotest.OneByteReader(bytes.NewReader(sent))} },
			func() net.Conn { return &readingConn{r: iotest.DataErrReader(bytes.NewReader(sent))} },
		} {
			c := &conn{Conn: src(), listener: newListener(nil, int(maxHead))}
			var got bytes.Buffer
			if _, err := got.ReadFrom(c); err != nil || !bytes.Equal(got.Bytes(), sent) {
				t.Fatalf("%q was read as %q, %v", sent, got.Bytes(), err)
			}
			if want := sent[:min(len(sent), int(maxHead))]; !bytes.Equal(c.head, want) {
				t.Fatalf("it remembers %q, not %q", c.head, want)
			}
		}
	})
}
