package cli

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestAdditionCommands says in a golden file what the commands on checks print. The
// examples of their help run.
func TestAdditionCommands(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	s := additions.New(store)
	b := Backend{Additions: func(context.Context) (*additions.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}}
	scope := porttest.Organization(t, store, billing.ModeTest)
	now := time.Now()
	c := &coverage.Check{
		ID: billing.NewID[billing.CheckID](billing.RealAt(now)), Scope: scope, OfficeID: porttest.Office(t, store, scope).ID, CreatedAt: now, CompletedAt: now,
		State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, Status: coverage.Active, Benefits: smallPlan().Data(),
	}
	c.Payer.ID = billing.NewID[billing.PayerID](billing.RealAt(now))
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, c) })

	var all strings.Builder
	run := func(line string) {
		t.Helper()
		all.WriteString("$ " + line + "\n")
		cmd := New(b)
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(words(strings.NewReplacer("org_...", scope.Org.String(), "elg_...", c.ID.String()).Replace(line)))
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
	run("molar eligibility add --help")
	run("molar eligibility strike --help")
	run(strings.TrimSpace(addToCheck(b).Example))
	run(strings.TrimSpace(strikeAddition(b).Example))
	run(strings.TrimSpace(strikeAddition(b).Example))
	run("molar eligibility strike --org org_... --mode test --check elg_... --number 9")
	run("molar eligibility strike --org org_... --mode test --check elg_1 --number 1")
	run(`molar eligibility add --org org_... --mode test --check elg_... --source fax --on yesterday --value status=active`)
	run(`molar eligibility add --org org_... --mode test --check elg_... --source letter --on 2026-01-02 --value maximums.0.remaining=12.00 --value teeth=32 --value status`)
	said := regexp.MustCompile(`\b(org|elg)_[0-9A-Z]{26}`).ReplaceAllString(all.String(), "${1}_...")
	said = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(said, "")
	golden(t, "additions.txt", []byte(said))
}
