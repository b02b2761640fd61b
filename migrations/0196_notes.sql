-- +goose Up

-- What people write about the resources that have tasks. A note goes with its resource. Its words
-- never change; a note on the wrong patient is struck.
CREATE TABLE notes (
    id               uuid PRIMARY KEY,
    org_id           uuid NOT NULL,
    mode             text NOT NULL CHECK (mode IN ('test', 'live')),
    resource         text NOT NULL CHECK (resource IN ('claim', 'era', 'payer_request', 'attachment', 'enrollment')),
    claim_id         uuid REFERENCES claims ON DELETE CASCADE,
    era_id           uuid REFERENCES eras ON DELETE CASCADE,
    payer_request_id uuid REFERENCES payer_requests ON DELETE CASCADE,
    attachment_id    uuid REFERENCES attachments ON DELETE CASCADE,
    enrollment_id    uuid REFERENCES enrollments ON DELETE CASCADE,
    resource_id      uuid NOT NULL GENERATED ALWAYS AS (coalesce(claim_id, era_id, payer_request_id, attachment_id, enrollment_id)) STORED,
    created_at       timestamptz NOT NULL,
    made_by          text NOT NULL,
    content          bytea NOT NULL, -- the words, encrypted
    struck_at        timestamptz, -- null unless it is struck
    struck_by        text NOT NULL DEFAULT '',
    struck_reason    bytea, -- why, encrypted; null unless it is struck
    CHECK (num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id) = 1)
);
CREATE INDEX notes_list ON notes (org_id, mode, created_at, id);
CREATE INDEX notes_resource ON notes (resource_id, created_at, id);
CREATE INDEX notes_claim ON notes (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX notes_era ON notes (era_id) WHERE era_id IS NOT NULL;
CREATE INDEX notes_payer_request ON notes (payer_request_id) WHERE payer_request_id IS NOT NULL;
CREATE INDEX notes_attachment ON notes (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX notes_enrollment ON notes (enrollment_id) WHERE enrollment_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE (struck_at, struck_by, struck_reason) ON notes TO molar_app;
CREATE POLICY scope ON notes TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON notes TO CURRENT_USER USING (true);
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE notes FORCE ROW LEVEL SECURITY;

-- Whoever has the resource open reads it again.
-- +goose StatementBegin
CREATE FUNCTION record_note() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('molar.untold', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, NEW.resource, NEW.resource_id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER change AFTER INSERT OR UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION record_note();

-- They go with the test data of a reset, and with an erased patient, and are encrypted anew with
-- new data keys.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''tasks'',', '''tasks'', ''notes'',');
    EXECUTE replace(pg_get_functiondef('erase_parts(uuid, uuid[], uuid[], text[])'::regprocedure),
        'UPDATE attachments SET about = ''{}''',
        'DELETE FROM notes WHERE org_id = e.org_id AND mode = e.mode
        AND (claim_id = ANY (of_claims) OR attachment_id = ANY (sets)
            OR payer_request_id IN (SELECT id FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims)));
    UPDATE attachments SET about = ''{}''');
    EXECUTE replace(pg_get_functiondef('sealed_before(text, text, bigint, bigint)'::regprocedure),
        '''quarantine.content'',', '''notes.content'', ''notes.struck_reason'', ''quarantine.content'',');
END
$$;
-- +goose StatementEnd
