-- +goose Up

-- A payer request has the office and the patient of its claim, so that its task is among those of
-- the office, and names the patient.
ALTER TABLE payer_requests ADD COLUMN office_id uuid, ADD COLUMN patient_id uuid;
GRANT UPDATE (office_id, patient_id) ON payer_requests TO molar_app;
SELECT set_config('molar.untold', 'on', true); -- callers see no change
UPDATE payer_requests q SET office_id = c.office_id, patient_id = c.patient_id
FROM claims c
WHERE c.id = q.claim_id AND c.org_id = q.org_id AND c.mode = q.mode;

-- What a payer asks for about a claim, and is not answered, in the order in which it is due.
CREATE INDEX payer_requests_open_of_claim ON payer_requests (claim_id, due_date, created_at, id) WHERE state = 'open' AND claim_id IS NOT NULL;

-- An erasure removes the patient from both.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(replace(pg_get_functiondef('erase_parts(uuid, uuid[], uuid[], text[])'::regprocedure),
        'UPDATE payer_requests SET requested = '''',', 'UPDATE payer_requests SET patient_id = NULL, requested = '''','),
        'DELETE FROM notes WHERE', 'UPDATE tasks SET patient_id = NULL WHERE org_id = e.org_id AND mode = e.mode AND patient_id IS NOT NULL
        AND payer_request_id IN (SELECT id FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims));
    DELETE FROM notes WHERE');
END
$$;
-- +goose StatementEnd
