-- +goose Up

-- The money that arrived at the bank accounts of an organization, and which remittances it pays.
-- The words of the bank may name a patient, so they are encrypted. Of an account number there are
-- the last four digits.
CREATE TABLE deposits (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    identity    bytea NOT NULL,
    imported_at timestamptz NOT NULL,
    account     text NOT NULL CHECK (account ~ '^[0-9]{4}$'),
    date        date NOT NULL,
    amount      bigint NOT NULL, -- negative for a debit or a return
    method      text NOT NULL CHECK (method IN ('ach', 'check', 'virtual_card', 'other')),
    trace       text NOT NULL,
    reference   text NOT NULL,
    returns     text NOT NULL, -- the reference of what the entry takes back
    claims      boolean NOT NULL,
    content     bytea NOT NULL, -- the words, encrypted
    state       text NOT NULL CHECK (state IN ('unmatched', 'matched', 'other', 'returned')),
    parts       json NOT NULL DEFAULT '[]',
    eras        uuid[] NOT NULL DEFAULT '{}', -- of the parts
    by_hand     boolean NOT NULL DEFAULT false,
    returned_by uuid, -- null for none
    decisions   json NOT NULL DEFAULT '[]',
    CONSTRAINT deposits_identity UNIQUE (org_id, mode, identity)
);
CREATE INDEX deposits_list ON deposits (org_id, mode, date, id);
CREATE INDEX deposits_state ON deposits (org_id, mode, state, date, id);
CREATE INDEX deposits_amount ON deposits (org_id, mode, amount, date, id);
CREATE INDEX deposits_trace ON deposits (org_id, mode, trace, date, id) WHERE trace <> '';
CREATE INDEX deposits_reference ON deposits (org_id, mode, reference, date, id) WHERE reference <> '';
CREATE INDEX deposits_eras ON deposits USING gin (eras);

GRANT SELECT, INSERT, UPDATE (state, parts, eras, by_hand, returned_by, decisions) ON deposits TO molar_app;
CREATE POLICY scope ON deposits TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON deposits TO CURRENT_USER USING (true);
ALTER TABLE deposits ENABLE ROW LEVEL SECURITY;
ALTER TABLE deposits FORCE ROW LEVEL SECURITY;
CREATE TRIGGER change AFTER INSERT OR UPDATE ON deposits FOR EACH ROW EXECUTE FUNCTION record_change('deposit');

-- The accounts from which files were imported, and which words of their entries mean payers.
CREATE TABLE deposit_accounts (
    org_id    uuid NOT NULL,
    mode      text NOT NULL CHECK (mode IN ('test', 'live')),
    number    text NOT NULL CHECK (number ~ '^[0-9]{4}$'),
    first_day date NOT NULL,
    last_day  date NOT NULL,
    names     text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (org_id, mode, number)
);
GRANT SELECT, INSERT, UPDATE (first_day, last_day, names) ON deposit_accounts TO molar_app;
CREATE POLICY scope ON deposit_accounts TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON deposit_accounts TO CURRENT_USER USING (true);
ALTER TABLE deposit_accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE deposit_accounts FORCE ROW LEVEL SECURITY;

-- Deposits have tasks and notes.
ALTER TABLE tasks DROP CONSTRAINT tasks_check, DROP CONSTRAINT tasks_resource_check, DROP COLUMN resource_id,
    ADD COLUMN deposit_id uuid REFERENCES deposits ON DELETE CASCADE,
    ADD CONSTRAINT tasks_resource_check CHECK (resource IN ('claim', 'era', 'payer_request', 'attachment', 'enrollment', 'deposit')),
    ADD CONSTRAINT tasks_check CHECK (num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id) = 1);
ALTER TABLE tasks ADD COLUMN resource_id uuid NOT NULL
    GENERATED ALWAYS AS (coalesce(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id)) STORED,
    ADD CONSTRAINT tasks_one UNIQUE (resource_id, kind);
CREATE INDEX tasks_deposit ON tasks (deposit_id) WHERE deposit_id IS NOT NULL;
ALTER TABLE notes DROP CONSTRAINT notes_check, DROP CONSTRAINT notes_resource_check, DROP COLUMN resource_id,
    ADD COLUMN deposit_id uuid REFERENCES deposits ON DELETE CASCADE,
    ADD CONSTRAINT notes_resource_check CHECK (resource IN ('claim', 'era', 'payer_request', 'attachment', 'enrollment', 'deposit')),
    ADD CONSTRAINT notes_check CHECK (num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id) = 1);
ALTER TABLE notes ADD COLUMN resource_id uuid NOT NULL
    GENERATED ALWAYS AS (coalesce(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id)) STORED;
CREATE INDEX notes_resource ON notes (resource_id, created_at, id);
CREATE INDEX notes_deposit ON notes (deposit_id) WHERE deposit_id IS NOT NULL;

-- They go at the age of records, and with the test data of a reset, and are encrypted anew with
-- new data keys.
INSERT INTO sweeps (bare, mode) VALUES ('deposits', 'test'), ('deposits', 'live');
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('forget_records(text, text, integer)'::regprocedure),
        'named := ''EXISTS (SELECT FROM claims c WHERE c.batch_id = t.id)'';', 'named := ''EXISTS (SELECT FROM claims c WHERE c.batch_id = t.id)'';
        WHEN ''deposits'' THEN');
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure),
        '''patient_words'',', '''patient_words'', ''deposits'', ''deposit_accounts'',');
    EXECUTE replace(pg_get_functiondef('sealed_before(text, text, bigint, bigint)'::regprocedure),
        '''connections.secrets'',', '''connections.secrets'', ''deposits.content'',');
END
$$;
-- +goose StatementEnd
