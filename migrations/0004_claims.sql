-- +goose Up

-- What payers have paid is a ledger with an entry for each remittance that
-- told of the claim: figures are its sum, and reversals find what they cancel.
-- It is written with the claim, by whoever has it locked. What else can be worked
-- out of the lines goes as well. The release before wrote no claims but the one
-- that molar dev made for a new database, after all migrations of its own.
ALTER TABLE claims
    DROP CONSTRAINT claims_state,
    DROP COLUMN payment_outcome,
    DROP COLUMN payment_era_id,
    DROP COLUMN paid_cents,
    DROP COLUMN allowed_cents,
    DROP COLUMN patient_responsibility_cents,
    DROP COLUMN payment_date,
    DROP COLUMN line_count,
    DROP COLUMN charge_cents,
    ADD COLUMN payments    json NOT NULL DEFAULT '[]',
    ADD COLUMN history     json NOT NULL DEFAULT '[]',
    -- Row-level policies let no index serve a function that might tell of
    -- the rows it sees, such as upper; a column has no such trouble.
    ADD COLUMN control_key text NOT NULL GENERATED ALWAYS AS (upper(patient_control_number)) STORED,
    ADD CONSTRAINT claims_state CHECK (
        state IN ('draft', 'validated', 'needs_attention', 'queued', 'submitted', 'accepted_clearinghouse', 'accepted_payer',
            'rejected', 'voided', 'paid', 'denied', 'reconciled', 'returned')
        AND CASE kind
            WHEN 'claim' THEN state <> 'returned' AND estimate IS NULL AND converted_to IS NULL
            WHEN 'predetermination' THEN state NOT IN ('paid', 'denied', 'reconciled') AND reconciled_at IS NULL AND converted_from IS NULL
            ELSE false
        END
        AND CASE frequency
            WHEN 'void' THEN parent_id IS NOT NULL
            ELSE frequency IN ('original', 'replacement') AND parent_id IS NULL
        END
        AND patient_control_number <> ''
        AND num_nulls(first_service_date, last_service_date) IN (0, 2)
    );
ALTER TABLE claims SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

-- No index begins with the scope, which every policy compares: one that did
-- would be taken for as good as the primary key while there are few claims.
DROP INDEX claims_control_number;
CREATE UNIQUE INDEX claims_control_number ON claims (control_key, org_id, mode);
-- A claim has one void that is under way or was accepted.
CREATE UNIQUE INDEX claims_void ON claims (parent_id, org_id, mode) WHERE frequency = 'void' AND state <> 'rejected';

