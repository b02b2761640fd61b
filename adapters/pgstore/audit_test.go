package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestAuditExpires keeps entries as long as the owner of the tables says, whatever a
// service asks for. The owner has no administrator rights.
func TestAuditExpires(t *testing.T) {
	t.Parallel()
	admins, owner := ordinaryDatabase(t)
	if err := pgstore.Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	s := pgtest.OpenAt(t, owner)
	in := scope()
	var entries []*caller.AuditEntry
	for _, days := range []int{0, 29, 31, 100, 2000, 2200} {
		at := time.Now().AddDate(0, 0, -days).UTC().Truncate(time.Microsecond)
		entries = append(entries, &caller.AuditEntry{
			ID: billing.NewID[billing.AuditEntryID](billing.RealAt(at)), Org: in.Org, Mode: in.Mode, User: billing.UserID{1}, Operation: "GET /claims", Status: 200, CreatedAt: at,
		})
	}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error { return tx.AuditLog.Insert(ctx, entries) })
	forgets := func(before time.Time, want int) {
		t.Helper()
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
			n, err := tx.AuditLog.Forget(ctx, before)
			if err != nil || n != want {
				t.Errorf("%d entries before %v were deleted, %v, want %d", n, before, err, want)
			}
			return err
		})
	}
	forgets(time.Now().AddDate(100, 0, 0), 1) // six years
	// A service cannot put a table of its own in the place of the retention.
	db := admin(t, owner)
	for _, role := range []string{"molar_app", "molar_system"} {
		_, err := as(t, db, role, in, `
CREATE TEMP TABLE audit_retention AS SELECT true AS one, interval '0' AS keep;
SET LOCAL search_path = pg_temp, public;
SELECT public.forget_audit_entries(now() + interval '1 day')`)
		if role == "molar_app" && !refused(err) || role == "molar_system" && err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
	if left := scan[int](t, admin(t, admins), "SELECT count(*) FROM audit_entries"); left != 5 {
		t.Errorf("%d entries are left, want 5", left)
	}
	if err := pgstore.KeepAudit(t.Context(), owner, 90*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	forgets(time.Now().AddDate(0, 0, -1000), 1) // the service's own setting may be longer
	forgets(time.Now(), 1)
	if err := pgstore.KeepAudit(t.Context(), owner, 29*24*time.Hour); err == nil {
		t.Error("a retention of 29 days was set")
	}
}

// TestServicesSeeOnlyOperatorsEntries reads the audit of all organizations, as molar audit
// list does.
func TestServicesSeeOnlyOperatorsEntries(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, in, at := pgtest.OpenAt(t, url), scope(), time.Now()
	entry := func(change func(e *caller.AuditEntry)) *caller.AuditEntry {
		e := &caller.AuditEntry{ID: billing.NewID[billing.AuditEntryID](billing.RealAt(at)), Org: in.Org, Operation: "GET /claims", CreatedAt: at}
		change(e)
		return e
	}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.AuditLog.Insert(ctx, []*caller.AuditEntry{
			entry(func(e *caller.AuditEntry) { e.User = billing.UserID{1} }), entry(func(e *caller.AuditEntry) { e.Key = billing.KeyID{1} }),
			entry(func(e *caller.AuditEntry) { e.Operator = "ben" }), entry(func(e *caller.AuditEntry) { e.Operator, e.Org = "ben", billing.OrgID{} }),
		})
	})
	db := admin(t, url)
	for role, want := range map[string]int64{"molar_system": 2, "molar_app": 3} { // the organization does not see what concerns the deployment
		if n, err := as(t, db, role, in, "SELECT 1 FROM audit_entries"); err != nil || n != want {
			t.Errorf("%s reads %d entries, %v, want %d", role, n, err, want)
		}
	}
}

// fillAudit creates a million entries of one organization, one every minute, by ten
// users. Each shows 25 of 10,000 patients.
const fillAudit = `
INSERT INTO audit_entries (id, org_id, mode, user_id, address, operation, resource_id, shown, status, created_at)
SELECT made(n, 13), made(3, 9), 'test', made(n % 10, 14), '192.0.2.1', 'GET /claims/{id}', 'clm_' || n % 40000, ARRAY['pat_' || n % 10000], 200,
	'2024-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 1000000) n`
