package webhooks

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// What a lane knows of an endpoint's status may be old by the time at which a
// post ends. Somebody who has enabled it since is not overruled.
func TestRecordLeavesAnEndpointEnabled(t *testing.T) {
	t.Parallel()
	store, now := pgtest.Open(t), time.Now()
	scope := billing.Scope{Org: billing.NewID[billing.OrgID](now), Mode: billing.ModeTest}
	e := &billing.WebhookEndpoint{
		Scope: scope, URL: "https://hooks.example.com/", Status: billing.EndpointEnabled,
		Secret: billing.NewWebhookSecret(), CreatedAt: now,
	}
	known := *e
	known.Status = billing.EndpointDisabled
	for status, want := range map[int]billing.EndpointStatus{500: billing.EndpointEnabled, 410: billing.EndpointDisabled} {
		d := &billing.Delivery{ID: billing.NewID[billing.DeliveryID](now)}
		d.Tried(billing.Attempt{At: now, Status: status}, 0)
		e.ID = billing.NewID[billing.WebhookEndpointID](now)
		known.ID = e.ID
		l := &lane{id: e.ID, health: &known, tried: []*billing.Delivery{d}}
		err := store.InTx(t.Context(), scope, func(ctx context.Context, tx ports.Tx) error {
			if err := tx.Endpoints.Insert(ctx, e); err != nil {
				return err
			}
			return l.record(ctx, tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		err = store.View(t.Context(), scope, func(ctx context.Context, tx ports.Tx) error {
			got, err := tx.Endpoints.Get(ctx, e.ID)
			if err == nil && (got.Status != want || got.Health.Failures != 1) {
				t.Errorf("after %d: %s, %+v, want %s", status, got.Status, got.Health, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
