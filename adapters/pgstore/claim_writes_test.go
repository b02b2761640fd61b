package pgstore_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
)

// TestClaimWritesLookForTheirRows checks the plans of what is written with a claim while its
// tables have a few thousand rows. The planner takes a hundred rows for those of JSON, and would
// rather read a table of that size whole than look a hundred times.
func TestClaimWritesLookForTheirRows(t *testing.T) {
	t.Parallel()
	db := admin(t, pgtest.URL(t))
	exec(t, db, madeID+`;
ALTER TABLE tasks DISABLE TRIGGER ALL;
INSERT INTO tasks (id, org_id, mode, resource, claim_id, kind, payer_code, payer_name, amount, since, due_by, reason, actions)
SELECT made(n, 7), made(3, 9), 'test', 'claim', made(n, 1), 'no_decision', '', '', 0, now(), '', '', '{}' FROM generate_series(1, 2000) n;
ANALYZE tasks`)
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	scan := regexp.MustCompile(`(?m)Scan .*on tasks\b.*\n.*$`)
	read := 0
	for _, s := range pgstore.ClaimWrites(t, in, newClaim()) {
		plan := explain(t, db, in, []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"}, s)
		for _, found := range scan.FindAllString(plan, -1) {
			if read++; !strings.Contains(found, "Index Cond:") {
				t.Errorf("%s\nis in %s", found, plan)
			}
		}
	}
	if read < 1 {
		t.Errorf("no scan of the tasks")
	}
}
