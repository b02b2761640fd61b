package remittances_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
)

// countedStore counts commits.
type countedStore struct {
	ports.Store
	commits *atomic.Int64
}

func (s countedStore) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	s.commits.Add(1)
	return s.Store.InTx(ctx, scope, fn)
}

// BenchmarkApply takes in and applies a remittance of 10,000 claims, and
// compares it with 10,000 commits of one row each on the same server.
func BenchmarkApply(bm *testing.B) {
	const many = 10_000
	for range bm.N {
		b := newBench(bm)
		says := make([]saying, many)
		for n := 0; n < many; n += 500 {
			b.in(func(ctx context.Context, tx ports.Tx) error {
				for i := n; i < n+500; i++ {
					number := fmt.Sprint("A-", i)
					says[i] = paid(number, fmt.Sprint("P-", i), 2500)
					if err := tx.Claims.Insert(ctx, b.newClaim(number)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		f := b.file(b.payment(says...))
		start := time.Now()
		const sample = 500
		for i := range sample {
			b.in(func(ctx context.Context, tx ports.Tx) error {
				return tx.Claims.Insert(ctx, b.newClaim(fmt.Sprint("S-", i)))
			})
		}
		baseline := time.Since(start) * many / sample
		var commits atomic.Int64
		b.service = remittances.New(countedStore{b.store, &commits}, edi.New(), b.payers, b.clock)
		start = time.Now()
		j := b.receiveFile(f)
		received := time.Since(start)
		r := b.apply(j)
		took := time.Since(start)
		if r.MatchedCount != many || r.Progress != billing.ERADone {
			bm.Fatalf("%d claims matched, %s", r.MatchedCount, r.Progress)
		}
		bm.ReportMetric(took.Seconds(), "s/10k-claims")
		bm.ReportMetric(received.Seconds(), "s/10k-intake")
		bm.ReportMetric(float64(commits.Load()), "commits")
		bm.ReportMetric(took.Seconds()/baseline.Seconds(), "x-of-10k-commits")
	}
}
