package pgstore_test

import (
	"context"
	"flag"
	"io/fs"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/migrations"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

var update = flag.Bool("update", false, "write the golden files and migrations/schema.sql")

// TestSchemaFile compares migrations/schema.sql with a migrated database. Run
// it with -update after adding a migration.
func TestSchemaFile(t *testing.T) {
	t.Parallel()
	pgDump, err := osexec.LookPath("pg_dump")
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump"); err != nil && len(found) > 0 {
		pgDump, err = found[len(found)-1], nil
	}
	if err != nil {
		t.Fatalf("install the clients of PostgreSQL (apt-get install postgresql-client): %v", err)
	}
	dump, err := osexec.CommandContext(t.Context(), pgDump, "--schema-only", "--no-owner", "--dbname", pgtest.URL(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../../migrations/schema.sql", normal(string(dump)))
}

// normal drops comments, session settings, psql's own commands, and repeated
// empty lines: they differ between versions of pg_dump. It also drops the bound of the first
// partition, which depends on the month of the migration.
func normal(dump string) string {
	noise := regexp.MustCompile(`(?m)^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\.*)\n`)
	gaps := regexp.MustCompile(`\n{3,}`)
	bound := regexp.MustCompile(`TO \('[0-9a-f-]+'\);`)
	return strings.TrimSpace(gaps.ReplaceAllString(bound.ReplaceAllString(noise.ReplaceAllString(dump, ""), "TO (the month after next);"), "\n\n")) + "\n"
}

// TestDatabasesOfOneClusterMigrateTogether creates the roles, which belong to
// the cluster, in several databases at once, each by several processes.
func TestDatabasesOfOneClusterMigrateTogether(t *testing.T) {
	t.Parallel()
	server := testservers.StartPostgres(t)
	db := admin(t, server.URL())
	var group sync.WaitGroup
	for _, name := range []string{"one", "two", "three"} {
		exec(t, db, "CREATE DATABASE "+name)
		u, err := url.Parse(server.URL())
		if err != nil {
			t.Fatal(err)
		}
		u.Path = "/" + name
		for range 2 {
			group.Go(func() {
				err := pgstore.Migrate(t.Context(), u.String())
				for err != nil && strings.Contains(err.Error(), "run molar migrate again") { // it waited long for another one
					err = pgstore.Migrate(t.Context(), u.String())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
}

// TestOrdinaryUserOwnsTheDatabase migrates and works as a user without
// administrator rights.
func TestOrdinaryUserOwnsTheDatabase(t *testing.T) {
	t.Parallel()
	_, owner := ordinaryDatabase(t)
	if err := pgstore.Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	s := pgtest.OpenAt(t, owner)
	in := scope()
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, check(in)) }); err != nil {
		t.Error(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	age := retention.Age{Kind: retention.Records, Mode: in.Mode, Org: in.Org, Keep: retention.Least}
	entry := &caller.AuditEntry{ID: billing.AuditEntryID{1}, Org: in.Org, Mode: in.Mode, Operator: "ann", Operation: "molar retention set: x", Resource: in.Org.String(), CreatedAt: time.Now()}
	if err := pgstore.SetAge(t.Context(), owner, age, func(*retention.Age, time.Time) *caller.AuditEntry { return entry }); err != nil {
		t.Error(err)
	}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		noted, err := tx.AuditLog.Operators(ctx, in.Org, caller.AuditFilter{}, billing.Page{Limit: 9})
		if len(noted) != 1 || noted[0].Operation != entry.Operation || noted[0].Resource != entry.Resource {
			t.Errorf("the audit has %+v", noted)
		}
		return err
	})
}

// ordinaryDatabase returns the addresses of an empty database on a server of its own:
// for an administrator, and for its owner, a user without administrator rights.
func ordinaryDatabase(t *testing.T) (admins, owners string) {
	t.Helper()
	server := testservers.StartPostgres(t)
	db := admin(t, server.URL())
	exec(t, db, "CREATE ROLE plain LOGIN CREATEROLE PASSWORD 'plain'")
	exec(t, db, "CREATE DATABASE owned OWNER plain")
	u, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/owned"
	admins, u.User = u.String(), url.UserPassword("plain", "plain")
	return admins, u.String()
}

func TestReadySaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	empty := testservers.Database(t)
	s := pgtest.OpenAt(t, empty)
	if err := s.Ready(t.Context()); err == nil {
		t.Error("an empty database is ready")
	}
	migrated := pgtest.URL(t)
	exec(t, admin(t, migrated), "UPDATE goose_db_version SET is_applied = false WHERE version_id > 0")
	s = pgtest.OpenAt(t, migrated)
	if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "molar migrate") {
		t.Errorf("a database that is behind: %v", err)
	}
}

// TestStoredForm guards the names in the JSON columns: a renamed field of
// package billing would not be found in existing rows.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	s := pgtest.OpenAt(t, address)
	in := scope()
	c := check(in)
	day := billing.Date{Year: 2026, Month: 5, Day: 4}
	c.Inquiry = coverage.Inquiry{
		Subscriber:  coverage.Subscriber{FirstName: "A", LastName: "B", DateOfBirth: day, MemberID: "M", GroupNumber: new("G")},
		Patient:     &coverage.Dependent{FirstName: "C", LastName: "D", DateOfBirth: day, Relationship: coverage.RelationChild},
		ServiceDate: day, ProcedureCodes: []string{"D0120"}, DetailLevel: coverage.DetailEnhanced,
		Office: coverage.InquiringOffice{NPI: "1234567893", TimeZone: "America/New_York"}, AnsweredOn: day,
	}
	c.State, c.Outcome, c.CompletedAt = coverage.CheckCompleted, coverage.OutcomeAnswered, time.Now()
	c.Status, c.Benefits = coverage.Active, fullBenefits().Data()
	rejected := check(in)
	rejected.State, rejected.Outcome, rejected.CompletedAt = coverage.CheckCompleted, coverage.OutcomeRejected, time.Now()
	rejected.Rejection = &coverage.Rejection{Kind: coverage.RejectionFixAndResend, PayerCode: "75", Reasons: []coverage.RejectionReason{{
		Code: coverage.ReasonMemberNotFound, About: coverage.AboutSubscriber, Message: "m", Fix: "f",
	}}}
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Checks.Insert(ctx, c); err != nil {
			return err
		}
		return tx.Checks.Insert(ctx, rejected)
	})
	golden(t, "stored_form.json", stored(t, admin(t, address), "SELECT inquiry FROM eligibility_checks WHERE outcome = 'answered'",
		"SELECT benefits FROM eligibility_checks WHERE outcome = 'answered'", "SELECT rejection FROM eligibility_checks WHERE outcome = 'rejected'"))
}

