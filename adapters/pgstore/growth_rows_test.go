package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// grownFunctions compute the values of row n. Rows of one organization are so far apart as there are organizations: what
// differs between them depends on nth, their place among them, not on n, which would give each organization rows of one kind.
// made_at makes the ID of a row that was made at a time, grown_patient that of a patient, the same in both databases.
const grownFunctions = `
CREATE FUNCTION made_at(at timestamptz, n bigint) RETURNS uuid LANGUAGE sql STABLE
	RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid;
CREATE FUNCTION grown_org(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
	RETURN CASE WHEN n %% 200 = 0 THEN '%s' ELSE '00000000-0000-7000-8000-' || lpad(to_hex(n %% 200), 12, '0') END::uuid;
CREATE FUNCTION nth(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN n / 200;
CREATE FUNCTION grown_patient(n bigint) RETURNS uuid LANGUAGE sql STABLE RETURN made_at('2025-01-01Z'::timestamptz + n * interval '10 s', n);
CREATE FUNCTION grown_time(n bigint, of bigint, days int) RETURNS timestamptz LANGUAGE sql STABLE
	RETURN date_trunc('day', now()) - make_interval(secs => (of - n) * days * 86400.0 / of)`

// growthColumns are the columns that differ between the rows of a table. Row n was made at "at" by
// what lives for years, at "late" by what goes after 90 days, and at "sent" by deliveries. What a
// search or a filter of the benchmark selects fills a page or is the same number of rows in both databases.
func growthColumns(rows map[string]int64) map[string]map[string]string {
	const org = "grown_org(n)"
	patientOf := fmt.Sprintf("grown_patient((n - 1) %% %d + 1)", min(rows["claims"]/claimsOfPatient, rows["patients"]))
	return map[string]map[string]string{
		"patients": {
			"id": "grown_patient(n)", "org_id": org, "name_key": "n::text", "created_at": "at",
			"first_name":    "(ARRAY['Ann', 'Bob', 'Cy', 'Dee', 'Eve', 'Zoë'])[nth(n) % 6 + 1]",
			"last_name":     "CASE WHEN nth(n) < 60 THEN 'Smith' ELSE initcap(substr(md5(n::text), 1, 6)) END",
			"date_of_birth": "'1940-01-01'::date + (nth(n) % 25000)::int",
		},
		"eligibility_checks": {
			"id": "made_at(at, n)", "org_id": org, "created_at": "at", "completed_at": "at", "digest": "sha256(n::text::bytea)", "idempotency_key": "'k' || n",
			"request_id": "made_at(at, n)", "exchanges": "NULL", "patient_id": patientOf, "parent_id": "NULL",
		},
		"events": {"id": "made_at(late, n)", "org_id": org, "resource_id": "made_at(at, n)", "sequence": "1", "created_at": "late", "xid": "pg_current_xact_id()"},
		"webhook_deliveries": {
			"id": "made_at(sent, n)", "org_id": org, "endpoint_id": org, "event_id": "made_at(late, n / 2)", "created_at": "sent", "settled_at": "sent",
			"state": "CASE WHEN nth(n) % 10 = 1 THEN 'failed' ELSE 'delivered' END", "next_attempt_at": "NULL",
		},
		"claims": {
			"id": "made_at(at, n + 1000000000)", "org_id": org, "created_at": "at", "updated_at": "at", "sent_at": "at", "patient_control_number": "'PCN-' || lpad(n::text, 9, '0')",
			"patient_id": patientOf, "request_id": "made_at(at, n)", "payer_claim_number": "'PAYER' || n",
			"first_service_date": "at::date", "last_service_date": "at::date", "state": "(ARRAY['submitted', 'accepted_clearinghouse', 'accepted_payer', 'paid'])[nth(n) % 4 + 1]",
		},
	}
}

