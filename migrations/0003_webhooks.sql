-- +goose Up

-- Lists go by time and ID, and so does the search for the endpoints that take
-- an event: a scope has ten at most. The secret is encrypted. What follows
-- created_at is the lane: who delivers at the moment, where to reach that
-- process, how long it may, and when the lane was last called. It is written by
-- the second, beside what callers change, so it is in no index and the pages
-- have room.
CREATE TABLE webhook_endpoints (
    id             uuid PRIMARY KEY,
    org_id         uuid NOT NULL,
    mode           text NOT NULL,
    url            text NOT NULL,
    description    text NOT NULL,
    event_types    text[],
    status         text NOT NULL,
    secret         bytea NOT NULL,
    failures       integer NOT NULL DEFAULT 0,
    failing_since  timestamptz,
    circuit_until  timestamptz,
    created_at     timestamptz NOT NULL,
    holder         uuid,
    holder_address text NOT NULL DEFAULT '',
    lease_until    timestamptz,
    called_at      timestamptz,
    CONSTRAINT webhook_endpoints_state CHECK (
        status IN ('enabled', 'disabled')
        AND url <> ''
        AND length(secret) > 33
        AND coalesce(cardinality(event_types) > 0, true)
        AND CASE failures WHEN 0 THEN num_nonnulls(failing_since, circuit_until) = 0 ELSE failures > 0 AND failing_since IS NOT NULL END
        AND CASE WHEN holder IS NULL THEN lease_until IS NULL AND holder_address = '' ELSE lease_until IS NOT NULL END
    )
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE INDEX webhook_endpoints_list ON webhook_endpoints (org_id, mode, created_at, id);

-- A delivery begins pending, in the commit of its event. Its ID begins with
-- created_at, as every ID does, so old ones are found by the primary key.
-- There is no foreign key to the endpoint: it would lock that row for every
-- event, write the lock to it, and keep events waiting while an endpoint is
-- deleted. A delivery that was queued in the moment in which its endpoint was
-- deleted goes nowhere, and is forgotten with the old ones. Attempts are json
-- and not jsonb, because a reply may hold any byte.
CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    endpoint_id     uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_type      text NOT NULL,
    state           text NOT NULL DEFAULT 'pending',
    next_attempt_at timestamptz,
    attempts        json[] NOT NULL DEFAULT '{}',
    created_at      timestamptz NOT NULL,
    settled_at      timestamptz, -- when the last attempt was made
    -- The server reads a rule for every statement, so it is a short one.
    CONSTRAINT webhook_deliveries_state CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- No index begins with the scope, which an endpoint has but one of: one that did
-- would be taken for as good as the primary key, and what is looked up by its
-- ID would be looked for among all of the scope.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at, id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (endpoint_id, created_at, id);

-- +goose StatementBegin
DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['webhook_endpoints', 'webhook_deliveries'] LOOP
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app
            USING (org_id = current_setting(''molar.org'')::uuid AND mode = current_setting(''molar.mode''))', tenant);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT, INSERT, DELETE ON webhook_endpoints TO molar_app;
GRANT UPDATE (url, description, event_types, status, secret, failures, failing_since, circuit_until, holder, holder_address, lease_until)
    ON webhook_endpoints TO molar_app;
GRANT SELECT, INSERT, DELETE ON webhook_deliveries TO molar_app;
GRANT UPDATE (state, next_attempt_at, attempts, settled_at) ON webhook_deliveries TO molar_app;

-- Across scopes lanes are called, the events of keys are queued, and settled
-- deliveries are forgotten. It reads no secret and no reply.
CREATE POLICY system ON webhook_endpoints TO molar_system USING (true);
CREATE POLICY system ON webhook_deliveries FOR SELECT TO molar_system USING (true);
CREATE POLICY system_queues ON webhook_deliveries FOR INSERT TO molar_system WITH CHECK (event_type LIKE 'api_key.%');
CREATE POLICY system_forgets ON webhook_deliveries FOR DELETE TO molar_system
    USING (state <> 'pending' OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id));

GRANT SELECT (id, org_id, mode, event_types, status, circuit_until, lease_until, called_at), UPDATE (called_at)
    ON webhook_endpoints TO molar_system;
GRANT SELECT (id, org_id, mode, endpoint_id, state, next_attempt_at, created_at, settled_at), INSERT, DELETE ON webhook_deliveries TO molar_system;
