-- +goose Up

-- The reset of an organization's test mode: the job that removes the rows, and when it was
-- ordered, in real time. While there is one, nothing of test mode can be written.
ALTER TABLE sandbox_clocks
    ADD COLUMN reset_job uuid,
    ADD COLUMN reset_at  timestamptz,
    ADD CONSTRAINT sandbox_clocks_reset CHECK ((reset_job IS NULL) = (reset_at IS NULL) AND (reset_job IS NULL OR advance_job IS NULL AND stands_at IS NULL));
GRANT UPDATE (reset_job, reset_at) ON sandbox_clocks TO molar_app;

-- The memory of the sandbox's payers belongs to an organization. Notes of the release
-- before have none, and expire.
ALTER TABLE sandbox_notes ADD COLUMN org_id uuid, ADD COLUMN mode text;
CREATE INDEX sandbox_notes_org ON sandbox_notes (org_id, mode) WHERE org_id IS NOT NULL;

-- A reset finds the images of an organization, to remove them first.
GRANT SELECT (org_id, mode) ON documents TO molar_system;
GRANT SELECT (org_id, mode) ON uploads TO molar_system;

-- What a reset finds the rows by, and what the foreign keys compare for each row that it
-- removes.
CREATE INDEX acknowledgements_org ON acknowledgements (org_id, mode);
CREATE INDEX uploads_org ON uploads (org_id, mode, id);
CREATE INDEX documents_org ON documents (org_id, mode, id);
CREATE INDEX documents_attachment ON documents (attachment_id);
CREATE INDEX claims_parent ON claims (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX claims_converted_from ON claims (converted_from) WHERE converted_from IS NOT NULL;
CREATE INDEX claims_secondary_to ON claims (secondary_to) WHERE secondary_to IS NOT NULL;
CREATE INDEX eligibility_checks_parent ON eligibility_checks (parent_id) WHERE parent_id IS NOT NULL;

-- Two claims that name each other cannot be removed one after the other. The later one
-- names the earlier; the key of the other direction says nothing more.
ALTER TABLE claims DROP CONSTRAINT claims_converted_to_fkey, DROP CONSTRAINT claims_secondary_id_fkey;

-- Removes at most so many rows of a table that belong to an organization in test mode, and
-- returns how many. It removes nothing unless the organization has a reset, and refuses
-- tables whose rows a reset keeps. The claims' totals have a trigger that names its tables
-- without their schema.
-- +goose StatementBegin
DO $$
DECLARE
    bare text;
BEGIN
    EXECUTE format($create$
CREATE FUNCTION reset_rows(wanted uuid, bare text, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    began   timestamptz;
    job     uuid;
    which   text := 'org_id = $1 AND mode = ''test''';
    removed integer;
    -- Each has an index: those that are read, and those that are not done.
    payments text := format('SELECT id FROM %1$I.eras WHERE %%1$s AND received_at IS NOT NULL UNION ALL SELECT id FROM %1$I.eras WHERE %%1$s AND stage <> ''done''', which);
BEGIN
    SELECT reset_job, reset_at INTO job, began FROM %1$I.sandbox_clocks WHERE org_id = wanted AND reset_job IS NOT NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    CASE bare
        WHEN 'acknowledgements', 'attachments', 'batches', 'check_members', 'claim_changes', 'claim_totals', 'documents', 'eligibility_answers',
            'enrollments', 'events', 'patient_words', 'patients', 'payer_requests',
            'quarantine', 'sandbox_mail', 'sandbox_notes', 'sandbox_scenarios', 'uploads' THEN
        WHEN 'claims' THEN -- those that no other names
            which := which || ' AND NOT EXISTS (SELECT FROM %1$I.claims r WHERE r.parent_id = t.id)
                AND NOT EXISTS (SELECT FROM %1$I.claims r WHERE r.converted_from = t.id)
                AND NOT EXISTS (SELECT FROM %1$I.claims r WHERE r.secondary_to = t.id)';
        WHEN 'eligibility_checks' THEN
            which := which || ' AND NOT EXISTS (SELECT FROM %1$I.eligibility_checks r WHERE r.parent_id = t.id)';
        WHEN 'batch_acknowledgements' THEN
            which := format('batch_id IN (SELECT id FROM %1$I.batches WHERE %%s)', which);
        WHEN 'era_claims' THEN
            which := format('era_id IN (%%s)', payments);
        WHEN 'eras' THEN
            which := format('id IN (%%s)', payments);
        WHEN 'webhook_deliveries' THEN
            which := format('endpoint_id IN (SELECT id FROM %1$I.webhook_endpoints WHERE %%s)', which);
        WHEN 'jobs' THEN -- those that run have a minute; files of connections stay
            which := which || ' AND id <> $4 AND kind <> ''received_file'' AND (coalesce(lease_until <= now(), true) OR now() > $3 + interval ''1 minute'')';
        WHEN 'idempotency_keys' THEN -- that of the reset stays
            which := which || ' AND created_at < $3';
        WHEN 'sandbox_faults' THEN -- they have no mode, because live mode has none
            which := 'org_id = $1';
        ELSE
            RAISE EXCEPTION 'a reset keeps the rows of %%', bare;
    END CASE;
    EXECUTE format('DELETE FROM %1$I.%%1$I WHERE ctid = ANY (ARRAY (SELECT ctid FROM %1$I.%%1$I t WHERE %%2$s LIMIT $2))', bare, which)
        USING wanted, most, began, job;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$body$
$create$, current_schema());

    -- The end: the endpoints are healthy, and the clock shows real time.
    EXECUTE format($create$
CREATE FUNCTION end_reset(wanted uuid, job uuid) RETURNS void
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
    END IF;
    DELETE FROM %1$I.jobs WHERE org_id = wanted AND mode = 'test' AND id = job;
END
$body$
$create$, current_schema());

    -- The policies of a table hold for its owner, too.
    FOREACH bare IN ARRAY ARRAY['acknowledgements', 'attachments', 'batch_acknowledgements', 'batches', 'check_members', 'claim_changes', 'claim_totals',
        'claims', 'documents', 'eligibility_answers', 'eligibility_checks', 'enrollments', 'era_claims', 'eras', 'events', 'idempotency_keys', 'jobs',
        'patient_words', 'patients', 'payer_requests', 'quarantine', 'sandbox_mail', 'sandbox_notes', 'sandbox_scenarios', 'uploads',
        'webhook_deliveries', 'webhook_endpoints'] LOOP
        EXECUTE format('CREATE POLICY reset ON %I TO CURRENT_USER USING (mode = ''test'')', bare);
    END LOOP;
    CREATE POLICY reset ON sandbox_clocks TO CURRENT_USER USING (true);
    CREATE POLICY reset ON sandbox_faults TO CURRENT_USER USING (true);
    CREATE POLICY reset ON changes TO CURRENT_USER USING (mode = 'test');
    CREATE POLICY reset ON watches TO CURRENT_USER USING (mode = 'test');
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION reset_rows(uuid, text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reset_rows(uuid, text, integer) TO molar_system;
REVOKE ALL ON FUNCTION end_reset(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_reset(uuid, uuid) TO molar_system;
