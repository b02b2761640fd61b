package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

func TestTrigger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, r := startDev(t, []string{"MOLAR_BATCH_INTERVAL=200ms", "MOLAR_SANDBOX_ERA_DELAY=1s"}, dir)
	c := newCommand(t)
	for _, args := range [][]string{
		{"eligibility.completed", "elg_", "state outcome cache.state", "completed answered fresh"},
		{"eligibility.completed", "elg_", "outcome", "answered", "--json"}, // a second time too
		{"eligibility.completed", "elg_", "outcome", "rejected", "--member-id", "X-NOT-FOUND"},
		{"eligibility.completed", "elg_", "outcome", "payer_unavailable", "--member-id", "X-PAYER-DOWN"},
		{"attachment.completed", "att_", "state document_count claim_id", "closed 1 <nil>"},
		{"payer_request.received", "prq_", "state source", "open staff"},
		{"claim.paid", "clm_", "state claim_payment.outcome", "paid paid"},
		{"batch.acknowledged", "fil_", "result claim_count", "accepted 1"},
		{"predetermination.returned", "clm_", "kind state previous_state", "predetermination returned accepted_payer"},
	} {
		out := c.good(append([]string{"trigger", args[0], "--data", dir}, args[4:]...)...)
		id := strings.Fields(out + " - -")[1]
		if slices.Contains(args, "--json") {
			var e struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal([]byte(out), &e); err != nil {
				t.Errorf("%q: %v", out, err)
			}
			id = e.ID
		}
		_, body := get(t, r.BaseURL+"/events/"+id, r.Keys["test"])
		var e map[string]any
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		data, _ := e["data"].(map[string]any)
		if e["type"] != args[0] || !strings.HasPrefix(fmt.Sprint(data["id"]), args[1]) || values(data, args[2]) != args[3] {
			t.Errorf("%v made %s", args, body)
		}
	}
	if list := c.good("trigger", "--list"); list != c.good("trigger") || strings.Count(list, "\n") != len(event.Types()) {
		t.Errorf("the list is %s", list)
	}
	c.bad("molar keys create", "trigger", "api_key.created", "--data", dir)
	c.bad("payer_request.received", "trigger", "payer_request.lost", "--data", dir)
	key := func(name string) []string { return []string{"--api-url", r.BaseURL, "--api-key", r.Keys[name]} }
	c.bad("live mode", append(key("live"), "trigger", "eligibility.completed")...)
	if out := c.good("sandbox", "clock", "--data", dir); !strings.Contains(out, "and runs. Nothing is due.") {
		t.Errorf("the clock: %s", out)
	}
	if out := c.good("sandbox", "advance", "--by", "2h", "--json", "--data", dir); !strings.Contains(out, `"state":"ready"`) {
		t.Errorf("the advanced clock: %s", out)
	}
	c.good("sandbox", "advance", "--until", "idle", "--data", dir)
	c.good("sandbox", "stop", "--data", dir)
	if out := c.good("sandbox", "clock", "--stop", "--data", dir); !strings.Contains(out, "and is stopped.") {
		t.Errorf("the stopped clock: %s", out)
	}
	c.good("sandbox", "clock", "--run", "--data", dir)
	c.bad("one of --stop and --run", "sandbox", "clock", "--run", "--stop", "--data", dir)
	c.bad("to do it: molar sandbox reset --confirm org_", "sandbox", "reset", "--data", dir)
	c.bad("confirm", "sandbox", "reset", "--confirm", "Demo Dental Group", "--data", dir)
	c.bad("no fixed length", "sandbox", "advance", "--by", "P1M", "--data", dir)
	c.bad("TEST_MODE_ONLY", append(key("live"), "sandbox", "clock")...)
	c.bad("--office", append(key("test"), "trigger", "eligibility.completed")...)
	c.bad("422 INVALID_REQUEST", append(key("test"), "trigger", "eligibility.completed", "--office", "x")...)
	c.bad("read,submit", append(key("test_read"), "trigger", "eligibility.completed", "--office", r.Offices["test"])...)
	c.bad("is made, but its event cannot be read", append(key("test_submit"), "trigger", "eligibility.completed", "--office", r.Offices["test"])...)
	var made struct {
		ID     string `json:"id"`
		APIKey string `json:"api_key"`
	}
	text := c.good("sandbox", "organizations", "create", "run", "--expires-in", "2h", "--json", "--data", dir)
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.APIKey == "" {
		t.Errorf("%s: %v", text, err)
	}
	c.good("--api-url", r.BaseURL, "--api-key", made.APIKey, "sandbox", "clock")
	if out := c.good("sandbox", "organizations", "list", "--data", dir); !strings.Contains(out, made.ID) {
		t.Errorf("the organizations: %s", out)
	}
	c.bad("at most 30 days", "sandbox", "organizations", "create", "run", "--expires-in", "31d", "--data", dir)
	c.good("sandbox", "organizations", "remove", made.ID, "--data", dir)
	c.bad("404", "sandbox", "organizations", "remove", made.ID, "--data", dir)
	_, unconfirmed, _ := c.run(append(key("other_test"), "sandbox", "reset")...)
	org := regexp.MustCompile("org_[0-9A-Z]{26}").FindString(unconfirmed)
	c.good(append(key("other_test"), "trigger", "eligibility.completed", "--data", dir)...)
	if out := c.good(append(key("other_test"), "sandbox", "reset", "--confirm", org)...); !strings.Contains(out, "and runs. Nothing is due.") {
		t.Errorf("the clock after a reset: %s", out)
	}
	if out := c.good(append(key("other_test"), "events", "list")...); strings.Contains(out, "eligibility.completed") {
		t.Errorf("the events after a reset: %s", out)
	}
	if out := c.good(append(key("other_test"), "trigger", "eligibility.completed", "--data", dir)...); !strings.Contains(out, "elg_") {
		t.Errorf("with the key and the office of the other organization: %q", out)
	}
}

