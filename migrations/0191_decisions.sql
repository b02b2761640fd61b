-- +goose Up

-- What people decided about the work that a resource makes, as its rules read it, and how long a
-- person holds a claim back.
ALTER TABLE claims ADD COLUMN decisions json NOT NULL DEFAULT '[]', ADD COLUMN held json;
ALTER TABLE attachments ADD COLUMN decisions json NOT NULL DEFAULT '[]';
ALTER TABLE payer_requests ADD COLUMN decisions json NOT NULL DEFAULT '[]';
DROP INDEX claims_queued, claims_queued_payers;
CREATE INDEX claims_queued ON claims (mode, org_id, id) WHERE state = 'queued' AND batch_id IS NULL AND held IS NULL;
CREATE INDEX claims_queued_payers ON claims (mode, org_id, payer_id) WHERE state = 'queued' AND batch_id IS NULL AND held IS NULL;
GRANT UPDATE (decisions, held) ON claims TO molar_app;
GRANT SELECT (held) ON claims TO molar_system;
GRANT UPDATE (decisions) ON attachments, payer_requests TO molar_app;

-- The last decision about a task, and what may be decided.
ALTER TABLE tasks ADD COLUMN settles text[] NOT NULL DEFAULT '{}', ADD COLUMN settled json;

-- Its words go with the patient.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_parts(uuid, uuid[], uuid[], text[])'::regprocedure),
        'UPDATE attachments SET about = ''{}'', narrative = ''''',
        'UPDATE tasks SET settled = NULL WHERE org_id = e.org_id AND mode = e.mode AND settled IS NOT NULL
        AND (claim_id = ANY (of_claims) OR attachment_id = ANY (sets)
            OR payer_request_id IN (SELECT id FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims)));
    UPDATE attachments SET about = ''{}'', narrative = '''', decisions = ''[]''');
    EXECUTE replace(pg_get_functiondef('erase_parts(uuid, uuid[], uuid[], text[])'::regprocedure),
        'UPDATE payer_requests SET requested = '''',', 'UPDATE payer_requests SET requested = '''', decisions = ''[]'',');
END
$$;
-- +goose StatementEnd
