package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// fillDeliveries creates a million deliveries to the ten endpoints of one
// organization, one every second. One in 100 failed and one in 1,000 is pending.
const fillDeliveries = `
INSERT INTO webhook_endpoints (id, org_id, mode, url, description, status, secret, created_at)
SELECT made(n, 11), made(3, 9), 'test', 'https://example.com', '', 'enabled', sha512(''), '2026-01-01'
FROM generate_series(1, 10) n;
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, next_attempt_at, attempts, created_at)
SELECT made(n, 12), made(3, 9), 'test', made(n / 7 % 10 + 1, 11), made(n / 2, 5),
	CASE WHEN n % 500 = 1 THEN 'claim.denied' ELSE (ARRAY['eligibility.completed', 'claim.paid', 'claim.queued'])[n % 3 + 1] END,
	CASE WHEN n % 1000 = 0 THEN 'pending' WHEN n % 100 = 1 THEN 'failed' ELSE 'delivered' END,
	CASE WHEN n % 1000 = 0 THEN '2026-01-01'::timestamptz END,
	ARRAY['{"at":"2026-01-01T00:00:00Z","status":204,"duration":1000000}'::json], '2026-01-01'::timestamptz + n * interval '1 s'
FROM generate_series(1, 1000000) n`

// BenchmarkMillionDeliveries lists the deliveries of an organization with a
// million, with each filter: the first page, and one 100,000 deliveries down, or
// in the middle of a list with fewer.
func BenchmarkMillionDeliveries(b *testing.B) {
	const rows, depth = 1_000_000, 100_000
	url := pgtest.URL(b)
	db := admin(b, url)
	exec(b, db, madeID)
	exec(b, db, fillDeliveries)
	exec(b, db, "VACUUM ANALYZE webhook_endpoints, webhook_deliveries")
	s := pgtest.OpenAt(b, url)
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	made := func(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC) }
	one, middle := billing.WebhookEndpointID(pgstore.Number(4, 11)), made(rows/2)
	for _, test := range []struct {
		name string
		f    webhook.DeliveryFilter
		deep time.Time
	}{
		{"all", webhook.DeliveryFilter{}, made(rows - depth)},
		{"endpoint", webhook.DeliveryFilter{EndpointID: one}, middle},
		{"type", webhook.DeliveryFilter{EventType: "claim.paid"}, made(rows - depth*3)},
		{"a rare type", webhook.DeliveryFilter{EventType: "claim.denied"}, middle},
		{"delivered", webhook.DeliveryFilter{State: webhook.DeliveryDelivered}, made(rows - depth)},
		{"failed", webhook.DeliveryFilter{State: webhook.DeliveryFailed}, middle},
		{"pending", webhook.DeliveryFilter{State: webhook.DeliveryPending}, middle},
		{"endpoint, failed", webhook.DeliveryFilter{EndpointID: one, State: webhook.DeliveryFailed}, middle},
		{"endpoint and type, failed", webhook.DeliveryFilter{EndpointID: one, EventType: "claim.paid", State: webhook.DeliveryFailed}, middle},
		{"event", webhook.DeliveryFilter{EventID: pgstore.Number(9, 5)}, made(19)},
		{"failed since", webhook.DeliveryFilter{State: webhook.DeliveryFailed, CreatedAfter: made(rows / 10)}, middle},
	} {
		for name, after := range map[string]*billing.Position{"first": nil, "deep": {Time: test.deep, ID: pgstore.Number(0, 12)}} {
			b.Run(test.name+", "+name, func(b *testing.B) {
				sampled(b, func() (found int, err error) {
					err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
						page, err := tx.Deliveries.List(ctx, test.f, billing.Page{Limit: billing.DefaultPageLimit, After: after})
						found = len(page)
						return err
					})
					return found, err
				})
			})
		}
	}
}
