package pgstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

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
	s := pgtest.OpenAt(b, url)
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	made := func(n int) time.Time { return time.Date(2024, 1, 1, 0, n, 0, 0, time.UTC) }
	for _, test := range []struct {
		name string
		f    caller.AuditFilter
		deep time.Time
	}{
		{"all", caller.AuditFilter{}, made(rows - depth)},
		{"user", caller.AuditFilter{User: pgstore.Number(4, 14)}, made(rows / 2)},
		{"patient", caller.AuditFilter{Resource: "pat_77"}, made(rows / 2)},
		{"claim", caller.AuditFilter{Resource: "clm_77"}, made(rows - depth)},
		{"span", caller.AuditFilter{CreatedBefore: made(rows / 2)}, made(rows/2 - depth)},
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
				e := &caller.AuditEntry{
					ID: billing.NewID[billing.AuditEntryID](billing.RealAt(at)), Org: in.Org, Mode: in.Mode, User: billing.UserID{1}, Operation: "GET /claims", Status: 200, CreatedAt: at,
				}
				for i := range patients {
					e.Shown = append(e.Shown, fmt.Sprint("pat_", (n*7919+i*137)%10000))
				}
				porttest.System(b, s, func(ctx context.Context, tx ports.SystemTx) error {
					return tx.AuditLog.Insert(ctx, []*caller.AuditEntry{e})
				})
			}
		})
	}
}
