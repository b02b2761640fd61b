package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

var (
	growthScale = flag.Float64("scale", 0.02, "of BenchmarkGrowth: 1 stands for 5 million checks and events, 10 million deliveries and 1 million claims")
	growthLoad  = flag.Duration("load", 20*time.Second, "of BenchmarkGrowth: how long the load lasts before dead rows are counted")
)

// The rows of scale 1, over so many organizations.
const (
	grownChecks, grownEvents, grownDeliveries, grownClaims = 5_000_000, 5_000_000, 10_000_000, 1_000_000

	grownOrgs = 200
	smallSize = 100_000 // of checks, events and claims in the database to compare with, and half the deliveries

	claimsOfPatient = 5 // of those who have any
)

// grown is a database with many rows of all organizations, and a store of it.
type grown struct {
	name  string
	url   string
	db    *sql.DB
	store *pgstore.Store
	check *checkFixture // of the organization that has the rows of number 0
	tries int

	mu     sync.Mutex
	staged []jobs.Job
}

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
		exec(b, g.db, "SET maintenance_work_mem = '1GB'; "+text)
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
	g.store, err = pgstore.Open(b.Context(), pgstore.Options{
		URL: g.url, MaxConns: 8, Keys: [][32]byte{{1}}, Begins: true,
		Staged: func(all []jobs.Job) { g.mu.Lock(); defer g.mu.Unlock(); g.staged = append(g.staged, all...) },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.store.Close() })
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

// freshCheck makes a check, lets the sandbox answer it, and reads it.
func (g *grown) freshCheck(ctx context.Context) error {
	g.tries++
	n := "g" + strconv.Itoa(g.tries)
	if err := g.check.check(n, n); billing.CodeOf(err) != billing.CodeTimeout { //nolint:contextcheck // the fixture has the test's
		return err
	}
	g.mu.Lock()
	job := g.staged[len(g.staged)-1]
	g.mu.Unlock()
	if err := g.check.service.Answer(ctx, job); err != nil {
		return err
	}
	c, err := g.check.service.Get(ctx, g.check.scope, billing.CheckID(job.Subject))
	if err == nil && c.Outcome != coverage.OutcomeAnswered {
		err = fmt.Errorf("the outcome is %s", c.Outcome)
	}
	return err
}

// growthWork is what is compared. Fresh checks are made in organization 0, the rest in organization n.
func growthWork(b *testing.B) map[string]func(g *grown, n int) error {
	b.Helper()
	page := billing.Page{Limit: billing.DefaultPageLimit}
	view := func(fn func(ctx context.Context, tx ports.Tx) error) func(*grown, int) error {
		return func(g *grown, n int) error {
			in := g.scope(n)
			return g.store.View(b.Context(), in, fn)
		}
	}
	search := func(text string) func(*grown, int) error {
		what := billing.ParseSearch(text)
		return view(func(ctx context.Context, tx ports.Tx) error {
			ids, _, err := tx.Patients.Search(ctx, what)
			if err == nil {
				_, _, err = tx.Claims.Search(ctx, what, ids, page)
			}
			return err
		})
	}
	return map[string]func(*grown, int) error{
		"fresh check": func(g *grown, _ int) error { return g.freshCheck(b.Context()) },
		"checks": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Checks.List(ctx, coverage.CheckFilter{}, page)
			return err
		}),
		"events": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Events.List(ctx, event.Filter{}, page)
			return err
		}),
		"tail of events": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Events.Tail(ctx, event.Filter{}, billing.EventID{}, 100)
			return err
		}),
		"deliveries": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Deliveries.List(ctx, webhook.DeliveryFilter{}, page)
			return err
		}),
		"failed deliveries": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Deliveries.List(ctx, webhook.DeliveryFilter{State: webhook.DeliveryFailed}, page)
			return err
		}),
		"claims": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim}, page)
			return err
		}),
		"claims of a state": view(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Claims.List(ctx, claim.Filter{Kind: claim.KindClaim, States: inStates(claim.Paid)}, page)
			return err
		}),
		"patients":            view(func(ctx context.Context, tx ports.Tx) error { _, err := tx.Patients.List(ctx, page); return err }),
		"search a name":       search("smith"),
		"search two words":    search("ann smith"),
		"search a number":     search("PCN-00000"),
		"search a birth date": search("1940-01-31"),
		"match and save 100 claims": func(g *grown, n int) error {
			in := g.scope(n)
			numbers := make([]string, 100)
			for i := range numbers {
				numbers[i] = fmt.Sprintf("PCN-%09d", i*grownOrgs+n%grownOrgs)
			}
			return g.store.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
				all, err := tx.Clearing.Match(ctx, numbers, nil)
				if err == nil && len(all) < 90 {
					return fmt.Errorf("%d claims", len(all))
				}
				for _, c := range all {
					c.UpdatedAt = time.Now()
					err = errors.Join(err, tx.Claims.Save(ctx, c), tx.Events.Append(ctx, c.Event(event.ClaimStatusUpdated, claim.Cause{At: c.UpdatedAt})))
				}
				return err
			})
		},
	}
}

// scope is that of the organization that has row n.
func (g *grown) scope(n int) billing.Scope {
	if n %= grownOrgs; n == 0 {
		return g.check.scope
	}
	return billing.Scope{Org: billing.OrgID{6: 0x70, 8: 0x80, 14: byte(n >> 8), 15: byte(n)}, Mode: billing.ModeTest}
}

