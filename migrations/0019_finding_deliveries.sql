-- +goose Up

-- Lists of deliveries by type, by state and by event. Most deliveries are
-- delivered, so only the others are indexed by state. As in migration 3, no
-- index begins with the scope: a list of all endpoints merges their lists.
CREATE INDEX webhook_deliveries_type ON webhook_deliveries (endpoint_id, event_type, created_at, id);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, created_at, id) WHERE state <> 'delivered';
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id, created_at, id);

-- Why an endpoint is disabled, and when it last accepted an event. Both are null
-- for what happened before.
ALTER TABLE webhook_endpoints
    ADD COLUMN disabled_reason text CHECK (disabled_reason IN ('user', 'gone', 'failures')),
    ADD COLUMN last_success_at timestamptz;
GRANT UPDATE (disabled_reason, last_success_at) ON webhook_endpoints TO molar_app;