-- One index for each filter of the list, in the order of the list; a list is
-- of one kind. When a claim was sent is compared within claims_list, or found
-- by claims_sent and sorted, whichever reads less. The state of an office's or a
-- payer's claims is compared within their index, too.
CREATE INDEX claims_list ON claims (kind, org_id, mode, created_at, id, sent_at);
CREATE INDEX claims_state ON claims (kind, org_id, mode, state, created_at, id);
CREATE INDEX claims_office ON claims (kind, org_id, mode, office_id, created_at, id, state);
CREATE INDEX claims_payer ON claims (kind, org_id, mode, payer_id, created_at, id, state);
CREATE INDEX claims_sent ON claims (kind, org_id, mode, sent_at, created_at, id) WHERE sent_at IS NOT NULL AND frequency <> 'void';
CREATE INDEX claims_request ON claims (request_id, org_id, mode, created_at, id) WHERE request_id IS NOT NULL;
CREATE INDEX claims_patient ON claims (patient_id, org_id, mode, first_service_date) WHERE kind = 'claim' AND patient_id IS NOT NULL;
-- What files tell of, what they are made of, and whose turn it is.
CREATE INDEX claims_payer_number ON claims (payer_claim_number, org_id, mode) WHERE payer_claim_number <> '';
CREATE INDEX claims_batch ON claims (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX claims_queued ON claims (mode, org_id, id) WHERE state = 'queued' AND batch_id IS NULL;

-- All of a claim may change but what it is and when it was made.
GRANT UPDATE (state, frequency, patient_control_number, office_id, payer_id, payer_code, payer_name, provider_id, patient_id,
    subscriber, patient, place_of_service, prior_authorization, accident, note, lines,
    first_service_date, last_service_date, findings, tenant_reference, request_id, updated_at, sent_at, batch_id, payer_claim_number,
    payments, reconciled_at, estimate, converted_from, converted_to, history) ON claims TO molar_app;

-- Across scopes it is told in which claims wait for a batch.
CREATE POLICY system ON claims FOR SELECT TO molar_system USING (state = 'queued' AND batch_id IS NULL);
GRANT SELECT (id, org_id, mode, state, batch_id) ON claims TO molar_system;

-- Files are encrypted, and encrypted bytes do not compress. What a file holds
-- beside is in columns where something looks for it or changes it.
CREATE SEQUENCE file_serials;

-- A file of claims that was made. Names are of a clearinghouse's mailbox, which
-- knows no scopes. Number is the control number of all parts of the file, in
-- the form in which numbers that others repeat are compared: without leading
-- zeros.
CREATE TABLE batches (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL,
    mode               text NOT NULL,
    state              text NOT NULL,
    name               text NOT NULL,
    interchange_number text NOT NULL,
    group_number       text NOT NULL,
    transaction_number text NOT NULL,
    number             text NOT NULL,
    claim_count        integer NOT NULL,
    result             text NOT NULL,
    acknowledgement    text NOT NULL,
    created_at         timestamptz NOT NULL,
    sent_at            timestamptz,
    acknowledged_at    timestamptz,
    content            bytea NOT NULL,
    CONSTRAINT batches_name UNIQUE (name),
    CONSTRAINT batches_state CHECK (name <> '' AND CASE state
        WHEN 'pending' THEN sent_at IS NULL AND acknowledged_at IS NULL AND result = ''
        WHEN 'sent' THEN sent_at IS NOT NULL AND acknowledged_at IS NULL AND result = ''
        WHEN 'acknowledged' THEN acknowledged_at IS NOT NULL AND result IN ('accepted', 'rejected')
        ELSE false
    END)
);
ALTER TABLE batches ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX batches_list ON batches (org_id, mode, created_at, id);
CREATE INDEX batches_number ON batches (mode, number, created_at);

-- An acknowledgement that was applied: one with the same content is not
-- applied again.
CREATE TABLE acknowledgements (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    name        text NOT NULL,
    digest      bytea NOT NULL,
    content     bytea NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT acknowledgements_content UNIQUE (digest, org_id, mode)
);
ALTER TABLE acknowledgements ALTER COLUMN content SET STORAGE EXTERNAL;

-- A remittance is seen by callers once it has been received, which is when all
-- of its claims are kept. The day of the payment is compared within the index.
CREATE TABLE eras (
    id            uuid PRIMARY KEY,
    org_id        uuid NOT NULL,
    mode          text NOT NULL,
    state         text NOT NULL,
    payer_id      uuid,
    payer_code    text NOT NULL,
    payer_name    text NOT NULL,
    office_id     uuid,
    payment_date  date,
    detail        json NOT NULL,
    balanced      boolean NOT NULL,
    claim_count   integer NOT NULL,
    matched_count integer NOT NULL,
    progress      text NOT NULL,
    identity      bytea NOT NULL,
    received_at   timestamptz,
    posted_at     timestamptz,
    content       bytea NOT NULL,
    arrival       bigint GENERATED ALWAYS AS IDENTITY,
    CONSTRAINT eras_identity UNIQUE (identity, org_id, mode),
    CONSTRAINT eras_state CHECK (
        CASE state WHEN 'needs_review' THEN posted_at IS NULL WHEN 'posted' THEN posted_at IS NOT NULL AND received_at IS NOT NULL ELSE false END
        AND CASE progress WHEN 'reading' THEN true ELSE progress IN ('applying', 'done') AND received_at IS NOT NULL END
        AND length(identity) = 32
    )
) WITH (fillfactor = 90);
ALTER TABLE eras ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX eras_list ON eras (org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL;
CREATE INDEX eras_state ON eras (org_id, mode, state, received_at, id, payment_date) WHERE received_at IS NOT NULL;
CREATE INDEX eras_payer ON eras (org_id, mode, payer_id, received_at, id, payment_date) WHERE received_at IS NOT NULL;
-- Remittances are applied in the order in which they came.
CREATE INDEX eras_undone ON eras (org_id, mode, arrival) WHERE progress <> 'done';

-- What a remittance says of a claim. Who writes it has the remittance locked,
-- so there is no foreign key to check for each of thousands.
CREATE TABLE era_claims (
    era_id   uuid NOT NULL,
    ordinal  integer NOT NULL,
    org_id   uuid NOT NULL,
    mode     text NOT NULL,
    claim_id uuid,
    applied  boolean NOT NULL,
    balanced boolean NOT NULL,
    detail   json NOT NULL,
    PRIMARY KEY (era_id, ordinal)
) WITH (fillfactor = 90);
CREATE INDEX era_claims_unapplied ON era_claims (era_id, ordinal) WHERE NOT applied AND balanced AND claim_id IS NOT NULL;

-- Files that are nobody's yet. They are of a mode and of no organization.
CREATE TABLE quarantine (
    id          uuid PRIMARY KEY,
    mode        text NOT NULL,
    name        text NOT NULL,
    reason      text NOT NULL,
    digest      bytea NOT NULL,
    content     bytea NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT quarantine_content UNIQUE (mode, digest)
);
ALTER TABLE quarantine ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX quarantine_list ON quarantine (received_at, id);

-- What the clearinghouse of the sandbox has for us. The name of a file that was
-- removed is remembered for some days: content is NULL then.
CREATE TABLE sandbox_mail (
    name        text PRIMARY KEY,
    due         timestamptz NOT NULL,
    given_until timestamptz,
    removed_at  timestamptz,
    content     bytea,
    CONSTRAINT sandbox_mail_state CHECK ((content IS NULL) = (removed_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
ALTER TABLE sandbox_mail ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX sandbox_mail_due ON sandbox_mail (due, name) WHERE removed_at IS NULL;
CREATE INDEX sandbox_mail_removed ON sandbox_mail (removed_at) WHERE removed_at IS NOT NULL;

-- What it remembers for later files, in the order in which that was noted.
CREATE TABLE sandbox_notes (
    key      bytea NOT NULL,
    noted_by text NOT NULL,
    serial   bigint GENERATED ALWAYS AS IDENTITY,
    noted_at timestamptz NOT NULL,
    content  bytea NOT NULL,
    PRIMARY KEY (key, noted_by)
);
CREATE INDEX sandbox_notes_sweep ON sandbox_notes (noted_at);

-- What the first process with a key has sealed. Who cannot open it has another
-- key, and would keep what nobody else can open.
CREATE TABLE encryption_key (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    proof bytea NOT NULL
);

-- Who was paid is found by numbers, across scopes.
CREATE INDEX offices_npi ON offices (npi, mode);
CREATE INDEX offices_tax_id ON offices (regexp_replace(tax_id, '\D', '', 'g'), mode);

-- +goose StatementBegin
DO $$
DECLARE
    guarded text;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['batches', 'acknowledgements', 'eras', 'era_claims'] LOOP
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app
            USING (org_id = current_setting(''molar.org'')::uuid AND mode = current_setting(''molar.mode''))', guarded);
    END LOOP;
    FOREACH guarded IN ARRAY ARRAY['quarantine', 'sandbox_mail', 'sandbox_notes', 'encryption_key'] LOOP
        EXECUTE format('CREATE POLICY system ON %I TO molar_system USING (true)', guarded);
    END LOOP;
    FOREACH guarded IN ARRAY ARRAY['batches', 'acknowledgements', 'eras', 'era_claims', 'quarantine', 'sandbox_mail', 'sandbox_notes',
        'encryption_key'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT USAGE ON SEQUENCE file_serials TO molar_app;
GRANT SELECT, INSERT ON batches, acknowledgements, eras, era_claims TO molar_app;
GRANT UPDATE (state, result, acknowledgement, sent_at, acknowledged_at) ON batches TO molar_app;
GRANT UPDATE (state, claim_count, matched_count, progress, received_at, posted_at) ON eras TO molar_app;
GRANT UPDATE (claim_id, applied) ON era_claims TO molar_app;

-- Across scopes files are routed: by the offices that are paid, and by the
-- batches that are answered, whose content stays unread.
CREATE POLICY system ON offices FOR SELECT TO molar_system USING (true);
CREATE POLICY system ON batches FOR SELECT TO molar_system USING (true);
GRANT SELECT ON offices TO molar_system;
GRANT SELECT (id, org_id, mode, state, name, interchange_number, group_number, transaction_number, number, claim_count, result,
    acknowledgement, created_at, sent_at, acknowledged_at) ON batches TO molar_system;
GRANT SELECT, INSERT ON encryption_key TO molar_system;
GRANT SELECT, INSERT, DELETE ON quarantine TO molar_system;
GRANT SELECT, INSERT, DELETE ON sandbox_mail, sandbox_notes TO molar_system;
GRANT UPDATE (given_until, removed_at, content) ON sandbox_mail TO molar_system;
