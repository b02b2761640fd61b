package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// attempts are what other sites can make a browser send: the lines that the browser
// adds by itself, which a page cannot change, and the body of a form or a fetch.
func attempts(own string) map[string]struct{ lines, kind string } {
	const form, multipart, text = "application/x-www-form-urlencoded", "multipart/form-data; boundary=B", "text/plain;charset=UTF-8"
	navigate := "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nOrigin: https://evil.example\r\n"
	fetch := "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nOrigin: https://evil.example\r\n"
	old := "Origin: https://evil.example\r\nReferer: " + own + "/\r\n"
	return map[string]struct{ lines, kind string }{
		"a form":                                 {navigate, form},
		"a form with files":                      {navigate, multipart},
		"a form of text":                         {navigate, text},
		"a form of a page in a frame":            {strings.Replace(navigate, "https://evil.example", "null", 1), form},
		"fetch of text":                          {fetch, text},
		"fetch of JSON":                          {strings.Replace(fetch, "no-cors", "cors", 1), "application/json"},
		"fetch with a mode":                      {strings.Replace(fetch, "no-cors", "cors", 1) + "Molar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"a beacon":                               {strings.Replace(fetch, "no-cors", "no-cors\r\nSec-Fetch-Dest: empty", 1), text},
		"a form of an old browser":               {old, form},
		"fetch of an old browser":                {old + "Molar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"a page of another port":                 {"Sec-Fetch-Site: same-site\r\nOrigin: http://127.0.0.1:1\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"another port, in an old browser":        {"Origin: http://127.0.0.1:1\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"a link from a message":                  {"Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n", form},
		"no proof":                               {"Molar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"proof of two sites":                     {"Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"proof of two sites in a line":           {"Sec-Fetch-Site: same-origin, cross-site\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"two origins":                            {"Origin: " + own + "\r\nOrigin: https://evil.example\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"an origin that begins like its own":     {"Origin: " + own + ".evil.example\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
		"the service's own origin, plain or not": {"Origin: " + strings.Replace(own, "http:", "https:", 1) + "\r\nMolar-Mode: test\r\nIdempotency-Key: evil\r\n", "application/json"},
	}
}

// TestOtherSites sends everything that a page of another site can send with the
// cookies of an owner. No reply lets the page read it, and nothing is changed.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	_, token := s.invited(t, s.org, "ann@example.com", caller.RoleOwner)
	bodies := map[string]string{
		"POST /sessions": fmt.Sprintf(`{"token":%q}`, token), "POST /users": `{"email":"evil@example.com","role":"owner"}`,
		"POST /api_keys": `{"name":"evil","mode":"live","permissions":["read"]}`, "PATCH /users/" + owner.user.String(): `{"password":"` + password + `"}`,
		"POST /claims/search": `{"query":"example"}`, "GET /me": "", "HEAD /me": "", "DELETE /sessions/" + owner.session: "",
	}
	for name, from := range attempts("http://" + s.addr) {
		for operation, body := range bodies {
			method, path, _ := strings.Cut(operation, " ")
			switch {
			case body == "":
			case strings.HasPrefix(from.kind, "application/x-www"):
				body = "token=" + token + "&email=evil@example.com&role=owner"
			case strings.HasPrefix(from.kind, "multipart"):
				body = "--B\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + token + "\r\n--B--\r\n"
			}
			w := dial(t, s.addr)
			w.Send("%s %s%s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n%s", method, root, path, s.addr, owner.headers["Cookie"], from.lines)
			if body != "" {
				w.Send("Content-Type: %s\r\nContent-Length: %d\r\n", from.kind, len(body))
			}
			w.Send("\r\n%s", body)
			if method == http.MethodHead {
				continue
			}
			a := w.reply()
			if a.StatusCode != http.StatusUnauthorized || len(a.Cookies()) > 0 {
				t.Errorf("%s, %s: %d %s", name, operation, a.StatusCode, a.body)
			}
			w = dial(t, s.addr) // the question that a browser asks before
			w.Send("OPTIONS %s%s HTTP/1.1\r\nHost: %s\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: %s\r\nAccess-Control-Request-Headers: molar-mode\r\n\r\n",
				root, path, s.addr, method)
			if a := w.reply(); a.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d %s", operation, a.StatusCode, a.body)
			}
		}
	}
	s.must(t, 200, owner.call(call{path: "/me"})).shows(t, "user.has_password", false)
	if all := s.must(t, 200, owner.call(call{path: "/users"})).body + s.must(t, 200, owner.call(call{path: "/api_keys"})).body; strings.Contains(all, "evil") {
		t.Errorf("another site changed %s", all)
	}
	s.enters(t, billing.UserID{}, bodies["POST /sessions"]) // the link has not been used
}

// TestHostileHosts sends an owner's requests under names that an attacker may point to
// this machine. None reads anything, and no link leads to the attacker.
func TestHostileHosts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	port := s.addr[strings.LastIndex(s.addr, ":"):]
	for _, host := range []string{
		"evil.example" + port, "127.0.0.1.evil.example" + port, "localhost.evil.example" + port, "evil.example" + port + "\r\nX-Forwarded-Host: " + s.addr,
		"localhost." + port, "0.0.0.0" + port, "127.1" + port, "2130706433" + port, "0x7f000001" + port, "[::]" + port, "169.254.169.254" + port,
		s.addr + "@evil.example" + port, s.addr + "\r\nHost: evil.example" + port, "",
	} {
		for _, operation := range []string{"GET /me", "POST /users"} {
			method, path, _ := strings.Cut(operation, " ")
			body := map[string]string{"POST": `{"email":"ann@example.com","role":"viewer"}`}[method]
			w := dial(t, s.addr)
			w.Send("%s %s%s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://%s\r\nMolar-Mode: test\r\n"+
				"Idempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				method, root, path, host, owner.headers["Cookie"], strings.SplitN(host, "\r", 2)[0], len(body), body)
			if a := w.reply(); a.StatusCode != 401 && a.StatusCode != 400 {
				t.Errorf("host %q, %s: %d %s", host, operation, a.StatusCode, a.body)
			}
		}
	}
	for n, host := range []string{s.addr, "localhost" + port, "[::1]" + port} {
		w := dial(t, s.addr)
		body := fmt.Sprintf(`{"email":"ann.%d@example.com","role":"viewer"}`, n)
		w.Send("POST %s/users HTTP/1.1\r\nHost: %s\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\nCookie: %s\r\nSec-Fetch-Site: same-origin\r\n"+
			"Molar-Mode: test\r\nIdempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			root, host, owner.headers["Cookie"], host, len(body), body)
		if a := w.reply(); a.StatusCode != 201 || !strings.HasPrefix(a.text(t, "sign_in_url"), "http://"+host+"/sign-in#") {
			t.Errorf("host %q: %d %s", host, a.StatusCode, a.body)
		}
	}
}
