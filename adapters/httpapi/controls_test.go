package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
)

// A byte that no header may have is a fault of the key when it is in the key,
// however the request arrives; what follows is not read as another request.
func TestControlCharactersInTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	head := func(more string) string {
		return "POST /echo HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer " + goodSecret + "\r\nIdempotency-Key: a\x7fb\r\n" + more + "\r\n\r\n"
	}
	const next = "GET /smuggled HTTP/1.1\r\nHost: molar\r\n\r\n"
	for name, parts := range map[string][]string{
		"without a body":    {head("Content-Length: 0") + next},
		"with a body":       {head("Content-Length: 40") + next},
		"a chunked body":    {head("Transfer-Encoding: chunked") + "0\r\n\r\n" + next},
		"a body to come":    {head("Content-Length: 40\r\nExpect: 100-continue")},
		"byte by byte":      strings.Split(head("Content-Length: 0"), ""),
		"a second request":  {"GET /ok HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer " + goodSecret + "\r\n\r\n", head("Content-Length: 0")},
		"after a body read": {strings.Replace(head("Content-Length: 2"), "\x7f", "", 1) + "{}", head("Content-Length: 0")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := dial(t, p.addr)
			for i, part := range parts {
				w.Send("%s", part)
				if i == 0 && len(parts) == 2 {
					if a := w.reply(); a.StatusCode != 200 {
						t.Fatalf("reply %s", a.body)
					}
				}
			}
			a := w.reply()
			wantFields(t, a, "Idempotency-Key format")
			if !a.Close {
				t.Error("the connection stays")
			}
			w.Closed()
		})
	}
	t.Cleanup(func() {
		if n := p.smuggled.Load(); n != 0 {
			t.Errorf("%d bodies were read as requests", n)
		}
	})
}

// TestControlCharacters puts each control character into a header. In the
// idempotency key it is a fault of the key. Elsewhere it is bad framing: RFC
// 9110, section 5.5, has a recipient refuse CR, LF and NUL or replace them, and
// allows no other control character but a tab. A CR and an LF may end a line
// for another program, so they are bad framing in the key, too.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	for c := range 0x80 {
		if c >= ' ' && c != 0x7f {
			continue
		}
		for name, with := range map[string]func(value string) string{
			"Idempotency-Key": func(v string) string { return strings.Replace(rawtest.Head("/echo"), "Key: k", "Key: "+v, 1) },
			"Authorization":   func(v string) string { return strings.Replace(rawtest.Head("/echo"), goodSecret, goodSecret+v, 1) },
			"Content-Type":    func(v string) string { return strings.Replace(rawtest.Head("/echo"), "/json", "/json"+v, 1) },
			"Host":            func(v string) string { return strings.Replace(rawtest.Head("/echo"), "molar", v, 1) },
			"User-Agent":      func(v string) string { return rawtest.Head("/echo", "User-Agent: "+v) },
			"a field name":    func(v string) string { return rawtest.Head("/echo", "X-"+v+": b") },
		} {
			t.Run(fmt.Sprintf("%#02x in %s", c, name), func(t *testing.T) {
				t.Parallel()
				a := p.ask(t, "%sContent-Length: 2\r\n\r\n{}", with("a"+string(rune(c))+"b"))
				tab, line := c == '\t', c == '\r' || c == '\n'
				switch {
				case name == "Idempotency-Key" && !line:
					wantFields(t, a, "Idempotency-Key format")
				case name == "Authorization" && tab:
					wantStatus(t, a, 401, billing.CodeUnauthorized)
				case tab && (name == "Content-Type" || name == "User-Agent"):
					wantStatus(t, a, 200, "")
				default:
					wantStatus(t, a, 400, billing.CodeInvalidRequest)
				}
			})
		}
	}
}
