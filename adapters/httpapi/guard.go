package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
)

// guardHeader carries the guard's verdict from the header section to the
// exchange: fasthttp offers no other way. What a client sends under the name
// is dropped.
const guardHeader = "X-Molar-Guard"

const (
	verdictMalformed = "malformed"
	verdictTooLarge  = "too-large"
	verdictNoBody    = "no-body" // the method takes none, and one comes
	verdictRefused   = "refused" // for what the header section says; the exchange finds out again
)

// judge runs when the header section is in and nothing of the body is. A
// request that is refused for its framing or for the length it declares is cut
// down to its header, so that not one byte of the body is read.
func (s *Server) judge(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(guardHeader)
	switch {
	case !wellFramed(h):
		cutBody(h, verdictMalformed)
	case (h.IsGet() || h.IsHead()) && (h.ContentLength() > 0 || h.ContentLength() == -1):
		cutBody(h, verdictNoBody)
	case h.ContentLength() > s.bodyLimit(h):
		cutBody(h, verdictTooLarge)
	case h.ContentLength() > 0 && !s.welcomes(h):
		cutBody(h, verdictRefused)
	}
	return fasthttp.RequestConfig{
		ReadTimeout: s.limits.Stall,
		// fasthttp reads up to this much of a body before the handler runs,
		// within one deadline for all of it. One byte is the least it knows.
		MaxRequestBodySize: 1,
	}
}

// lookTime is how long the look-up of a key may hold up a body that is on its
// way. The exchange looks it up again, with the time of the request.
const lookTime = time.Second

// welcomes reports whether the body is worth waiting for: the header section
// names an operation, and a key and an idempotency key that it accepts.
// fasthttp would not call the handler, which tells all that, before the first
// byte of the body has come. A chunked body is not waited for.
func (s *Server) welcomes(h *fasthttp.RequestHeader) bool {
	r := s.find(string(h.Method()), targetPath(h.RequestURI()))
	if r == nil {
		return false
	}
	if r.permission != "" {
		ctx, cancel := context.WithTimeout(s.base, lookTime)
		defer cancel()
		key, err := s.identify(ctx, bearer(h.RawHeaders()))
		if err == nil && !key.May(r.permission) || err != nil && billing.CodeOf(err) == billing.CodeUnauthorized {
			return false // any other error may be gone when the exchange asks
		}
	}
	if r.changes() {
		if _, err := readIdempotencyKey(h.RawHeaders()); err != nil {
			return false
		}
	}
	return true
}

// readAgain reads a header section that fasthttp refused; head is how the
// request began. It reports whether all that was wrong are control characters in
// an idempotency key, which are a fault of the key and not of the message. The
// request has no body then, and the exchange finds out what to reply.
func (s *Server) readAgain(h *fasthttp.RequestHeader, head []byte) bool {
	legible := legibleKey(head)
	if legible == nil || h.Read(bufio.NewReaderSize(bytes.NewReader(legible), len(legible))) != nil {
		return false
	}
	if s.judge(h); len(h.Peek(guardHeader)) == 0 {
		cutBody(h, verdictRefused)
	}
	return true
}

// legibleKey gives the header section that head begins with, where each control
// character of an idempotency key has become a byte that fasthttp reads and no
// key may have. It is nil when there is none. A CR stays, which another program
// could take for the end of the line.
func legibleKey(head []byte) []byte {
	end := bytes.Index(head, []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	legible := bytes.Clone(head[:end+4])
	changed := false
	for line := range bytes.Lines(legible) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if !strings.EqualFold(string(name), idempotencyKey) {
			continue
		}
		for i, c := range value {
			if c == 0x7f || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
				value[i], changed = 0xff, true
			}
		}
	}
	if !changed {
		return nil
	}
	return legible
}

func cutBody(h *fasthttp.RequestHeader, verdict string) {
	h.Set(guardHeader, verdict)
	h.Del(fasthttp.HeaderExpect)
	h.SetContentLength(0)
	h.SetConnectionClose()
}

// bodyLimit is how many bytes the body of the request may have. A path that no
// route has, and one that takes no body, get the limit of JSON; their bodies
// are never read.
func (s *Server) bodyLimit(h *fasthttp.RequestHeader) int {
	if r := s.find(string(h.Method()), targetPath(h.RequestURI())); r != nil && r.body == uploadBody {
		return s.limits.Upload
	}
	return s.limits.JSON
}

// targetPath is the path of a request target in origin or absolute form.
func targetPath(target []byte) string {
	if _, rest, ok := bytes.Cut(target, []byte("://")); ok && target[0] != '/' {
		target = rest[max(bytes.IndexByte(rest, '/'), 0):]
	}
	path, _, _ := bytes.Cut(target, []byte("?"))
	return string(path)
}

// wellFramed refuses what two HTTP programs in a row could read as two
// different requests (RFC 9112, section 11.2), beyond what fasthttp refuses.
func wellFramed(h *fasthttp.RequestHeader) bool {
	if p := string(h.Protocol()); p != "HTTP/1.1" && p != "HTTP/1.0" {
		return false
	}
	raw := h.RawHeaders()
	for line := range bytes.Lines(raw) {
		name, _, field := bytes.Cut(line, []byte(":"))
		if !bytes.HasSuffix(line, []byte("\r\n")) || len(line) > 2 && (!field || !isToken(name)) {
			return false // a line that a bare LF ends, a folded one, or one without a name
		}
	}
	lengths, encodings := fieldLines(raw, "Content-Length"), fieldLines(raw, "Transfer-Encoding")
	if len(encodings) > 0 && (len(encodings) > 1 || len(lengths) > 0 || !strings.EqualFold(encodings[0], "chunked")) {
		return false
	}
	return len(lengths) <= 1
}

// isToken reports whether b has the form of a field name (RFC 9110, section
// 5.6.2). Programs differ in what they make of "Transfer Encoding".
func isToken(b []byte) bool {
	return len(b) > 0 && !bytes.ContainsFunc(b, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// fieldLines gives the value of each line with the field name, as they came.
// fasthttp's own view keeps only the last line of some fields.
func fieldLines(raw []byte, name string) (values []string) {
	for line := range bytes.Lines(raw) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(key), name) {
			values = append(values, strings.Trim(string(value), " \t\r\n"))
		}
	}
	return values
}
