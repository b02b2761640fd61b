-- +goose Up

-- Appeals of claims that payers decided. An appeal goes with its claim. What people wrote is about
-- the patient, and is encrypted.
CREATE TABLE appeals (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    claim_id    uuid NOT NULL REFERENCES claims ON DELETE CASCADE,
    created_at  timestamptz NOT NULL,
    made_by     text NOT NULL,
    state       text NOT NULL CHECK (state IN ('draft', 'sent', 'decided')),
    level       text NOT NULL CHECK (level IN ('first', 'second', 'external')),
    content     bytea NOT NULL, -- the words, encrypted
    documents   json NOT NULL DEFAULT '[]', -- IDs of attachments and images
    send_by     json NOT NULL, -- until when it is sent
    updated_at  timestamptz NOT NULL,
    sent_on     date,
    sent_by     text NOT NULL DEFAULT '' CHECK (sent_by IN ('', 'mail', 'fax', 'portal', 'other')),
    sent_at     timestamptz,
    decided_on  date,
    outcome     text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'overturned', 'partly', 'upheld', 'withdrawn')),
    decided_at  timestamptz,
    recorded_by text NOT NULL DEFAULT '',
    CONSTRAINT appeals_decided CHECK ((state = 'decided') = (outcome <> '') AND (state = 'decided') = (decided_at IS NOT NULL))
);
CREATE INDEX appeals_claim ON appeals (claim_id, created_at, id);
CREATE INDEX appeals_list ON appeals (org_id, mode, created_at, id);
-- A claim has one appeal at a time.
CREATE UNIQUE INDEX appeals_undecided ON appeals (claim_id) WHERE state <> 'decided';

GRANT SELECT, INSERT, UPDATE (state, level, content, documents, send_by, updated_at, sent_on, sent_by, sent_at, decided_on, outcome, decided_at, recorded_by)
    ON appeals TO molar_app;
CREATE POLICY scope ON appeals TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON appeals TO CURRENT_USER USING (true);
ALTER TABLE appeals ENABLE ROW LEVEL SECURITY;
ALTER TABLE appeals FORCE ROW LEVEL SECURITY;

-- What a claim keeps of the appeal that is not decided: its ID and days.
ALTER TABLE claims ADD COLUMN appealing json;
GRANT UPDATE (appealing) ON claims TO molar_app;

-- They go with the test data of a reset and with an erased patient, and are encrypted anew with new
-- data keys.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''acknowledgements'', ''attachments'',', '''acknowledgements'', ''appeals'', ''attachments'',');
    EXECUTE replace(pg_get_functiondef('erase_parts(uuid, uuid[], uuid[], text[])'::regprocedure), 'DELETE FROM documents WHERE',
        'DELETE FROM appeals WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    DELETE FROM documents WHERE');
    EXECUTE replace(pg_get_functiondef('sealed_before(text, text, bigint, bigint)'::regprocedure),
        '''acknowledgements.excerpt'',', '''acknowledgements.excerpt'', ''appeals.content'',');
END
$$;
-- +goose StatementEnd
