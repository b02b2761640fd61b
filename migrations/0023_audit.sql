-- +goose Up

-- The audit: each request of a person. Entries never change. The roles of the
-- services cannot delete them; only the function below can.
--
-- A write stores its entry in its own commit. If its reply is not known yet, the
-- entry has no status, and a second row with the status follows. Lists show the row
-- with the status, if there is one.
CREATE TABLE audit_entries (
    id          uuid NOT NULL,
    org_id      uuid NOT NULL,
    mode        text CHECK (mode IN ('test', 'live')), -- empty for a sign-in
    user_id     uuid NOT NULL,
    address     text NOT NULL,
    operation   text NOT NULL,
    resource_id text,
    shown       text[] NOT NULL, -- patients, and claims, that the reply showed
    status      smallint,
    created_at  timestamptz NOT NULL,
    replied     boolean NOT NULL GENERATED ALWAYS AS (status IS NOT NULL) STORED,
    PRIMARY KEY (id, replied)
);
CREATE INDEX audit_entries_list ON audit_entries (org_id, created_at, id);
CREATE INDEX audit_entries_user ON audit_entries (org_id, user_id, created_at, id);

-- The entries of a resource: of requests that named it, made it or showed it.
CREATE TABLE audit_resources (
    org_id     uuid NOT NULL,
    resource   text NOT NULL,
    created_at timestamptz NOT NULL,
    id         uuid NOT NULL,
    PRIMARY KEY (org_id, resource, created_at, id)
);

-- How long entries are kept. Only the owner of the tables sets it.
CREATE TABLE audit_retention (
    one  boolean PRIMARY KEY DEFAULT true CHECK (one),
    keep interval NOT NULL CHECK (keep >= interval '720 hours')
);
INSERT INTO audit_retention (keep) VALUES (interval '52560 hours');

-- +goose StatementBegin
DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['audit_entries', 'audit_resources'] LOOP
        EXECUTE format('CREATE POLICY reads ON %I FOR SELECT TO molar_app USING (org_id = current_setting(''molar.org'')::uuid)', tenant);
        EXECUTE format('CREATE POLICY writes ON %I FOR INSERT TO molar_app WITH CHECK (org_id = current_setting(''molar.org'')::uuid)', tenant);
        EXECUTE format('CREATE POLICY system_writes ON %I FOR INSERT TO molar_system WITH CHECK (true)', tenant);
        EXECUTE format('CREATE POLICY expiry ON %I TO CURRENT_USER USING (true)', tenant);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant);
        EXECUTE format('GRANT SELECT, INSERT ON %I TO molar_app', tenant);
        EXECUTE format('GRANT INSERT ON %I TO molar_system', tenant);
    END LOOP;

    -- Deletes the oldest entries that were made before the given time, at most 1,000,
    -- and returns how many. It keeps those that are younger than the retention,
    -- whatever time the caller passes. IDs sort by time. The names have their schema,
    -- so that a temporary table of the caller's does not stand in for a table.
    EXECUTE format($create$
CREATE FUNCTION forget_audit_entries(before timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
    bound timestamptz;
    forgotten bigint;
BEGIN
    SELECT least(before, now() - keep) INTO STRICT bound FROM %1$I.audit_retention;
    WITH gone AS (
        DELETE FROM %1$I.audit_entries
        WHERE created_at < bound AND id IN (
            SELECT id
            FROM %1$I.audit_entries
            WHERE id < (lpad(to_hex((extract(epoch FROM bound) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
            ORDER BY id
            LIMIT 1000
        )
        RETURNING org_id, created_at, id, resource_id, shown
    ), resources AS (
        DELETE FROM %1$I.audit_resources r
        USING (SELECT DISTINCT org_id, created_at, id, unnest(shown || resource_id) AS resource FROM gone) g
        WHERE r.org_id = g.org_id AND r.resource = g.resource AND r.created_at = g.created_at AND r.id = g.id
    )
    SELECT count(*) INTO forgotten FROM gone;
    RETURN forgotten;
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION forget_audit_entries(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_audit_entries(timestamptz) TO molar_system;
