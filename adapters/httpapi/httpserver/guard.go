package httpserver

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"
)

// guardHeader carries the guard's verdict to the Request, because fasthttp
// offers no other way. The guard drops the header if a client sends it.
const guardHeader = "X-Molar-Guard"

const (
	verdictMalformed = "malformed"
	verdictTooLarge  = "too-large"
	verdictNoBody    = "no-body" // the method has no body, but the request does
	verdictRefused   = "refused" // because of the header section; the routes find the reason
)

// judge runs when the header section has arrived, and none of the body. It
// reduces a request with bad framing or a too large Content-Length to its
// header section, so that not one byte of the body is read.
func (s *Server) judge(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(guardHeader)
	method, path, length := string(h.Method()), targetPath(h.RequestURI()), h.ContentLength()
	switch {
	case !wellFramed(h):
		cutBody(h, verdictMalformed)
	case (h.IsGet() || h.IsHead()) && (length > 0 || length == -1):
		cutBody(h, verdictNoBody)
	case length > s.config.BodyLimit(method, path):
		cutBody(h, verdictTooLarge)
	case length > 0 && !s.config.Wants(method, path, h.RawHeaders()):
		cutBody(h, verdictRefused)
	}
	return fasthttp.RequestConfig{
		ReadTimeout: s.config.Stall,
		// fasthttp reads up to this many bytes of the body before the handler
		// runs, within one deadline for all of them. The minimum is 1.
		MaxRequestBodySize: 1,
	}
}

// readAgain reads a header section that fasthttp rejected; head is the start
// of the request. It reports whether the only faults are control characters in
// the field Config.Legible. The request then has no body, and the routes choose
// the reply.
func (s *Server) readAgain(h *fasthttp.RequestHeader, head []byte) bool {
	legible := legibleKey(head, s.config.Legible)
	if legible == nil || h.Read(bufio.NewReaderSize(bytes.NewReader(legible), len(legible))) != nil {
		return false
	}
	if s.judge(h); len(h.Peek(guardHeader)) == 0 {
		cutBody(h, verdictRefused)
	}
	return true
}

// legibleKey returns the header section at the start of head, or nil if the field has no
// control characters. Each control character becomes a byte that fasthttp reads and no
// value may have. A CR stays, because another program could read it as the end of the
// line.
func legibleKey(head []byte, field string) []byte {
	end := bytes.Index(head, []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	legible := bytes.Clone(head[:end+4])
	for line := range bytes.Lines(legible) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if !strings.EqualFold(string(name), field) {
			continue
		}
		for i, c := range value {
			if c == 0x7f || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
				value[i] = 0xff
			}
		}
	}
	if bytes.Equal(legible, head[:len(legible)]) {
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
	return len(Values(raw, "Transfer-Encoding")) == 0 || chunked && len(Values(raw, "Content-Length")) == 0
}

// Values returns the value of each line with the field name in a header section,
// unchanged. fasthttp itself keeps only the last line of some fields.
func Values(lines []byte, name string) (values []string) {
	for line := range bytes.Lines(lines) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(key), name) {
			values = append(values, strings.Trim(string(value), " \t\r\n"))
		}
	}
	return values
}
