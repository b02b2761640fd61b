-- +goose Up

-- Organizations that are to be deleted with all that they have, or were: a record stays. Services
-- cannot give the time of the wish, so that a stolen login of one removes nothing within 30 days.
CREATE TABLE deletions (
    org_id       uuid PRIMARY KEY,
    name         text NOT NULL,
    asked_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    asked_by     text NOT NULL,
    backups_days integer NOT NULL CHECK (backups_days >= 0), -- for which a backup is kept
    removed_at   timestamptz
);
CREATE POLICY system ON deletions TO molar_system USING (true);
CREATE POLICY owner ON deletions TO CURRENT_USER USING (true);
ALTER TABLE deletions ENABLE ROW LEVEL SECURITY;
ALTER TABLE deletions FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT (org_id, name, asked_by, backups_days), DELETE, UPDATE (removed_at) ON deletions TO molar_system;

-- +goose StatementBegin
DO $$
DECLARE
    bare text;
BEGIN
    -- Stores a deletion that the database lacks because it was restored.
    EXECUTE format($create$
CREATE FUNCTION delete_again(wanted uuid, called text, wished timestamptz, wisher text, kept integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
BEGIN
    IF NOT EXISTS (SELECT FROM restores WHERE resumed_at IS NULL) THEN
        RAISE EXCEPTION 'no restore is open';
    END IF;
    INSERT INTO deletions (org_id, name, asked_at, asked_by, backups_days) VALUES (wanted, called, wished, wisher, kept) ON CONFLICT DO NOTHING;
END
$body$
$create$, current_schema());

    -- Removes at most so many rows of a table that belong to an organization whose deletion was
    -- asked for 30 days ago. Rows that a running process wrote since it was removed go for a day.
    EXECUTE format($create$
CREATE FUNCTION delete_rows(wanted uuid, bare text, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    which    text := 'org_id = $1';
    sorted   text := '';
    payments text := 'SELECT id FROM eras WHERE org_id = $1 AND received_at IS NOT NULL UNION ALL SELECT id FROM eras WHERE org_id = $1 AND stage <> ''done''';
    removed  integer;
BEGIN
    PERFORM FROM deletions d
    WHERE d.org_id = wanted AND d.asked_at <= now() - interval '30 days' AND coalesce(d.removed_at > now() - interval '1 day', true)
        AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = wanted);
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    CASE bare
        WHEN 'claims', 'eligibility_checks' THEN -- what names a row has a later ID
            sorted := 'ORDER BY id DESC';
        WHEN 'batch_acknowledgements' THEN
            which := 'batch_id IN (SELECT id FROM batches WHERE org_id = $1)';
        WHEN 'era_claims' THEN
            which := format('era_id IN (%%s)', payments);
        WHEN 'eras' THEN
            which := format('id IN (%%s)', payments);
        WHEN 'webhook_deliveries' THEN
            which := 'endpoint_id IN (SELECT id FROM webhook_endpoints WHERE org_id = $1)';
        WHEN 'received_parts' THEN
            which := 'file_id IN (SELECT id FROM received_files WHERE org_id = $1)';
        WHEN 'organizations' THEN
            UPDATE organizations SET expires_at = least(expires_at, now()) WHERE maker_id = wanted AND removed_at IS NULL;
            which := 'id = $1 AND NOT EXISTS (SELECT FROM organizations m WHERE m.maker_id = $1)';
        ELSE
    END CASE;
    EXECUTE format('DELETE FROM %%1$I WHERE ctid = ANY (ARRAY (SELECT ctid FROM %%1$I WHERE %%2$s %%3$s LIMIT $2))', bare, which, sorted)
        USING wanted, most;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$body$
$create$, current_schema());
    FOREACH bare IN ARRAY ARRAY['changes', 'eligibility_answers', 'enrollments', 'idempotency_keys', 'jobs', 'quarantine', 'sandbox_mail', 'sandbox_notes',
        'sandbox_scenarios', 'uploads', 'watches', 'webhook_endpoints'] LOOP
        EXECUTE format('CREATE POLICY deletion ON %I TO CURRENT_USER USING (true)', bare);
    END LOOP;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION delete_again, delete_rows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_again, delete_rows TO molar_system;
