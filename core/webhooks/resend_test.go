package webhooks_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/webhooks"
)

// TestSweep deletes deliveries that were settled more than 30 days ago, and never
// a waiting one.
func TestSweep(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	e, waiting := b.endpoint(), b.endpoint()
	b.backlog(5)
	b.status(waiting, webhook.EndpointDisabled)
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
}
