-- +goose Up

-- How long data of a kind and a mode stays, in real time: of one organization, or of all that
-- have no age of their own. Only the owner changes it, so that a stolen login of a service removes
-- nothing younger.
CREATE TABLE retention (
    kind   text NOT NULL,
    mode   text NOT NULL CHECK (mode IN ('test', 'live')),
    org_id uuid,
    keep   interval NOT NULL CHECK (keep >= interval '720 hours'),
    minors boolean NOT NULL DEFAULT false, -- what names a patient counts from the 18th birthday
    UNIQUE NULLS NOT DISTINCT (kind, mode, org_id)
);
INSERT INTO retention (kind, mode, keep) VALUES
    ('records', 'test', interval '2160 hours'), ('records', 'live', interval '87600 hours'),
    ('exchanges', 'test', interval '2160 hours'), ('exchanges', 'live', interval '13140 hours'),
    ('events', 'test', interval '2160 hours'), ('events', 'live', interval '2160 hours');
CREATE POLICY system ON retention TO molar_system USING (true);
CREATE POLICY owner ON retention TO CURRENT_USER USING (true);
ALTER TABLE retention ENABLE ROW LEVEL SECURITY;
ALTER TABLE retention FORCE ROW LEVEL SECURITY;
GRANT SELECT ON retention TO molar_system;

-- What is not removed, whatever its age: all that an organization has, or what a patient has.
CREATE TABLE holds (
    org_id     uuid NOT NULL,
    patient_id uuid,
    reason     text NOT NULL CHECK (reason <> ''),
    placed_at  timestamptz NOT NULL,
    UNIQUE NULLS NOT DISTINCT (org_id, patient_id)
);
CREATE POLICY system ON holds TO molar_system USING (true);
CREATE POLICY owner ON holds TO CURRENT_USER USING (true);
ALTER TABLE holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE holds FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON holds TO molar_system;
GRANT SELECT (id, org_id, mode) ON patients TO molar_system;
CREATE POLICY system ON patients FOR SELECT TO molar_system USING (true);

-- Where the sweep of a table and a mode is. A pass looks at old rows, the latest first.
CREATE TABLE sweeps (
    bare   text NOT NULL,
    mode   text NOT NULL CHECK (mode IN ('test', 'live')),
    lowest uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- earlier passes left nothing before it
    below  uuid, -- this pass goes on below it; null between passes
    stays  uuid, -- the earliest row that this pass leaves, or where it began
    PRIMARY KEY (bare, mode)
);
INSERT INTO sweeps (bare, mode)
SELECT bare, mode
FROM unnest(ARRAY['events', 'exchanges', 'eras', 'attachments', 'payer_requests', 'claims', 'batches', 'acknowledgements', 'eligibility_checks', 'patients']) bare
    CROSS JOIN unnest(ARRAY['test', 'live']) mode;

-- Which rows name a row.
CREATE INDEX check_members_patient ON check_members (patient_id);
CREATE INDEX batch_acknowledgements_of ON batch_acknowledgements (acknowledgement_id);
CREATE INDEX eligibility_checks_source ON eligibility_checks (cache_source) WHERE cache_source IS NOT NULL;

