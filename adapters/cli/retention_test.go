package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	rules "github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/retention"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestRetention shows and sets ages, and holds and releases an organization. Each change is in
// the audit, with who made it.
func TestRetention(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	store := pgtest.OpenAt(t, url)
	s := retention.New(audit.Operated{Store: store}, func(ctx context.Context, a rules.Age) error {
		return pgstore.SetAge(ctx, url, a, func(before *rules.Age, at time.Time) *caller.AuditEntry {
			return audit.OperationOf(ctx).Changed(billing.Scope{Org: a.Org, Mode: a.Mode}, a.Changed(before), at)
		})
	})
	run := func(args []string, want ...string) {
		t.Helper()
		c := New(Backend{Retention: func(context.Context) (*retention.Service, func() error, error) {
			return s, func() error { return nil }, nil
		}})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(append([]string{"retention"}, args...))
		if err := c.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error())
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("%v does not print %q:\n%s", args, text, out.String())
			}
		}
	}
	run([]string{"show"}, "records live all 3650", "records test all 90", "events live all 90", "exchanges live all 547")
	run([]string{"set", "records", "7y", "--minors"}, "records live all 2555 from the 18th birthday", "records test all 90")
	run([]string{"set", "records", "45d", "--test"}, "records test all 45", "records live all 2555")
	for _, wrong := range []struct{ kind, age, says string }{
		{"records", "7", "is no age"}, {"records", "101y", "is no age"}, {"records", "29d", "request is invalid"}, {"audit", "90d", "invalid"},
	} {
		run([]string{"set", wrong.kind, wrong.age}, wrong.says)
	}
	org := porttest.Organization(t, store, billing.ModeLive).Org.String()
	run([]string{"set", "exchanges", "2y", "--org", org, "--dry-run"}, "exchanges 0 0")
	run([]string{"set", "exchanges", "2y", "--org", org}, "exchanges live all 547 exchanges live "+org+" 730")
	run([]string{"set", "exchanges", "2y", "--org", "off_1"}, "no ID of an organization")
	run([]string{"set", "exchanges", "2y", "--minors"}, "invalid")
	run([]string{"set", "records", "1y", "--dry-run"}, "eligibility checks 0 0", "patients 0 0")
	run([]string{"hold", org}, "invalid")
	run([]string{"hold", org, "--reason", "case 26-4711"}, "Held until: molar retention release "+org)
	run([]string{"show"}, org+" "+org, "case 26-4711")
	run([]string{"release", org}, "Released.")
	run([]string{"release", org}, "NOT_FOUND")
	run([]string{"hold", "pat_00000000000000000000000001", "--reason", "x"}, "NOT_FOUND")
	run([]string{"hold", "off_1", "--reason", "x"}, "is no ID of an organization")

	entries, _, err := audit.New(store, 0, nil).ListOperators(t.Context(), billing.OrgID{}, caller.AuditFilter{}, billing.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, e := range entries {
		done = append(done, e.Operation+" "+e.Resource)
	}
	want := []string{
		"molar retention release " + org, "molar retention hold " + org,
		"molar retention set: exchanges, live: from no own age to 730 days " + org, "molar retention set: records, test: from 90 days to 45 days ",
		"molar retention set: records, live: from 3650 days to 2555 days from the 18th birthday ",
	}
	if !slices.Equal(done, want) {
		t.Errorf("the audit has: %q", done)
	}
}
