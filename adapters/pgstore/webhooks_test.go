package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func endpoint(in billing.Scope) *webhook.Endpoint {
	now := time.Now()
	return &webhook.Endpoint{
		ID: billing.NewID[billing.WebhookEndpointID](billing.RealAt(now)), Scope: in, URL: "https://example.com/hooks", Status: webhook.EndpointEnabled,
		Secret: webhook.NewWebhookSecret(), CreatedAt: now,
	}
}

// hooked returns a store with an endpoint, a delivery that was tried and one that
// was not, and the lane held.
func hooked(t *testing.T, in billing.Scope) (*pgstore.Store, string, *webhook.Endpoint) {
	t.Helper()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	e := endpoint(in)
	for _, fn := range []func(context.Context, ports.Tx) error{
		func(ctx context.Context, tx ports.Tx) error { return tx.Endpoints.Insert(ctx, e) },
		func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Events.Append(ctx, someEvent(check(in).ID)), tx.Events.Append(ctx, someEvent(check(in).ID)))
		},
		func(ctx context.Context, tx ports.Tx) error {
			_, due, _, err := tx.Lanes.Due(ctx, e.ID, time.Now(), 1, nil)
			if err != nil {
				return err
			}
			due[0].Delivery.Tried(webhook.Attempt{
				At: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Status: 200, Duration: time.Millisecond, Response: "\x00é", Error: "e",
				RetryAfter: time.Second, URL: "https://a.example", SignedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Location: "/b",
				Headers: []webhook.ReplyHeader{{Name: "n", Value: "v"}},
			}, 0)
			_, _, err = tx.Lanes.Take(ctx, e.ID, job().ID, "here", time.Minute)
			return errors.Join(err, tx.Lanes.Record(ctx, []*webhook.Delivery{due[0].Delivery}))
		},
	} {
		if err := s.InTx(t.Context(), in, fn); err != nil {
			t.Fatal(err)
		}
	}
	return s, url, e
}

// TestRawSQLOfAnotherScopeReachesNoWebhook queries without any condition.
func TestRawSQLOfAnotherScopeReachesNoWebhook(t *testing.T) {
	t.Parallel()
	in := scope()
	_, url, _ := hooked(t, in)
	db := admin(t, url)
	reaches(t, db, in, 1, "SELECT 1 FROM webhook_endpoints", "SELECT 1 FROM webhook_endpoints FOR NO KEY UPDATE",
		"UPDATE webhook_endpoints SET url = 'https://evil'", "DELETE FROM webhook_endpoints", "SELECT 1 FROM webhook_endpoints WHERE secret <> ''")
	reaches(t, db, in, 2, "SELECT 1 FROM webhook_deliveries", "UPDATE webhook_deliveries SET attempts = '{}'", "DELETE FROM webhook_deliveries")
	reaches(t, db, in, 4, "SELECT 1 FROM webhook_deliveries CROSS JOIN events v")
	for _, table := range []string{"webhook_endpoints", "webhook_deliveries"} {
		_, err := as(t, db, "molar_app", in, "INSERT INTO "+table+" SELECT (jsonb_populate_record(t, '{\"mode\": \"live\"}')).* FROM "+table+" t")
		if !refused(err) {
			t.Errorf("%s: %v, want a refusal", table, err)
		}
	}
}

// TestRolesMayDoNoMoreWithWebhooks tries statements that no repository uses.
func TestRolesMayDoNoMoreWithWebhooks(t *testing.T) {
	t.Parallel()
	in := scope()
	_, url, _ := hooked(t, in)
	db := admin(t, url)
	forbidden(t, db, in, map[string][]string{
		"molar_app": {
			"UPDATE webhook_endpoints SET created_at = now()", "UPDATE webhook_endpoints SET called_at = now()",
			"UPDATE webhook_deliveries SET endpoint_id = id", "UPDATE webhook_deliveries SET event_id = id",
		},
		"molar_system": {
			"SELECT secret FROM webhook_endpoints", "SELECT url FROM webhook_endpoints", "SELECT * FROM webhook_deliveries",
			"SELECT attempts FROM webhook_deliveries", "UPDATE webhook_endpoints SET status = 'disabled'",
			"UPDATE webhook_endpoints SET holder = NULL", "UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL",
			"DELETE FROM webhook_endpoints",
			"INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at) " +
				"SELECT gen_random_uuid(), org_id, mode, id, id, 'claim.paid', now(), now() FROM webhook_endpoints",
		},
	})
	if n, err := as(t, db, "molar_system", in, "DELETE FROM webhook_deliveries"); err != nil || n != 1 {
		t.Errorf("%d deliveries were deleted, %v; want the one that is settled", n, err)
	}
}

// TestInvalidWebhookRowsAreRefused changes good rows into bad ones.
func TestInvalidWebhookRowsAreRefused(t *testing.T) {
	t.Parallel()
	_, url, _ := hooked(t, scope())
	db := admin(t, url)
	invalid(t, db,
		"UPDATE webhook_endpoints SET status = 'other'",
		"UPDATE webhook_endpoints SET url = ''",
		"UPDATE webhook_endpoints SET secret = 'whsec_'",
		"UPDATE webhook_endpoints SET event_types = '{}'",
		"UPDATE webhook_endpoints SET failures = 1",
		"UPDATE webhook_endpoints SET failures = -1, failing_since = now()",
		"UPDATE webhook_endpoints SET failing_since = now()",
		"UPDATE webhook_endpoints SET circuit_until = now()",
		"UPDATE webhook_endpoints SET holder = NULL",
		"UPDATE webhook_endpoints SET lease_until = NULL",
		"UPDATE webhook_deliveries SET state = 'pending' WHERE state = 'delivered'",
		"UPDATE webhook_deliveries SET state = 'failed' WHERE state = 'pending'",
		"UPDATE webhook_deliveries SET next_attempt_at = NULL WHERE state = 'pending'",
	)
}

