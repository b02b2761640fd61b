package pgstore_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
)

// fill creates 20,000 rows of each list for ten scopes, and their statistics.
const fill = `
INSERT INTO eligibility_checks (id, org_id, mode, office_id, payer_id, payer_code, payer_name, state, outcome, request_id,
	idempotency_key, tenant_reference, created_at, digest, inquiry, network, completed_at, benefits, rejection)
SELECT uuid(n, 1), uuid(n % 10, 9), 'test', uuid(n / 10 % 7, 2), uuid(n / 10 % 13, 3), '', '',
	CASE WHEN n % 3 = 0 THEN 'pending' ELSE 'completed' END,
	CASE WHEN n % 3 = 0 THEN '' WHEN n % 10 = 1 THEN 'rejected' ELSE 'answered' END,
	uuid(n, 4), 'k', CASE WHEN n % 5 = 0 THEN 'ref-' || n / 50 END, '2026-01-01'::timestamptz + n * interval '1 min',
	sha256(n::text::bytea), '{}', '', CASE WHEN n % 3 <> 0 THEN '2026-01-01'::timestamptz + n * interval '1 min' END,
	CASE WHEN n % 3 <> 0 AND n % 10 <> 1 THEN '{}'::json END, NULL
FROM generate_series(1, 20000) n;
INSERT INTO events (id, org_id, mode, type, resource_id, sequence, created_at, data, xid)
SELECT uuid(n, 5), uuid(n % 10, 9), 'test', (ARRAY['eligibility.completed', 'claim.paid', 'claim.denied'])[n / 10 % 3 + 1],
	CASE WHEN n / 10 % 3 = 0 THEN uuid(n, 7) ELSE uuid(n / 50 * 10 + n % 10, 6) END, 1, '2026-01-01'::timestamptz + n * interval '1 min', '{}', (n / 40 + 3)::text::xid8
FROM generate_series(1, 20000) n;
INSERT INTO attachments (id, org_id, mode, state, kind, claim_id, office_id, payer_id, payer_code, payer_name, payer_request_id,
	payer_reference, narrative, about, request_id, created_at, updated_at, closed_at, number)
SELECT uuid(n, 1), uuid(n % 10, 9), 'test', CASE WHEN n % 70 < 10 THEN 'open' ELSE 'closed' END,
	CASE WHEN n % 30 < 10 THEN 'solicited' ELSE 'unsolicited' END, CASE WHEN n % 40 < 30 THEN uuid(n / 20 * 10 + n % 10, 7) END,
	uuid(n / 10 % 7, 2), uuid(n / 10 % 13, 3), '', '', CASE WHEN n % 30 < 10 THEN uuid(n, 8) END, '', '', '{}', uuid(n, 4),
	'2026-01-01'::timestamptz + n * interval '1 min', now(), CASE WHEN n % 70 >= 10 THEN now() END,
	CASE WHEN n % 70 >= 10 THEN 'MLR' || n END
FROM generate_series(1, 20000) n;
INSERT INTO documents (id, org_id, mode, attachment_id, document_type, medium, orientation, file_name, converted_from, size, md5, sha256, created_at)
SELECT uuid(n, 10), uuid(n / 2 % 10, 9), 'test', uuid(n / 2, 1), '7', 'paper', '', '', '', 1, decode(md5(n::text), 'hex'), sha256(n::text::bytea), now()
FROM generate_series(2, 40001) n;
INSERT INTO payer_requests (id, org_id, mode, state, source, claim_id, payer_id, payer_code, payer_name, reference_number, requested,
	due_date, answering_attachment_id, answered_at, created_at)
SELECT uuid(n, 8), uuid(n % 10, 9), 'test', CASE WHEN n % 70 < 10 THEN 'open' ELSE 'answered' END, 'network',
	CASE WHEN n % 40 < 30 THEN uuid(n / 20 * 10 + n % 10, 7) END, uuid(n / 10 % 13, 3), '', '', n::text, '',
	CASE WHEN n % 20 < 10 THEN '2026-02-01'::date + n / 1440 END, CASE WHEN n % 70 >= 10 THEN uuid(n, 1) END,
	CASE WHEN n % 70 >= 10 THEN now() END, '2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 20000) n;
INSERT INTO requests (id, org_id, mode, key_id, operation, resource_id, status, error, duration_us, created_at)
SELECT uuid(n, 4), uuid(n % 10, 9), 'test', uuid(n % 30, 11), (ARRAY['POST /eligibility', 'GET /claims', 'GET /claims/{id}'])[n / 10 % 3 + 1],
	CASE WHEN n % 30 < 20 THEN 'elg_' || n / 40 END, CASE WHEN n % 70 < 10 THEN 422 ELSE 200 END,
	CASE WHEN n % 70 < 10 THEN 'INVALID_REQUEST' END, 1, '2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 20000) n;
INSERT INTO organizations SELECT uuid(n, 9), 'Practice', now() FROM generate_series(0, 9) n;
INSERT INTO users (id, org_id, email, role, state, created_at)
SELECT uuid(n, 12), uuid(n % 10, 9), n || '@example.com', 'biller', 'active', '2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 20000) n;
INSERT INTO sessions (id, org_id, user_id, digest, address, agent, created_at, used_at, ended_at)
SELECT uuid(n, 13), uuid(n % 10, 9), uuid(n % 200 + 10, 12), sha256(n::text::bytea), '', '', '2026-01-01'::timestamptz + n * interval '1 min',
	'2026-01-01'::timestamptz + n * interval '1 min', CASE WHEN n % 40 < 20 THEN now() END
FROM generate_series(1, 20000) n;
INSERT INTO api_keys (id, org_id, mode, name, permissions, last_four, digest, created_at)
SELECT uuid(n, 11), uuid(n % 10, 9), CASE WHEN n % 20 < 10 THEN 'test' ELSE 'live' END, 'Key', '{}', '', sha256(n::text::bytea), '2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 20000) n;
INSERT INTO audit_entries (id, org_id, mode, user_id, key_id, background, address, operation, resource_id, shown, status, created_at)
SELECT uuid(n, 13), uuid(n % 10, 9), 'test', CASE WHEN n % 40 < 20 THEN uuid(n % 30, 14) END, CASE WHEN n % 40 >= 20 THEN uuid(n % 30, 14) END, n % 60 < 10,
	'192.0.2.1', CASE WHEN n % 200 < 10 THEN 'POST /claims' ELSE 'GET /claims' END, 'clm_' || n / 40, ARRAY['pat_' || n / 400],
	CASE WHEN n % 70 >= 10 THEN 200 END, '2026-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(1, 20000) n;
ANALYZE audit_entries, audit_resources, users, sessions, api_keys, requests, eligibility_checks, events, attachments, documents, payer_requests`

