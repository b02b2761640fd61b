package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
)

// limits fast enough for a test.
func quick() Options { return Options{Limits: Limits{Stall: 200 * time.Millisecond}} }

// What the header section gives reason to refuse is refused before a byte of
// the body has come. That the body is too large comes after the key.
func TestHeaderIsJudgedBeforeTheBody(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	for name, c := range map[string]struct {
		head   string
		length int
		status int
		code   billing.Code
	}{
		"bad key":            {strings.Replace(rawtest.Head("/echo"), goodSecret, "bad", 1), 9_999_999, 401, billing.CodeUnauthorized},
		"read-only key":      {strings.Replace(rawtest.Head("/echo"), goodSecret, readSecret, 1), 9_999_999, 403, billing.CodePermissionDenied},
		"too large":          {strings.Replace(rawtest.Head("/echo", "Content-Encoding: gzip"), "Idempotency-Key: k\r\n", "", 1), 9_999_999, 413, billing.CodePayloadTooLarge},
		"no idempotency key": {strings.Replace(rawtest.Head("/echo"), "Idempotency-Key: k\r\n", "", 1), 100, 400, billing.CodeIdempotencyKeyRequired},
		"bad and expecting":  {strings.Replace(rawtest.Head("/echo", "Expect: 100-continue"), goodSecret, "bad", 1), 100, 401, billing.CodeUnauthorized},
		"no such path":       {rawtest.Head("/nothing"), 9_999_999, 404, billing.CodeNotFound},
		"no such method":     {strings.Replace(rawtest.Head("/echo"), "POST", "PUT", 1), 9_999_999, 405, billing.CodeMethodNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := p.ask(t, "%sContent-Length: %d\r\n\r\n", c.head, c.length)
			wantStatus(t, a, c.status, c.code)
			if !a.Close {
				t.Error("the connection goes on, and the body would be the next request")
			}
		})
	}
}

func declared(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

func chunked(chunks ...string) string {
	out := "Transfer-Encoding: chunked\r\n\r\n"
	for _, c := range chunks {
		out += fmt.Sprintf("%x\r\n%s\r\n", len(c), c)
	}
	return out + "0\r\n\r\n"
}

const smuggled = "GET /smuggled HTTP/1.1\r\nHost: molar\r\n\r\n"

// The rest of a body that was not read must never be taken for the next
// request, whatever the reason for the early answer.
func TestUnreadBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	p, strict := startProbe(t, Options{}), startProbe(t, Options{Limits: Limits{JSON: 5_000}})
	key := "Authorization: Bearer " + goodSecret + "\r\n"
	starts := map[string]string{
		"200 of an operation without a body": "POST /unread HTTP/1.1\r\nHost: molar\r\nIdempotency-Key: k\r\n" + key,
		"400":                                "POST /echo HTTP/1.1\r\nHost: molar\r\n" + key,
		"401":                                "POST /echo HTTP/1.1\r\nHost: molar\r\n",
		"403":                                "POST /echo HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer " + readSecret + "\r\n",
		"404":                                "POST /nowhere HTTP/1.1\r\nHost: molar\r\n",
		"405":                                "PUT /echo HTTP/1.1\r\nHost: molar\r\n",
		"413":                                "POST /echo HTTP/1.1\r\nHost: molar\r\nIdempotency-Key: k\r\n" + key,
		"415":                                "POST /echo HTTP/1.1\r\nHost: molar\r\nIdempotency-Key: k\r\nContent-Encoding: gzip\r\n" + key,
		"422":                                "POST /echo HTTP/1.1\r\nHost: molar\r\nIdempotency-Key: a b\r\n" + key,
		"500":                                "POST /panic HTTP/1.1\r\nHost: molar\r\nIdempotency-Key: k\r\n" + key,
		"404 of an unknown method":           "LINK /nowhere HTTP/1.1\r\nHost: molar\r\n",
		"405 of an unknown method":           "LINK /ok HTTP/1.1\r\nHost: molar\r\n",
	}
	pad := strings.Repeat("a", 8192)
	for name, start := range starts {
		for framing, rest := range map[string]string{
			// The request begins where the server may stop reading: after nothing,
			// the byte that fasthttp reads ahead, its 8 KiB, or the limit and a byte.
			"at the start":        declared(smuggled + pad),
			"after a byte":        declared("x" + smuggled + pad),
			"after empty lines":   declared("\r\n\r\n" + smuggled + pad),
			"after 8 KiB":         declared(pad + smuggled),
			"in a chunk":          chunked(smuggled, pad),
			"after a chunk":       chunked(pad, smuggled),
			"after the limit":     chunked(pad[:5_001]+smuggled, pad),
			"after limit, chunks": chunked(pad[:2_500], pad[:2_501]+smuggled),
		} {
			t.Run(name+" "+framing, func(t *testing.T) {
				t.Parallel()
				to := p
				if name == "413" {
					to = strict
				}
				w := dial(t, to.addr)
				w.Send("%s%s", start, rest)
				a := w.reply()
				if want := name[:3]; strconv.Itoa(a.StatusCode) != want || !a.Close {
					t.Errorf("status %d, close %v, want %s and a close", a.StatusCode, a.Close, want)
				}
				w.Closed()
			})
		}
	}
	t.Cleanup(func() {
		if n := p.smuggled.Load() + strict.smuggled.Load(); n != 0 {
			t.Errorf("%d smuggled requests ran", n)
		}
	})
}