// growthSettings are those of a server for a deployment, on a machine with 8 GB for it.
func growthSettings() map[string]string {
	return map[string]string{
		"shared_buffers": "2GB", "effective_cache_size": "6GB", "max_wal_size": "8GB", "autovacuum": "on", "autovacuum_naptime": "10s",
		"synchronous_commit": "off", "full_page_writes": "off", // the disk is not what is compared
	}
}

// BenchmarkGrowth compares the work on a database as it is after years with that on one of 100,000
// checks, events and claims, A B A B on one server. Each figure is the ratio of the medians. Then it
// loads the large one, and counts the dead rows that autovacuum leaves.
func BenchmarkGrowth(b *testing.B) {
	scaled := func(n int64) int64 { return int64(float64(n) * *growthScale) }
	cluster, err := pglocal.Start(b.Context(), b.TempDir(), pglocal.Options{Settings: growthSettings()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cluster.Stop(context.WithoutCancel(b.Context())) })
	small, large := growing(b, cluster.URL(), "small"), growing(b, cluster.URL(), "large")
	small.fill(b, map[string]int64{"patients": smallSize / 5, "eligibility_checks": smallSize, "events": smallSize, "webhook_deliveries": smallSize * 2, "claims": smallSize})
	large.fill(b, map[string]int64{
		"patients": scaled(grownChecks) / 5, "eligibility_checks": scaled(grownChecks), "events": scaled(grownEvents),
		"webhook_deliveries": scaled(grownDeliveries), "claims": scaled(grownClaims),
	})
	work := growthWork(b)
	for range b.N {
		for _, name := range sortedKeys(work) {
			var took [2][]time.Duration
			for n := range 300 {
				for i, g := range []*grown{small, large} {
					began := time.Now()
					if err := work[name](g, n%20*7); err != nil { // of 20 organizations, whose pages the first ones warm
						b.Fatalf("%s: %v", name, err)
					}
					if n >= 100 {
						took[i] = append(took[i], time.Since(began))
					}
				}
			}
			a, z := median(took[0]), median(took[1])
			fmt.Fprintf(os.Stderr, "%-26s %8.2f ms  %8.2f ms  %5.2f\n", name, ms(a), ms(z), ms(z)/ms(a))
			b.ReportMetric(ms(z)/ms(a), strings.ReplaceAll(name, " ", "-")+"-ratio")
		}
		for until := time.Now().Add(*growthLoad); time.Now().Before(until); {
			if err := errors.Join(large.freshCheck(b.Context()), work["match and save 100 claims"](large, large.tries)); err != nil {
				b.Fatal(err)
			}
		}
		large.costs(b)
		time.Sleep(growthRest)
		rows, err := large.db.QueryContext(b.Context(), `
SELECT relname, n_dead_tup, 100.0 * n_dead_tup / greatest(n_live_tup + n_dead_tup, 1)
FROM pg_stat_user_tables WHERE n_dead_tup > 1000 ORDER BY 3 DESC LIMIT 8`)
		if err != nil {
			b.Fatal(err)
		}
		defer rows.Close() //nolint:errcheck // read to the end
		worst := 0.0
		for rows.Next() {
			var table string
			var dead int64
			var share float64
			if err := rows.Scan(&table, &dead, &share); err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(os.Stderr, "%-26s %8d dead rows, %.1f %%\n", table, dead, share)
			worst = max(worst, share)
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(worst, "dead-%")
	}
	b.ReportMetric(0, "ns/op")
}

// costs reports what checks and claims write to the log (without the whole pages that follow a checkpoint), what the rows of each kind take with their
// indexes, and how fast the sweep removes deliveries.
func (g *grown) costs(b *testing.B) {
	b.Helper()
	written := func(n int, run func(n int) error) float64 {
		const at = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
		if err := run(0); err != nil {
			b.Fatal(err)
		}
		before := scan[int64](b, g.db, at)
		for i := range n {
			if err := run(i); err != nil {
				b.Fatal(err)
			}
		}
		return float64(scan[int64](b, g.db, at)-before) / float64(n) / 1000
	}
	b.ReportMetric(written(500, func(int) error { return g.freshCheck(b.Context()) }), "kB-of-WAL/check")
	work := growthWork(b)["match and save 100 claims"]
	b.ReportMetric(written(20, func(n int) error { return work(g, n) })/100, "kB-of-WAL/claim-step")
	for _, table := range []string{"eligibility_checks", "events", "webhook_deliveries", "claims", "patients"} {
		bytes := scan[float64](b, g.db, "SELECT pg_total_relation_size(oid) / greatest(reltuples, 1) FROM pg_class WHERE relname = $1 AND relkind = 'r'", table)
		b.ReportMetric(bytes, "bytes/"+table)
	}
	began, removed := time.Now(), 0
	for time.Since(began) < growthRest {
		var n int
		porttest.System(b, g.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
			n, err = tx.Forget.Deliveries(ctx, time.Now())
			return err
		})
		if removed += n; n == 0 {
			break
		}
	}
	b.ReportMetric(float64(removed)/time.Since(began).Seconds(), "deliveries-removed/s")
}

// growthRest is how long autovacuum has after the load.
const growthRest = 15 * time.Second

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
