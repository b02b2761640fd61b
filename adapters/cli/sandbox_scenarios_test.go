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

// TestScenarioCommands lists, adds and removes scenarios: a 271, steps and a plan.
func TestScenarioCommands(t *testing.T) {
	t.Parallel()
	const listed = `{"data": [{"ending": "-ACTIVE-FULL", "operation": "eligibility", "summary": "The plan is active.", "built_in": true},
		{"ending": "-DELTA", "operation": "eligibility", "summary": "Delta", "built_in": false}], "next_cursor": null}`
	var sent string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent = strings.TrimSpace(r.Method + " " + strings.TrimSuffix(r.URL.RequestURI(), "?") + " " + string(body))
		switch {
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, listed)
		case r.Method == http.MethodDelete && r.Header.Get("Idempotency-Key") != "":
			w.WriteHeader(http.StatusNoContent)
		case strings.Contains(string(body), "ended"):
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"error": "INVALID_REQUEST", "message": "The request is invalid. errors lists what to change.", "request_id": "req_1",
				"errors": [{"field": "plan.status", "code": "not_allowed", "message": "The value must be one of active, inactive, unknown."}]}`)
		case strings.Contains(string(body), "x12"):
			_, _ = io.WriteString(w, `{"ending": "-DELTA", "messages": ["CALL US"]}`)
		default:
			_, _ = io.WriteString(w, `{"ending": "-PREMIER", "messages": null}`)
		}
	}))
	defer api.Close()
	run := func(line, in string) (string, error) {
		c := sandboxScenarios(Backend{Getenv: func(string) string { return "" }})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SetIn(strings.NewReader(in))
		args := strings.Fields(line)
		c.SetArgs(append([]string{args[0], "--api-url", api.URL, "--api-key", caller.NewKeySecret(billing.ModeTest)}, args[1:]...))
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	table := "OPERATION    ENDING        OWN  SUMMARY\neligibility  -ACTIVE-FULL  -    The plan is active.\neligibility  -DELTA        yes  Delta\n"
	const plan = `{"ending": "-PREMIER", "operation": "eligibility", "plan": {"status": "active"}}`
	const steps = `{"ending": "-PREMIER", "operation": "claim", "steps": [{"after": "PT1S", "accept": {}}]}`
	for _, step := range []struct{ line, in, prints, sends string }{
		{"list", "", table, "GET /api/v1/sandbox/scenarios"},
		{"list --operation claim", "", table, "GET /api/v1/sandbox/scenarios?operation=claim"},
		{"list --json", "", listed + "\n", "GET /api/v1/sandbox/scenarios"},
		{
			"add - --ending -DELTA --summary Delta --dates keep", "ISA*00", "  CALL US\nMember IDs that end in -DELTA now have this payer.\n",
			`POST /api/v1/sandbox/scenarios {"ending":"-DELTA","operation":"eligibility","summary":"Delta","x12":"ISA*00","dates":"keep"}`,
		},
		{"add -", "\n" + plan, "Member IDs that end in -PREMIER now have this payer.\n", "POST /api/v1/sandbox/scenarios " + strings.NewReplacer(": ", ":", ", ", ",").Replace(plan)},
		{"add -", steps, "Member IDs that end in -PREMIER now have this payer.\n", "POST /api/v1/sandbox/scenarios " + strings.NewReplacer(": ", ":", ", ", ",").Replace(steps)},
		{"remove -- -DELTA", "", "", "DELETE /api/v1/sandbox/scenarios/-DELTA"},
	} {
		got, err := run(step.line, step.in)
		if err != nil || got != step.prints || sent != step.sends {
			t.Errorf("%s: %v, sent %s, printed\n%s", step.line, err, sent, got)
		}
	}
	for line, want := range map[string]string{
		"add -":     "plan.status",
		"add":       "name a file, or - for the standard input",
		"add none":  "none",
		"remove":    "molar sandbox scenarios list",
		"list more": "more",
	} {
		if got, err := run(line, `{"plan": {"status": "ended"}}`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, printed\n%s", line, err, got)
		}
	}
}