// A GET takes no body, however it is framed, and says so once the key is known.
func TestGetTakesNoBody(t *testing.T) {
	t.Parallel()
	p := startProbe(t, quick())
	const key = "Authorization: Bearer " + goodSecret + "\r\n"
	for name, c := range map[string]struct {
		request string
		status  int
		code    billing.Code
	}{
		"length":           {"GET /ok HTTP/1.1\r\nHost: molar\r\n" + key + "Content-Length: 54\r\n\r\n" + smuggled, 422, billing.CodeInvalidRequest},
		"chunked":          {"GET /ok HTTP/1.1\r\nHost: molar\r\n" + key + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, 422, billing.CodeInvalidRequest},
		"nothing of it":    {"GET /ok HTTP/1.1\r\nHost: molar\r\n" + key + "Content-Length: 1\r\n\r\n", 422, billing.CodeInvalidRequest},
		"more than others": {"GET /ok HTTP/1.1\r\nHost: molar\r\n" + key + "Content-Length: 99999999\r\n\r\n{", 422, billing.CodeInvalidRequest},
		"expecting":        {"GET /ok HTTP/1.1\r\nHost: molar\r\n" + key + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n", 422, billing.CodeInvalidRequest},
		"without a key":    {"GET /ok HTTP/1.1\r\nHost: molar\r\nContent-Length: 2\r\n\r\n{}", 401, billing.CodeUnauthorized},
		"no such path":     {"GET /nowhere HTTP/1.1\r\nHost: molar\r\n" + key + "Content-Length: 2\r\n\r\n{}", 404, billing.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := dial(t, p.addr)
			w.Send("%s", c.request)
			a := w.reply()
			wantStatus(t, a, c.status, c.code)
			if !a.Close || c.status == 422 && !strings.Contains(a.body, `"errors":[{"field":"body","code":"not_allowed","message":"GET does not accept a body.`) {
				t.Errorf("close %v, %s", a.Close, a.body)
			}
			w.Closed()
		})
	}
	wantStatus(t, p.ask(t, "GET /ok HTTP/1.1\r\nHost: molar\r\n%sContent-Length: 0\r\n\r\n", key), 200, "")
	t.Cleanup(func() {
		if n := p.smuggled.Load(); n != 0 {
			t.Errorf("%d smuggled requests ran", n)
		}
	})
}

func TestHead(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, "http://"+p.addr+"/smuggled", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	a, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(a.Body)
	err = errors.Join(err, a.Body.Close())
	if a.StatusCode != 200 || len(b) != 0 || err != nil || a.ContentLength != int64(len("\"smuggled\"\n")) {
		t.Errorf("status %d, length %d, %q, %v", a.StatusCode, a.ContentLength, b, err)
	}
}
