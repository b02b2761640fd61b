package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

type endpoints struct{ *tx }

// endpointFields leaves out the secret.
func endpointFields(e *webhook.Endpoint) []field {
	return scoped(&e.ID, &e.Scope, []field{
		{"created_at", instant{&e.CreatedAt}},
		{"created_by", &e.CreatedBy},
		{"url", &e.URL},
		{"description", &e.Description},
		{"event_types", textArray[event.Type]{&e.EventTypes, true}},
		{"status", &e.Status},
		{"failures", &e.Health.Failures},
		{"failing_since", instant{&e.Health.FailingSince}},
		{"circuit_until", instant{&e.Health.CircuitUntil}},
		{"disabled_reason", orNull[webhook.DisabledReason]{&e.DisabledBy}},
		{"last_success_at", instant{&e.DeliveredAt}},
	})
}

// sealedEndpointFields reads the secret as it is stored. See reveal.
func sealedEndpointFields(e *webhook.Endpoint) []field {
	return append(endpointFields(e), field{"secret", &e.Secret})
}

// reveal decrypts the secret of an endpoint. The secret is empty if it was encrypted
// with another key. Such an endpoint can still be read, changed and removed, and
// rotation creates a new secret.
func (t *tx) reveal(ctx context.Context, e *webhook.Endpoint) *webhook.Endpoint {
	secret, err := t.unseal(ctx, e.Scope, e.ID, []byte(e.Secret))
	if e.Secret = ""; err == nil {
		e.Secret = webhook.Secret(secret)
	}
	return e
}

// sealed returns the column of the secret: NULL for an unknown one.
func (r endpoints) sealed(ctx context.Context, e *webhook.Endpoint) []byte {
	if e.Secret == "" {
		return nil
	}
	return r.seal(ctx, r.scope, e.ID, []byte(e.Secret))
}

// Insert stores a new endpoint. It first waits for other inserts of the scope. It then
// counts the endpoints in a new statement, which sees those inserts.
func (r endpoints) Insert(ctx context.Context, e *webhook.Endpoint) error {
	var locked sql.NullString
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('webhook endpoints %s %s', $1::uuid, $2::text), 0))",
		r.scope.Org, r.scope.Mode); err != nil {
		return fmt.Errorf("insert webhook endpoint %s: %w", e.ID, err)
	}
	id, args, err := endpointTable.values(r.tx, e, r.sealed(ctx, e), webhook.MaxEndpoints)
	if err != nil {
		return err
	}
	r.evidence = rowEvidence("webhook_endpoints", id)
	n, err := r.exec(ctx, endpointTable.into+"\nSELECT "+endpointTable.params+`
WHERE (SELECT count(*) FROM webhook_endpoints WHERE org_id = $2 AND mode = $3) < $`+strconv.Itoa(len(args)), args...)
	switch {
	case err != nil:
		return fmt.Errorf("insert webhook endpoint %s: %w", e.ID, err)
	case n == 0:
		return &billing.Error{
			Code:    billing.CodeConflict,
			Message: fmt.Sprintf("The organization already has %d webhook endpoints in this mode. Delete one first.", webhook.MaxEndpoints),
		}
	}
	return nil
}

// Get reads an endpoint.
func (r endpoints) Get(ctx context.Context, id billing.WebhookEndpointID) (*webhook.Endpoint, error) {
	return r.one(ctx, id, "")
}

// Lock reads an endpoint and keeps other transactions from writing it.
func (r endpoints) Lock(ctx context.Context, id billing.WebhookEndpointID) (*webhook.Endpoint, error) {
	return r.one(ctx, id, "FOR NO KEY UPDATE")
}

func (r endpoints) one(ctx context.Context, id billing.WebhookEndpointID, end string) (*webhook.Endpoint, error) {
	q := r.selected()
	q.where("id = %", id)
	found, err := r.read(ctx, "get webhook endpoint", q.text(end), q.args)
	if err == nil && len(found) == 0 {
		err = billing.NotFound("webhook endpoint", "")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Save stores the fields of an endpoint that can change. It does not change a
// secret that is unknown.
func (r endpoints) Save(ctx context.Context, e *webhook.Endpoint) error {
	if e.Status == webhook.EndpointEnabled {
		r.call(r.scope, e.ID)
	}
	return endpointTable.save(ctx, r.tx, e, field{"secret = coalesce(%, secret)", r.sealed(ctx, e)})
}

// Delete removes an endpoint with its deliveries.
func (r endpoints) Delete(ctx context.Context, id billing.WebhookEndpointID) error {
	if err := r.later(ctx, id, "DELETE FROM webhook_endpoints WHERE org_id = $1 AND mode = $2 AND id = $3", r.scope.Org, r.scope.Mode, id); err != nil {
		return err
	}
	return r.later(ctx, queuedFor(id), "DELETE FROM webhook_deliveries WHERE org_id = $1 AND mode = $2 AND endpoint_id = $3",
		r.scope.Org, r.scope.Mode, id)
}

// List reads every endpoint of the scope, newest first.
func (r endpoints) List(ctx context.Context) ([]*webhook.Endpoint, error) {
	q := r.selected()
	return r.read(ctx, "list webhook endpoints", q.text("ORDER BY created_at DESC, id DESC"), q.args)
}

func (r endpoints) selected() *query {
	return r.query(endpointTable.columns+", secret", "webhook_endpoints")
}

func (r endpoints) read(ctx context.Context, what, text string, args []any) ([]*webhook.Endpoint, error) {
	all, err := read(ctx, r.tx, what, sealedEndpointFields, text, args...)
	for _, e := range all {
		r.reveal(ctx, e)
	}
	return all, err
}
