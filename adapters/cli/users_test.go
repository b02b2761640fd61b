package cli

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestUsers manages users as an operator does.
func TestUsers(t *testing.T) {
	t.Parallel()
	s := access.New(pgtest.Open(t), porttest.Payers(t), &porttest.Clock{}, credentials.New([32]byte{1}))
	run := func(line string) (string, error) {
		c := New(Backend{Access: func(context.Context) (*access.Service, func() error, error) {
			return s, func() error { return nil }, nil
		}})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(strings.Fields(line))
		err := c.ExecuteContext(t.Context())
		return strings.TrimSpace(out.String()), err
	}
	must := func(line string) string {
		t.Helper()
		out, err := run(line)
		if err != nil {
			t.Fatalf("molar %s: %v", line, err)
		}
		return out
	}
	enter := func(link string) error {
		_, token, _ := strings.Cut(link, "/sign-in#")
		_, err := s.SignIn(t.Context(), access.SignIn{
			Token: token, Address: netip.IPv6Loopback(),
			Entry: caller.AuditEntry{ID: billing.NewID[billing.AuditEntryID](billing.RealAt(time.Now())), Address: "::1", Operation: "POST /sessions", CreatedAt: time.Now()},
		})
		return err
	}
	fails := func(line, want string) {
		t.Helper()
		if out, err := run(line); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(out, "sign-in#") {
			t.Errorf("molar %s: %q, %v, want %q", line, out, err, want)
		}
	}
	org, other := must("orgs create Practice"), must("orgs create Other")
	fails("users invite ann@example.com --org "+org, "--origin")
	if err := s.RecordOrigin(t.Context(), "http://127.0.0.1:8080"); err != nil {
		t.Fatal(err)
	}
	invited := must("users invite Ann@example.com --name Ann --role owner --org " + org)
	if !strings.HasPrefix(invited, "http://127.0.0.1:8080/sign-in#") || strings.Contains(invited, "\n") {
		t.Errorf("link %q", invited)
	}
	again := must("users link ann@example.com --origin https://molar.example/")
	if !strings.HasPrefix(again, "https://molar.example/sign-in#") || enter(invited) == nil || enter(again) != nil || enter(again) == nil {
		t.Errorf("link %q", again)
	}
	if list := must("users list --org " + org); !strings.Contains(list, "ann@example.com  Ann   owner  active") {
		t.Errorf("list %s", list)
	}
	must("users invite ann@example.com --org " + other)
	fails("users reset ann@example.com", "choose one with --org: "+org+", "+other)
	if err := enter(must("users reset ann@example.com --org " + org)); err != nil {
		t.Error(err)
	}
	fails("users disable ann@example.com --org "+org, "last active owner")
	if out := must("users disable ann@example.com --org " + other); !strings.HasSuffix(out, "ann@example.com is disabled.") {
		t.Errorf("disable %q", out)
	}
	fails("users link ann@example.com --org "+other, "disabled")
	fails("users link ben@example.com", "no user has the address")
	fails("users invite ann --org "+org, "invalid")
	fails("users invite ann@example.com --org "+org, "has a user")
	fails("users invite ann@example.com --org "+billing.OrgID{1}.String(), "organization")
}
