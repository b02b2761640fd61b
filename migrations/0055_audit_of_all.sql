-- +goose Up

-- The audit has the requests of people and of keys, and what operators did. One of
-- user_id, key_id and operator says who; a user's entry with an operator is of a session
-- that began with the operator's link. An entry of an operator that concerns no
-- organization has no org_id, so no organization sees it.
ALTER TABLE audit_entries
    ALTER COLUMN user_id DROP NOT NULL,
    ALTER COLUMN org_id DROP NOT NULL,
    ADD COLUMN key_id     uuid,
    ADD COLUMN operator   text,
    ADD COLUMN background boolean NOT NULL DEFAULT false, -- a page made the request by itself
    ADD COLUMN agent      text NOT NULL DEFAULT '',       -- the User-Agent of the client
    ADD CONSTRAINT audit_entries_actor CHECK (CASE WHEN user_id IS NULL THEN num_nonnulls(key_id, operator) = 1 ELSE key_id IS NULL END) NOT VALID;

-- Each statement that inserts entries inserts their resources, too. An entry of the whole
-- deployment has none: no organization searches it.
-- +goose StatementBegin
CREATE FUNCTION audit_shown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_resources (org_id, resource, created_at, id)
    SELECT org_id, resource, created_at, id
    FROM new_entries CROSS JOIN LATERAL unnest(shown || resource_id) resource
    WHERE org_id IS NOT NULL AND resource IS NOT NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_shown AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS new_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_shown();

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

-- Who signs in with an operator's link is the operator: the session says so, and for some
-- days the user.
ALTER TABLE sign_in_links ADD COLUMN operator text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN operator text NOT NULL DEFAULT '';
ALTER TABLE users
    ADD COLUMN operator_signed_in_at timestamptz,
    ADD COLUMN operator_signed_in    text NOT NULL DEFAULT ''; -- the name of the operator
GRANT SELECT (operator) ON sessions TO molar_app;
GRANT SELECT (operator_signed_in_at, operator_signed_in) ON users TO molar_app;
GRANT UPDATE (operator_signed_in_at, operator_signed_in) ON users TO molar_system;