func TestEventsList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, r := startWholeDev(t, nil, dir)
	c := newCommand(t, "MOLAR_API_URL="+r.BaseURL, "MOLAR_API_KEY="+r.Keys["test"])
	var newest string
	const checks = 102 // more than a page
	for n := range checks {
		got, err := check(t.Context(), http.DefaultClient, r.BaseURL, r.Keys["test"], strconv.Itoa(n), checkBody(r.Offices["test"], "-ACTIVE-FULL", n))
		if err != nil || got.status != http.StatusOK {
			t.Fatal(got, err)
		}
		newest = idOf(got)
	}
	lines := func(args ...string) []string {
		return strings.Split(strings.TrimSuffix(c.good(append([]string{"events", "list"}, args...)...), "\n"), "\n")
	}
	if got := lines("--limit", "1000", "--type", "eligibility.completed", "--json"); len(got) != checks || !json.Valid([]byte(got[0])) || !strings.Contains(got[0], newest) {
		t.Errorf("%d lines, the first %s", len(got), got[0])
	} else if slices.Sort(got); len(slices.Compact(got)) != checks {
		t.Error("events came twice")
	}
	if got := lines(); len(got) != 1+25 || !strings.HasPrefix(got[0], "CREATED") || !strings.Contains(got[1], "eligibility.completed") || !strings.Contains(got[1], newest) {
		t.Errorf("the table has %d lines: %s", len(got), got[:2])
	}
	if got := lines("--resource", newest, "--after", "1h"); len(got) != 2 {
		t.Errorf("the events of a resource: %v", got)
	}
	if got := lines("--before", "1h"); len(got) != 1 {
		t.Errorf("events before the first: %v", got)
	}
	c.bad("no such event type", "events", "list", "--type", "x")
	c.bad("--limit", "events", "list", "--limit", "0")
	c.bad("resource_id", "events", "list", "--resource", "x")
	away := newCommand(t, "MOLAR_API_URL=http://127.0.0.1:1", "MOLAR_API_KEY="+r.Keys["test"])
	away.bad("Start it with molar dev", "events", "list")
	away.bad("Start it with molar dev", "events", "resend", billing.NewID[billing.EventID](billing.RealAt(time.Now())).String())
}