// TestListPlans runs EXPLAIN for every list and filter, with generic and custom
// plans. Each uses an index in the order of the list, reads no row in vain and
// sorts none, except the few events and requests of one resource, the few attachments and payer requests of one
// patient, the few sessions of one user, the first of each type, the documents of a page, and the transactions since a time.
func TestListPlans(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := admin(t, url)
	exec(t, db, `CREATE FUNCTION pg_temp_uuid(n int, kind int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT (lpad(to_hex(kind), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid $$`)
	exec(t, db, strings.ReplaceAll(fill, "uuid(", "pg_temp_uuid("))
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	statements, sorted := pgstore.ListStatements(in), []string{"due requests", "event resource", "event types", "event types, next page", "documents", "tail, since", "requests, resource", "requests, resource, next page", "sessions, user", "sessions, user, next page"}
	for _, merged := range []string{"resource", "user and resource", "patient", "patient and claim"} { // the first entries of each resource
		sorted = append(sorted, "audit, "+merged, "audit, "+merged+", next page")
	}
	sorted = append(sorted, "attachments, patient", "attachments, patient, next page", "payer requests, patient", "payer requests, patient, next page")
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		fmt.Fprintf(&got, "== %s\n", name)
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			settings := []string{"plan_cache_mode = " + mode}
			if strings.HasPrefix(name, "audit") { // as the store's connections plan
				settings = append(settings, "enable_seqscan = off", "enable_bitmapscan = off")
			}
			plan := explain(t, db, in, settings, statements[name])
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Sort") && !slices.Contains(sorted, name) || !strings.Contains(plan, "Index") {
				t.Errorf("%s, %s:\n%s", name, mode, plan)
			}
			got.WriteString(scans(plan))
		}
	}
	golden(t, "plans.txt", got.String())
}

