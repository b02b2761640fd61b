package webhooks_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestResend(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.process(nil)
	every, none, disabled := b.endpoint(), b.endpoint(billing.EventClaimDenied), b.endpoint()
	b.status(disabled, billing.EndpointDisabled)
	began := b.clock.Now()
	events := b.backlog(5)
	p.worked(every)
	late := b.endpoint()
	b.call(p.Call)
	from, to := began.Add(-time.Minute), began.Add(time.Hour)
	for name, test := range map[string]struct {
		request intake.ResendRequest
		want    int
		code    billing.Code
	}{
		"an event":          {intake.ResendRequest{EventID: events[2].ID}, 2, ""},
		"an event to one":   {intake.ResendRequest{EventID: events[1].ID, EndpointID: new(late.ID.String())}, 1, ""},
		"all":               {intake.ResendRequest{CreatedAfter: from, CreatedBefore: to}, 10, ""},
		"to none":           {intake.ResendRequest{CreatedAfter: from, CreatedBefore: to, EndpointID: new(none.ID.String())}, 0, ""},
		"another time":      {intake.ResendRequest{CreatedAfter: to, CreatedBefore: to.Add(time.Hour)}, 0, ""},
		"another type":      {intake.ResendRequest{CreatedAfter: from, CreatedBefore: to, EventTypes: []string{"claim.denied"}}, 0, ""},
		"to a disabled one": {intake.ResendRequest{CreatedAfter: from, CreatedBefore: to, EndpointID: new(disabled.ID.String())}, 0, billing.CodeConflict},
		"of no time":        {intake.ResendRequest{}, 0, billing.CodeInvalidRequest},
	} {
		before := len(b.deliveries(every)) + len(b.deliveries(late))
		o := b.resend(name, test.request)
		if test.code != "" {
			if billing.CodeOf(o.err) != test.code {
				t.Errorf("%s: %+v, want %s", name, o, test.code)
			}
			continue
		}
		again := b.resend(name, test.request)
		if o.err != nil || o.Queued != test.want || !again.replayed || again.Queued != test.want {
			t.Errorf("%s: %+v, again %+v, want %d", name, o, again, test.want)
		}
		if n := len(b.deliveries(every)) + len(b.deliveries(late)) - before; n != test.want {
			t.Errorf("%s: %d were queued, want %d", name, n, test.want)
		}
	}
	for e, want := range map[*billing.WebhookEndpoint]int{every: 5 + 1 + 5, late: 1 + 1 + 5} {
		porttest.Await(b.t, "all is delivered", b.delivered(e))
		if n := len(b.outside.got(e.URL)); n != want {
			t.Errorf("%d posts, want %d", n, want)
		}
	}
}

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
