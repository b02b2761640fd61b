-- +goose Up

-- Patients whose records are erased, or were: what went, and which files stay. Only the owner stores
-- one, so that a stolen login of a service erases nothing.
CREATE TABLE erasures (
    patient_id uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    reason     text NOT NULL CHECK (reason <> ''),
    erased_by  text NOT NULL, -- the operator
    begun_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    done_at    timestamptz,
    record     json NOT NULL -- what the patient had, and the files that stay; nothing about the patient
);
CREATE INDEX erasures_org ON erasures (org_id);
CREATE POLICY system ON erasures FOR SELECT TO molar_system USING (true);
CREATE POLICY owner ON erasures TO CURRENT_USER USING (true);
ALTER TABLE erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasures FORCE ROW LEVEL SECURITY;
GRANT SELECT ON erasures TO molar_system;

-- When the people were removed from a claim.
ALTER TABLE claims ADD COLUMN erased_at timestamptz;
GRANT UPDATE (erased_at) ON claims TO molar_app;

-- +goose StatementBegin
DO $$
BEGIN
    -- Stores an erasure that the database lacks because it was restored, or makes it due again.
    EXECUTE format($create$
CREATE FUNCTION erase_again(who uuid, of_org uuid, of_mode text, why text, eraser text, began timestamptz, what json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
BEGIN
    IF NOT EXISTS (SELECT FROM restores WHERE resumed_at IS NULL) THEN
        RAISE EXCEPTION 'no restore is open';
    END IF;
    INSERT INTO erasures (patient_id, org_id, mode, reason, erased_by, begun_at, record) VALUES (who, of_org, of_mode, why, eraser, began, what)
    ON CONFLICT (patient_id) DO UPDATE SET done_at = NULL;
END
$body$
$create$, current_schema());

    -- Removes what is said of a person, whose erasure has begun, in the parts of claims and in
    -- attachments. Figures and control numbers stay. Replies that named the resources go. Returns why
    -- it did nothing: an attachment is being sent, or a hold keeps the records.
    EXECUTE format($create$
CREATE FUNCTION erase_parts(who uuid, of_claims uuid[], of_attachments uuid[], resources text[]) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    e    erasures;
    sets uuid[];
BEGIN
    SELECT * INTO e FROM erasures WHERE patient_id = who AND done_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no erasure of the patient has begun';
    END IF;
    IF EXISTS (SELECT FROM holds h WHERE h.org_id = e.org_id AND (h.patient_id IS NULL OR h.patient_id = who)) THEN
        RETURN 'held';
    END IF;
    PERFORM FROM eras WHERE id IN (SELECT era_id FROM era_claims WHERE claim_id = ANY (of_claims)) ORDER BY id FOR UPDATE;
    PERFORM FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims) ORDER BY id FOR UPDATE;
    sets := ARRAY (SELECT id FROM attachments WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims)) || of_attachments;
    PERFORM FROM attachments WHERE id = ANY (sets) ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM attachments WHERE id = ANY (sets) AND org_id = e.org_id AND mode = e.mode AND sending IS NOT NULL) THEN
        RETURN 'sending';
    END IF;
    DELETE FROM uploads WHERE org_id = e.org_id AND mode = e.mode AND attachment_id = ANY (sets);
    DELETE FROM documents WHERE org_id = e.org_id AND mode = e.mode AND attachment_id = ANY (sets);
    DELETE FROM attachments WHERE org_id = e.org_id AND mode = e.mode AND id = ANY (sets) AND state = 'open';
    UPDATE attachments SET about = '{}', narrative = '' WHERE org_id = e.org_id AND mode = e.mode AND id = ANY (sets);
    UPDATE payer_requests SET requested = '', answer_note = CASE answer_note WHEN '' THEN '' ELSE 'erased' END
    WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    UPDATE era_claims
    SET detail = (detail::jsonb - ARRAY['PatientFirstName', 'PatientLastName', 'MemberID', 'CorrectedPatient'])::json
    WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    DELETE FROM idempotency_keys WHERE org_id = e.org_id AND mode = e.mode AND resource_id = ANY (resources);
    RETURN '';
END
$body$
$create$, current_schema());

    -- Removes what a remittance claim says of people, once it is applied to an erased claim.
    EXECUTE format($create$
CREATE FUNCTION erase_said(of_era uuid, of_ordinal integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
    UPDATE era_claims e
    SET detail = (e.detail::jsonb - ARRAY['PatientFirstName', 'PatientLastName', 'MemberID', 'CorrectedPatient'])::json
    FROM claims c
    WHERE e.era_id = of_era AND e.ordinal = of_ordinal AND c.id = e.claim_id AND c.erased_at IS NOT NULL
        AND e.org_id = current_setting('molar.org')::uuid AND e.mode = current_setting('molar.mode')
$body$
$create$, current_schema());

    -- Removes the rest of a person, whose claims are erased: checks with their events and their
    -- deliveries, and the patient. Returns why it did nothing: a check is pending, a claim came
    -- meanwhile, or a hold keeps the records.
    EXECUTE format($create$
CREATE FUNCTION erase_person(who uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    e      erasures;
    asked  uuid[];
    told   uuid[];
BEGIN
    SELECT * INTO e FROM erasures WHERE patient_id = who AND done_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no erasure of the patient has begun';
    END IF;
    IF EXISTS (SELECT FROM holds h WHERE h.org_id = e.org_id AND (h.patient_id IS NULL OR h.patient_id = who)) THEN
        RETURN 'held';
    END IF;
    IF EXISTS (SELECT FROM claims WHERE org_id = e.org_id AND mode = e.mode AND patient_id = who) THEN
        RETURN 'claims';
    END IF;
    asked := ARRAY (SELECT id FROM eligibility_checks WHERE org_id = e.org_id AND mode = e.mode AND patient_id = who ORDER BY id FOR UPDATE);
    IF EXISTS (SELECT FROM eligibility_checks WHERE id = ANY (asked) AND state = 'pending') THEN
        RETURN 'pending';
    END IF;
    told := ARRAY (SELECT id FROM events WHERE org_id = e.org_id AND mode = e.mode AND resource_id = ANY (asked));
    DELETE FROM webhook_deliveries WHERE event_id = ANY (told);
    DELETE FROM events WHERE id = ANY (told);
    DELETE FROM event_numbers WHERE org_id = e.org_id AND mode = e.mode AND resource_id = ANY (asked);
    DELETE FROM eligibility_answers WHERE org_id = e.org_id AND mode = e.mode AND check_id = ANY (asked);
    DELETE FROM idempotency_keys WHERE org_id = e.org_id AND mode = e.mode AND check_id = ANY (asked);
    UPDATE eligibility_checks SET parent_id = NULL WHERE parent_id = ANY (asked);
    UPDATE eligibility_checks SET cache_source = NULL WHERE cache_source = ANY (asked);
    DELETE FROM eligibility_checks WHERE id = ANY (asked);
    DELETE FROM check_members WHERE patient_id = who;
    DELETE FROM patient_words WHERE org_id = e.org_id AND mode = e.mode AND patient_id = who;
    DELETE FROM patients WHERE id = who AND org_id = e.org_id AND mode = e.mode;
    UPDATE erasures SET done_at = now() WHERE patient_id = who;
    RETURN '';
END
$body$
$create$, current_schema());

    -- They go with the organization.
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''disclosures'',', '''disclosures'', ''erasures'',');
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION erase_again, erase_parts, erase_said, erase_person FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_again TO molar_system;
GRANT EXECUTE ON FUNCTION erase_parts, erase_said, erase_person TO molar_app;
