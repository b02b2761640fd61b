package remittances_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/webhook"
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

// BenchmarkApply imports and applies a remittance of 10,000 claims, with an
// endpoint that subscribes to the events. It compares that with 10,000 commits
// of one claim each on the same server.
func BenchmarkApply(bm *testing.B) {
	const many = 10_000
	for range bm.N {
		b := newFixture(bm)
		f := b.file(b.payment(b.crowd(many)...))
		b.listen()
		baseline := b.single(500) * many / 500
		var commits atomic.Int64
		b.service = remittances.New(countedStore{b.store, &commits}, edi.New(), b.payers)
		start := time.Now()
		j := b.receiveFile(f)
		received := time.Since(start)
		r := b.apply(j)
		took := time.Since(start)
		if r.MatchedCount != many || r.Stage != remit.Done {
			bm.Fatalf("%d claims matched, %s", r.MatchedCount, r.Stage)
		}
		bm.ReportMetric(took.Seconds(), "s/10k-claims")
		bm.ReportMetric(received.Seconds(), "s/10k-intake")
		bm.ReportMetric(float64(commits.Load()), "commits")
		bm.ReportMetric(took.Seconds()/baseline.Seconds(), "x-of-10k-commits")
	}
}

// crowd creates claims, and a payment for each.
func (b *fixture) crowd(many int) []saying {
	b.t.Helper()
	var says []saying
	for len(says) < many {
		from := len(says)
		for i := range 500 {
			says = append(says, paid(fmt.Sprint("A-", from+i), fmt.Sprint("P-", from+i), 2500))
		}
		b.in(func(ctx context.Context, tx ports.Tx) error {
			for _, said := range says[from:] {
				if err := tx.Claims.Insert(ctx, b.newClaim(said.ControlNumber)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return says
}

// listen creates an endpoint for every event.
func (b *fixture) listen() {
	b.t.Helper()
	now := b.clock.Now()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return tx.Endpoints.Insert(ctx, &webhook.Endpoint{
			ID: billing.NewID[billing.WebhookEndpointID](billing.RealAt(now)), Scope: b.scope, URL: "https://example.com/hooks",
			Status: webhook.EndpointEnabled, Secret: webhook.NewWebhookSecret(), CreatedAt: now,
		})
	})
}

// single returns how long commits of one claim take.
func (b *fixture) single(commits int) time.Duration {
	b.t.Helper()
	start := time.Now()
	for i := range commits {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return tx.Claims.Insert(ctx, b.newClaim(fmt.Sprint("S-", i)))
		})
	}
	return time.Since(start)
}
