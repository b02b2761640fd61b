package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// guardHeader carries the guard's verdict to the exchange, because fasthttp
// offers no other way. The guard drops the header if a client sends it.
const guardHeader = "X-Molar-Guard"

const (
	verdictMalformed = "malformed"
	verdictTooLarge  = "too-large"
	verdictNoBody    = "no-body" // the method has no body, but the request does
	verdictRefused   = "refused" // because of the header section; the exchange finds the reason
)

// judge runs when the header section has arrived, and none of the body. It
// reduces a request with bad framing or a too large Content-Length to its
// header section, so that not one byte of the body is read.
func (s *Server) judge(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(guardHeader)
	switch {
	case !wellFramed(h):
		cutBody(h, verdictMalformed)
	case (h.IsGet() || h.IsHead()) && (h.ContentLength() > 0 || h.ContentLength() == -1):
		cutBody(h, verdictNoBody)
	case h.ContentLength() > s.bodyLimit(h):
		cutBody(h, verdictTooLarge)
	case h.ContentLength() > 0 && !s.wantsBody(h):
		cutBody(h, verdictRefused)
	}
	return fasthttp.RequestConfig{
		ReadTimeout: s.limits.Stall,
		// fasthttp reads up to this many bytes of the body before the handler
		// runs, within one deadline for all of them. The minimum is 1.
		MaxRequestBodySize: 1,
	}
}

// lookupTime limits how long looking up a key may delay an arriving body. The
// exchange looks it up again, within the time of the request.
const lookupTime = time.Second

// wantsBody reports whether the request may send its body: the header section
// names an operation, and has a key and an idempotency key that the operation
// accepts. Without this check, fasthttp would wait for the first byte of the
// body before the handler can reject the request. A chunked body is not waited
// for.
func (s *Server) wantsBody(h *fasthttp.RequestHeader) bool {
	r := s.find(string(h.Method()), targetPath(h.RequestURI()))
	if r == nil {
		return false
	}
	if r.need != caller.NeedNothing {
		ctx, cancel := context.WithTimeout(s.base, lookupTime)
		defer cancel()
		by, err := s.identifier.identify(ctx, h.RawHeaders(), netip.IPv6Loopback(), netip.Addr{}, false) // the exchange knows the addresses
		if err == nil && by.Can(r.need) != nil || err != nil && billing.CodeOf(err) == billing.CodeUnauthorized {
			return false // the exchange tries again, since any other error may be temporary
		}
	}
	if r.changes() {
		if _, err := readIdempotencyKey(h.RawHeaders()); err != nil {
			return false
		}
	}
	return true
}

// readAgain reads a header section that fasthttp rejected; head is the start
// of the request. It reports whether the only faults are control characters in
// the idempotency key, which are a fault of the key and not of the message.
// The request then has no body, and the exchange chooses the reply.
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

// legibleKey returns the header section at the start of head, or nil if its
// idempotency key has no control characters. Each control character becomes a
// byte that fasthttp reads and no key may have. A CR stays, because another
// program could read it as the end of the line.
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

// bodyLimit returns the maximum number of bytes of the request's body. An
// unknown path, and an operation without a body, get the limit of JSON; their
// bodies are never read.
func (s *Server) bodyLimit(h *fasthttp.RequestHeader) int {
	if r := s.find(string(h.Method()), targetPath(h.RequestURI())); r != nil && r.body == uploadBody {
		return s.limits.Upload
	}
	return s.limits.JSON
}

// targetPath returns the path of a request target in origin or absolute form.
func targetPath(target []byte) string {
	if _, rest, ok := bytes.Cut(target, []byte("://")); ok && target[0] != '/' {
		target = rest[max(bytes.IndexByte(rest, '/'), 0):]
	}
	path, _, _ := bytes.Cut(target, []byte("?"))
	return string(path)
}

// wellFramed rejects messages that two HTTP programs in a row could read as
// two different requests (RFC 9112, section 11.2), beyond those that fasthttp
// rejects: another version, a line that ends in a bare LF, a folded line, a
// name with a space, and a body with two framings or in no known encoding.
func wellFramed(h *fasthttp.RequestHeader) bool {
	if p := string(h.Protocol()); p != "HTTP/1.1" && p != "HTTP/1.0" {
		return false
	}
	raw := h.RawHeaders()
	for line := range bytes.Lines(raw) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		if !bytes.HasSuffix(line, []byte("\r\n")) || bytes.ContainsAny(name, " \t") {
			return false
		}
	}
	chunked := h.ContentLength() == -1
	return len(fieldLines(raw, "Transfer-Encoding")) == 0 || chunked && len(fieldLines(raw, "Content-Length")) == 0
}

// fieldLines returns the value of each line with the field name, unchanged.
// fasthttp itself keeps only the last line of some fields.
func fieldLines(raw []byte, name string) (values []string) {
	for line := range bytes.Lines(raw) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(key), name) {
			values = append(values, strings.Trim(string(value), " \t\r\n"))
		}
	}
	return values
}
