package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// clients says how the cases of each language are run, in the folder of its client.
func clients() map[string][]string {
	return map[string][]string{
		"go":         {"go", "run", "./cases"},
		"typescript": {"node", "build/cases/cases.js"},
		"python":     {"python3", "-m", "cases"},
	}
}

// TestClients runs the cases of each client against a service through a proxy that adds what a
// client of this version does not know. Without -short it runs them once more without the proxy.
func TestClients(t *testing.T) {
	t.Parallel()
	const sdk = "../../../adapters/sdk"
	text, err := os.ReadFile(sdk + "/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile("(?m)^- `([a-z_]+)`").FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	_, r := startWholeDev(t, nil, t.TempDir()) // the cases list events at once
	origin := strings.TrimSuffix(r.BaseURL, "/api/v1")
	newer := httptest.NewServer(newerService(t, origin))
	t.Cleanup(newer.Close)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/film.jpg", photo(1, false), 0o600); err != nil {
		t.Fatal(err)
	}
	for language, command := range clients() {
		for mark, at := range map[string]string{"0": origin, "1": newer.URL} {
			if mark == "0" && testing.Short() {
				continue
			}
			t.Run(language+map[string]string{"1": "/newer"}[mark], func(t *testing.T) {
				t.Parallel()
				cut := httptest.NewServer(cutting(at))
				t.Cleanup(cut.Close)
				webhooks := t.TempDir() + "/webhooks.json"
				writeWebhooks(t, webhooks)
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Dir = filepath.Join(sdk, language)
				cmd.Env = append(os.Environ(), "MOLAR_BASE_URL="+at, "MOLAR_CUT_URL="+cut.URL, "MOLAR_API_KEY="+throwAway(t, r, language+mark),
					"MOLAR_READONLY_KEY="+r.Keys["test_read"], "MOLAR_CASES_PROXY="+mark, "MOLAR_IMAGE="+dir+"/film.jpg",
					"MOLAR_WEBHOOKS="+webhooks, "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				var run []string
				for line := bufio.NewScanner(bytes.NewReader(out)); line.Scan(); {
					if name, ok := strings.CutPrefix(line.Text(), "ok "); ok {
						run = append(run, name)
					}
				}
				if !slices.Equal(run, names) {
					t.Errorf("%d of the %d cases are good: %q", len(run), len(names), run)
				}
			})
		}
	}
}

// throwAway returns a key of an organization of its own.
func throwAway(t *testing.T, r ready, name string) string {
	t.Helper()
	a, err := post(t.Context(), http.DefaultClient, r.BaseURL+"/sandbox/organizations", r.Keys["test"], unique("cases"), "application/json",
		[]byte(`{"name":"Cases `+name+`"}`))
	key, _ := a.body["api_key"].(string)
	if err != nil || a.status != http.StatusCreated || key == "" {
		t.Fatalf("make an organization: %d %v, %v", a.status, a.body, err)
	}
	return key
}

// writeWebhooks writes webhooks as Molar signs them, good for the next minutes: one of a claim that is
// paid, one that is old, and one of an unknown type.
func writeWebhooks(t *testing.T, to string) {
	t.Helper()
	golden, err := os.ReadFile("../../../core/billing/event/testdata/claim.paid.json")
	if err != nil {
		t.Fatal(err)
	}
	secret, other := webhook.NewWebhookSecret(), webhook.NewWebhookSecret()
	signed := func(body []byte, at time.Time) map[string]any {
		signature, err := secret.Sign("evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", at, body)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{"body": string(body), "headers": map[string]string{
			"Webhook-Id": "evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK", "Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10), "Webhook-Signature": "v1,AAAA " + signature,
		}}
	}
	head := `{"id":"evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK","object":"event","type":"claim.%s","sequence":7,"created_at":"2026-01-02T03:04:05.000000+00:00","data":`
	paid := []byte(strings.Replace(head, "%s", "paid", 1) + string(bytes.TrimSpace(golden)) + "}")
	unknown := []byte(strings.Replace(head, "%s", "teleported", 1) + `{"to":"Mars"}}`)
	b, err := json.Marshal(map[string]any{
		"secret": string(secret), "other": string(other), "paid": signed(paid, time.Now().Add(time.Minute)), "old": signed(paid, time.Now().Add(-6*time.Minute)),
		"unknown": signed(unknown, time.Now().Add(time.Minute)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// cutting passes requests on to a service. It cuts the connection of a request with the header X-Cut: an
// upload in its middle, or any request before its reply, each once for each key. An event that
// is asked for as expired is.
func cutting(origin string) http.Handler {
	to, _ := url.Parse(origin)
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	var seen sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		how := r.Header.Get("X-Cut")
		r.Header.Del("X-Cut")
		_, again := seen.LoadOrStore(how+r.Header.Get("Idempotency-Key"), true)
		switch {
		case how == "expired":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Should-Retry", "false")
			w.WriteHeader(http.StatusGone)
			_, _ = io.WriteString(w, `{"error":"EVENT_EXPIRED","message":"The event is no longer kept.","errors":[],"request_id":"req_1","oldest_event_id":"evt_01JGFJJZ00FC1R3ZY5N7Q8Z4VK"}`)
		case how == "upload" && !again:
			_, _ = io.CopyN(io.Discard, r.Body, 100)
			hangUp(w)
		case how == "reply" && !again:
			pass.ServeHTTP(httptest.NewRecorder(), r)
			hangUp(w)
		default:
			pass.ServeHTTP(w, r)
		}
	})
}

func hangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = c.Close() // as a network does
	}
}

// newerService passes requests on to a service, and adds what a newer one may: a field to each object, a
// value to enumerations that may grow, and events of another type.
func newerService(t *testing.T, origin string) http.Handler {
	t.Helper()
	to, _ := url.Parse(origin)
	growing := growingFields(t)
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Header.Set("Accept-Encoding", "identity") }, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ModifyResponse: func(r *http.Response) error {
			if r.Header.Get("Content-Type") != "application/json" {
				return nil
			}
			b, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			d := json.NewDecoder(bytes.NewReader(b))
			d.UseNumber()
			var value any
			if err := d.Decode(&value); err == nil {
				if b, err = json.Marshal(newerValue(value, "", growing)); err != nil {
					return err
				}
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
			r.Header.Set("Content-Length", strconv.Itoa(len(b)))
			return nil
		},
	}
}

