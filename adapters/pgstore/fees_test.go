package pgstore_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
)

// fillFees creates 300 fee schedules for each of ten scopes, with 100 rows each.
const fillFees = `
INSERT INTO fee_schedules (id, org_id, mode, created_at, name, kind, office_id, payer_id, payer_code, payer_name, network, effective_from,
	write_off_beyond_limits, replaces, row_count)
SELECT uuid(n, 1), uuid(n % 10, 9), 'test', '2026-01-01'::timestamptz + n * interval '1 min', '', CASE n / 10 % 2 WHEN 0 THEN 'allowed' ELSE 'office_fees' END,
	CASE WHEN n / 20 % 8 < 7 THEN uuid(n / 20 % 8, 2) END, CASE WHEN n / 10 % 14 < 13 THEN uuid(n / 10 % 14, 3) END, '', '', '', '2026-01-01'::date + n / 100,
	false, NULL, 100
FROM generate_series(1, 3000) n;
INSERT INTO fee_schedule_rows (schedule_id, org_id, mode, procedure_code, amount)
SELECT uuid(n, 1), uuid(n % 10, 9), 'test', 'D' || 1000 + r * 7, r FROM generate_series(1, 3000) n, generate_series(1, 100) r;
ANALYZE fee_schedules, fee_schedule_rows`

// TestFeePlans runs EXPLAIN for the statements on fee schedules, with generic and custom plans.
// No table is read as a whole, and the rows of a schedule are found by its procedures.
func TestFeePlans(t *testing.T) {
	t.Parallel()
	db := admin(t, pgtest.URL(t))
	exec(t, db, `CREATE FUNCTION pg_temp_uuid(n int, kind int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT (lpad(to_hex(kind), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid $$`)
	exec(t, db, strings.ReplaceAll(fillFees, "uuid(", "pg_temp_uuid("))
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	statements := pgstore.FeeStatements(in)
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			plan := explain(t, db, in, []string{"plan_cache_mode = " + mode}, statements[name])
			if strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "fee_schedules") {
				t.Errorf("%s, %s:\n%s", name, mode, plan)
			}
			if (name == "prices" || name == "considered") && !strings.Contains(plan, "fee_schedule_rows_pkey") {
				t.Errorf("%s, %s, finds no row by its procedure:\n%s", name, mode, plan)
			}
		}
	}
}