// fullBenefits returns benefits with a value in most fields.
func fullBenefits() *coverage.Benefits {
	number, percent, yes, money, day := 3, 80.5, true, billing.Money(12345), billing.Date{Year: 2026, Month: 5, Day: 4}
	often := &coverage.Frequency{Count: &number, Period: "calendar_year", Scope: "per tooth"}
	return &coverage.Benefits{
		Status: coverage.Active, CoverageEffectiveDate: day, Plan: coverage.Plan{Name: "P", Type: "PPO", GroupNumber: "G", BenefitPeriod: "calendar_year"},
		NetworkStatus: coverage.InNetwork,
		Maximums:      []coverage.BenefitAmount{{Level: coverage.LevelFamily, Period: coverage.PeriodPlanYear, Amount: &money, Used: &money, Remaining: &money, AppliesTo: "basic"}},
		Coverage:      []coverage.CategoryCoverage{{Category: coverage.CategoryBasic, PercentPaid: &percent, Covered: &yes, Frequency: often, Notes: []string{"n"}}},
		Procedures: []coverage.ProcedureBenefit{{
			Code: "D0120", Description: "d", PercentPaid: &percent, Covered: &yes, Frequency: often, MaxAge: &number,
			LastServiceDate: day, NextEligibleDate: day, Status: coverage.ProcedureNotDueYet, Note: "n",
		}},
		PlanRules:  coverage.PlanRules{MissingToothClause: "m", WaitingPeriod: "w", PreAuthorization: "p", CoordinationOfBenefits: "c", MajorServicesPaidOn: "prep_date"},
		PayerNotes: []string{"n"}, NotReturned: []string{"deductibles"},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; with -update it is written anew. Got:\n%s", path, got)
	}
}

// nextRelease returns the migrations of this release and one more.
func nextRelease(t *testing.T, statements string) fs.FS {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"0999_next_release.sql": {Data: []byte("-- +goose Up\n" + statements)}}
	for _, name := range names {
		text, err := migrations.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// TestSteps lists the steps of a next release, which stops this one, for an empty database,
// for one of this release, and for one of the next.
func TestSteps(t *testing.T) {
	t.Parallel()
	address, next := testservers.Database(t), nextRelease(t, "UPDATE schema_fit SET least = 999;")
	missing := func() (names []string) {
		steps, err := pgstore.StepsOfFiles(t.Context(), address, next)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			if !s.Applied {
				names = append(names, s.Name)
			}
			if s.Stops != (s.Number == 999) {
				t.Errorf("step %d %s stops earlier releases: %t", s.Number, s.Name, s.Stops)
			}
		}
		return names
	}
	if all := missing(); len(all) < 2 || all[0] != "first" {
		t.Errorf("an empty database misses %q", all)
	}
	if err := pgstore.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	if left := missing(); !slices.Equal(left, []string{"next release"}) {
		t.Errorf("after the migration %q are missing", left)
	}
	if err := pgstore.MigrateFiles(t.Context(), address, next); err != nil {
		t.Fatal(err)
	}
	if left := missing(); len(left) > 0 {
		t.Errorf("after the next release's migration %q are missing", left)
	}
}

// TestBlockedMigration holds a lock that a migration needs. The migration ends and
// names the session, and goes on when it is run again.
func TestBlockedMigration(t *testing.T) {
	t.Parallel()
	address, next := pgtest.URL(t), nextRelease(t, "ALTER TABLE batches ADD COLUMN remark text;")
	db := admin(t, address)
	holder, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var pid string
	if err := holder.QueryRowContext(t.Context(), "SELECT pg_backend_pid()::text").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if _, err := holder.ExecContext(t.Context(), "LOCK TABLE batches IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	err = pgstore.MigrateFiles(t.Context(), address, next)
	if err == nil || !strings.Contains(err.Error(), "process "+pid+" (") || !strings.Contains(err.Error(), "run molar migrate again") {
		t.Errorf("a blocked migration ended with %v", err)
	}
	if err := holder.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := pgstore.MigrateFiles(t.Context(), address, next); err != nil {
		t.Errorf("run again: %v", err)
	}
}
