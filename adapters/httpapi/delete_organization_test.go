package httpapi

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/recovery"
)

// TestDeleteOrganization deletes an organization with all that it has in both modes, after 30
// days, and nothing of another one. The record stays, also for a restored database.
func TestDeleteOrganization(t *testing.T) {
	t.Parallel()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s := startService(t, func(with *setup) { with.blobs = blobs })
	s.clear(t)
	s.connection(t)
	s.practice(t)
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(query string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	ours := "WHERE org_id = '" + s.org.UUID() + "'"
	exec("UPDATE idempotency_keys SET mode = 'live' " + ours)
	exec("UPDATE quarantine SET mode = 'live' " + ours)

	kept := recovery.New(s.store, blobs, s.store, recovery.Replay{})
	service := records.New(s.store, blobs, records.Outside{Remember: kept.Keep})
	asked := func(name string) (*caller.Deletion, error) {
		d := &caller.Deletion{Org: s.org, AskedBy: "root", BackupsDays: 35}
		return d, service.Delete(t.Context(), d, name)
	}
	held := "INSERT INTO holds (org_id, reason, placed_at) VALUES ('" + s.org.UUID() + "', 'x', now())"
	exec(held)
	if _, err := asked("Example Dental"); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("while it is held: %v", err)
	}
	exec("DELETE FROM holds")
	if _, err := asked("Another Dental"); billing.CodeOf(err) != billing.CodeInvalidRequest {
		t.Errorf("with another name: %v", err)
	}
	if err := service.Keep(t.Context(), s.org); !billing.IsNotFound(err) {
		t.Errorf("taking back a deletion that was not asked for: %v", err)
	}
	d, err := asked("Example Dental")
	if err != nil || d.DueAt() != d.AskedAt.Add(caller.DeletionWait) || d.GoneAt() != d.DueAt().AddDate(0, 0, 35) {
		t.Fatalf("%+v, %v", d, err)
	}
	restored := func() (all []*caller.Deletion) {
		t.Helper()
		exec("DELETE FROM deletions") // as a backup from before it has none
		if _, err := kept.Begin(context.WithoutCancel(t.Context()), true); err != nil {
			t.Fatal(err)
		}
		if _, err := kept.Resume(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		if all, err = service.Deletions(t.Context()); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if again := restored(); len(again) != 1 || again[0].Org != s.org || !again[0].AskedAt.Equal(d.AskedAt) {
		t.Errorf("after a restore, what was asked for is %+v", again)
	}
	if err := service.Keep(t.Context(), s.org); err != nil {
		t.Error(err)
	}
	if again := restored(); len(again) != 0 {
		t.Errorf("after a restore, what was taken back is asked for: %+v", again)
	}
	owner, biller := s.visits(t, s.org, "owner@example.com", caller.RoleOwner), s.visits(t, s.org, "biller@example.com", caller.RoleBiller)
	if me := s.must(t, 200, owner.call(call{path: "/me"})).body; strings.Contains(me, "organization_leaves") {
		t.Errorf("before it is asked for, an owner sees %s", me)
	}
	if d, err = asked("Example Dental"); err != nil {
		t.Fatal(err)
	}
	if me := s.must(t, 200, owner.call(call{path: "/me"})).body; !strings.Contains(me, "is deleted on "+billing.DateOf(d.DueAt()).String()+" with all") {
		t.Errorf("an owner sees %s", me)
	}
	if me := s.must(t, 200, biller.call(call{path: "/me"})).body; strings.Contains(me, "organization_leaves") {
		t.Errorf("a biller sees %s", me)
	}
	sweep := func() (all int) {
		t.Helper()
		for {
			n, err := service.SweepDeletions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				return all
			}
			all += n
		}
	}
	if n := sweep(); n != 0 {
		t.Errorf("%d rows went within 30 days", n)
	}
	s.must(t, 200, call{path: "/me"})
	rest := map[string]string{}
	others := func(table string) (digest string) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), `
SELECT coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '')
FROM (SELECT to_jsonb(t) - 'holder' - 'holder_address' - 'lease_until' - 'called_at' - 'last_used_at' - 'last_used_from' AS r FROM `+table+` t
	WHERE org_id IS DISTINCT FROM $1) t`, s.org).Scan(&digest); err != nil {
			t.Fatal(table, err)
		}
		return digest
	}
	full, _ := s.tables(t, s.org)
	for table := range full {
		if !slices.Contains([]string{"audit_entries", "audit_resources", "requests", "changes", "watches", "claim_changes", "claim_totals", "sessions"}, table) {
			rest[table] = others(table)
		}
	}
	exec("UPDATE deletions SET asked_at = asked_at - interval '31 days'")
	if err := service.Keep(t.Context(), s.org); !billing.IsNotFound(err) {
		t.Errorf("to take it back when it has begun: %v", err)
	}
	exec(held)
	if n := sweep(); n != 0 {
		t.Errorf("%d rows went while the organization was held", n)
	}
	exec("DELETE FROM holds")
	if n := sweep(); n < 100 {
		t.Errorf("%d rows went", n)
	}
	own, _ := s.tables(t, s.org)
	for table, n := range own {
		if table != "deletions" && n != 0 && table != "requests" && table != "audit_entries" && table != "audit_resources" {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
	for table, was := range rest {
		if is := others(table); is != was {
			t.Errorf("%s: rows of others changed", table)
		}
	}
	if n := s.count(t, "SELECT count(*) FROM connections WHERE org_id IS NULL"); n != 1 {
		t.Errorf("%d connections of the deployment are left", n)
	}
	if a := s.do(t, call{path: "/me", bad: true}); a.StatusCode != 401 {
		t.Errorf("a key of the organization gets %d", a.StatusCode)
	}
	for blob := range blobs.List(t.Context(), restore.Deletions) {
		if blob.Name != restore.Deletions+s.org.String() {
			t.Errorf("the blob %s", blob.Name)
		}
	}
	all, err := service.Deletions(t.Context())
	if err != nil || len(all) != 1 || all[0].RemovedAt.IsZero() || all[0].Name != "Example Dental" {
		t.Errorf("the record is %+v, %v", all, err)
	}

	exec("DELETE FROM deletions") // as a backup from before it has none
	if _, err := kept.Begin(context.WithoutCancel(t.Context()), true); err != nil {
		t.Fatal(err)
	}
	if again, err := service.Deletions(t.Context()); err != nil || len(again) != 1 || again[0].Org != s.org || !again[0].AskedAt.Equal(all[0].AskedAt) {
		t.Errorf("after a restore: %+v, %v", again, err)
	}
}
