package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// sweepMonths does a part of the sweep of months.
func (g *grown) sweepMonths(b *testing.B) (removed int, more bool) {
	b.Helper()
	porttest.System(b, g.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		removed, more, err = tx.Forget.DeliveryMonths(ctx, time.Now().AddDate(0, 0, -30))
		return err
	})
	return removed, more
}

// droppedMonth are deliveries of the first month, with the indexes last.
const droppedMonth = `
DROP INDEX webhook_deliveries_due, webhook_deliveries_event, webhook_deliveries_list, webhook_deliveries_state, webhook_deliveries_type;
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, attempts, created_at, settled_at)
SELECT made_at(at, n), grown_org(n), 'test', CASE WHEN n %% 200 = 0 THEN '00000000-0000-7000-8000-000000000001' ELSE grown_org(n) END, made_at(at, n), 'claim.paid', 'delivered',
	ARRAY['{"at":"2026-01-01T00:00:00Z","status":204,"duration":1000000}'::json], at, at
FROM generate_series(1, %[1]d) n
CROSS JOIN LATERAL (SELECT date_trunc('month', now() - interval '120 days') + (n - 1) * interval '27 days' / %[1]d AS at OFFSET 0) t;
SET maintenance_work_mem = '1GB';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at, id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id, created_at, id);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, created_at, id) WHERE state <> 'delivered';
CREATE INDEX webhook_deliveries_type ON webhook_deliveries (endpoint_id, event_type, created_at, id)`

// BenchmarkGrowthDrop drops a month of deliveries as the sweep does, beside a writer and a reader: how long the
// drop takes after the looks, and the longest wait of the two meanwhile. The longest wait in as long a time
// before shows what the machine does by itself.
func BenchmarkGrowthDrop(b *testing.B) {
	cluster, err := pglocal.Start(b.Context(), b.TempDir(), pglocal.Options{Settings: growthSettings()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cluster.Stop(context.WithoutCancel(b.Context())) })
	g := growing(b, cluster.URL(), "months")
	began, deliveries := time.Now(), int(grownDeliveries**growthScale)
	exec(b, g.db, fmt.Sprintf(droppedMonth, deliveries))
	exec(b, g.db, "VACUUM ANALYZE webhook_deliveries")
	exec(b, g.db, "CHECKPOINT")
	g.forget(b)
	fmt.Fprintf(os.Stderr, "months: %d deliveries, %s in %s\n", deliveries, scan[string](b, g.db, "SELECT pg_size_pretty(pg_database_size(current_database()))"), time.Since(began).Round(time.Second))

	began = time.Now()
	left := func() int {
		return deliveries - scan[int](b, g.db, "SELECT seen FROM sweeps WHERE bare = 'webhook_deliveries'")
	}
	for left() >= lookedLast {
		if _, more := g.sweepMonths(b); !more {
			b.Fatal("the look ended")
		}
	}
	b.ReportMetric(time.Since(began).Seconds(), "look-s")
	page := billing.Page{Limit: billing.DefaultPageLimit}
	quiet, _ := g.waits(b, page, func() { time.Sleep(2 * time.Second) })
	began = time.Now()
	months := scan[int](b, g.db, "SELECT count(*) FROM delivery_months()")
	var took, gone time.Duration
	longest, n := g.waits(b, page, func() {
		began = time.Now()
		var watch sync.WaitGroup
		defer watch.Wait()
		watch.Go(func() { // the server removes the files after the commit
			for scan[int](b, g.db, "SELECT count(*) FROM delivery_months()") == months {
				time.Sleep(time.Millisecond)
			}
			gone = time.Since(began)
		})
		if removed, _ := g.sweepMonths(b); removed != deliveries {
			b.Errorf("%d deliveries went, want %d", removed, deliveries)
		}
		took = time.Since(began)
	})
	fmt.Fprintf(os.Stderr, "gone after %.0f ms, and its files after %.0f ms; the longest wait of %d was %.1f ms, before %.1f ms\n", ms(gone), ms(took), n, ms(longest), ms(quiet))
	b.ReportMetric(ms(gone), "drop-ms")
	b.ReportMetric(ms(took), "drop-with-files-ms")
	b.ReportMetric(ms(longest), "longest-wait-ms")
	b.ReportMetric(ms(quiet), "longest-wait-before-ms")
	b.ReportMetric(0, "ns/op")
}

// forget takes the files of the database out of the memory of the machine, where those of a month that ended long ago are not:
// to drop what is in memory takes time, too.
func (g *grown) forget(b *testing.B) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(scan[string](b, g.db, "SHOW data_directory"), "base", "*", "*"))
	if err != nil || len(files) == 0 {
		b.Fatal("no files of the database: ", err)
	}
	for _, file := range files {
		if out, err := osexec.CommandContext(b.Context(), "dd", "if="+file, "iflag=nocache", "count=0").CombinedOutput(); err != nil {
			b.Fatalf("forget %s: %v\n%s", file, err, out)
		}
	}
}

// lookedLast is how many deliveries a step of the sweep looks at.
const lookedLast = 20_000

// waits returns the longest time that a list or an event with its delivery took while something is done, and how many there were.
func (g *grown) waits(b *testing.B, page billing.Page, done func()) (longest time.Duration, n int) {
	b.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	ended := make(chan struct{})
	for _, work := range []func() error{
		func() error {
			return g.store.InTx(b.Context(), g.scope(1), func(ctx context.Context, tx ports.Tx) error {
				return tx.Events.Append(ctx, someEvent(check(g.scope(1)).ID))
			})
		},
		func() error {
			return g.store.View(b.Context(), g.scope(2), func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Deliveries.List(ctx, webhook.DeliveryFilter{}, page)
				return err
			})
		},
	} {
		all.Go(func() {
			for {
				began := time.Now()
				err := work()
				mu.Lock()
				longest, n = max(longest, time.Since(began)), n+1
				mu.Unlock()
				select {
				case <-ended:
					return
				default:
				}
				if err != nil && !errors.Is(err, context.Canceled) {
					b.Error(err)
					return
				}
				time.Sleep(2 * time.Millisecond)
			}
		})
	}
	done()
	close(ended)
	all.Wait()
	return longest, n
}