// fill multiplies the rows that the service itself has made, with the indexes last.
func (g *grown) fill(b *testing.B, tables map[string]int64) {
	b.Helper()
	var indexes pq.StringArray
	if err := g.db.QueryRowContext(b.Context(), `
SELECT array_agg(indexdef)
FROM pg_indexes i
WHERE tablename IN ('claims', 'patients', 'patient_words', 'eligibility_checks', 'events', 'webhook_deliveries')
	AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname)`).Scan(&indexes); err != nil {
		b.Fatal(err)
	}
	name := regexp.MustCompile(`INDEX (\w+) ON`)
	for _, text := range indexes {
		exec(b, g.db, "DROP INDEX "+name.FindStringSubmatch(text)[1])
	}
	columns := growthColumns(tables)
	began := time.Now()
	for _, table := range []string{"patients", "eligibility_checks", "events", "webhook_deliveries", "claims"} {
		exec(b, g.db, "ALTER TABLE "+table+" DISABLE TRIGGER USER; CREATE TABLE sample AS SELECT * FROM "+table+" LIMIT 1")
		var names pq.StringArray
		if err := g.db.QueryRowContext(b.Context(), `
SELECT array_agg(column_name::text)
FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`, table).Scan(&names); err != nil {
			b.Fatal(err)
		}
		values := slices.Clone([]string(names))
		for i, column := range names {
			if v, ok := columns[table][column]; ok {
				values[i] = v
			}
		}
		const step = 250_000
		for from := int64(1); from <= tables[table]; from += step {
			exec(b, g.db, fmt.Sprintf(`
INSERT INTO %[1]s (%[2]s)
SELECT %[3]s
FROM sample CROSS JOIN generate_series(%[4]d::bigint, %[5]d) n
CROSS JOIN LATERAL (SELECT grown_time(n, %[6]d, 360) AS at, grown_time(n, %[6]d, 85) AS late, grown_time(n, %[6]d, 29) AS sent OFFSET 0) t`,
				table, strings.Join(names, ", "), strings.Join(values, ", "), from, min(from+step-1, tables[table]), tables[table]))
			done := min(from+step-1, tables[table])
			fmt.Fprintf(os.Stderr, "%s: %s %d of %d, %s\n", g.name, table, done, tables[table], time.Since(began).Round(time.Second))
		}
		exec(b, g.db, "DROP TABLE sample; ALTER TABLE "+table+" ENABLE TRIGGER USER")
	}
	exec(b, g.db, "TRUNCATE claim_totals, claim_changes, patient_words")
	exec(b, g.db, `
INSERT INTO patient_words (org_id, mode, word, patient_id, names)
SELECT DISTINCT org_id, mode, word, id, names
FROM patients CROSS JOIN patient_names(first_name, last_name) names CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
WHERE word <> ''
ON CONFLICT DO NOTHING`)
	exec(b, g.db, recount)
	for _, text := range indexes {
		exec(b, g.db, "SET maintenance_work_mem = '1GB'; "+strings.Replace(text, " ON ONLY ", " ON ", 1))
	}
	exec(b, g.db, "VACUUM (ANALYZE)")
	fmt.Fprintf(os.Stderr, "%s: %s in %s\n", g.name, scan[string](b, g.db, "SELECT pg_size_pretty(pg_database_size(current_database()))"), time.Since(began).Round(time.Second))
}

// growing opens a database on the server, and lets the service make a check with its event, a claim
// and a delivery in it.
func growing(b *testing.B, server, name string) *grown {
	b.Helper()
	exec(b, admin(b, server), "CREATE DATABASE "+name)
	u, err := url.Parse(server)
	if err != nil {
		b.Fatal(err)
	}
	u.Path = "/" + name
	g := &grown{name: name, url: u.String()}
	if err := pgstore.Migrate(b.Context(), g.url); err != nil {
		b.Fatal(err)
	}
	g.db = admin(b, g.url)
	months(b, g.db, "first_id(date_trunc('month', now() - interval '120 days'))")
	g.store, err = pgstore.Open(b.Context(), pgstore.Options{
		URL: g.url, MaxConns: 8, Keys: [][32]byte{{1}}, Begins: true,
		Staged: func(all []jobs.Job) { g.mu.Lock(); defer g.mu.Unlock(); g.staged = append(g.staged, all...) },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.store.Close() })
	for scan[int](b, g.db, "SELECT count(*) FROM delivery_months() WHERE next > first_id(now())") == 0 {
		g.sweepMonths(b)
	}
	g.check = newCheckFixture(b, g.store)
	if err := g.freshCheck(b.Context()); err != nil {
		b.Fatal(err)
	}
	porttest.In(b, g.store, g.check.scope, func(ctx context.Context, tx ports.Tx) error {
		c := newClaim()
		c.State, c.OfficeID, c.SentAt = claim.AcceptedPayer, g.check.office.ID, c.CreatedAt
		return errors.Join(tx.Claims.Insert(ctx, c), tx.Events.Append(ctx, c.Event(event.ClaimAccepted, claim.Cause{At: c.CreatedAt})))
	})
	exec(b, g.db, fmt.Sprintf(grownFunctions+`;
INSERT INTO organizations (id, name, created_at) SELECT grown_org(n), 'Practice ' || n, now() FROM generate_series(1, %d) n;
INSERT INTO webhook_endpoints (id, org_id, mode, url, description, status, secret, created_at)
SELECT grown_org(n), grown_org(n), 'test', 'https://example.com', '', 'enabled', sha512(''), now() FROM generate_series(0, %d) n;
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, attempts, created_at, settled_at)
SELECT grown_org(1), org_id, mode, grown_org(0), id, type, 'delivered', ARRAY['{"at":"2026-01-01T00:00:00Z","status":204,"duration":1000000}'::json], now(), now() FROM events LIMIT 1`,
		g.check.scope.Org.UUID(), grownOrgs-1, grownOrgs-1))
	return g
}
