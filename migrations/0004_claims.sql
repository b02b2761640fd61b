-- +goose Up

-- What payers have paid is a ledger with an entry for each remittance that
-- told of the claim: figures are its sum, and reversals find what they cancel.
-- It is written with the claim, by whoever has it locked. The release before
-- wrote no claim that was paid, and names none of the columns that go.
ALTER TABLE claims
    DROP CONSTRAINT claims_state,
    DROP COLUMN payment_outcome,
    DROP COLUMN payment_era_id,
    DROP COLUMN paid_cents,
    DROP COLUMN allowed_cents,
    DROP COLUMN patient_responsibility_cents,
    DROP COLUMN payment_date,
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

DROP INDEX claims_control_number;
CREATE UNIQUE INDEX claims_control_number ON claims (org_id, mode, control_key);
-- A claim has one void that is under way or was accepted.
CREATE UNIQUE INDEX claims_void ON claims (org_id, mode, parent_id) WHERE frequency = 'void' AND state <> 'rejected';

-- One index for each filter of the list, in the order of the list; a list is
-- of one kind. When a claim was sent is compared within claims_list, or found
-- by claims_sent and sorted, whichever reads less.
CREATE INDEX claims_list ON claims (org_id, mode, kind, created_at, id, sent_at);
CREATE INDEX claims_state ON claims (org_id, mode, kind, state, created_at, id);
CREATE INDEX claims_office ON claims (org_id, mode, kind, office_id, created_at, id);
CREATE INDEX claims_payer ON claims (org_id, mode, kind, payer_id, created_at, id);
CREATE INDEX claims_sent ON claims (org_id, mode, kind, sent_at, created_at, id) WHERE sent_at IS NOT NULL AND frequency <> 'void';
CREATE INDEX claims_request ON claims (org_id, mode, request_id, created_at, id) WHERE request_id IS NOT NULL;
CREATE INDEX claims_patient ON claims (org_id, mode, patient_id, first_service_date) WHERE kind = 'claim' AND patient_id IS NOT NULL;
-- What files tell of, what they are made of, and whose turn it is.
CREATE INDEX claims_payer_number ON claims (org_id, mode, payer_claim_number) WHERE payer_claim_number <> '';
CREATE INDEX claims_batch ON claims (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX claims_queued ON claims (mode, org_id, id) WHERE state = 'queued' AND batch_id IS NULL;

-- All of a claim may change but what it is and when it was made.
GRANT UPDATE (state, frequency, patient_control_number, office_id, payer_id, payer_code, payer_name, provider_id, patient_id,
    subscriber, patient, place_of_service, prior_authorization, accident, note, lines, line_count, charge_cents,
    first_service_date, last_service_date, findings, tenant_reference, request_id, updated_at, sent_at, batch_id, payer_claim_number,
    payments, reconciled_at, estimate, converted_from, converted_to, history) ON claims TO molar_app;

-- Across scopes it is told in which claims wait for a batch.
CREATE POLICY system ON claims FOR SELECT TO molar_system USING (state = 'queued' AND batch_id IS NULL);
GRANT SELECT (id, org_id, mode, state, batch_id) ON claims TO molar_system;
