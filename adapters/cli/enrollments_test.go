package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestEnrollmentsOfTheHelp runs the example of the help, and lists what it recorded.
func TestEnrollmentsOfTheHelp(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	s := enrollments.New(store, porttest.Payers(t))
	b := Backend{Enrollments: func(context.Context) (*enrollments.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}}
	scope := porttest.Organization(t, store, billing.ModeLive)
	office := porttest.Office(t, store, scope).ID.String()
	run := func(line string) (string, error) {
		c := New(b)
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(words(strings.NewReplacer("org_...", scope.Org.String(), "off_...", office).Replace(line)))
		err := c.ExecuteContext(t.Context())
		return strings.TrimSpace(out.String()), err
	}
	said, err := run(setEnrollment(b).Example)
	if want := office + ": claims with CHTEST is submitted since "; err != nil || !strings.HasPrefix(said, want) {
		t.Errorf("printed %q, %v, want %q", said, err, want)
	}
	set := "molar enrollments set --org org_... --mode live --office off_... --payer 60054 --transaction eligibility --state rejected --date 2026-02-03 --json"
	said, err = run(set + " --network-message 'No\x1b[31m W-9.'")
	var line struct {
		ID             string `json:"id"`
		State          string `json:"state"`
		Date           string `json:"date"`
		NetworkMessage string `json:"network_message"`
	}
	if err := json.Unmarshal([]byte(said), &line); err != nil || line.State != "rejected" || line.Date != "2026-02-03" || line.NetworkMessage != "No\x1b[31m W-9." {
		t.Errorf("printed %q, %v", said, err)
	}
	if err != nil {
		t.Error(err)
	}
	said, err = run("molar enrollments list --org org_... --mode live")
	rows := strings.Split(said, "\n")
	if err != nil || len(rows) != 3 || !strings.HasPrefix(rows[0], "OFFICE ") || strings.Contains(said, "\x1b") ||
		strings.Join(strings.Fields(rows[1])[1:5], " ") != "60054 eligibility rejected 2026-02-03" || !strings.Contains(rows[2], "In process: 10 business days") {
		t.Errorf("printed %v, %q", err, said)
	}
	said, err = run("molar enrollments list --org org_... --mode live --json")
	if err != nil || strings.Count(said, "\n") != 1 || !strings.Contains(said, line.ID) {
		t.Errorf("printed %v, %q", err, said)
	}
	if said, err = run("molar enrollments list --org org_... --json"); err != nil || said != "" { // of test mode
		t.Errorf("printed %v, %q", err, said)
	}
	for args, code := range map[string]billing.Code{
		strings.Replace(set, "rejected", "live", 1): billing.CodeInvalidRequest, strings.Replace(set, "60054", "UNKNOWN", 1): billing.CodeNotFound,
		strings.Replace(set, "--mode live", "--mode test", 1): billing.CodeNotFound,
	} {
		if _, err := run(args); billing.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", args, err, code)
		}
	}
	if _, err := run("molar enrollments set --org org_..."); err == nil || !strings.Contains(err.Error(), "office") {
		t.Errorf("without an office: %v", err)
	}
}
