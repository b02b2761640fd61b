package e2e_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const typescript = "../../../adapters/sdk/typescript"

// TestQuickStartExample runs the quick start of each client twice for one visit: the second run repeats
// the writes of the first, and prints the same.
func TestQuickStartExample(t *testing.T) {
	t.Parallel()
	for language, command := range map[string][]string{
		"go": {"go", "run", "./examples/quickstart"}, "typescript": {"node", "build/examples/quick-start.js"}, "python": {"python3", "examples/quick_start.py"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			quickStart(t, language, command)
		})
	}
}

func quickStart(t *testing.T, language string, command []string) {
	t.Helper()
	_, r := startDev(t, nil, t.TempDir())
	run := func() string {
		cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], "visit-1")...)
		cmd.Dir = "../../../adapters/sdk/" + language
		cmd.Env = append(os.Environ(), "MOLAR_BASE_URL="+strings.TrimSuffix(r.BaseURL, "/api/v1"), "MOLAR_API_KEY="+r.Keys["test"], "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	first := run()
	for _, want := range []string{"The payer rejected the check: Send the name", "Coverage is active; of the maximum, ", "The claim is paid: the payer paid "} {
		if !strings.Contains(first, want) {
			t.Errorf("the example does not print %q:\n%s", want, first)
		}
	}
	if second := run(); second != first {
		t.Errorf("the second run prints\n%safter\n%s", second, first)
	}
	a, err := send(t.Context(), http.DefaultClient, http.MethodGet, r.BaseURL+"/claims?kind=claim&state=paid", r.Keys["test"], "", "", nil)
	if paid, _ := a.body["data"].([]any); err != nil || len(paid) != 1 {
		t.Errorf("%d claims are paid, %v", len(paid), err)
	}
}

// TestWebhookExample posts webhooks to the receiver in TypeScript, signed as Molar signs them.
func TestWebhookExample(t *testing.T) {
	t.Parallel()
	to := t.TempDir() + "/webhooks.json"
	writeWebhooks(t, to)
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	var hooks map[string]json.RawMessage
	if err := json.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	secret := func(name string) (s string) { _ = json.Unmarshal(hooks[name], &s); return s }
	cmd := exec.CommandContext(t.Context(), "node", "build/examples/webhooks.js")
	cmd.Dir = typescript
	cmd.Env = append(os.Environ(), "PORT=0", "MOLAR_WEBHOOK_SECRET="+secret("other")+" "+secret("secret"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	next := func() string { lines.Scan(); return lines.Text() }
	at, ok := strings.CutPrefix(next(), "listening at ")
	if !ok {
		t.Fatal("the receiver does not listen")
	}
	for _, hook := range []struct {
		name   string
		status int
		prints string
	}{
		{"old", http.StatusUnauthorized, ""},
		{"paid", http.StatusNoContent, " was paid, in all 80.00 dollars"},
		{"paid", http.StatusNoContent, ""},
		{"unknown", http.StatusNoContent, ""},
	} {
		var signed struct {
			Body    string            `json:"body"`
			Headers map[string]string `json:"headers"`
		}
		if err := json.Unmarshal(hooks[hook.name], &signed); err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(signed.Body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range signed.Headers {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != hook.status {
			t.Errorf("%s: %d instead of %d", hook.name, resp.StatusCode, hook.status)
		}
		if hook.prints != "" {
			if line := next(); !strings.HasSuffix(line, hook.prints) {
				t.Errorf("%s: the receiver prints %q", hook.name, line)
			}
		}
	}
	_ = cmd.Process.Kill()
	if lines.Scan() { // all have one ID, so that the receiver takes one
		t.Errorf("the receiver also prints %q", lines.Text())
	}
}
