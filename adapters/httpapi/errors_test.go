package httpapi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// wantStatuses is the interface's table of errors.
func wantStatuses() map[billing.Code]int {
	return map[billing.Code]int{
		billing.CodeUnauthorized:            401,
		billing.CodePermissionDenied:        403,
		billing.CodeTOTPRequired:            403,
		billing.CodeChangedMeanwhile:        412,
		billing.CodeNotFound:                404,
		billing.CodeMethodNotAllowed:        405,
		billing.CodeInvalidRequest:          422,
		billing.CodeIdempotencyKeyRequired:  400,
		billing.CodeIdempotencyKeyReused:    422,
		billing.CodeIdempotencyKeyInUse:     409,
		billing.CodePayloadTooLarge:         413,
		billing.CodeUnsupportedEncoding:     415,
		billing.CodeTooManyRequests:         429,
		billing.CodeRequestTimeout:          408,
		billing.CodeTimeout:                 504,
		billing.CodePayerRejected:           422,
		billing.CodePayerUnavailable:        502,
		billing.CodeNetworkError:            502,
		billing.CodeEligibilityUnavailable:  503,
		billing.CodeAttachmentsUnavailable:  503,
		billing.CodeAttachmentsNetworkError: 502,
		billing.CodeUnavailable:             503,
		billing.CodeConflict:                409,
		billing.CodeChooseOrganization:      409,
		billing.CodeTestModeOnly:            403,
		billing.CodeClockAdvancing:          409,
		billing.CodeEventExpired:            410,
		billing.CodeSandboxResetting:        409,
		billing.CodeInternal:                500,
	}
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	want := wantStatuses()
	for _, code := range billing.Codes() {
		if got := status(code); got != want[code] {
			t.Errorf("%s: status %d, want %d", code, got, want[code])
		}
	}
	if len(want) != len(billing.Codes()) {
		t.Errorf("%d codes, want %d", len(billing.Codes()), len(want))
	}
	if got := status("UNHEARD_OF"); got != 500 {
		t.Errorf("an unknown code: status %d", got)
	}
}

func TestErrorReplies(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	for code, status := range wantStatuses() {
		a := p.ask(t, "%s\r\n", rawtest.Head("/status/"+string(code), "Content-Length: 0"))
		wantStatus(t, a, status, code)
		message := "as asked"
		if code == billing.CodeInternal {
			message = internalMessage
		}
		want := `{"error":"` + string(code) + `","message":` + strconv.Quote(message) + `,"errors":[],"request_id":"` +
			a.Header.Get("X-Request-Id") + `","doc_url":"/docs/errors/` + string(code) + `"}` + "\n"
		if code.NeedsNewKey() {
			want = strings.TrimSuffix(want, "}\n") + `,"needs_new_key":true}` + "\n"
		}
		if code == billing.CodeChangedMeanwhile {
			want = strings.TrimSuffix(want, "}\n") + `,"changed":[]}` + "\n"
		}
		if a.body != want {
			t.Errorf("body %s, want %s", a.body, want)
		}
		headers := map[string]string{"WWW-Authenticate": "", "Retry-After": "", "Content-Type": "application/json", "Idempotent-Replayed": ""}
		switch code { //nolint:exhaustive // the others have none
		case billing.CodeUnauthorized:
			headers["WWW-Authenticate"] = "Bearer"
		case billing.CodeTooManyRequests, billing.CodeIdempotencyKeyInUse, billing.CodeClockAdvancing, billing.CodeSandboxResetting:
			headers["Retry-After"] = "1"
		case billing.CodeUnavailable:
			headers["Retry-After"] = "5"
		}
		for name, value := range headers {
			if got := a.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", code, name, got, value)
			}
		}
	}
}

