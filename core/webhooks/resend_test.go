package webhooks_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/webhooks"
)

// TestSweep deletes deliveries that were settled more than 30 days ago, in any
// number, and never a waiting one.
func TestSweep(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e, waiting := b.endpoint(), b.endpoint()
	b.backlog(5)
	b.status(waiting, billing.EndpointDisabled)
	p.worked(e)
	b.clock.Advance(webhooks.KeepDeliveries - time.Hour)
	b.backlog(3)
	p.worked(e)
	if n, err := b.service.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d were forgotten within 30 days, %v", n, err)
	}
	b.clock.Advance(2 * time.Hour)
	if n, err := b.service.Sweep(t.Context()); n != 5 || err != nil {
		t.Errorf("%d were forgotten, %v, want 5", n, err)
	}
	if n, m := len(b.deliveries(e)), len(b.deliveries(waiting)); n != 3 || m != 5 {
		t.Errorf("%d and %d are left, want 3 that are young and 5 that wait", n, m)
	}
	b.exec(`
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, settled_at, created_at)
SELECT (left(id::text, 18) || right(gen_random_uuid()::text, 18))::uuid, org_id, mode, $1, event_id, event_type, 'delivered', created_at, created_at
FROM (SELECT * FROM webhook_deliveries WHERE endpoint_id = $2 LIMIT 1) old, generate_series(1, 5000)`, e.ID, waiting.ID)
	for left := 5000; left > 0; {
		n, err := b.service.Sweep(t.Context())
		if left -= n; n == 0 || n > 1000 || left < 0 || err != nil {
			t.Fatalf("%d were forgotten, %v, and %d are left", n, err, left)
		}
	}
}
