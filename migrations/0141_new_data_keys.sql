-- +goose Up

-- A data key that another has replaced stays for the rows that it encrypted.
ALTER TABLE data_keys ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp(), ADD COLUMN replaced_at timestamptz;
DROP INDEX data_keys_owner;
CREATE UNIQUE INDEX data_keys_owner ON data_keys (coalesce(org_id, '00000000-0000-0000-0000-000000000000'), purpose) WHERE replaced_at IS NULL;
CREATE INDEX data_keys_replaced ON data_keys (replaced_at) WHERE replaced_at IS NOT NULL;
GRANT DELETE, UPDATE (replaced_at) ON data_keys TO molar_system;

-- When the data keys were replaced. A rotation that has not ended goes on.
CREATE TABLE data_rotations (
    begun_at timestamptz PRIMARY KEY,
    ended_at timestamptz
);
CREATE UNIQUE INDEX data_rotations_open ON data_rotations ((true)) WHERE ended_at IS NULL;
GRANT SELECT, INSERT, UPDATE (ended_at) ON data_rotations TO molar_system;

-- A row that is encrypted anew, or loses old messages, is no change of its resource.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('molar.untold', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], NEW.id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    bare text;
BEGIN
    FOREACH bare IN ARRAY ARRAY['acknowledgements', 'batches', 'connections', 'eligibility_checks', 'eras', 'idempotency_keys', 'quarantine', 'received_files',
        'sandbox_mail', 'sandbox_notes', 'sandbox_scenarios', 'users', 'webhook_endpoints'] LOOP
        EXECUTE format('CREATE POLICY sealing ON %I TO CURRENT_USER USING (true)', bare);
    END LOOP;

    -- What an encrypted column has in some blocks of its table, where no present data key
    -- encrypted it: of whom it is, and what the bytes are bound to. The rows are locked, and those
    -- that others have locked are left out.
    EXECUTE format($create$
CREATE FUNCTION sealed_before(bare text, sealed text, first bigint, most bigint)
RETURNS TABLE (place tid, org uuid, bound_to text, content bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    source text := 't.*';
    bound  text := 'id';
    also   text := '';
BEGIN
    CASE bare || '.' || sealed
        WHEN 'acknowledgements.content', 'acknowledgements.excerpt', 'batches.content', 'connections.secrets', 'eligibility_checks.exchanges', 'eras.content',
            'quarantine.content', 'webhook_endpoints.secret' THEN
        WHEN 'idempotency_keys.body' THEN
            bound := '''idempotency key '' || key';
        WHEN 'received_parts.content' THEN
            source := 't.*, f.org_id, f.mode';
            bound := 'file_id || '' part '' || part';
            also := 'JOIN received_files f ON f.id = t.file_id';
        WHEN 'sandbox_mail.content' THEN
            source := 't.content, t.name, NULL::uuid AS org_id, ''test'' AS mode';
            bound := '''sandbox mail '' || name';
        WHEN 'sandbox_notes.content' THEN
            source := 't.content, t.key, NULL::uuid AS org_id, ''test'' AS mode';
            bound := '''sandbox note '' || encode(key, ''hex'')';
        WHEN 'sandbox_scenarios.content' THEN
            bound := '''sandbox scenario '' || ending';
        WHEN 'users.totp' THEN
            source := 't.*, '''' AS mode';
        ELSE
            RAISE EXCEPTION 'the column %% of %% is not encrypted', sealed, bare;
    END CASE;
    RETURN QUERY EXECUTE format($query$
SELECT at, owner, owner || '|' || coalesce(mode, '') || '|' || %%1$s, %%2$I
FROM (
    SELECT t.ctid AS at, %%3$s
    FROM %%4$I t %%5$s
    WHERE t.ctid >= ('(' || $1 || ',0)')::tid AND t.ctid < ('(' || $1 + $2 || ',0)')::tid AND length(t.%%2$I) > 0
        AND NOT (get_byte(t.%%2$I, 0) = 2 AND substring(t.%%2$I from 2 for 8) = ANY (ARRAY (SELECT id FROM data_keys WHERE replaced_at IS NULL)))
    FOR NO KEY UPDATE OF t SKIP LOCKED
) r, LATERAL (SELECT coalesce(r.org_id, '00000000-0000-0000-0000-000000000000') AS owner) o
$query$, bound, sealed, source, bare, also)
        USING first, most;
END
$body$
$create$, current_schema());

    -- Writes to an encrypted column.
    EXECUTE format($create$
CREATE FUNCTION reseal(bare text, sealed text, places tid[], contents bytea[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    written integer;
BEGIN
    PERFORM sealed_before(bare, sealed, 0, 0); -- refuses other columns
    PERFORM set_config('molar.untold', 'on', true);
    EXECUTE format('UPDATE %%1$I t SET %%2$I = n.content FROM unnest($1, $2) AS n (place, content) WHERE t.ctid = ANY ($1) AND t.ctid = n.place', bare, sealed)
        USING places, contents;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM set_config('molar.untold', '', true);
    RETURN written;
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION sealed_before, reseal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sealed_before, reseal TO molar_system;
