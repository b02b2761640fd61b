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

// TestSimulateCommand sends steps by flags and from the standard input, and shows what they
// drop.
func TestSimulateCommand(t *testing.T) {
	t.Parallel()
	var path, body string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		path, body = r.URL.Path, string(sent)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"file_name": "b-payment-7.835", "at": "2026-01-02T03:04:05Z", "dropped": [{"action": "reverse", "by": "payer", "due_at": "2026-02-02T03:04:05Z"}]}`)
	}))
	defer api.Close()
	run := func(args ...string) (string, error) {
		c := simulateStep(Backend{Getenv: func(string) string { return "" }})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(io.Discard)
		c.SetIn(strings.NewReader(`{"pay": {"lines": []}}`))
		c.SetArgs(append(args, "--api-url", api.URL, "--api-key", caller.NewKeySecret(billing.ModeTest)))
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	for line, want := range map[string]string{
		"clm_1 pay --percent 0 --patient-percent 25":           `{"pay":{"patient_percent":25,"percent":0}}`,
		"clm_1 reject --by clearinghouse --codes A7:164,A3:21": `{"reject":{"by":"clearinghouse","codes":["A7:164","A3:21"]}}`,
		"clm_1 deny --reason PR-204":                           `{"deny":{"reason":"PR-204"}}`,
		"clm_1 take-back":                                      `{"take_back":{}}`,
		"clm_1 --step -":                                       `{"pay": {"lines": []}}`,
	} {
		const shown = "  reverse by the payer, due at 2026-02-02T03:04:05Z, does not come any more\nb-payment-7.835 comes at 2026-01-02T03:04:05Z.\n"
		if got, err := run(strings.Fields(line)...); err != nil || got != shown {
			t.Fatal(line, err, got)
		}
		if !strings.HasSuffix(path, "/sandbox/claims/clm_1/simulate") || strings.ReplaceAll(body, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s sends %s to %s", line, body, path)
		}
	}
	if _, err := run("clm_1"); err == nil {
		t.Error("a step without an action")
	}
}
