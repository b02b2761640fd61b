-- +goose Up

-- What payers answered when they were asked about a claim that was sent. An inquiry goes with its
-- claim. What was exchanged names the patient and is encrypted; the rest is codes and figures.
CREATE TABLE status_inquiries (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL,
    mode               text NOT NULL CHECK (mode IN ('test', 'live')),
    claim_id           uuid NOT NULL REFERENCES claims ON DELETE CASCADE,
    payer_id           uuid NOT NULL,
    payer_code         text NOT NULL,
    payer_name         text NOT NULL,
    request_id         uuid, -- null for an inquiry of a person
    person_request_id  uuid, -- null for an inquiry of a program
    created_at         timestamptz NOT NULL,
    state              text NOT NULL CHECK (state IN ('pending', 'completed')),
    outcome            text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'found', 'not_found', 'refused', 'unavailable', 'error')),
    network            text NOT NULL DEFAULT '',
    completed_at       timestamptz,
    matches            text NOT NULL DEFAULT '' CHECK (matches IN ('', 'control_number', 'payer_claim_number', 'charge_and_date')),
    payer_claim_number text NOT NULL DEFAULT '',
    others             integer NOT NULL DEFAULT 0,
    statuses           json NOT NULL DEFAULT '[]',
    exchanges          bytea, -- encrypted; null for none
    CONSTRAINT status_inquiries_completed CHECK ((state = 'completed') = (outcome <> '') AND (state = 'completed') = (completed_at IS NOT NULL))
);
CREATE INDEX status_inquiries_claim ON status_inquiries (claim_id, created_at, id);
CREATE INDEX status_inquiries_list ON status_inquiries (org_id, mode, created_at, id);

GRANT SELECT, INSERT, UPDATE (state, outcome, network, completed_at, matches, payer_claim_number, others, statuses, exchanges) ON status_inquiries TO molar_app;
CREATE POLICY scope ON status_inquiries TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON status_inquiries TO CURRENT_USER USING (true);
ALTER TABLE status_inquiries ENABLE ROW LEVEL SECURITY;
ALTER TABLE status_inquiries FORCE ROW LEVEL SECURITY;

-- Payers enroll offices for these inquiries, too.
ALTER TABLE enrollments DROP CONSTRAINT enrollments_transaction_check,
    ADD CONSTRAINT enrollments_transaction_check CHECK (transaction IN ('eligibility', 'claims', 'claim_status'));

-- +goose StatementBegin
DO $$
BEGIN
    -- They go with the test data of a reset.
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''check_additions'',', '''check_additions'', ''status_inquiries'',');

    -- A rotation of data keys encrypts them anew.
    EXECUTE replace(pg_get_functiondef('sealed_before(text, text, bigint, bigint)'::regprocedure), '''quarantine.content'', ''webhook_endpoints.secret''',
        '''quarantine.content'', ''status_inquiries.exchanges'', ''webhook_endpoints.secret''');

    -- The erasure of a patient removes what was exchanged; codes and figures stay.
    EXECUTE replace(pg_get_functiondef('erase_parts(uuid, uuid[], uuid[], text[])'::regprocedure), 'DELETE FROM uploads WHERE',
        'UPDATE status_inquiries SET exchanges = NULL WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    DELETE FROM uploads WHERE');
END
$$;
-- +goose StatementEnd