// growingFields are the names of fields whose values may grow, without those that the cases compare, or send again.
func growingFields(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../../adapters/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["x-extensible"] == true {
				found[name] = true
			}
			for key, inner := range v {
				if key == "properties" {
					for field, schema := range inner.(map[string]any) {
						walk(field, schema)
					}
				} else {
					walk(name, inner)
				}
			}
		case []any:
			for _, inner := range v {
				walk(name, inner)
			}
		}
	}
	walk("", doc["components"].(map[string]any)["schemas"])
	for _, compared := range []string{"state", "status", "outcome", "type", "code", "error", "relationship", "detail_level", "permissions", "object"} {
		delete(found, compared)
	}
	return found
}

func newerValue(v any, name string, growing map[string]bool) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Collect(maps.Keys(v)) {
			v[key] = newerValue(v[key], key, growing)
		}
		v["x_unknown"] = another(v)
	case []any:
		var all []any
		for _, item := range v {
			if e, ok := item.(map[string]any); ok && e["object"] == "event" {
				all = append(all, map[string]any{"id": e["id"], "object": "event", "type": "claim.teleported", "sequence": e["sequence"], "created_at": e["created_at"], "data": "new"})
			}
			all = append(all, newerValue(item, name, growing))
		}
		return slices.Clip(append([]any{}, all...))
	case string:
		if growing[name] {
			return "x_unknown_value"
		}
	}
	return v
}

// another is the value of a new field: in a map of counts another count, and else a text.
func another(v map[string]any) any {
	counts := slices.Collect(maps.Values(v))
	if len(counts) > 0 && !slices.ContainsFunc(counts, func(one any) bool {
		_, number := one.(json.Number)
		count, _ := one.(map[string]any)
		return !number && count["count"] == nil
	}) {
		return counts[0]
	}
	return "new"
}
