-- +goose Up

-- What holds a column of words keeps the words of package billing; an ID that
-- may be missing is NULL, as is a time; a text that may be missing is empty,
-- unless the interface tells the two apart.

-- A claim with its lines. What only later steps of a claim's life know (from
-- sent_at on) begins as NULL. A caller's control number is unique within the
-- scope, whatever the case: were it so across the modes, a test would run into
-- a number that its key cannot see.
CREATE TABLE claims (
    id                           uuid PRIMARY KEY,
    org_id                       uuid NOT NULL,
    mode                         text NOT NULL,
    kind                         text NOT NULL,
    state                        text NOT NULL,
    frequency                    text NOT NULL,
    parent_id                    uuid REFERENCES claims (id),
    patient_control_number       text NOT NULL,
    office_id                    uuid NOT NULL,
    payer_id                     uuid NOT NULL,
    payer_code                   text NOT NULL,
    payer_name                   text NOT NULL,
    provider_id                  uuid,
    patient_id                   uuid,
    subscriber                   json NOT NULL,
    patient                      json,
    place_of_service             text NOT NULL,
    prior_authorization          text NOT NULL,
    accident                     json,
    note                         text NOT NULL,
    lines                        json NOT NULL,
    line_count                   integer NOT NULL,
    charge_cents                 bigint NOT NULL,
    first_service_date           date,
    last_service_date            date,
    findings                     json NOT NULL DEFAULT '[]',
    tenant_reference             text,
    request_id                   uuid,
    created_at                   timestamptz NOT NULL,
    updated_at                   timestamptz NOT NULL,
    sent_at                      timestamptz,
    batch_id                     uuid,
    payer_claim_number           text NOT NULL DEFAULT '',
    payment_outcome              text,
    payment_era_id               uuid,
    paid_cents                   bigint,
    allowed_cents                bigint,
    patient_responsibility_cents bigint,
    payment_date                 date,
    reconciled_at                timestamptz,
    estimate                     json,
    converted_from               uuid REFERENCES claims (id),
    converted_to                 uuid REFERENCES claims (id),
    CONSTRAINT claims_state CHECK (
        state IN ('draft', 'validated', 'needs_attention', 'queued', 'submitted', 'accepted_clearinghouse', 'accepted_payer',
            'rejected', 'voided', 'paid', 'denied', 'reconciled', 'returned')
        AND CASE kind
            WHEN 'claim' THEN state <> 'returned' AND estimate IS NULL AND converted_to IS NULL
            WHEN 'predetermination' THEN state NOT IN ('paid', 'denied', 'reconciled') AND payment_outcome IS NULL AND converted_from IS NULL
            ELSE false
        END
        AND CASE frequency
            WHEN 'void' THEN parent_id IS NOT NULL
            ELSE frequency IN ('original', 'replacement') AND parent_id IS NULL
        END
        AND patient_control_number <> ''
        AND num_nulls(first_service_date, last_service_date) IN (0, 2)
        AND num_nulls(payment_outcome, payment_era_id, paid_cents, patient_responsibility_cents) IN (0, 4)
        AND coalesce(payment_outcome, 'paid') IN ('paid', 'denied')
    )
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX claims_control_number ON claims (org_id, mode, upper(patient_control_number));

CREATE TABLE payer_requests (
    id                      uuid PRIMARY KEY,
    org_id                  uuid NOT NULL,
    mode                    text NOT NULL,
    state                   text NOT NULL,
    source                  text NOT NULL,
    claim_id                uuid,
    payer_id                uuid NOT NULL,
    payer_code              text NOT NULL,
    payer_name              text NOT NULL,
    reference_number        text NOT NULL,
    requested               text NOT NULL,
    due_date                date,
    answering_attachment_id uuid,
    answered_at             timestamptz,
    created_at              timestamptz NOT NULL,
    CONSTRAINT payer_requests_state CHECK (source IN ('network', 'staff') AND CASE state
        WHEN 'open' THEN answering_attachment_id IS NULL AND answered_at IS NULL
        WHEN 'answered' THEN answering_attachment_id IS NOT NULL AND answered_at IS NOT NULL
        ELSE false
    END)
);

-- One index for each filter of the list, in the order of the list. The day
-- that an answer is due by is compared within the index.
CREATE INDEX payer_requests_list ON payer_requests (org_id, mode, created_at, id);
CREATE INDEX payer_requests_state ON payer_requests (org_id, mode, state, created_at, id);
CREATE INDEX payer_requests_claim ON payer_requests (org_id, mode, claim_id, created_at, id) WHERE claim_id IS NOT NULL;
CREATE INDEX payer_requests_payer ON payer_requests (org_id, mode, payer_id, created_at, id);
CREATE INDEX payer_requests_due ON payer_requests (org_id, mode, created_at, id, due_date) WHERE due_date IS NOT NULL;

CREATE TABLE attachments (
    id               uuid PRIMARY KEY,
    org_id           uuid NOT NULL,
    mode             text NOT NULL,
    state            text NOT NULL,
    kind             text NOT NULL,
    claim_id         uuid,
    office_id        uuid NOT NULL,
    payer_id         uuid NOT NULL,
    payer_code       text NOT NULL,
    payer_name       text NOT NULL,
    payer_request_id uuid,
    payer_reference  text NOT NULL,
    narrative        text NOT NULL,
    about            json NOT NULL,
    request_id       uuid,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    closed_at        timestamptz,
    number           text UNIQUE,
    sending          uuid,
    sending_since    timestamptz,
    CONSTRAINT attachments_state CHECK (CASE state
        WHEN 'open' THEN closed_at IS NULL AND CASE WHEN sending IS NULL THEN sending_since IS NULL ELSE sending_since IS NOT NULL AND number IS NOT NULL END
        WHEN 'closed' THEN closed_at IS NOT NULL AND number IS NOT NULL AND sending IS NULL AND sending_since IS NULL
        ELSE false
    END AND CASE kind
        WHEN 'solicited' THEN payer_request_id IS NOT NULL
        WHEN 'unsolicited' THEN payer_request_id IS NULL AND payer_reference = ''
        ELSE false
    END AND number IS DISTINCT FROM '')
) WITH (fillfactor = 90);

CREATE INDEX attachments_list ON attachments (org_id, mode, created_at, id);
CREATE INDEX attachments_claim ON attachments (org_id, mode, claim_id, created_at, id) WHERE claim_id IS NOT NULL;
CREATE INDEX attachments_payer_request ON attachments (org_id, mode, payer_request_id, created_at, id) WHERE payer_request_id IS NOT NULL;
CREATE INDEX attachments_request ON attachments (org_id, mode, request_id, created_at, id) WHERE request_id IS NOT NULL;
CREATE INDEX attachments_state ON attachments (org_id, mode, state, created_at, id);
CREATE INDEX attachments_office ON attachments (org_id, mode, office_id, created_at, id);
-- A payer request has one open attachment.
CREATE UNIQUE INDEX attachments_answering ON attachments (org_id, mode, payer_request_id)
    WHERE state = 'open' AND payer_request_id IS NOT NULL;

-- Networks know attachments by these numbers, whoever sends them.
CREATE SEQUENCE attachment_serials;

-- A document is written by whoever has locked its attachment, so the foreign
-- key makes nobody wait; it is never written where that row is not locked.
CREATE TABLE documents (
    id             uuid PRIMARY KEY,
    org_id         uuid NOT NULL,
    mode           text NOT NULL,
    attachment_id  uuid NOT NULL REFERENCES attachments (id),
    document_type  text NOT NULL,
    medium         text NOT NULL,
    image_date     date,
    orientation    text NOT NULL,
    file_name      text NOT NULL,
    converted_from text NOT NULL,
    size           bigint NOT NULL,
    md5            bytea NOT NULL,
    sha256         bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    -- An attachment has an image once. By this index documents are read, too.
    CONSTRAINT documents_image UNIQUE (org_id, mode, attachment_id, sha256),
    CONSTRAINT documents_whole CHECK (CASE medium
        WHEN 'film' THEN image_date IS NOT NULL AND orientation IN ('left', 'right')
        WHEN 'paper' THEN image_date IS NULL AND orientation = ''
        ELSE false
    END AND converted_from IN ('', 'png') AND size > 0 AND length(md5) = 16 AND length(sha256) = 32)
);

-- A PNG on its way to become the document with the same ID. It has no foreign
-- key: it is received while another request may have the attachment locked.
CREATE TABLE uploads (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    attachment_id   uuid NOT NULL,
    document_type   text NOT NULL,
    medium          text NOT NULL,
    image_date      date,
    orientation     text NOT NULL,
    file_name       text NOT NULL,
    converted_from  text NOT NULL,
    size            bigint NOT NULL,
    sha256          bytea NOT NULL,
    idempotency_key text NOT NULL,
    state           text NOT NULL,
    refusal         json,
    created_at      timestamptz NOT NULL,
    CONSTRAINT uploads_state CHECK (CASE state
        WHEN 'refused' THEN refusal IS NOT NULL
        ELSE state IN ('pending', 'done', 'cancelled') AND refusal IS NULL
    END AND length(sha256) = 32)
);
CREATE INDEX uploads_sweep ON uploads (created_at) WHERE state <> 'pending';

-- A key's answer by value, and the work that it waits for. No constraint: this
-- table is written by every request that changes something.
ALTER TABLE idempotency_keys
    ADD COLUMN status smallint,
    ADD COLUMN body   bytea,
    ADD COLUMN work   uuid;

-- As before, with the new columns. The release before asks for its columns by
-- name and goes on.
DROP FUNCTION claim_idempotency_key(uuid, text, text);
-- +goose StatementBegin
CREATE FUNCTION claim_idempotency_key(wanted_org uuid, wanted_mode text, wanted_key text)
RETURNS TABLE (claimed boolean, fingerprint bytea, check_id uuid, created_at timestamptz, status smallint, body bytea, work uuid)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    claimed := pg_try_advisory_xact_lock(hashtextextended(format('%s %s %s', wanted_org, wanted_mode, wanted_key), 0));
    SELECT k.fingerprint, k.check_id, k.created_at, k.status, k.body, k.work
    INTO fingerprint, check_id, created_at, status, body, work
    FROM idempotency_keys k
    WHERE k.org_id = wanted_org AND k.mode = wanted_mode AND k.key = wanted_key;
    RETURN NEXT;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION claim_idempotency_key(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_idempotency_key(uuid, text, text) TO molar_app;

-- +goose StatementBegin
DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['claims', 'payer_requests', 'attachments', 'documents', 'uploads'] LOOP
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app
            USING (org_id = current_setting(''molar.org'')::uuid AND mode = current_setting(''molar.mode''))', tenant);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT, INSERT ON claims TO molar_app;
GRANT SELECT, INSERT ON payer_requests TO molar_app;
GRANT UPDATE (state, answering_attachment_id, answered_at) ON payer_requests TO molar_app;
GRANT SELECT, INSERT ON attachments TO molar_app;
GRANT UPDATE (state, narrative, updated_at, closed_at, number, sending, sending_since) ON attachments TO molar_app;
GRANT USAGE ON SEQUENCE attachment_serials TO molar_app;
GRANT SELECT, INSERT, DELETE ON documents TO molar_app;
GRANT SELECT, INSERT ON uploads TO molar_app;
GRANT UPDATE (state, refusal) ON uploads TO molar_app;
GRANT UPDATE (status, body, work), DELETE ON idempotency_keys TO molar_app;

-- Across scopes it is told which images have a row, and uploads are forgotten
-- once they are settled.
CREATE POLICY system ON documents FOR SELECT TO molar_system USING (true);
CREATE POLICY system ON uploads FOR SELECT TO molar_system USING (true);
CREATE POLICY system_forgets ON uploads FOR DELETE TO molar_system USING (state <> 'pending');

GRANT SELECT (id) ON documents TO molar_system;
GRANT SELECT (id, state, created_at), DELETE ON uploads TO molar_system;
GRANT SELECT (work) ON idempotency_keys TO molar_system;
