package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestAutomationCommands says in a golden file what the commands on the automation print. The
// examples of their help run.
func TestAutomationCommands(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	s := remittances.New(store, edi.New(), porttest.Payers(t))
	b := Backend{Remittances: func(context.Context) (*remittances.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}}
	org := porttest.Organization(t, store, billing.ModeTest).Org.String()
	var all strings.Builder
	for _, line := range []string{
		"molar automation show --help",
		"molar automation set --help",
		showAutomation(b).Example,
		setAutomation(b).Example,
		showAutomation(b).Example,
		"molar automation set --org org_... --mode test review",
		"molar automation set --org org_... --mode test",
		"molar automation set --org org_... --mode test sometimes --payer CHTEST=never",
		"molar automation set --org org_... --mode test review --payer NOBODY=review",
		"molar automation set --org org_... --mode test review --payer CHTEST",
	} {
		line = strings.TrimSpace(line)
		all.WriteString("$ " + line + "\n")
		cmd := New(b)
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(words(strings.ReplaceAll(line, "org_...", org)))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error() + "\n")
			if e, ok := errors.AsType[*billing.Error](err); ok { // as the program prints them
				for _, f := range e.Faults {
					out.WriteString("  " + f.Field + ": " + f.Message + "\n")
				}
			}
		}
		all.WriteString(out.String() + "\n")
	}
	golden(t, "automation.txt", []byte(strings.ReplaceAll(all.String(), org, "org_...")))
}
