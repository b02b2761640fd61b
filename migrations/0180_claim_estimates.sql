-- +goose Up

-- The estimate that the patient was given for the services of a claim. It stays as long as the
-- claim, and so does its check, without which there is no estimate. No foreign key: the erasure
-- of a patient removes estimates before it writes claims.
ALTER TABLE claims ADD COLUMN estimate_id uuid;
CREATE INDEX claims_estimate ON claims (org_id, estimate_id) WHERE estimate_id IS NOT NULL;
GRANT UPDATE (estimate_id) ON claims TO molar_app;
GRANT SELECT (estimate_id) ON claims TO molar_system;
CREATE POLICY estimated ON claims FOR SELECT TO molar_system USING (estimate_id IS NOT NULL);

-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('forget_records(text, text, integer)'::regprocedure),
        'OR EXISTS (SELECT FROM eligibility_checks r WHERE r.cache_source = t.id)',
        'OR EXISTS (SELECT FROM eligibility_checks r WHERE r.cache_source = t.id)
                OR EXISTS (SELECT FROM estimates e JOIN claims c ON c.org_id = e.org_id AND c.estimate_id = e.id WHERE e.check_id = t.id OR e.second_check_id = t.id)');
END
$$;
-- +goose StatementEnd