// TestWebhookSecretsAreEncrypted reads the bytes in the table, and opens the
// store with another key. The endpoint is then without a secret, and changing
// the endpoint does not change the stored secret.
func TestWebhookSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	in := scope()
	s, url, e := hooked(t, in)
	db := admin(t, url)
	for _, value := range []string{"secret", "secret::text", "encode(secret, 'escape')", "e::text"} {
		if stored := string(scan[[]byte](t, db, "SELECT "+value+" FROM webhook_endpoints e")); strings.Contains(stored, "whsec") {
			t.Errorf("the table holds %s", stored)
		}
	}
	exec(t, db, "DELETE FROM encryption_key; DELETE FROM data_keys")
	other := pgtest.OpenAt(t, url, func(o *pgstore.Options) { o.Keys = [][32]byte{{9}} })
	porttest.In(t, other, in, func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Endpoints.Lock(ctx, e.ID)
		if err != nil {
			return err
		}
		if got.Secret != "" {
			t.Error("another key decrypted the secret")
		}
		got.Description = "changed"
		return tx.Endpoints.Save(ctx, got)
	})
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Endpoints.Get(ctx, e.ID)
		if err == nil && (got.Secret != e.Secret || got.Description != "changed") {
			t.Errorf("%+v", got)
		}
		return err
	})
	exec(t, db, "UPDATE webhook_endpoints SET id = gen_random_uuid()") // sealed for another row
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Endpoints.List(ctx)
		if err == nil && got[0].Secret != "" {
			t.Error("the secret of another row was decrypted")
		}
		return err
	})
}

// TestStoredFormOfAttempts guards the names in the JSON column, like
// TestStoredForm.
func TestStoredFormOfAttempts(t *testing.T) {
	t.Parallel()
	_, url, _ := hooked(t, scope())
	got := stored(t, admin(t, url), "SELECT array_to_json(attempts) FROM webhook_deliveries WHERE state = 'delivered'")
	golden(t, "stored_form_attempts.json", got)
}

// TestDeliveriesWithoutAnEndpointAreForgotten queues an event while its
// endpoint is being deleted. Neither waits for the other.
func TestDeliveriesWithoutAnEndpointAreForgotten(t *testing.T) {
	t.Parallel()
	in := scope()
	s, url, e := hooked(t, in)
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Endpoints.Delete(ctx, e.ID); err != nil {
			return err
		}
		if _, err := tx.Endpoints.Get(ctx, e.ID); billing.CodeOf(err) != billing.CodeNotFound { // sends the queue
			return err
		}
		return s.InTx(t.Context(), in, func(ctx context.Context, tx ports.Tx) error { //nolint:contextcheck // a transaction beside this one
			return tx.Events.Append(ctx, someEvent(check(in).ID))
		})
	})
	db := admin(t, url)
	count := func() int { return scan[int](t, db, "SELECT count(*) FROM webhook_deliveries") }
	if n := count(); n != 1 {
		t.Fatalf("%d deliveries, want the one that was queued in the moment", n)
	}
	for _, before := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
			if called, err := tx.Jobs.Lanes(ctx, time.Now().Add(time.Hour), 0, 10); err != nil || len(called) > 0 {
				t.Errorf("called: %v, %v", called, err)
			}
			_, err := tx.Forget.Deliveries(ctx, before)
			return err
		})
	}
	if n := count(); n != 0 {
		t.Errorf("%d deliveries are left", n)
	}
}

// TestForgettingIsBounded removes more than one call does, and keeps deliveries
// that are old but settled recently.
func TestForgettingIsBounded(t *testing.T) {
	t.Parallel()
	in := scope()
	s, url, e := hooked(t, in)
	db := admin(t, url)
	insertOld(t, db, in, e, 1)
	if _, err := db.ExecContext(t.Context(), "UPDATE webhook_deliveries SET settled_at = now()"); err != nil {
		t.Fatal(err)
	}
	insertOld(t, db, in, e, 1500)
	var got []int
	for range 3 {
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
			n, err := tx.Forget.Deliveries(ctx, time.Now().AddDate(0, 0, -30))
			got = append(got, n)
			return err
		})
	}
	if got[0] != 1000 || got[1] != 500 || got[2] != 0 {
		t.Errorf("forgotten: %v", got)
	}
}

func insertOld(t *testing.T, db *sql.DB, in billing.Scope, e *webhook.Endpoint, n int) {
	t.Helper()
	old := time.Now().AddDate(0, 0, -31)
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, state, attempts, created_at, settled_at)
SELECT (left($1::uuid::text, 18) || right(gen_random_uuid()::text, 18))::uuid, $2, $3, $4, gen_random_uuid(), 'claim.paid', 'delivered',
	ARRAY['{}'::json], $5, $5
FROM generate_series(1, $6)`, billing.NewID[billing.DeliveryID](billing.RealAt(old)), in.Org, in.Mode, e.ID, old, n); err != nil {
		t.Fatal(err)
	}
}
