package httpapi

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// What is wrong first in the order of the interface is reported, on an upload that
// has it and everything after it wrong.
func TestOrderOfChecksOfAnUpload(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "")
	s.must(t, 201, upload(path, chart(jpegOf(1))))
	s.must(t, 200, call{path: path + "/close", body: "{}"})
	for _, key := range []string{"", s.live} { // the key "used" is used, in both modes
		s.must(t, 201, call{path: "/providers", body: `{"first_name":"Ann","last_name":"Lee","npi":"1245319599"}`, key: key, idem: "used"})
	}
	unknown := "/attachments/" + billing.NewID[billing.AttachmentID](billing.RealAt(time.Now())).String()
	form := "multipart/form-data; boundary=" + boundary
	bad, good := formOf(textOf("colour", "red")), formOf(chart(jpegOf(2))...)
	for i, c := range []struct {
		method, path, key, idem, body string
		header                        map[string]string
		status                        int
		code                          billing.Code
	}{
		{"PUT", unknown, "absent", "", bad, nil, 405, billing.CodeMethodNotAllowed},
		{"POST", unknown, "absent", "", bad, map[string]string{"Content-Encoding": "gzip"}, 401, billing.CodeUnauthorized},
		{"POST", unknown, s.read, "", bad, map[string]string{"Content-Encoding": "gzip"}, 403, billing.CodePermissionDenied},
		{"POST", unknown, s.live, "", bad, map[string]string{"Content-Encoding": "gzip", idempotencyKey: ""}, 415, billing.CodeUnsupportedEncoding},
		{"POST", unknown, s.live, "", bad, map[string]string{idempotencyKey: ""}, 400, billing.CodeIdempotencyKeyRequired},
		{"POST", unknown, s.live, "a b", bad, nil, 422, billing.CodeInvalidRequest},
		{"POST", unknown, s.live, "used", bad, nil, 422, billing.CodeIdempotencyKeyReused},
		{"POST", unknown, s.key, "used", good, nil, 422, billing.CodeIdempotencyKeyReused},
		{"POST", unknown, s.live, "", bad, nil, 503, billing.CodeAttachmentsUnavailable},
		{"POST", unknown, s.key, "", bad, nil, 422, billing.CodeInvalidRequest},
		{"POST", path, s.key, "", bad, nil, 422, billing.CodeInvalidRequest},
		{"POST", unknown, s.key, "", good, nil, 404, billing.CodeNotFound},
		{"POST", path, s.key, "", good, nil, 409, billing.CodeConflict},
	} {
		header := map[string]string{"Content-Type": form}
		for k, v := range c.header {
			header[k] = v
		}
		a := s.do(t, call{method: c.method, path: c.path + "/documents", key: c.key, idem: c.idem, body: c.body, header: header, bad: true})
		if a.StatusCode != c.status || a.code() != string(c.code) {
			t.Errorf("request %d: status %d %s, want %d %s", i, a.StatusCode, a.body, c.status, c.code)
		}
		if c.status == 405 && a.Header.Get("Allow") != "POST" {
			t.Errorf("Allow %q", a.Header.Get("Allow"))
		}
	}
}

// TestAllow asks for methods that a path does not have. Allow lists those of the path, each
// once, and none of a path with a parameter in the place of its last word.
func TestAllow(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for path, want := range map[string]string{
		"/claims/counts": "GET, HEAD", "/claims/search": "POST", "/claims/clm_1": "GET, HEAD, PATCH", "/claims": "GET, HEAD, POST",
		"/eras/import": "POST", "/webhook_deliveries/resend": "POST", "/webhook_endpoints/whe_1": "DELETE, GET, HEAD, PATCH",
	} {
		a := s.do(t, call{method: "PROPFIND", path: path, bad: true})
		if got := a.Header.Get("Allow"); a.StatusCode != 405 || got != want {
			t.Errorf("%s: status %d, Allow %q, want %q", path, a.StatusCode, got, want)
		}
	}
}
