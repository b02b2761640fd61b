package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// TestFaultCommands sends rules from the standard input, shows and removes them.
func TestFaultCommands(t *testing.T) {
	t.Parallel()
	var sent []string
	rules := `{"operation": "createClaim", "kind": "error", "status": 503, "times": 2, "expires_at": "2026-01-02T03:04:05Z", "struck": 1},` +
		`{"operation": "*", "kind": "delay", "milliseconds": 50, "probability": 0.5, "seed": 3, "expires_at": "2026-01-02T03:04:05Z", "struck": 0}`
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent = append(sent, r.Method+" "+r.URL.Path+" "+string(body))
		shown := rules
		if strings.Contains(string(body), "[]") {
			shown = ""
		}
		_, _ = io.WriteString(w, `{"object": "sandbox_faults", "rules": [`+shown+`]}`)
	}))
	defer api.Close()
	run := func(line string) string {
		c := faultCommands(Backend{Getenv: func(string) string { return "" }})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetIn(strings.NewReader(`{"rules":[1]}`))
		c.SetArgs(append(words(line)[2:], "--api-url", api.URL, "--api-key", caller.NewKeySecret(billing.ModeTest)))
		if err := c.ExecuteContext(t.Context()); err != nil {
			t.Fatal(line, err)
		}
		return out.String()
	}
	want := "OPERATION    KIND   DETAIL  STRIKES             STRUCK  UNTIL\n" +
		"createClaim  error  503     the first 2         1       2026-01-02T03:04:05Z\n" +
		"*            delay  50 ms   0.5 of all, seed 3  0       2026-01-02T03:04:05Z\n"
	for _, line := range []string{"molar sandbox faults set -", "molar sandbox faults show"} {
		if got := run(line); got != want {
			t.Errorf("%s prints\n%s", line, got)
		}
	}
	if got := run("molar sandbox faults clear"); got != "no fault rules\n" {
		t.Errorf("clear prints %s", got)
	}
	if got := strings.Join(sent, "\n"); got != `PUT /api/v1/sandbox/faults {"rules":[1]}`+"\nGET /api/v1/sandbox/faults \n"+`PUT /api/v1/sandbox/faults {"rules":[]}` {
		t.Errorf("sent\n%s", got)
	}
}
