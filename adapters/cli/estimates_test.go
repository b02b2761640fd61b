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
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestEstimateCommands says in a golden file what the commands on estimates print. The
// examples of their help run.
func TestEstimateCommands(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	s := estimates.New(store)
	b := Backend{Estimates: func(context.Context) (*estimates.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}, Claims: func(context.Context) (*claims.Service, func() error, error) {
		return claims.New(store, routing.New(), porttest.Payers(t)), func() error { return nil }, nil
	}}
	scope := porttest.Organization(t, store, billing.ModeTest)
	now := time.Now()
	office := porttest.Office(t, store, scope, func(o *directory.Office) { o.TimeZone = "UTC" }) // its day is the one of the times
	c := &coverage.Check{
		ID: billing.NewID[billing.CheckID](billing.RealAt(now)), Scope: scope, OfficeID: office.ID,
		PatientID: billing.NewID[billing.PatientID](billing.RealAt(now)), CreatedAt: now, CompletedAt: now,
		State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, Status: coverage.Active, Benefits: smallPlan().Data(),
		Inquiry: coverage.Inquiry{Subscriber: coverage.Subscriber{FirstName: "Sam", LastName: "Example", DateOfBirth: billing.Date{Year: 1984, Month: 2, Day: 29}, MemberID: "M1"}},
	}
	c.Payer.PayerID, c.Payer.Name = "CHTEST", "Molar Test Payer"
	c.Payer.ID = billing.NewID[billing.PayerID](billing.RealAt(now))
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, c) })

	var all strings.Builder
	var last string
	run := func(line string) {
		t.Helper()
		all.WriteString("$ " + line + "\n")
		cmd := New(b)
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(words(strings.NewReplacer("org_...", scope.Org.String(), "elg_...", c.ID.String(), "est_...", last).Replace(line)))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error() + "\n")
			if e, ok := errors.AsType[*billing.Error](err); ok { // as the program prints them
				for _, f := range e.Faults {
					out.WriteString("  " + f.Field + ": " + f.Message + "\n")
				}
			}
		}
		if id := regexp.MustCompile(`^est_\w{26}`).FindString(out.String()); id != "" {
			last = id
		}
		all.WriteString(out.String() + "\n")
	}
	for _, name := range []string{"create", "list", "show"} {
		run("molar estimates " + name + " --help")
	}
	run(strings.TrimSpace(createEstimate(b).Example))
	run(strings.TrimSpace(listEstimates(b).Example))
	run(strings.TrimSpace(showEstimate(b).Example))
	run("molar estimates create --org org_... --mode test --check elg_... --line d2740:1250.00 --network out --preview")
	run("molar estimates list --org org_... --mode test --check elg_...")
	run("molar estimates list --org org_... --mode test --patient pat_01JGFJJZ00FC1R3ZY5N7Q8Z4VK")
	run("molar estimates create --org org_... --mode test --check elg_... --line D2740 --line crown:1 --network maybe --coordination basic")
	run("molar estimates create --org org_... --mode live --check elg_... --line D2740:1250.00")
	run("molar estimates show --org org_... --mode test --id est_1")
	run("molar estimates accuracy --help")
	run("molar estimates accuracy est_... --org org_... --mode test")
	run("molar estimates accuracy --org org_... --mode test")
	run("molar estimates accuracy est_1 --org org_... --mode test")
	said := regexp.MustCompile(`\b(org|elg|est|pat)_[0-9A-Z]{26}`).ReplaceAllString(all.String(), "${1}_...")
	said = strings.ReplaceAll(said, billing.DateOf(now).String(), "TODAY")
	said = regexp.MustCompile(`TODAYT[0-9:.+]+`).ReplaceAllString(said, "NOW")
	said = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(said, "")
	golden(t, "estimates.txt", []byte(said))
}

// smallPlan pays half of a crown after a deductible of 50.00, of which nothing is met, and all of
// a cleaning.
func smallPlan() *coverage.Benefits {
	half, whole, covered, deductible, most := 50.0, 100.0, true, billing.Money(5000), billing.Money(100000)
	return &coverage.Benefits{
		NetworkStatus: coverage.InNetwork, Plan: coverage.Plan{BenefitPeriod: "calendar_year"},
		Maximums:    []coverage.BenefitAmount{{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: &most, Remaining: &most}},
		Deductibles: []coverage.BenefitAmount{{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: &deductible, Remaining: &deductible}},
		Coverage: []coverage.CategoryCoverage{
			{Category: coverage.CategoryPreventive, PercentPaid: &whole, Covered: &covered, Notes: []string{"DEDUCTIBLE WAIVED"}},
			{Category: coverage.CategoryMajor, PercentPaid: &half, Covered: &covered},
		},
	}
}
