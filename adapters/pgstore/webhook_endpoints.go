package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

type endpoints struct{ *tx }

const endpointColumns = `id, org_id, mode, url, description, event_types, status, secret, failures, failing_since, circuit_until,
	disabled_reason, last_success_at, created_at, created_by`

type endpointRow struct {
	ID           billing.WebhookEndpointID `db:"id"`
	Org          billing.OrgID             `db:"org_id"`
	Mode         billing.Mode              `db:"mode"`
	URL          string                    `db:"url"`
	Description  string                    `db:"description"`
	EventTypes   pq.StringArray            `db:"event_types"`
	Status       webhook.EndpointStatus    `db:"status"`
	Secret       []byte                    `db:"secret"`
	Failures     int                       `db:"failures"`
	FailingSince sql.NullTime              `db:"failing_since"`
	CircuitUntil sql.NullTime              `db:"circuit_until"`
	DisabledBy   sql.NullString            `db:"disabled_reason"`
	DeliveredAt  sql.NullTime              `db:"last_success_at"`
	CreatedAt    time.Time                 `db:"created_at"`
	CreatedBy    string                    `db:"created_by"`
}

// endpoint returns the endpoint with its decrypted secret. The secret is empty if it
// was encrypted with another key. Such an endpoint can still be read, changed and
// removed, and rotation creates a new secret.
func (r endpointRow) endpoint(s *sealer) *webhook.Endpoint {
	e := &webhook.Endpoint{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, URL: r.URL, Description: r.Description, Status: r.Status,
		EventTypes: typed[event.Type](r.EventTypes),
		Health:     webhook.EndpointHealth{Failures: r.Failures, FailingSince: present(r.FailingSince), CircuitUntil: present(r.CircuitUntil)},
		DisabledBy: webhook.DisabledReason(r.DisabledBy.String), DeliveredAt: present(r.DeliveredAt), CreatedAt: r.CreatedAt.UTC(), CreatedBy: r.CreatedBy,
	}
	if secret, err := s.open(e.Scope, e.ID, r.Secret); err == nil {
		e.Secret = webhook.Secret(secret)
	}
	return e
}

// eventTypes returns the column of event types: NULL for every type.
func eventTypes(types []event.Type) (out pq.StringArray) {
	for _, t := range types {
		out = append(out, string(t))
	}
	return out
}

// sealed returns the column of the secret: NULL for an unknown one.
func (r endpoints) sealed(e *webhook.Endpoint) []byte {
	if e.Secret == "" {
		return nil
	}
	return r.store.sealer.seal(r.scope, e.ID, []byte(e.Secret))
}

// Insert stores a new endpoint. It first waits for other inserts of the scope. It then
// counts the endpoints in a new statement, which sees those inserts.
func (r endpoints) Insert(ctx context.Context, e *webhook.Endpoint) error {
	var locked sql.NullString
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('webhook endpoints %s %s', $1::uuid, $2::text), 0))",
		r.scope.Org, r.scope.Mode); err != nil {
		return fmt.Errorf("insert webhook endpoint %s: %w", e.ID, err)
	}
	r.evidence = rowEvidence("webhook_endpoints", e.ID)
	n, err := r.exec(ctx, `
INSERT INTO webhook_endpoints (id, org_id, mode, url, description, event_types, status, secret, failures, failing_since, circuit_until,
	created_at, disabled_reason, last_success_at, created_by)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
WHERE (SELECT count(*) FROM webhook_endpoints WHERE org_id = $2 AND mode = $3) < $16`,
		e.ID, r.scope.Org, r.scope.Mode, e.URL, e.Description, eventTypes(e.EventTypes), e.Status, r.sealed(e), e.Health.Failures,
		optional(e.Health.FailingSince), optional(e.Health.CircuitUntil), micro(e.CreatedAt), disabledBy(e),
		optional(e.DeliveredAt), e.CreatedBy, webhook.MaxEndpoints)
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
	q := r.query(endpointColumns, "webhook_endpoints")
	q.where("id = %", id)
	return one(ctx, r.tx, "webhook endpoint", r.endpoint, q.text(end), q.args...)
}

// Save stores the fields of an endpoint that can change. It does not change a
// secret that is unknown.
func (r endpoints) Save(ctx context.Context, e *webhook.Endpoint) error {
	if e.Status == webhook.EndpointEnabled {
		r.call(r.scope, e.ID)
	}
	return r.later(ctx, e.ID, `
UPDATE webhook_endpoints
SET url = $4, description = $5, event_types = $6, status = $7, secret = coalesce($8, secret), failures = $9, failing_since = $10,
	circuit_until = $11, disabled_reason = $12, last_success_at = $13
WHERE org_id = $1 AND mode = $2 AND id = $3`,
		r.scope.Org, r.scope.Mode, e.ID, e.URL, e.Description, eventTypes(e.EventTypes), e.Status, r.sealed(e), e.Health.Failures,
		optional(e.Health.FailingSince), optional(e.Health.CircuitUntil), disabledBy(e), optional(e.DeliveredAt))
}

// disabledBy returns the column of the reason: NULL for none.
func disabledBy(e *webhook.Endpoint) sql.NullString {
	return sql.NullString{String: string(e.DisabledBy), Valid: e.DisabledBy != ""}
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
	q := r.query(endpointColumns, "webhook_endpoints")
	return many(ctx, r.tx, "list webhook endpoints", r.endpoint, q.text("ORDER BY created_at DESC, id DESC"), q.args...)
}

func (r endpoints) endpoint(row endpointRow) (*webhook.Endpoint, error) {
	return row.endpoint(r.store.sealer), nil
}