// TestPagesOfTasks begins each page of tasks at its place in an index, so that a page far down costs
// no more than the first one.
func TestPagesOfTasks(t *testing.T) {
	t.Parallel()
	db, in := admin(t, pgtest.URL(t)), scope()
	for name, f := range map[string]task.Filter{
		"tasks_in_place": {}, "tasks_in_place_of_kind": {Kinds: []task.Kind{task.Denied}}, "tasks_in_place_of_assignee": {Assignee: pgstore.Number(1, 12)},
	} {
		for _, due := range []billing.Date{{}, billing.DateOf(time.Now())} {
			plan := explain(t, db, in, []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off", "enable_sort = off"},
				pgstore.TaskPage(in, f, &task.Task{ID: pgstore.Number(1, 7), Work: task.Work{DueOn: due, Since: time.Now()}}))
			_, cond, _ := strings.Cut(plan, "using "+name+" on ")
			if cond, _, _ = strings.Cut(cond, "Filter:"); !strings.Contains(cond, "ROW(place_day, place_amount, since, id) > ROW(") {
				t.Errorf("%s:\n%s", name, plan)
			}
		}
	}
}

// TestCountsOfTasks counts in one pass through each of two indexes, whose order is that of the groups, and
// reads no table.
func TestCountsOfTasks(t *testing.T) {
	t.Parallel()
	plan := explain(t, admin(t, pgtest.URL(t)), scope(), []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"},
		pgstore.TaskCounts(scope()))
	for _, index := range []string{"tasks_open", "tasks_open_for_a_time"} {
		if !strings.Contains(plan, "Index Only Scan using "+index+" on ") {
			t.Errorf("%s is not read alone:\n%s", index, plan)
		}
	}
	if strings.Count(plan, "Scan using ") != 2 || strings.Contains(plan, "Sort") {
		t.Errorf("want two scans and no sort:\n%s", plan)
	}
}

// scans returns the index scans of a plan. The rest differs between versions of
// PostgreSQL.
func scans(plan string) string {
	var out strings.Builder
	for line := range strings.Lines(plan) {
		if _, node, ok := strings.Cut(line, "->  "); ok && strings.Contains(node, "Scan") {
			out.WriteString("  " + node)
		}
	}
	return out.String()
}

// explain plans a statement as the store's connections do: prepared, with their
// settings, and with the role and scope of a tenant, or without a scope with
// the role that works across scopes.
func explain(t *testing.T, db *sql.DB, in billing.Scope, settings []string, s pgstore.Statement) string {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	var values []string
	for _, a := range s.Args {
		if v, ok := a.(driver.Valuer); ok {
			a, _ = v.Value()
		}
		switch v := a.(type) {
		case time.Time:
			a = v.Format(time.RFC3339Nano)
		case []byte:
			a = fmt.Sprintf(`\x%x`, v)
		}
		values = append(values, strings.TrimPrefix(pq.QuoteLiteral(fmt.Sprint(a)), " "))
	}
	role := "molar_app"
	if in == (billing.Scope{}) {
		role = "molar_system"
	}
	statements := []string{
		"SET LOCAL ROLE " + role, "SET LOCAL molar.org = '" + in.Org.UUID() + "'", "SET LOCAL molar.mode = '" + string(in.Mode) + "'",
	}
	for _, setting := range settings {
		statements = append(statements, "SET LOCAL "+setting)
	}
	for _, statement := range append(statements, "DEALLOCATE ALL", "PREPARE listed AS "+s.Text) {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	rows, err := tx.QueryContext(t.Context(), "EXPLAIN (COSTS OFF) EXECUTE listed ("+strings.Join(values, ", ")+")")
	if err != nil {
		t.Fatalf("%s: %v", s.Text, err)
	}
	defer func() { _ = rows.Close() }()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
