package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/adapters/dashboard"
	"github.com/molar-billing/molar/adapters/docs"
)

// startPages starts a server with the dashboard.
func startPages(t *testing.T, o Options) *probe {
	t.Helper()
	pages, err := dashboard.New()
	if err != nil {
		t.Fatal(err)
	}
	o.Pages, o.Docs = pages, docs.Handler(contract)
	return startProbe(t, o)
}

// opens requests a path as a browser does, under the name of a host. It returns the
// status and the header of the reply.
func (p *probe) opens(t *testing.T, method, path, host string) (int, http.Header) {
	t.Helper()
	w := dial(t, p.addr)
	defer func() { _ = w.Close() }()
	w.Send("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", method, path, host)
	r, err := http.ReadResponse(w.Reader, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	return r.StatusCode, r.Header
}

// The dashboard has every path but those of the API, whose errors stay JSON.
func TestPagesBesideTheAPI(t *testing.T) {
	t.Parallel()
	p := startPages(t, Options{})
	const page, object = "text/html; charset=utf-8", "application/json"
	for target, want := range map[string]string{
		"GET /":                  "200 " + page,
		"HEAD /sign-in":          "200 " + page,
		"GET /nonsense":          "404 " + page,
		"GET /apis":              "404 " + page,
		"GET //api/v1/claims":    "404 " + page,
		"GET /%61pi/v1/claims":   "404 " + page,
		"GET /api":               "404 " + object,
		"GET /api/":              "404 " + object,
		"GET /api/v1/nonsense":   "404 " + object,
		"GET /ok":                "401 " + object,
		"POST /ok":               "405 " + object,
		"POST /":                 "405 text/plain; charset=utf-8",
		"BREW /":                 "405 text/plain; charset=utf-8",
		"GET /assets/missing.js": "404 text/plain; charset=utf-8",
		"GET /docs":              "200 " + page,
		"GET /docs/nosuch":       "404 text/plain; charset=utf-8",
		"GET /docsx":             "404 " + page,
		"GET /llms.txt":          "200 text/plain; charset=utf-8",
	} {
		method, path, _ := strings.Cut(target, " ")
		status, header := p.opens(t, method, path, "localhost")
		if got := fmt.Sprint(status, " ", header.Get("Content-Type")); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		if header.Get("X-Request-Id") == "" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the headers are %v", target, header)
		}
	}
}

// A name that another site points to this machine shows no page.
func TestPagesNeedTheirOwnHost(t *testing.T) {
	t.Parallel()
	here, public := startPages(t, Options{}), startPages(t, Options{PublicURL: "https://molar.example"})
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "localhost": 200, "[::1]:8080": 200,
		"attacker.example": 421, "127.0.0.1.attacker.example": 421, "192.168.1.7": 421, "localhost@attacker.example": 421,
	} {
		for _, path := range []string{"/", "/sign-in", "/nonsense"} {
			status, _ := here.opens(t, "GET", path, host)
			if path == "/nonsense" && want == 200 {
				want = 404
			}
			if status != want {
				t.Errorf("%s at %s: %d, want %d", path, host, status, want)
			}
		}
	}
	if status, _ := public.opens(t, "GET", "/", "10.0.0.7:8080"); status != 200 {
		t.Errorf("behind a proxy: %d", status) // which chooses the Host that it sends
	}
}

// No part of a request for a page is read as another request.
func TestPagesReadNoBody(t *testing.T) {
	t.Parallel()
	p := startPages(t, Options{})
	smuggled := "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for _, framing := range []string{
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(smuggled), smuggled),
		fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(smuggled), smuggled),
	} {
		for _, method := range []string{"GET", "POST", "BREW"} {
			w := dial(t, p.addr)
			w.Send("%s / HTTP/1.1\r\nHost: localhost\r\n%s", method, framing)
			r, err := http.ReadResponse(w.Reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Body.Close()
			if !r.Close {
				t.Errorf("%s: the connection stays open", method)
			}
		}
	}
	if n := p.smuggled.Load(); n > 0 {
		t.Errorf("%d bodies were read as requests", n)
	}
}

// All files have one label and, unless they are missing, no line in the log.
func TestPagesAreQuiet(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	p := startPages(t, Options{Metrics: registry})
	for _, path := range []string{"/", "/test/claims", "/live/claims/clm_1", "/test/developers"} {
		p.opens(t, "GET", path, "localhost")
	}
	p.opens(t, "GET", "/wp-login.php", "localhost")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "molar_http_requests_total" {
			continue
		}
		if len(f.GetMetric()) != 2 {
			t.Errorf("%d series: %v", len(f.GetMetric()), f)
		}
		for _, m := range f.GetMetric() {
			if !strings.Contains(m.String(), `value:"dashboard"`) {
				t.Errorf("a series %v", m)
			}
		}
	}
	if n := strings.Count(p.log.String(), "request completed"); n != 1 {
		t.Errorf("%d lines in the log, want that of the missing page:\n%s", n, p.log)
	}
}