func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{})
	const (
		bad     = "Authorization: Bearer bad\r\n"
		reading = "Authorization: Bearer " + readSecret + "\r\n"
		good    = "Authorization: Bearer " + goodSecret + "\r\n"
	)
	for _, c := range []struct {
		request string
		status  int
		code    billing.Code
	}{
		{"POST /nowhere HTTP/1.1\r\n" + bad, 404, billing.CodeNotFound},
		{"POST /echo/ HTTP/1.1\r\n" + good, 404, billing.CodeNotFound},
		{"POST /Echo HTTP/1.1\r\n" + good, 404, billing.CodeNotFound},
		{"POST //echo HTTP/1.1\r\n" + good, 404, billing.CodeNotFound},
		{"POST /status/ HTTP/1.1\r\n" + good, 404, billing.CodeNotFound},
		{"POST /status/a/b HTTP/1.1\r\n" + good, 404, billing.CodeNotFound},
		{"GET /echo HTTP/1.1\r\n" + bad, 405, billing.CodeMethodNotAllowed},
		{"PROPFIND /echo HTTP/1.1\r\n" + bad, 405, billing.CodeMethodNotAllowed},
		{"OPTIONS /ok HTTP/1.1\r\n" + bad, 405, billing.CodeMethodNotAllowed},
		{"POST /echo HTTP/1.1\r\n", 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\n" + bad, 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\n" + good + good, 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\n" + good + bad, 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\nAuthorization: Basic " + goodSecret + "\r\n", 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\nAuthorization: " + goodSecret + "\r\n", 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\nAuthorization: Bearer\r\n", 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\nAuthorization: Bearer  " + goodSecret + "\r\n", 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\nAuthorization: Bearer " + goodSecret + " x\r\n", 401, billing.CodeUnauthorized},
		{"POST /echo HTTP/1.1\r\n" + reading, 403, billing.CodePermissionDenied},
		{"POST /echo HTTP/1.1\r\nContent-Encoding: identity\r\n" + good, 415, billing.CodeUnsupportedEncoding},
		{"POST /echo HTTP/1.1\r\n" + good, 400, billing.CodeIdempotencyKeyRequired},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: \r\n" + good, 400, billing.CodeIdempotencyKeyRequired},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a b\r\n" + good, 422, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: \xe9\r\n" + good, 422, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\n" + good, 422, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\x7f\r\n" + good, 422, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nidempotency-key:\x00\x01\x1f\r\n" + good, 422, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\x7f\r\nContent-Encoding: gzip\r\n" + good, 415, billing.CodeUnsupportedEncoding},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\x7f\r\n" + reading, 403, billing.CodePermissionDenied},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\x7f\r\n" + bad, 401, billing.CodeUnauthorized},
		{"POST /nowhere HTTP/1.1\r\nIdempotency-Key: a\x7f\r\n" + good, 404, billing.CodeNotFound},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\x7f\r\nX: \x7f\r\n" + good, 400, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\rb\r\n" + good, 400, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\x7f\r\nTransfer Encoding: chunked\r\n" + good, 400, billing.CodeInvalidRequest},
		{"POST /echo HTTP/1.1\r\nIdempotency-Key: a\r\n" + good, 200, ""},
		{"POST http://molar/echo HTTP/1.1\r\nIdempotency-Key: a\r\n" + good, 200, ""},
	} {
		a := p.ask(t, "%sHost: molar\r\nContent-Length: 0\r\n\r\n", c.request)
		if a.StatusCode != c.status || a.code() != string(c.code) {
			t.Errorf("%q: status %d %s, want %d %s", c.request, a.StatusCode, a.code(), c.status, c.code)
		}
		if allow := map[bool]string{true: "POST", false: ""}[c.status == 405]; c.request[:7] != "OPTIONS" && a.Header.Get("Allow") != allow {
			t.Errorf("%q: Allow is %q", c.request, a.Header.Get("Allow"))
		}
		if c.request[:7] == "OPTIONS" && a.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("Allow is %q", a.Header.Get("Allow"))
		}
	}
}

func TestFieldName(t *testing.T) {
	t.Parallel()
	long := string(make([]byte, 300))
	for in, want := range map[string]string{"": "body", "a.b": "a.b", long: long[:200] + "..."} {
		if got := fieldName(in); got != want {
			t.Errorf("field %q reads %q", in, got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	slow := func(wait time.Duration) error {
		return &billing.Error{Code: billing.CodeTooManyRequests, RetryAfter: wait}
	}
	for err, want := range map[error]int{
		slow(0): 1, slow(time.Millisecond): 1, slow(time.Second): 1, slow(1001 * time.Millisecond): 2, slow(15 * time.Minute): 900,
		fmt.Errorf("sign in: %w", slow(time.Minute)): 60, caller.ErrKeyInUse(): 1,
	} {
		if got := retryAfter(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

// TestDatabaseAway has a transaction fail because the database is away, and one whose
// COMMIT got no reply.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	for want, err := range map[billing.Code]error{
		billing.CodeUnavailable: fmt.Errorf("read: %w", billing.ErrStoreAway),
		billing.CodeTimeout:     fmt.Errorf("write: %w", billing.ErrCommitUnknown),
		billing.CodeInternal:    errors.New("else"),
	} {
		x := &exchange{}
		if code, out := x.failure(err); out.Error != want || code != status(want) {
			t.Errorf("%v: status %d, %s", err, code, out.Error)
		}
	}
}
