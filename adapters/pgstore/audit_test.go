package pgstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
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
	s := pgtest.Open(t, func(o *pgstore.Options) { o.URL = owner })
	in := scope()
	var entries []*billing.AuditEntry
	for _, days := range []int{0, 29, 31, 100, 2000, 2200} {
		at := time.Now().AddDate(0, 0, -days).UTC().Truncate(time.Microsecond)
		entries = append(entries, &billing.AuditEntry{
			ID: billing.NewID[billing.AuditEntryID](at), Org: in.Org, Mode: in.Mode, User: billing.UserID{1}, Operation: "GET /claims", Status: 200, CreatedAt: at,
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
	s, in, at := pgtest.Open(t, func(o *pgstore.Options) { o.URL = url }), scope(), time.Now()
	entry := func(change func(e *billing.AuditEntry)) *billing.AuditEntry {
		e := &billing.AuditEntry{ID: billing.NewID[billing.AuditEntryID](at), Org: in.Org, Operation: "GET /claims", CreatedAt: at}
		change(e)
		return e
	}
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.AuditLog.Insert(ctx, []*billing.AuditEntry{
			entry(func(e *billing.AuditEntry) { e.User = billing.UserID{1} }), entry(func(e *billing.AuditEntry) { e.Key = billing.KeyID{1} }),
			entry(func(e *billing.AuditEntry) { e.Operator = "ben" }), entry(func(e *billing.AuditEntry) { e.Operator, e.Org = "ben", billing.OrgID{} }),
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

// BenchmarkMillionAuditEntries lists the audit of an organization with a million
// entries, with each filter: the first page, and one 100,000 entries down, or in the
// middle of a list with fewer. It also inserts entries that show a page of patients.
func BenchmarkMillionAuditEntries(b *testing.B) {
	const rows, depth = 1_000_000, 100_000
	url := pgtest.URL(b)
	db := admin(b, url)
	exec(b, db, madeID)
	exec(b, db, fillAudit)
	exec(b, db, "VACUUM ANALYZE audit_entries, audit_resources")
	s := pgtest.Open(b, func(o *pgstore.Options) { o.URL = url })
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	made := func(n int) time.Time { return time.Date(2024, 1, 1, 0, n, 0, 0, time.UTC) }
	for _, test := range []struct {
		name string
		f    billing.AuditFilter
		deep time.Time
	}{
		{"all", billing.AuditFilter{}, made(rows - depth)},
		{"user", billing.AuditFilter{User: pgstore.Number(4, 14)}, made(rows / 2)},
		{"patient", billing.AuditFilter{Resource: "pat_77"}, made(rows / 2)},
		{"claim", billing.AuditFilter{Resource: "clm_77"}, made(rows - depth)},
		{"span", billing.AuditFilter{CreatedBefore: made(rows / 2)}, made(rows/2 - depth)},
	} {
		for name, after := range map[string]*billing.Position{"first": nil, "deep": {Time: test.deep, ID: pgstore.Number(0, 13)}} {
			b.Run(test.name+", "+name, func(b *testing.B) {
				for b.Loop() {
					porttest.In(b, s, in, func(ctx context.Context, tx ports.Tx) error {
						page, err := tx.Audit.List(ctx, test.f, billing.Page{Limit: 25, After: after})
						if err == nil && len(page) < 10 {
							return fmt.Errorf("%d entries", len(page))
						}
						return err
					})
				}
			})
		}
	}
	for _, patients := range []int{0, 1, 25, 100} {
		b.Run(fmt.Sprint("insert, showing ", patients), func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				at := time.Now()
				e := &billing.AuditEntry{
					ID: billing.NewID[billing.AuditEntryID](at), Org: in.Org, Mode: in.Mode, User: billing.UserID{1}, Operation: "GET /claims", Status: 200, CreatedAt: at,
				}
				for i := range patients {
					e.Shown = append(e.Shown, fmt.Sprint("pat_", (n*7919+i*137)%10000))
				}
				porttest.System(b, s, func(ctx context.Context, tx ports.SystemTx) error {
					return tx.AuditLog.Insert(ctx, []*billing.AuditEntry{e})
				})
			}
		})
	}
}
