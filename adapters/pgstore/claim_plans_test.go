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

// fillFiles creates 20,000 remittances for ten scopes and the claims of two,
// 20,000 files in quarantine, and 2,000 batches with their acknowledgements. Some claims wait and others are in a batch.
const fillFiles = `
INSERT INTO eras (id, org_id, mode, state, payer_id, payer_code, payer_name, payment_date, detail, balanced, claim_count, matched_count,
	applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count, needs_attention, stated_payer, trace_number, stage, identity,
	received_at, posted_at, content)
SELECT made(n, 7), made(n % 10, 9), 'test', CASE WHEN n % 3 = 0 AND n % 500 <> 3 THEN 'posted' ELSE 'needs_review' END, made(n / 10 % 13, 3), '', '',
	'2026-01-01'::date + n / 1440, '{}', true, 1, 1, 1, 0, 0, 0, 0, n % 50 = 3, '', '', CASE WHEN n % 500 = 3 THEN 'reading' ELSE 'done' END, sha256(n::text::bytea),
	CASE WHEN n % 500 <> 3 THEN '2026-01-01'::timestamptz + n * interval '1 min' END, CASE WHEN n % 3 = 0 AND n % 500 <> 3 THEN now() END, ''
FROM generate_series(1, 20000) n;
INSERT INTO era_claims (era_id, ordinal, org_id, mode, status, claim_id, matched_by, review, warnings, sequence, applied_at, balanced, detail)
SELECT made(n % 2 * 10 + 3, 7), n / 2, made(3, 9), 'test', CASE WHEN n % 100 < 3 THEN 'pending' WHEN n % 100 < 6 THEN 'unmatched' WHEN n % 100 < 9 THEN 'needs_review' ELSE 'applied' END,
	made(n, 1), '', '', '{}', '', now(), true, json_build_object('ControlNumber', 'Pcn-' || n, 'PayerClaimNumber', 'PAYER' || n, 'Original', 'PAYER' || n + 1)
FROM generate_series(2, 20001) n;
INSERT INTO batches (id, org_id, mode, state, name, interchange_number, group_number, transaction_number, number, claim_count, result,
	acknowledgement, created_at, content)
SELECT made(n, 8), made(n % 10, 9), 'test', 'pending', n || '.837', n, n, n, n, 1, '', '', '2026-01-01'::timestamptz + n * interval '1 min', ''
FROM generate_series(1, 2000) n;
INSERT INTO acknowledgements (id, org_id, mode, name, digest, content, received_at)
SELECT made(n, 12), made(n % 10, 9), 'test', n, sha256(n::text::bytea), '', '2026-01-01'::timestamptz + n * interval '1 min' FROM generate_series(1, 4000) n;
INSERT INTO batch_acknowledgements (batch_id, number, org_id, mode, kind, acknowledgement_id)
SELECT made(n, 8), k, made(n % 10, 9), 'test', '999', made(n + 2000 * (k - 1), 12) FROM generate_series(1, 2000) n, generate_series(1, 2) k;
INSERT INTO quarantine (id, org_id, mode, source, name, reason, digest, content, received_at)
SELECT made(n, 8), CASE WHEN n % 3 > 0 THEN made(n % 10, 9) END, 'test', 'import', '', '', sha256(n::text::bytea), '', '2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 20000) n;
INSERT INTO sandbox_mail (name, due, content) SELECT 'f' || n, '2026-01-01'::timestamptz + n * interval '1 min', '' FROM generate_series(1, 2000) n;
UPDATE claims SET state = 'queued' WHERE id IN (SELECT made(n * 4 + 3, 1) FROM generate_series(1, 300) n);
UPDATE claims SET batch_id = made(n, 8) FROM (SELECT n, made(n * 4, 1) AS claim FROM generate_series(1, 300) n) b WHERE id = b.claim;
INSERT INTO offices SELECT made(n, 2), made(3, 9), 'test', '', 1000000000 + n, 100000000 + n, '', '', '', '', '', '', '', now(), now() FROM generate_series(20, 2000) n;
ANALYZE claims, patients, offices, eras, era_claims, batches, batch_acknowledgements, acknowledgements, quarantine, sandbox_mail`

// TestClaimPlans checks that the statements on claims and their files use their
// indexes, as the store's connections plan them. Rows to lock are sorted first,
// by ID, and so are the few claims that were sent in a span. No list is sorted,
// except that of the one claim with a control number.
func TestClaimPlans(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	fillMany(t, url, 20_000, 20_000)
	db := admin(t, url)
	exec(t, db, fillFiles)
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	statements := pgstore.ClaimStatements(t, in, newClaim(), newClaim())
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		as := in
		if strings.HasPrefix(name, "every scope") {
			as = billing.Scope{}
		}
		plan := explain(t, db, as, []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"}, statements[name])
		list := !strings.Contains(name, "control number") && strings.HasPrefix(name, "claims, ") && !strings.HasPrefix(name, "claims, few") || strings.HasPrefix(name, "remittances") || strings.HasPrefix(name, "batches") || strings.HasPrefix(name, "quarantine")
		if strings.Contains(plan, "Seq Scan") || list && strings.Contains(plan, "Sort") {
			t.Errorf("%s:\n%s", name, plan)
		}
		fmt.Fprintf(&got, "== %s\n%s", name, scans(plan))
	}
	golden(t, "claim_plans.txt", got.String())
}
