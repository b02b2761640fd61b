-- +goose Up

-- The request log. Entries are written together, shortly after the replies, and
-- never change. The services can delete an entry only when it is old.
CREATE TABLE requests (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    key_id      uuid NOT NULL,
    operation   text NOT NULL,
    resource_id text,
    status      smallint, -- empty if no reply was recorded
    error       text,
    duration_us bigint,
    created_at  timestamptz NOT NULL
);
CREATE INDEX requests_list ON requests (org_id, mode, created_at, id);
CREATE INDEX requests_key ON requests (org_id, mode, key_id, created_at, id);
CREATE INDEX requests_operation ON requests (org_id, mode, operation, created_at, id);
CREATE INDEX requests_status ON requests (org_id, mode, status, created_at, id);
CREATE INDEX requests_error ON requests (org_id, mode, error, created_at, id) WHERE error IS NOT NULL;
CREATE INDEX requests_resource ON requests (org_id, mode, resource_id, created_at, id) WHERE resource_id IS NOT NULL;

ALTER TABLE requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE requests FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON requests FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system_reads ON requests FOR SELECT TO molar_system USING (true);
CREATE POLICY system_writes ON requests FOR INSERT TO molar_system WITH CHECK (true);
CREATE POLICY system_forgets ON requests FOR DELETE TO molar_system USING (created_at < now() - interval '30 days');
GRANT SELECT ON requests TO molar_app;
GRANT SELECT (id, created_at), INSERT, DELETE ON requests TO molar_system;

-- The use of a key has what the entry of its request needs, in the commit of the
-- effect.
ALTER TABLE idempotency_keys
    ADD COLUMN request_id uuid,
    ADD COLUMN api_key_id uuid,
    ADD COLUMN operation text,
    ADD COLUMN resource_id text;
GRANT UPDATE (request_id, api_key_id, operation, resource_id) ON idempotency_keys TO molar_app;
GRANT SELECT (request_id, api_key_id, operation, resource_id) ON idempotency_keys TO molar_system;
