package pgstore_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
)

// fillWebhooks creates 1,000 endpoints in 100 scopes. One endpoint has 100,000
// deliveries, of which 300 are pending; all others together have as many
// pending.
const fillWebhooks = `
INSERT INTO webhook_endpoints (id, org_id, mode, url, description, status, secret, created_at)
SELECT uuid(n, 11), uuid(n % 100, 9), 'test', 'https://example.com', '', CASE WHEN n % 7 = 6 THEN 'disabled' ELSE 'enabled' END, sha512(''),
	'2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 1000) n;
INSERT INTO events (id, org_id, mode, type, resource_id, sequence, created_at, data, xid)
SELECT uuid(n, 5), uuid(n % 2 * 3, 9), 'test', (ARRAY['eligibility.completed', 'claim.paid', 'claim.denied'])[n / 2 % 3 + 1], uuid(n, 6), 1,
	'2026-01-01'::timestamptz + n * interval '1 min', '{}', (n / 40 + 3)::text::xid8
FROM generate_series(1, 100000) n;
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, next_attempt_at, attempts, created_at)
SELECT uuid(n, 12), e.org_id, 'test', e.id, uuid(n / 2, 5), 'claim.paid', CASE WHEN pending THEN 'pending' ELSE 'delivered' END,
	CASE WHEN pending THEN '2026-01-01'::timestamptz + n * interval '1 min' END, CASE WHEN pending THEN '{}' ELSE ARRAY['{}'::json] END,
	'2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 200000) n
CROSS JOIN LATERAL (SELECT n % 600 < 2 AS pending) p
JOIN webhook_endpoints e ON e.id = CASE n % 2 WHEN 1 THEN uuid(3, 11) ELSE uuid(n / 2 % 1000 + 1, 11) END;
`

// TestWebhookPlans checks that the statements use their indexes, planned once
// as the store's connections plan: in an empty database, in one that was filled
// afterwards, and in one with statistics. Only Lanes may read all endpoints,
// because it checks each.
func TestWebhookPlans(t *testing.T) {
	t.Parallel()
	db := admin(t, pgtest.URL(t))
	exec(t, db, `CREATE FUNCTION pg_temp_uuid(n int, kind int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT (lpad(to_hex(kind), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid $$`)
	months(t, db, "pg_temp_uuid(100000, 12)") // half of the deliveries come before
	exec(t, db, "CREATE TABLE webhook_deliveries_next PARTITION OF webhook_deliveries FOR VALUES FROM (pg_temp_uuid(100000, 12)) TO (pg_temp_uuid(300000, 12))")
	for _, table := range []string{"webhook_endpoints", "webhook_deliveries_first", "webhook_deliveries_next", "webhook_deliveries_default", "events"} {
		exec(t, db, "ALTER TABLE "+table+" SET (autovacuum_enabled = off)") // it would run at any time
	}
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	statements := pgstore.WebhookStatements(t, in)
	var got strings.Builder
	for _, phase := range []struct{ name, begin string }{
		{"empty", ""},
		{"without statistics", strings.ReplaceAll(fillWebhooks, "uuid(", "pg_temp_uuid(")},
		{"with statistics", "ANALYZE webhook_endpoints, webhook_deliveries, events"},
	} {
		exec(t, db, phase.begin)
		for _, name := range slices.Sorted(maps.Keys(statements)) {
			as := in
			if strings.HasSuffix(name, "every scope") {
				as = billing.Scope{}
			}
			plan := explain(t, db, as, []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"}, statements[name])
			if strings.Contains(plan, "Seq Scan on events") || strings.Contains(plan, "Seq Scan on webhook_deliveries") {
				t.Errorf("%s:\n%s", name, plan)
			}
			if strings.HasPrefix(name, "deliveries of an e") && strings.Contains(plan, "->  Sort") {
				t.Errorf("%s is sorted:\n%s", name, plan)
			}
			fmt.Fprintf(&got, "== %s, %s\n%s", name, phase.name, scans(plan))
		}
	}
	golden(t, "webhook_plans.txt", got.String())
}
