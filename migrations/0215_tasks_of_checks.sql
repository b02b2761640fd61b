-- +goose Up

-- What the task of an item says of it, and what people decided about it.
ALTER TABLE check_batch_items
    ADD COLUMN office_id      uuid, -- null for none, or for an unknown one
    ADD COLUMN asked_payer_id uuid, -- as office_id; payer_id is that of the lane
    ADD COLUMN payer_code     text NOT NULL DEFAULT '',
    ADD COLUMN payer_name     text NOT NULL DEFAULT '',
    ADD COLUMN appointment_on date, -- the day of appointment_at at the office
    ADD COLUMN patient_id     uuid, -- null for none, or for an unknown one
    ADD COLUMN status         text NOT NULL DEFAULT '', -- of the check
    ADD COLUMN differs        boolean NOT NULL DEFAULT false, -- the payer answered about other details than were sent
    ADD COLUMN decisions      json NOT NULL DEFAULT '[]';
GRANT UPDATE (office_id, asked_payer_id, payer_code, payer_name, appointment_on, patient_id, status, differs, decisions) ON check_batch_items TO molar_app;

-- Those of before have what their checks have. What was never asked names its office only in its request.
UPDATE check_batch_items i
SET office_id = c.office_id, asked_payer_id = c.payer_id, payer_code = c.payer_code, payer_name = c.payer_name, patient_id = c.patient_id,
    status = c.coverage_status, differs = i.needs_a_person AND c.outcome = 'answered' AND c.coverage_status = 'active'
FROM eligibility_checks c
WHERE c.id = i.check_id;
UPDATE check_batch_items i
SET appointment_on = (i.appointment_at AT TIME ZONE o.time_zone)::date
FROM offices o
WHERE o.id = i.office_id AND i.appointment_at IS NOT NULL;

-- A rebuild of tasks walks through the items in the order of their IDs.
DROP INDEX check_batch_items_org;
CREATE INDEX check_batch_items_org ON check_batch_items (org_id, mode, id);

-- Items have tasks and notes.
ALTER TABLE tasks DROP CONSTRAINT tasks_check, DROP CONSTRAINT tasks_resource_check, DROP COLUMN resource_id,
    ADD COLUMN eligibility_batch_item_id uuid REFERENCES check_batch_items ON DELETE CASCADE,
    ADD CONSTRAINT tasks_resource_check
        CHECK (resource IN ('claim', 'era', 'payer_request', 'attachment', 'enrollment', 'deposit', 'eligibility_batch_item')),
    ADD CONSTRAINT tasks_check
        CHECK (num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id) = 1);
ALTER TABLE tasks ADD COLUMN resource_id uuid NOT NULL
    GENERATED ALWAYS AS (coalesce(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id)) STORED,
    ADD CONSTRAINT tasks_one UNIQUE (resource_id, kind);
CREATE INDEX tasks_check_item ON tasks (eligibility_batch_item_id) WHERE eligibility_batch_item_id IS NOT NULL;
ALTER TABLE notes DROP CONSTRAINT notes_check, DROP CONSTRAINT notes_resource_check, DROP COLUMN resource_id,
    ADD COLUMN eligibility_batch_item_id uuid REFERENCES check_batch_items ON DELETE CASCADE,
    ADD CONSTRAINT notes_resource_check
        CHECK (resource IN ('claim', 'era', 'payer_request', 'attachment', 'enrollment', 'deposit', 'eligibility_batch_item')),
    ADD CONSTRAINT notes_check
        CHECK (num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id) = 1);
ALTER TABLE notes ADD COLUMN resource_id uuid NOT NULL
    GENERATED ALWAYS AS (coalesce(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id)) STORED;
CREATE INDEX notes_resource ON notes (resource_id, created_at, id);
CREATE INDEX notes_check_item ON notes (eligibility_batch_item_id) WHERE eligibility_batch_item_id IS NOT NULL;

-- Streams do not tell of items: their checks are told of.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_note() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('molar.untold', true) = 'on' OR NEW.eligibility_batch_item_id IS NOT NULL THEN
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
