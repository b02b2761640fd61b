package pgstore_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
)

// TestDueReadsOnlyWhatItLeases looks for due jobs, and leases some, while 500, and then a hundred
// thousand jobs of one stream wait: some due, some leased, some at rest, beside
// a few of other streams. It must not read more blocks for the larger number.
func TestDueReadsOnlyWhatItLeases(t *testing.T) {
	t.Parallel()
	db := admin(t, pgtest.URL(t))
	db.SetMaxOpenConns(1) // a prepared statement belongs to its connection
	exec(t, db, "ALTER TABLE jobs SET (autovacuum_enabled = off)")
	for _, setting := range []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"} {
		exec(t, db, "SET "+setting)
	}
	exec(t, db, "PREPARE due AS "+pgstore.TakeDue)
	exec(t, db, "PREPARE any_due AS "+pgstore.AnyDue)
	fill := func(org, rows int) {
		exec(t, db, fmt.Sprintf(`
INSERT INTO jobs (id, kind, org_id, mode, subject, reply_to, not_before, lease_until)
SELECT gen_random_uuid(), 'eligibility', lpad('%d', 32, '0')::uuid, 'test', gen_random_uuid(), '',
	now() + CASE WHEN n %% 3 = 0 THEN 1 ELSE -1 END * interval '1 hour',
	CASE n %% 3 WHEN 1 THEN now() - interval '1 hour' WHEN 2 THEN now() + interval '1 hour' END
FROM generate_series(1, %d) n`, org, rows))
	}
	read := func(execute string) (blocks int) {
		exec(t, db, "BEGIN")
		plan := scan[[]byte](t, db, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE "+execute)
		exec(t, db, "ROLLBACK")
		var out []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			} `json:"Plan"`
		}
		if err := json.Unmarshal(plan, &out); err != nil {
			t.Fatalf("%v: %s", err, plan)
		}
		return out[0].Plan.Hit + out[0].Plan.Read
	}
	for org := range 5 {
		fill(org+1, 100)
	}
	const due, anyDue = "due (3000000, 60000000, 30, now(), '{}', '{}', '{}')", "any_due ('outbox', gen_random_uuid(), 0, NULL, 0)"
	few := read(due)
	fill(3, 100_000)
	if many := read(due); many > 3*few {
		t.Errorf("with 100,000 jobs waiting %d blocks are read, and %d with 500", many, few)
	}
	exec(t, db, "TRUNCATE jobs")
	var blocks [2]int
	for i, rows := range []int{100, 100_000} {
		for org := range 5 {
			fill(org+1, rows/(4*org+1))
		}
		exec(t, db, "DELETE FROM jobs WHERE lease_until <= now() OR lease_until IS NULL AND not_before <= now()")
		exec(t, db, "VACUUM jobs")
		blocks[i] = read(anyDue)
	}
	if blocks[1] > 3*blocks[0] {
		t.Errorf("to find nothing due, %d blocks are read with 100,000 jobs at rest, and %d with 100", blocks[1], blocks[0])
	}
}
