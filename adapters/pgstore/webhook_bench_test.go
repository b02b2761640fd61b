package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

func endpoint(in billing.Scope) *billing.WebhookEndpoint {
	now := time.Now()
	return &billing.WebhookEndpoint{
		ID: billing.NewID[billing.WebhookEndpointID](now), Scope: in, URL: "https://example.com/hooks", Status: billing.EndpointEnabled,
		Secret: billing.NewWebhookSecret(), CreatedAt: now,
	}
}

// BenchmarkFreshCheck measures the first transaction of a fresh eligibility
// check that completes at once, so that it appends an event: for a scope
// without endpoints, and for one with some.
func BenchmarkFreshCheck(b *testing.B) {
	for _, endpoints := range []int{0, 1, 10} {
		b.Run(strconv.Itoa(endpoints)+"-endpoints", func(b *testing.B) {
			url := pgtest.URL(b)
			s := pgtest.Open(b, func(o *pgstore.Options) { o.URL = url })
			in := scope()
			for range endpoints {
				if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, endpoint(in)) }); err != nil {
					b.Fatal(err)
				}
			}
			base := bare(b, admin(b, url), "INSERT INTO organizations (id, name, created_at) VALUES (gen_random_uuid(), $1, now())", "x")
			n := 0
			for b.Loop() {
				n++
				if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error { return freshCheck(ctx, tx, in, fmt.Sprint("key", n)) }); err != nil {
					b.Fatal(err)
				}
			}
			report(b, base)
		})
	}
}

func freshCheck(ctx context.Context, tx ports.Tx, in billing.Scope, key string) error {
	if _, err := tx.Keys.Reserve(ctx, key); err != nil {
		return err
	}
	c := check(in)
	return errors.Join(
		tx.Checks.Insert(ctx, c), tx.Keys.Record(ctx, billing.KeyUse{Key: key, CheckID: c.ID, CreatedAt: time.Now()}),
		tx.Events.Append(ctx, event(c.ID)), tx.Outbox.Stage(ctx, job()))
}

// BenchmarkLane measures the transaction of a busy lane on one connection: it
// records 32 deliveries and reads the next 32.
func BenchmarkLane(b *testing.B) {
	const batch = 32
	url := pgtest.URL(b)
	s := pgtest.Open(b, func(o *pgstore.Options) { o.URL, o.MaxConns = url, 1 })
	in, db := scope(), admin(b, url)
	e := endpoint(in)
	if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, e) }); err != nil {
		b.Fatal(err)
	}
	exec(b, db, fmt.Sprintf(fillLane, in.Org.UUID(), e.ID.UUID()))
	base := bare(b, db, "INSERT INTO organizations (id, name, created_at) VALUES (gen_random_uuid(), $1, now())", "x")
	holder := job().ID
	var due []billing.Shipment
	rows := 0
	for b.Loop() {
		if err := s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) (err error) {
			due, err = work(ctx, tx, e.ID, holder, due, batch)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		if rows += len(due); len(due) == 0 {
			b.StopTimer()
			exec(b, db, fmt.Sprintf(fillLane, in.Org.UUID(), e.ID.UUID()))
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "deliveries/s")
	report(b, base)
}

// fillLane creates 50,000 deliveries with events of 1 kB.
const fillLane = `
WITH made AS (
	INSERT INTO events (id, org_id, mode, type, resource_id, sequence, created_at, data)
	SELECT gen_random_uuid(), '%[1]s', 'test', 'claim.paid', gen_random_uuid(), 1, now(), json_build_object('x', repeat('x', 1000))
	FROM generate_series(1, 50000)
	RETURNING id
)
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)
SELECT gen_random_uuid(), '%[1]s', 'test', '%[2]s', id, 'claim.paid', now(), now()
FROM made;
ANALYZE events, webhook_deliveries`

func work(
	ctx context.Context, tx ports.Tx, id billing.WebhookEndpointID, holder billing.JobID, done []billing.Shipment, limit int,
) ([]billing.Shipment, error) {
	now := time.Now()
	if _, _, err := tx.Lanes.Take(ctx, id, holder, "here", time.Minute); err != nil {
		return nil, err
	}
	var tried []*billing.Delivery
	for _, s := range done {
		s.Delivery.Tried(billing.Attempt{At: now, Status: 200, Duration: time.Millisecond, Response: "ok"}, 0.5)
		tried = append(tried, s.Delivery)
	}
	if err := tx.Lanes.Record(ctx, tried); err != nil {
		return nil, err
	}
	_, due, _, err := tx.Lanes.Due(ctx, id, now, limit, nil)
	return due, err
}
