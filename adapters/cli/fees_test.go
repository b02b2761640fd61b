package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestFeeCommands says in a golden file what the commands on fee schedules print. The examples
// of their help run.
func TestFeeCommands(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	s := fees.New(store, porttest.Payers(t))
	b := Backend{Fees: func(context.Context) (*fees.Service, func() error, error) { return s, func() error { return nil }, nil }}
	scope := porttest.Organization(t, store, billing.ModeTest)
	office := porttest.Office(t, store, scope).ID.String()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"fees.csv":    "ADA Code;Description;Fee\nD0120;Exam;58\nD1110;Pr\xfcfung;$1,104.00\n",
		"allowed.csv": "procedure_code,amount\nD0120,41.00\n", "broken.csv": "code,fee\nD0120,58.001\nD012,58.00\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all strings.Builder
	var last string
	run := func(line string) {
		t.Helper()
		all.WriteString("$ " + line + "\n")
		c := New(b)
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SetIn(strings.NewReader("D9999,1.00\n"))
		args := words(strings.NewReplacer("org_...", scope.Org.String(), "off_...", office, "fee_...", last).Replace(line))
		for i, a := range args {
			if strings.HasSuffix(a, ".csv") {
				args[i] = filepath.Join(folder, a)
			}
		}
		c.SetArgs(args)
		if err := c.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error() + "\n")
			if e, ok := errors.AsType[*billing.Error](err); ok { // as the program prints them
				for _, f := range e.Faults {
					out.WriteString("  " + f.Field + ": " + f.Message + "\n")
				}
			}
		}
		if id := regexp.MustCompile(`^fee_\w{26}`).FindString(out.String()); id != "" {
			last = id
		}
		all.WriteString(out.String() + "\n")
	}
	for _, c := range []string{"create", "list", "show", "match"} {
		run("molar fees " + c + " --help")
	}
	for line := range strings.Lines(createFees(b).Example) {
		run(strings.TrimSpace(line))
	}
	run("molar fees create --org org_... --mode test --name 'Of the office' --kind allowed --office off_... --payer CHTEST --from 2026-06-01 --write-off-beyond-limits=false --file -")
	run("molar fees list --org org_... --mode test")
	run(strings.TrimSpace(strings.Split(showFees(b).Example, ">")[0]))
	run(strings.TrimSpace(matchFees(b).Example))
	run("molar fees match --org org_... --mode test --procedure d9999 --date 2026-06-01 --payer CHTEST --office off_...")
	run("molar fees create --org org_... --mode test --name 'Summer' --kind allowed --office off_... --payer CHTEST --from 2026-07-01 --replaces fee_... --file allowed.csv")
	run("molar fees list --org org_... --mode test --kind allowed --current --json")
	run("molar fees create --org org_... --mode test --name 'Again' --kind office_fees --from 2026-01-01 --file fees.csv")
	run("molar fees create --org org_... --mode test --name 'Broken' --kind office_fees --from 2026-01-01 --file broken.csv")
	run("molar fees create --org org_... --mode test --name 'None' --kind office_fees --from 2026-01-01 --file none.csv")
	run("molar fees show --org org_... --mode test --id fee_1")
	run("molar fees show --org org_... --mode live --id fee_...")
	run("molar fees match --org org_... --mode test --procedure D0120 --payer NOBODY")
	run("molar fees match --org org_... --mode test --procedure D0120 --network both")
	run("molar fees match --org org_... --mode live --procedure D0120")
	said := regexp.MustCompile(`\b(org|off|fee)_[0-9A-Z]{26}`).ReplaceAllString(all.String(), "${1}_...")
	said = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(strings.ReplaceAll(said, folder, "DIR"), "")
	golden(t, "fees.txt", []byte(said))
}
