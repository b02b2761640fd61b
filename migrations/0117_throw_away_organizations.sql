-- +goose Up

-- An organization that another one made for a while: its maker, the user or key that made
-- it, when it expires, and since when it is being removed.
ALTER TABLE organizations
    ADD COLUMN maker_id   uuid REFERENCES organizations (id),
    ADD COLUMN made_by    text NOT NULL DEFAULT '',
    ADD COLUMN expires_at timestamptz,
    ADD COLUMN removed_at timestamptz,
    ADD CONSTRAINT organizations_made CHECK ((maker_id IS NULL) = (expires_at IS NULL) AND (maker_id IS NOT NULL OR removed_at IS NULL));
CREATE INDEX organizations_made ON organizations (maker_id, created_at, id) WHERE maker_id IS NOT NULL;
CREATE INDEX organizations_expire ON organizations (expires_at) WHERE expires_at IS NOT NULL AND removed_at IS NULL;

-- The maker sees and removes it. A service can make no organization of another kind for a
-- caller.
CREATE POLICY made ON organizations FOR SELECT TO molar_app USING (maker_id = current_setting('molar.org')::uuid);
CREATE POLICY unmade ON organizations FOR UPDATE TO molar_app USING (maker_id = current_setting('molar.org')::uuid);
CREATE POLICY making ON organizations AS RESTRICTIVE FOR INSERT TO molar_app WITH CHECK (maker_id IS NOT NULL);
GRANT SELECT (maker_id, made_by, expires_at, removed_at), INSERT, UPDATE (removed_at) ON organizations TO molar_app;

-- The key by whose maker a key counts, and with which it is revoked.
ALTER TABLE api_keys ADD COLUMN made_with uuid;
GRANT SELECT (made_with) ON api_keys TO molar_app;
CREATE INDEX api_keys_made_with ON api_keys (made_with) WHERE made_with IS NOT NULL;

-- +goose StatementBegin
DO $$
DECLARE
    bare text;
BEGIN
    EXECUTE format($create$
CREATE FUNCTION revoke_made_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
BEGIN
    UPDATE %1$I.api_keys SET revoked_at = NEW.revoked_at WHERE made_with = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
END
$body$
$create$, current_schema());

    -- Removes at most so many rows of a table that belong to an organization that is being
    -- removed, of those that a reset keeps.
    EXECUTE format($create$
CREATE FUNCTION remove_rows(wanted uuid, bare text, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    job     uuid;
    which   text := 'org_id = $1';
    removed integer;
BEGIN
    SELECT c.reset_job INTO job
    FROM %1$I.sandbox_clocks c JOIN %1$I.organizations o ON o.id = c.org_id
    WHERE c.org_id = wanted AND c.reset_job IS NOT NULL AND o.maker_id IS NOT NULL AND o.removed_at IS NOT NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    CASE bare
        WHEN 'api_keys', 'audit_entries', 'audit_resources', 'changes', 'connections', 'idempotency_keys', 'offices', 'providers', 'received_files',
            'requests', 'sessions', 'sign_in_links', 'users', 'watches', 'webhook_endpoints' THEN
        WHEN 'received_parts' THEN
            which := 'file_id IN (SELECT id FROM %1$I.received_files WHERE org_id = $1)';
        WHEN 'jobs' THEN
            which := 'org_id = $1 AND id <> $3';
        ELSE
            RAISE EXCEPTION 'no rows of %% are removed so', bare;
    END CASE;
    EXECUTE format('DELETE FROM %1$I.%%1$I WHERE ctid = ANY (ARRAY (SELECT ctid FROM %1$I.%%1$I WHERE %%2$s LIMIT $2))', bare, which)
        USING wanted, most, job;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$body$
$create$, current_schema());

    -- The end also removes an organization that is being removed.
    EXECUTE format($create$
CREATE OR REPLACE FUNCTION end_reset(wanted uuid, job uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
BEGIN
    DELETE FROM %1$I.sandbox_clocks WHERE org_id = wanted AND reset_job = job;
    IF FOUND THEN
        UPDATE %1$I.webhook_endpoints
        SET failures = 0, failing_since = NULL, circuit_until = NULL, last_success_at = NULL, holder = NULL, holder_address = '', lease_until = NULL,
            called_at = NULL, status = CASE WHEN disabled_reason IN ('gone', 'failures') THEN 'enabled' ELSE status END,
            disabled_reason = CASE WHEN disabled_reason IN ('gone', 'failures') THEN NULL ELSE disabled_reason END
        WHERE org_id = wanted AND mode = 'test';
        DELETE FROM %1$I.organizations WHERE id = wanted AND maker_id IS NOT NULL AND removed_at IS NOT NULL;
    END IF;
    DELETE FROM %1$I.jobs WHERE org_id = wanted AND mode = 'test' AND id = job;
END
$body$
$create$, current_schema());

    FOREACH bare IN ARRAY ARRAY['api_keys', 'connections', 'offices', 'organizations', 'providers', 'received_files', 'requests', 'sessions',
        'sign_in_links', 'users'] LOOP
        EXECUTE format('CREATE POLICY removal ON %I TO CURRENT_USER USING (true)', bare);
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER revoked AFTER UPDATE OF revoked_at ON api_keys
    FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL AND OLD.revoked_at IS NULL) EXECUTE FUNCTION revoke_made_keys();
REVOKE ALL ON FUNCTION remove_rows(uuid, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_rows(uuid, text, integer) TO molar_system;
