package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// What is wrong first in the order of the interface is told, on an upload that
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
	unknown := "/attachments/" + billing.NewID[billing.AttachmentID](time.Now()).String()
	form := "multipart/form-data; boundary=" + boundary
	bad, good := formOf(textOf("colour", "red")), formOf(chart(jpegOf(2))...)
	for i, c := range []struct {
		method, path, key, idem, body string
		header                        map[string]string
		status                        int
		code                          billing.Code
	}{
		{"PUT", unknown, "nobody", "", bad, nil, 405, billing.CodeMethodNotAllowed},
		{"POST", unknown, "nobody", "", bad, map[string]string{"Content-Encoding": "gzip"}, 401, billing.CodeUnauthorized},
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
			t.Errorf("request %d: answer %d %s, want %d %s", i, a.StatusCode, a.body, c.status, c.code)
		}
		if c.status == 405 && a.Header.Get("Allow") != "POST" {
			t.Errorf("Allow %q", a.Header.Get("Allow"))
		}
	}
	s.slotsComeFirst(t, path)
}

// slotsComeFirst holds both places of a key and shows that a third upload is
// refused for that, and after a free place for its size.
func (s *service) slotsComeFirst(t *testing.T, path string) {
	t.Helper()
	key := s.newKey(t)
	start := func(length int) *wire {
		w := dial(t, s.addr)
		w.send("POST %s%s/documents HTTP/1.1\r\nHost: molar\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n",
			root, path, key, boundary, length)
		return w
	}
	const tooMuch = 15<<20 + 64<<10 + 1
	if a := start(tooMuch).reply(); a.StatusCode != 413 {
		t.Errorf("a declared length that is too large: %d %s", a.StatusCode, a.body)
	}
	first, second := dial(t, s.addr), dial(t, s.addr)
	for _, w := range []*wire{first, second} { // they stall in the body
		w.send("%s", uploadHead(root+path+"/documents", key, "Content-Length: 1000")+"\r\n--")
	}
	eventually(t, func() error {
		s.server.uploads.mu.Lock()
		defer s.server.uploads.mu.Unlock()
		for _, n := range s.server.uploads.ofKey {
			if n == 2 {
				return nil
			}
		}
		return errors.New("the two uploads have not begun")
	})
	if a := start(tooMuch).reply(); a.StatusCode != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("a third upload: %d %s", a.StatusCode, a.body)
	}
	for _, w := range []*wire{first, second} {
		_ = w.Close()
	}
	eventually(t, func() error {
		if a := start(tooMuch).reply(); a.StatusCode != http.StatusRequestEntityTooLarge {
			return fmt.Errorf("after two ended: %d %s", a.StatusCode, a.body)
		}
		return nil
	})
}
