package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestImportMappingCommands says in a golden file what the commands on mappings print. The
// examples of their help run.
func TestImportMappingCommands(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	s := schedules.New(store, porttest.Payers(t))
	b := Backend{Schedules: func(context.Context) (*schedules.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}}
	org := porttest.Organization(t, store, billing.ModeTest).Org.String()
	var all strings.Builder
	for _, line := range []string{
		"molar import-mappings show --help",
		"molar import-mappings set --help",
		showMapping(b).Example,
		setMapping(b).Example,
		"molar import-mappings set --org org_... --mode test --column 'Pt=last_name' --payer 'A=B=60054'",
		"molar import-mappings set --org org_... --mode test --clear --column 'DOB (of patient)=date_of_birth'",
		"molar import-mappings set --org org_... --mode test --column Pt=nobody --column 'pt.=name'",
		"molar import-mappings set --org org_... --mode test --payer 'Blue Cross=NOBODY'",
		"molar import-mappings set --org org_... --mode test --column Pt",
		"molar import-mappings set --org org_... --mode test --payer Blue=",
		showMapping(b).Example,
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
	golden(t, "import_mappings.txt", []byte(strings.ReplaceAll(all.String(), org, "org_...")))
}
