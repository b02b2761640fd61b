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
-- The day of an office in a zone that this server does not know is the one in UTC.
UPDATE check_batch_items i
SET office_id = c.office_id, asked_payer_id = c.payer_id, payer_code = c.payer_code, payer_name = c.payer_name, patient_id = c.patient_id,
    status = c.coverage_status, differs = i.needs_a_person AND c.outcome = 'answered' AND c.coverage_status = 'active'
FROM eligibility_checks c
WHERE c.id = i.check_id;
UPDATE check_batch_items i
SET appointment_on = (i.appointment_at AT TIME ZONE coalesce(z.name, 'UTC'))::date
FROM offices o LEFT JOIN pg_timezone_names z ON z.name = o.time_zone
WHERE o.id = i.office_id AND i.appointment_at IS NOT NULL;

-- A rebuild of tasks walks through the items in the order of their IDs.
DROP INDEX check_batch_items_org;
CREATE INDEX check_batch_items_org ON check_batch_items (org_id, mode, id);
