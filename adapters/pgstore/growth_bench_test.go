package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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
		"shared_preload_libraries": "pg_stat_statements", "shared_buffers": "2GB", "effective_cache_size": "6GB", "max_wal_size": "8GB", "autovacuum": "on", "autovacuum_naptime": "10s",
		"synchronous_commit": "off", "full_page_writes": "off", // the disk is not what is compared
	}
}

// BenchmarkGrowth compares the work on a database as it is after years with that on one of 100,000
// checks, events and claims, A B A B on one server: the medians of the times, and the pages read. Then it
// loads the large one, and counts the dead rows that autovacuum leaves.
func BenchmarkGrowth(b *testing.B) {
	scaled := func(n int64) int64 { return int64(float64(n) * *growthScale) }
	cluster, err := pglocal.Start(b.Context(), b.TempDir(), pglocal.Options{Settings: growthSettings()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cluster.Stop(context.WithoutCancel(b.Context())) })
	small, large := growing(b, cluster.URL(), "small"), growing(b, cluster.URL(), "large")
	exec(b, small.db, "CREATE EXTENSION pg_stat_statements")
	small.fill(b, map[string]int64{"patients": smallSize / 5, "eligibility_checks": smallSize, "events": smallSize, "webhook_deliveries": smallSize * 2, "claims": smallSize})
	large.fill(b, map[string]int64{
		"patients": scaled(grownChecks) / 5, "eligibility_checks": scaled(grownChecks), "events": scaled(grownEvents),
		"webhook_deliveries": scaled(grownDeliveries), "claims": scaled(grownClaims),
	})
	work := growthWork(b)
	for range b.N {
		for _, name := range sortedKeys(work) {
			compare(b, name, work[name], small, large)
		}
		for until := time.Now().Add(*growthLoad); time.Now().Before(until); {
			if err := errors.Join(large.freshCheck(b.Context()), work["match and save 100 claims"](large, large.tries)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(large.deadRows(b), "dead-%")
		large.costs(b) // after the count, since a sweep without its rests outruns autovacuum
	}
	b.ReportMetric(0, "ns/op")
}

// compare measures work on both databases in turn. The times depend on what else the machine does; the pages that statements
// read, in memory or not, do not. Equal rows show that both did the same.
func compare(b *testing.B, name string, work func(g *grown, n int) error, small, large *grown) {
	b.Helper()
	const tries, warming = 300, 100
	var took [2][]time.Duration
	for n := range tries {
		if n == warming {
			exec(b, small.db, "SELECT pg_stat_statements_reset()")
		}
		for i, g := range []*grown{small, large} {
			began := time.Now()
			if err := work(g, n%20*7); err != nil { // of 20 organizations, whose pages the first ones warm
				b.Fatalf("%s: %v", name, err)
			}
			if n >= warming {
				took[i] = append(took[i], time.Since(began))
			}
		}
	}
	var pages, rows [2]float64
	for i, g := range []*grown{small, large} {
		if err := small.db.QueryRowContext(b.Context(), `
SELECT sum(shared_blks_hit + shared_blks_read) / $1::float, sum(rows) / $1::float
FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $2)`, tries-warming, g.name).Scan(&pages[i], &rows[i]); err != nil {
			b.Fatal(err)
		}
	}
	a, z := median(took[0]), median(took[1])
	fmt.Fprintf(os.Stderr, "%-26s %7.2f ms %7.2f ms %5.2f   %7.0f pages %7.0f pages %5.2f   %6.1f rows %6.1f rows\n",
		name, ms(a), ms(z), ms(z)/ms(a), pages[0], pages[1], pages[1]/pages[0], rows[0], rows[1])
	unit := strings.ReplaceAll(name, " ", "-")
	b.ReportMetric(ms(z)/ms(a), unit+"-ratio")
	b.ReportMetric(pages[1]/pages[0], unit+"-pages-ratio")
}

// deadRows returns the largest share of dead rows that a table has, in percent.
func (g *grown) deadRows(b *testing.B) float64 {
	b.Helper()
	rows, err := g.db.QueryContext(b.Context(), `
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
	return worst
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
		bytes := scan[float64](b, g.db, `
SELECT sum(pg_total_relation_size(oid)) / greatest(sum(reltuples), 1)
FROM pg_class
WHERE relkind = 'r' AND (oid = $1::text::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::text::regclass))`, table)
		b.ReportMetric(bytes, "bytes/"+table)
	}
	exec(b, g.db, "UPDATE sweeps SET lowest = first_id(now()) WHERE bare = 'webhook_deliveries'") // as if something of each month stayed
	began, removed := time.Now(), 0
	for time.Since(began) < sweepTime {
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

// sweepTime is how long the sweep is measured at most.
const sweepTime = 15 * time.Second

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