-- The first ID of a time: IDs are in the order of real time.
CREATE FUNCTION first_id(at timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Looks at so many rows of a table, the latest first, that are older than their kind stays in a
-- mode, and removes, with its parts, each row of the mode that is neither held nor named by a row
-- that stays. What names a row has a later ID or is in a table whose rows go before. In test mode,
-- a claim that a payer still decides stays: the sandbox works with it. Of checks that stay,
-- "exchanges" removes the messages. The primary key finds the rows, and a pass does not look where
-- those before it left nothing. Returns how many rows are removed, and whether the pass goes on.
-- While another process sweeps the table, it does nothing.
-- +goose StatementBegin
DO $$
DECLARE
    bare text;
BEGIN
    EXECUTE format($create$
CREATE FUNCTION forget_records(the_table text, the_mode text, most integer, OUT removed integer, OUT more boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    sweep    sweeps;
    of_kind  text := 'records';
    source   text := the_table;
    looked   uuid[];
    gone     uuid[];
    holder   text := 'true'; -- rows that do not name a patient are held with any
    named    text := 'false';
    born     text := 'NULL::date';
    -- What names a claim, but claims.
    claimed  text := 'EXISTS (SELECT FROM era_claims e WHERE e.claim_id = %%1$s.id)
        OR EXISTS (SELECT FROM attachments a WHERE a.org_id = %%1$s.org_id AND a.mode = %%1$s.mode AND a.claim_id = %%1$s.id)
        OR EXISTS (SELECT FROM payer_requests p WHERE p.org_id = %%1$s.org_id AND p.mode = %%1$s.mode AND p.claim_id = %%1$s.id)';
    bound    uuid; -- rows from it on are too young
    unwanted text := 'true'; -- what a later pass has to look at
BEGIN
    removed := 0;
    more := false;
    SELECT * INTO sweep FROM sweeps WHERE bare = the_table AND mode = the_mode FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    CASE the_table
        WHEN 'events' THEN
            of_kind := 'events';
            named := 'EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = t.id)';
        WHEN 'exchanges' THEN
            of_kind := 'exchanges';
            source := 'eligibility_checks';
            holder := 'coalesce(h.patient_id = t.patient_id, true)';
            named := 't.exchanges IS NULL';
            unwanted := 'exchanges IS NOT NULL';
        WHEN 'eras' THEN
        WHEN 'attachments' THEN
            born := 'coalesce(t.born::date, (SELECT p.date_of_birth FROM claims c JOIN patients p ON p.id = c.patient_id WHERE c.id = t.claim_id))';
        WHEN 'payer_requests' THEN
            named := 'EXISTS (SELECT FROM attachments a WHERE a.org_id = t.org_id AND a.mode = t.mode AND a.payer_request_id = t.id)';
        WHEN 'claims' THEN
            holder := 'coalesce(h.patient_id = t.patient_id, true)';
            born := '(SELECT p.date_of_birth FROM patients p WHERE p.id = t.patient_id)';
            named := format(claimed, 't') || '
                OR t.mode = ''test'' AND t.state IN (''queued'', ''submitted'', ''accepted_clearinghouse'', ''accepted_payer'')
                OR EXISTS (SELECT FROM claims r WHERE r.parent_id = t.id)
                OR EXISTS (SELECT FROM claims r WHERE r.converted_from = t.id)
                OR EXISTS (SELECT FROM claims r WHERE r.secondary_to = t.id)
                OR EXISTS (SELECT FROM claims r WHERE r.id IN (t.converted_from, t.secondary_to) AND (' || format(claimed, 'r') || '))';
        WHEN 'batches' THEN
            named := 'EXISTS (SELECT FROM claims c WHERE c.batch_id = t.id)';
        WHEN 'acknowledgements' THEN
            named := 'EXISTS (SELECT FROM batch_acknowledgements b WHERE b.acknowledgement_id = t.id)';
        WHEN 'eligibility_checks' THEN
            holder := 'coalesce(h.patient_id = t.patient_id, true)';
            born := '(SELECT p.date_of_birth FROM patients p WHERE p.id = t.patient_id)';
            named := 'EXISTS (SELECT FROM eligibility_checks r WHERE r.parent_id = t.id)
                OR EXISTS (SELECT FROM eligibility_checks r WHERE r.cache_source = t.id)';
        WHEN 'patients' THEN
            holder := 'h.patient_id = t.id';
            born := 't.date_of_birth';
            named := 'EXISTS (SELECT FROM claims c WHERE c.patient_id = t.id)
                OR EXISTS (SELECT FROM eligibility_checks c WHERE c.org_id = t.org_id AND c.mode = t.mode AND c.patient_id = t.id)
                OR EXISTS (SELECT FROM disclosures d WHERE d.org_id = t.org_id AND d.mode = t.mode AND d.patient_id = t.id)';
        ELSE
            RAISE EXCEPTION 'no rows of %% go by their age so', the_table;
    END CASE;
    SELECT first_id(now() - min(keep)) INTO STRICT bound FROM retention WHERE kind = of_kind AND mode = the_mode;
    IF sweep.below IS NULL THEN
        sweep.stays := bound;
    END IF;
    EXECUTE format('SELECT array_agg(id ORDER BY id DESC) FROM (SELECT id FROM %%I WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3) t', source)
        INTO looked USING sweep.lowest, least(bound, sweep.below), most;
    IF the_table = 'events' THEN -- what was pending for so long has failed
        UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, settled_at = now() 
        WHERE event_id = ANY (looked) AND mode = the_mode AND state = 'pending' AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = webhook_deliveries.org_id);
    END IF;
    EXECUTE format('
        SELECT array_agg(t.id)
        FROM %%1$I t JOIN retention d ON d.kind = $2 AND d.mode = t.mode AND d.org_id IS NULL
            LEFT JOIN retention o ON o.kind = $2 AND o.mode = t.mode AND o.org_id = t.org_id
            CROSS JOIN LATERAL (SELECT coalesce(o.keep, d.keep) AS keep, coalesce(o.minors, d.minors) AS minors) k
        WHERE t.id = ANY ($1) AND t.mode = $3 AND t.id < first_id(now() - k.keep) AND NOT (%%2$s)
            AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = t.org_id AND (h.patient_id IS NULL OR %%3$s))
            AND NOT (k.minors AND coalesce(%%4$s + interval ''18 years'' + k.keep > now(), false))', source, named, holder, born)
        INTO gone USING looked, of_kind, the_mode;
    CASE the_table
        WHEN 'eras' THEN
            DELETE FROM era_claims WHERE era_id = ANY (gone);
        WHEN 'attachments' THEN
            DELETE FROM documents WHERE attachment_id = ANY (gone);
        WHEN 'batches' THEN
            DELETE FROM batch_acknowledgements WHERE batch_id = ANY (gone);
        WHEN 'patients' THEN
            DELETE FROM check_members WHERE patient_id = ANY (gone);
            DELETE FROM patient_words w
            USING patients p CROSS JOIN LATERAL patient_names(p.first_name, p.last_name) full_names
                CROSS JOIN string_to_table(replace(full_names, ',', ''), ' ') of_name (word)
            WHERE p.id = ANY (gone) AND w.org_id = p.org_id AND w.mode = p.mode AND w.word = of_name.word AND w.patient_id = p.id;
        WHEN 'exchanges' THEN
            PERFORM set_config('molar.untold', 'on', true);
            UPDATE eligibility_checks SET exchanges = NULL WHERE id = ANY (gone);
            GET DIAGNOSTICS removed = ROW_COUNT;
            PERFORM set_config('molar.untold', '', true);
        ELSE
    END CASE;
    IF the_table <> 'exchanges' THEN
        EXECUTE format('
            WITH removed AS (
                DELETE FROM %%1$I WHERE id = ANY ($1) RETURNING id, org_id, mode
            ), numbers AS (
                DELETE FROM event_numbers n USING removed r WHERE $2 AND n.org_id = r.org_id AND n.mode = r.mode AND n.resource_id = r.id
            )
            SELECT count(*) FROM removed', the_table)
            INTO removed USING gone, of_kind = 'records';
    END IF;
    EXECUTE format('SELECT id FROM %%I WHERE id = ANY ($1) AND mode = $2 AND %%s ORDER BY id LIMIT 1', source, unwanted)
        INTO bound USING looked, the_mode;
    sweep.stays := least(sweep.stays, bound);
    sweep.below := looked[most];
    more := sweep.below IS NOT NULL;
    UPDATE sweeps
    SET below = sweep.below, stays = CASE WHEN more THEN sweep.stays END, lowest = CASE WHEN more THEN lowest ELSE sweep.stays END
    WHERE bare = the_table AND mode = the_mode;
END
$body$
$create$, current_schema());

    -- Counts the rows of a table and a mode that are older than an age, and those of them that
    -- are held with their organization.
    EXECUTE format($create$
CREATE FUNCTION old_records(bare text, of_mode text, of_org uuid, keep interval, OUT old bigint, OUT held bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
BEGIN
    EXECUTE format('
        SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM holds h WHERE h.org_id = t.org_id))
        FROM %%I t
        WHERE t.mode = $1 AND t.id < first_id(now() - $3) AND (t.org_id = $2 OR $2 IS NULL) AND %%s',
            CASE bare WHEN 'exchanges' THEN 'eligibility_checks' ELSE bare END, CASE bare WHEN 'exchanges' THEN 't.exchanges IS NOT NULL' ELSE 'true' END)
        INTO old, held USING of_mode, of_org, keep;
END
$body$
$create$, current_schema());
    FOREACH bare IN ARRAY ARRAY['acknowledgements', 'attachments', 'batch_acknowledgements', 'batches', 'check_members', 'claim_changes', 'claim_totals', 'claims',
        'documents', 'eligibility_checks', 'era_claims', 'eras', 'events', 'patient_words', 'patients', 'payer_requests', 'webhook_deliveries'] LOOP
        EXECUTE format('CREATE POLICY retention ON %I TO CURRENT_USER USING (true)', bare);
    END LOOP;
    EXECUTE replace(pg_get_functiondef('forget_audit_entries(timestamptz)'::regprocedure), 'ORDER BY id',
        format('AND NOT EXISTS (SELECT FROM %I.holds h WHERE h.org_id = audit_entries.org_id) ORDER BY id', current_schema()));
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''connections''', '''connections'', ''holds'', ''retention''');
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION forget_records, old_records FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_records, old_records TO molar_system;

-- The request log stays for 30 days. What it says of the use of keys is in the audit.
GRANT SELECT (org_id) ON requests TO molar_system;
ALTER POLICY system_forgets ON requests USING (created_at < now() - interval '720 hours');
