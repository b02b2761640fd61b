package pgstore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// fillExpired creates a million expired idempotency keys, and fewer rows of the
// other swept tables. It builds the indexes of keys afterwards, which is
// faster.
const fillExpired = madeID + `;
CREATE TEMPORARY TABLE made_again AS SELECT indexdef FROM pg_indexes WHERE indexname = 'idempotency_keys_sweep';
DROP INDEX idempotency_keys_sweep;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey;
INSERT INTO idempotency_keys (org_id, mode, key, fingerprint, check_id, created_at)
SELECT made(n % 10, 9), 'test', n, '\x00', CASE WHEN n % 2 = 0 THEN made(n, 1) END, '2026-01-01'::timestamptz + n * interval '1 s'
FROM generate_series(1, 1000000) n;
ALTER TABLE idempotency_keys ADD PRIMARY KEY (org_id, mode, key);
DO $$ BEGIN EXECUTE (SELECT indexdef FROM made_again); END $$;
INSERT INTO jobs (id, kind, org_id, mode, subject, reply_to, not_before)
SELECT made(n, 6), 'k', made(0, 9), 'test', made(2 * n, 1), '', now() FROM generate_series(1, 100) n;
INSERT INTO sandbox_mail (name, due, removed_at) SELECT n, now(), '2026-01-01'::timestamptz + n * interval '1 s' FROM generate_series(1, 50000) n;
INSERT INTO sandbox_notes (key, noted_by, noted_at, content)
SELECT n::text::bytea, n, '2025-01-01'::timestamptz + n * interval '1 s', '' FROM generate_series(1, 250000) n;
INSERT INTO watches (org_id, mode, expires_at, since) SELECT made(n, 9), 'test', now(), '3' FROM generate_series(0, 9) n;
INSERT INTO changes (org_id, mode, kind, id, xid, created_at)
SELECT made(n % 10, 9), 'test', 'claim', made(n, 1), (n + 10)::text::xid8, '2026-01-01'::timestamptz + n * interval '1 s'
FROM generate_series(1, 200000) n;
INSERT INTO requests (id, org_id, mode, key_id, operation, created_at)
SELECT made(n, 4), made(n % 10, 9), 'test', made(n % 10, 11), 'GET /claims', '2020-01-01'::timestamptz + n * interval '1 s' FROM generate_series(1, 50000) n;
INSERT INTO organizations VALUES (made(0, 9), 'Practice', now());
INSERT INTO users (id, org_id, email, role, state, created_at) VALUES (made(0, 12), made(0, 9), 'a@example.com', 'owner', 'active', now());
INSERT INTO sessions (id, org_id, user_id, digest, address, agent, created_at, used_at)
SELECT made(n, 13), made(0, 9), made(0, 12), sha256(n::text::bytea), '', '', now(), now() FROM generate_series(1, 50000) n;
INSERT INTO sign_in_links (digest, org_id, user_id, kind, created_at, expires_at)
SELECT sha256(n::text::bytea), made(0, 9), made(0, 12), 'reset', '2020-01-01'::timestamptz + n * interval '1 s', now() FROM generate_series(1, 50000) n;
ANALYZE requests, sessions, sign_in_links, idempotency_keys, jobs, sandbox_mail, sandbox_notes, watches, changes`

// TestSweepReadsOnlyWhatItRemoves runs each sweep once on tables with many more
// rows than it removes, and counts the rows that it reads.
func TestSweepReadsOnlyWhatItRemoves(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := admin(t, url)
	exec(t, db, fillExpired)
	after, last := "'2027-01-01'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"
	for name, sweep := range map[string]struct {
		text, args     string
		forgets, reads int
	}{
		"keys":     {pgstore.ForgetKeyUses, after, 1000, 2500}, // 50 have unfinished work, of 100 jobs that are read twice
		"requests": {pgstore.ForgetRequests, last, 1000, 2100},
		"sessions": {pgstore.ForgetSessions, last, 1000, 2100},
		"links":    {pgstore.ForgetLinks, after, 1000, 2100},
		"mail":     {pgstore.ForgetMail, "1", 500, 1100},
		"notes":    {pgstore.ForgetNotes, "1", 5000, 10_100},
		"changes":  {pgstore.ForgetChanges, "'2026-01-02'", 1000, 2100},
	} {
		if forgotten, read := rowsRead(t, db, sweep.text+" RETURNING 1", sweep.args); forgotten != sweep.forgets || read > sweep.reads {
			t.Errorf("%s: %d rows were removed and %d read, want %d and at most %d", name, forgotten, read, sweep.forgets, sweep.reads)
		}
	}
	scopes := "ARRAY[made(3, 9), made(4, 9)], ARRAY['test', 'test']"
	if found, read := rowsRead(t, db, pgstore.ChangesAfter, scopes+", '199911:199911:', 1000"); found != 20 || read > 100 {
		t.Errorf("%d changes were found and %d rows read, want 20 and at most 100", found, read)
	}
	s := pgtest.OpenAt(t, url)
	before := scan[int](t, db, "SELECT count(*) FROM idempotency_keys")
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		n, err := tx.Forget.KeyUses(ctx, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
		if n != 1000 {
			t.Errorf("%d keys were forgotten", n)
		}
		return err
	})
	if n := scan[int](t, db, "SELECT count(*) FROM idempotency_keys"); n != before-1000 {
		t.Errorf("%d keys are left of %d", n, before)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM idempotency_keys WHERE check_id IN (SELECT subject FROM jobs)"); n != 100 {
		t.Errorf("%d keys are left of the 100 whose work is not done", n)
	}
}

// planNode is a node of EXPLAIN (FORMAT JSON).
type planNode struct {
	Type    string     `json:"Node Type"`
	Rows    float64    `json:"Actual Rows"`
	Loops   float64    `json:"Actual Loops"`
	Removed float64    `json:"Rows Removed by Filter"`
	Plans   []planNode `json:"Plans"`
}

// scanned counts the rows that the scans of tables and indexes read.
func (n planNode) scanned() (rows int) {
	if strings.HasSuffix(n.Type, "Scan") && n.Type != "CTE Scan" && n.Type != "Subquery Scan" {
		rows = int((n.Rows + n.Removed) * n.Loops)
	}
	for _, p := range n.Plans {
		rows += p.scanned()
	}
	return rows
}

// rowsRead runs a statement with the plan and the rights of the store's
// connections, and counts the rows that it deletes and reads.
func rowsRead(t *testing.T, db *sql.DB, text, args string) (deleted, read int) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, s := range []string{
		"SET LOCAL ROLE molar_system", "SET LOCAL plan_cache_mode = force_generic_plan", "SET LOCAL enable_seqscan = off",
		"SET LOCAL enable_bitmapscan = off", "SET LOCAL jit = off", "DEALLOCATE ALL", "PREPARE swept AS " + text,
	} {
		if _, err := tx.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	var output []byte
	if err := tx.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE swept ("+args+")").Scan(&output); err != nil {
		t.Fatal(err)
	}
	var plans []struct {
		Plan planNode `json:"Plan"`
	}
	if err := json.Unmarshal(output, &plans); err != nil || len(plans) != 1 {
		t.Fatalf("%s: %v", output, err)
	}
	t.Logf("%s", output)
	return int(plans[0].Plan.Rows), plans[0].Plan.scanned()
}
