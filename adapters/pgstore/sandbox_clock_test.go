package pgstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
)

// shift sets the sandbox clock of an organization.
func shift(t *testing.T, db *sql.DB, org billing.OrgID, ahead time.Duration, stands time.Time) {
	t.Helper()
	exec(t, db, "INSERT INTO organizations (id, name, created_at) VALUES ('"+org.UUID()+"', 'Shifted', now()) ON CONFLICT DO NOTHING")
	at := sql.NullTime{Time: stands, Valid: !stands.IsZero()}
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO sandbox_clocks (org_id, ahead, stands_at) VALUES ($1, $2 * interval '1 us', $3)
ON CONFLICT (org_id) DO UPDATE SET ahead = excluded.ahead, stands_at = excluded.stands_at`, org.UUID(), ahead.Microseconds(), at); err != nil {
		t.Fatal(err)
	}
}

// clocks returns the times of a transaction.
func clocks(t *testing.T, s *pgstore.Store, in billing.Scope) (business time.Time, stamp billing.Real) {
	t.Helper()
	if err := s.View(t.Context(), in, func(_ context.Context, tx ports.Tx) error {
		business, stamp = tx.Clock.Now(), tx.Real.Now()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return business, stamp
}

// TestSandboxClock shifts and stops the clock of one organization. Its transactions in test
// mode follow; live mode and another organization have real time.
func TestSandboxClock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, url), admin(t, url)
	in, other := scope(), scope()
	live := billing.Scope{Org: in.Org, Mode: billing.ModeLive}
	stands := time.Date(2030, 2, 3, 4, 5, 6, 7000, time.UTC)
	for _, c := range []struct {
		ahead  time.Duration
		stands time.Time
	}{{0, time.Time{}}, {400 * 24 * time.Hour, time.Time{}}, {time.Hour, stands}, {0, stands.AddDate(-10, 0, 0)}} {
		shift(t, db, in.Org, c.ahead, c.stands)
		business, stamp := clocks(t, s, in)
		if want := stamp.Add(c.ahead); c.stands.IsZero() && !business.Equal(want) || !c.stands.IsZero() && !business.Equal(c.stands) {
			t.Errorf("the clock shows %v at %v, want %+v", business, stamp, c)
		}
		for _, untouched := range []billing.Scope{live, other} {
			if business, stamp := clocks(t, s, untouched); !business.Equal(stamp.Time) {
				t.Errorf("the clock of %+v shows %v at %v", untouched, business, stamp)
			}
		}
	}
	shift(t, db, in.Org, 0, stands)
	e := someEvent(check(in).ID)
	e.ID, e.CreatedAt = billing.EventID{}, stands
	before := time.Now().Add(-time.Hour)
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Endpoints.Insert(ctx, endpoint(in)), tx.Events.Append(ctx, e), tx.Outbox.Stage(ctx, job()))
	}); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"events", "webhook_deliveries"} {
		var id billing.EventID
		var at time.Time
		if err := db.QueryRowContext(t.Context(), "SELECT id, created_at FROM "+table).Scan(&id, &at); err != nil {
			t.Fatal(table, err)
		}
		if id.Time().Before(before) || id.Time().After(time.Now().Add(time.Hour)) || !at.Equal(stands) {
			t.Errorf("%s: the ID has the time %v, and the row %v", table, id.Time(), at)
		}
	}
}

// TestLiveModeHasNoClock tries to write the clock with the roles of the services.
func TestLiveModeHasNoClock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pgtest.OpenAt(t, url)
	db, in, other := admin(t, url), scope(), scope()
	shift(t, db, in.Org, time.Hour, time.Time{})
	shift(t, db, other.Org, time.Hour, time.Time{})
	live := billing.Scope{Org: in.Org, Mode: billing.ModeLive}
	const move = "UPDATE sandbox_clocks SET ahead = ahead + interval '1 hour'"
	if n, err := as(t, db, "molar_app", in, move); n != 1 || err != nil {
		t.Errorf("in test mode %d clocks move, %v", n, err)
	}
	if _, err := as(t, db, "molar_app", live, move); !refused(err) {
		t.Errorf("in live mode a clock moves: %v", err)
	}
	if n, err := as(t, db, "molar_app", scope(), "SELECT 1 FROM sandbox_clocks"); n != 0 || err != nil {
		t.Errorf("another organization sees %d clocks, %v", n, err)
	}
	if _, err := as(t, db, "molar_system", in, move); !refused(err) {
		t.Errorf("the system moves a clock: %v", err)
	}
}

// TestDueByTheClock has work that is due in ten hours, of two organizations and in live
// mode. Only what is of the organization whose clock moved comes early.
func TestDueByTheClock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, url), admin(t, url)
	in, other := scope(), scope()
	later := time.Now().Add(10 * time.Hour)
	var files []struct {
		clearing.IncomingFile

		Due time.Time
	}
	ids := map[billing.WebhookEndpointID]billing.Scope{}
	for _, of := range []billing.Scope{in, other, {Org: in.Org, Mode: billing.ModeLive}} {
		e, happened := endpoint(of), someEvent(check(of).ID)
		happened.CreatedAt = later
		ids[e.ID] = of
		if err := s.InTx(t.Context(), of, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Endpoints.Insert(ctx, e), tx.Events.Append(ctx, happened))
		}); err != nil {
			t.Fatal(err)
		}
		files = append(files, struct {
			clearing.IncomingFile

			Due time.Time
		}{clearing.IncomingFile{Scope: of, Name: e.ID.String(), Content: []byte("x")}, later})
	}
	if err := s.SandboxMail().Put(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	due := func(what string, want ...billing.Scope) {
		t.Helper()
		got, err := s.SandboxMail().Take(t.Context(), time.Now(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		var called []billing.Scope
		err = s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			called = nil
			lanes, err := tx.Jobs.Lanes(ctx, tx.Real.Now().Time, 0, 10)
			for _, j := range lanes {
				called = append(called, j.Scope)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || len(called) != len(want) || len(want) == 1 && (got[0].Scope != want[0] || called[0] != want[0]) {
			t.Errorf("%s: %d files, lanes of %v; want those of %v", what, len(got), called, want)
		}
	}
	due("nothing is due")
	shift(t, db, in.Org, 11*time.Hour, time.Time{})
	due("ahead", in)
	shift(t, db, in.Org, 0, later)
	due("it stands where the work is due", in)
	shift(t, db, in.Org, 0, later.Add(-time.Minute))
	due("it stands before that")
	exec(t, db, "UPDATE sandbox_mail SET due = now() - interval '1 hour' WHERE mode = 'test'")
	exec(t, db, "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 hour' WHERE mode = 'test'")
	shift(t, db, in.Org, 0, time.Now().Add(-2*time.Hour))
	due("it stands behind real time", other)
}

// TestSweepsByTheClock forgets the deliveries of an organization that is a year ahead by
// their real age, and its saved answers by its own clock.
func TestSweepsByTheClock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, url), admin(t, url)
	in, other := scope(), scope()
	shift(t, db, in.Org, 365*24*time.Hour, time.Time{})
	for _, of := range []billing.Scope{in, other} {
		e := endpoint(of)
		if err := s.InTx(t.Context(), of, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Endpoints.Insert(ctx, e), tx.Events.Append(ctx, someEvent(check(of).ID)))
		}); err != nil {
			t.Fatal(err)
		}
	}
	const settled = "state = 'delivered', next_attempt_at = NULL, settled_at = created_at"
	exec(t, db, "UPDATE webhook_deliveries SET created_at = now() + '1 year' WHERE org_id = '"+in.Org.UUID()+"'")
	exec(t, db, "UPDATE webhook_deliveries SET "+settled)
	forgets := func(before time.Time, deliveries int) {
		t.Helper()
		if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			n, err := tx.Forget.Deliveries(ctx, before)
			if n != deliveries {
				t.Errorf("%d deliveries are forgotten, want %d", n, deliveries)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	forgets(time.Now().Add(-time.Hour), 0)
	forgets(time.Now().Add(time.Hour), 2)

	const answer = `INSERT INTO eligibility_answers (org_id, mode, digest, completed_at, check_id) VALUES ('%', 'test', '\x00', now() + interval '#', gen_random_uuid())`
	for _, a := range [][2]string{{in.Org.UUID(), "364 days"}, {in.Org.UUID(), "365 days"}, {other.Org.UUID(), "-1 day"}, {other.Org.UUID(), "0"}} {
		exec(t, db, strings.NewReplacer("%", a[0], "#", a[1]).Replace(answer))
	}
	if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		n, err := tx.Forget.Answers(ctx, time.Now().Add(-time.Hour))
		if n != 2 {
			t.Errorf("%d answers are forgotten, want those of yesterday", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestOverdueByTheClock sends a batch of an organization that is a year ahead. It is late
// when a day has passed by its clock.
func TestOverdueByTheClock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, db := pgtest.OpenAt(t, url), admin(t, url)
	in := scope()
	shift(t, db, in.Org, 365*24*time.Hour, time.Time{})
	b := clearing.NewBatch(in, "con_1", 7, 1, billing.RealAt(time.Now()), time.Now())
	if err := s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Batches.Insert(ctx, b, []byte("ISA")); err != nil {
			return err
		}
		b.Sent(tx.Clock.Now())
		return tx.Batches.Save(ctx, b)
	}); err != nil {
		t.Fatal(err)
	}
	for ahead, want := range map[time.Duration]int{365 * 24 * time.Hour: 0, 366*24*time.Hour + time.Minute: 1} {
		shift(t, db, in.Org, ahead, time.Time{})
		if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			late, err := tx.Routes.Unsettled(ctx, "con_1", tx.Real.Now().AddDate(0, 0, -1))
			if len(late) != want {
				t.Errorf("%v ahead, %d batches are late, want %d", ahead, len(late), want)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// realDue lists the columns with future times that are real (ADR 104).
func realDue() []string {
	return []string{
		"api_keys.expires_at", "jobs.lease_until", "jobs.not_before", "organizations.expires_at", "sandbox_faults.expires_at", "sandbox_mail.given_until", "sign_in_links.expires_at", "turns.lease_until",
		"watches.expires_at", "webhook_endpoints.lease_until",
		"check_batches.not_after", "check_batch_items.until", // they end what check_batch_items.next_at begins
		"tasks.snoozed_until",             // of the business, but a list compares it, and nothing waits
		"tasks.until",                     // as tasks.snoozed_until
		"check_lanes.until",               // the rest of a payer that is down
		"sandbox_clocks.target",           // the end of an advance, which its job reaches
		"webhook_endpoints.circuit_until", // no circuit is open while a clock stands
	}
}

// TestDueColumns finds every column of the schema with a time in the future: by its name,
// which is that of no past moment. Each must be in the table of what waits for the clock, or
// be listed as real.
func TestDueColumns(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../../migrations/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	table := ""
	for line := range strings.Lines(string(schema)) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "CREATE TABLE "):
			if table = strings.TrimPrefix(words[2], "public."); bytes.Contains(schema, []byte("ATTACH PARTITION public."+table+" ")) {
				table = ""
			}
		case !strings.HasPrefix(line, "    "):
			table = ""
		case table != "" && len(words) > 1 && words[1] == "timestamp":
			past := strings.HasSuffix(words[0], "_at") || strings.HasSuffix(words[0], "_since") || words[0] == "tstamp" || words[0] == "since"
			if !past || strings.HasPrefix(words[0], "next_") || strings.HasPrefix(words[0], "expires_") {
				found = append(found, table+"."+words[0])
			}
		}
	}
	known := append(pgstore.DueColumns(), realDue()...)
	slices.Sort(found)
	for _, column := range found {
		if !slices.Contains(known, column) {
			t.Errorf("%s is neither in the table of what waits for the clock nor listed as real", column)
		}
	}
	for _, column := range append(realDue(), "sandbox_mail.due", "webhook_deliveries.next_attempt_at") {
		if !slices.Contains(found, column) {
			t.Errorf("%s is listed, and the schema has no such column", column)
		}
	}
}
