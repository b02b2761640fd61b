-- +goose Up

-- The audit has the requests of people and of keys, and what operators did. One of
-- user_id, key_id and operator says who. An entry of an operator that concerns no
-- organization has no org_id, so no organization sees it.
ALTER TABLE audit_entries
    ALTER COLUMN user_id DROP NOT NULL,
    ALTER COLUMN org_id DROP NOT NULL,
    ADD COLUMN key_id     uuid,
    ADD COLUMN operator   text,
    ADD COLUMN background boolean NOT NULL DEFAULT false, -- a page made the request by itself
    ADD COLUMN agent      text NOT NULL DEFAULT '',       -- the User-Agent of the client
    ADD CONSTRAINT audit_entries_actor CHECK (num_nonnulls(user_id, key_id, operator) = 1) NOT VALID;

-- molar audit list reads what operators did, in all organizations.
CREATE POLICY operators ON audit_entries FOR SELECT TO molar_system USING (operator IS NOT NULL);
GRANT SELECT ON audit_entries TO molar_system;

-- The entry of a write commits with it, in the row of its idempotency key. The sweeper
-- restores what is missing.
ALTER TABLE idempotency_keys
    ADD COLUMN address text,
    ADD COLUMN agent   text;
GRANT UPDATE (address, agent) ON idempotency_keys TO molar_app;
GRANT SELECT (address, agent) ON idempotency_keys TO molar_system;
CREATE POLICY system ON eligibility_checks FOR SELECT TO molar_system USING (true);
GRANT SELECT (id, patient_id) ON eligibility_checks TO molar_system;

-- An attachment without a claim names its patient, whose date of birth finds it.
ALTER TABLE attachments
    ADD COLUMN born text GENERATED ALWAYS AS (CASE WHEN claim_id IS NULL THEN about -> 'Patient' ->> 'DateOfBirth' END) STORED;