// TestEventsResend sends events again to an endpoint with a receiver on this
// machine.
func TestEventsResend(t *testing.T) {
	t.Parallel()
	hooks := &receiver{t: t}
	dir := t.TempDir()
	addr, ca := serveTLS(t, hooks)
	_, r := startWholeDev(t, nil, dir, "--webhook-resolve", "example.com="+addr, "--webhook-ca", ca)
	made, err := post(t.Context(), http.DefaultClient, r.BaseURL+"/webhook_endpoints", r.Keys["test"], "k", "application/json", []byte(`{"url":"https://example.com/hooks"}`))
	if err != nil || made.status >= 300 {
		t.Fatal(made, err)
	}
	endpoint := fmt.Sprint(made.body["id"])
	c := newCommand(t)
	e := func(n int) string {
		await(t, fmt.Sprint("delivery ", n), func() bool { return len(hooks.hooks()) == n })
		h := hooks.hooks()[n-1]
		verifyHook(t, h, fmt.Sprint(made.body["secret"]))
		return h.event(t).ID
	}
	check := strings.Fields(c.good("trigger", "eligibility.completed", "--data", dir))[1]
	if got := e(1); got != check {
		t.Fatalf("delivered %s, want %s", got, check)
	}
	request := strings.Fields(c.good("trigger", "payer_request.received", "--data", dir))[1]
	if got := e(2); got != request {
		t.Fatalf("delivered %s, want %s", got, request)
	}
	for n, again := range []struct {
		want string
		args []string
	}{
		{check, []string{check}},
		{request, []string{request, "--endpoint", endpoint}},
		{check, []string{"--after", "1h", "--type", "eligibility.completed"}},
		{request, []string{"--after", "1h", "--before", "0s", "--type", "payer_request.received", "--type", "claim.paid", "--endpoint", endpoint}},
	} {
		if out := c.good(append([]string{"events", "resend", "--data", dir}, again.args...)...); out != "1 queued\n" {
			t.Errorf("%v printed %q", again.args, out)
		}
		if got := e(3 + n); got != again.want {
			t.Errorf("%v delivered %s, want %s", again.args, got, again.want)
		}
	}
	if out, stderr, code := c.run("events", "resend", "--data", dir, "--after", "1h", "--type", "claim.paid", "--json"); code != 0 || !strings.Contains(out, `"queued":0`) || strings.Contains(stderr, "enabled") {
		t.Errorf("nothing to send: %d, %q, %q", code, out, stderr)
	}
	if _, stderr, code := c.run("events", "resend", "--data", dir, "--after", "1h", "--type", "claim.paid"); code != 0 || !strings.Contains(stderr, "No enabled webhook endpoint") {
		t.Errorf("nothing to send: %d, %q", code, stderr)
	}
	c.bad("404 NOT_FOUND", "events", "resend", "--data", dir, billing.NewID[billing.EventID](billing.RealAt(time.Now())).String())
	c.bad("404 NOT_FOUND", "events", "resend", "--data", dir, check, "--endpoint", billing.NewID[billing.WebhookEndpointID](billing.RealAt(time.Now())).String())
}

func TestWebhooksVerify(t *testing.T) {
	t.Parallel()
	secret, body, now := webhook.NewWebhookSecret(), `{"id":"evt_1"}`, time.Now()
	signature, err := secret.Sign("evt_1", now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	unix, dir := strconv.FormatInt(now.Unix(), 10), t.TempDir()
	write := func(name, content string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	file, edited := write("body", body), write("edited", body+"\n")
	request := write("request", "POST /hooks HTTP/1.1\r\nHost: x\r\nwebhook-id: evt_1\r\nwebhook-timestamp: "+unix+"\r\nwebhook-signature: "+signature+"\r\n\r\n"+body)
	c, withSecret := newCommand(t), newCommand(t, "MOLAR_WEBHOOK_SECRET="+string(secret))
	header := []string{"webhooks", "verify", "--id", "evt_1", "--timestamp", unix, "--signature", "v1,AAAA " + signature}
	for _, args := range [][]string{
		append(slices.Clone(header), "--secret", string(secret), file),
		{"webhooks", "verify", "--secret", string(secret), "--request", request},
	} {
		if out := c.good(args...); out != "valid\n" {
			t.Errorf("%v printed %q", args, out)
		}
		if out := withSecret.good(args...); out != "valid\n" {
			t.Errorf("%v printed %q", args, out)
		}
	}
	c.bad("does not match", append(slices.Clone(header), "--secret", string(webhook.NewWebhookSecret()), file)...)
	withSecret.bad("line break", append(slices.Clone(header), edited)...)
	withSecret.bad("does not match", append(slices.Clone(header), "--id", "evt_2", file)...)
	withSecret.bad("malformed", append(slices.Clone(header), "--timestamp", "now", file)...)
	withSecret.bad("does not match", append(slices.Clone(header), "-")...) // standard input is empty
	c.bad("no secret", append(slices.Clone(header), file)...)
	withSecret.bad("--request", header...)
	withSecret.bad("--request", append(slices.Clone(header), "--request", request)...)
	withSecret.bad("no such file", append(slices.Clone(header), file+"x")...)

	old, err := secret.Sign("evt_1", now.Add(-time.Hour), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	late := []string{"webhooks", "verify", "--id", "evt_1", "--timestamp", strconv.FormatInt(now.Add(-time.Hour).Unix(), 10), "--signature", old, file}
	withSecret.bad("--tolerance 0", late...)
	for _, tolerance := range []string{"0", "2h"} {
		if out := withSecret.good(append(late, "--tolerance", tolerance)...); out != "valid\n" {
			t.Errorf("tolerance %s: %q", tolerance, out)
		}
	}
}
