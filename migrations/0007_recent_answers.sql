-- +goose Up

-- The answers that a check may be answered from. They are swept when they are
-- too old for that, so the index, whose order is random, stays in memory
-- however many checks are kept.
CREATE TABLE eligibility_answers (
    org_id       uuid NOT NULL,
    mode         text NOT NULL,
    digest       bytea NOT NULL,
    completed_at timestamptz NOT NULL,
    check_id     uuid NOT NULL,
    PRIMARY KEY (org_id, mode, digest, completed_at, check_id)
);
CREATE INDEX eligibility_answers_sweep ON eligibility_answers (completed_at);

-- Forced row-level security holds for the owner of the table, too.
ALTER TABLE eligibility_checks NO FORCE ROW LEVEL SECURITY;
INSERT INTO eligibility_answers (org_id, mode, digest, completed_at, check_id)
SELECT org_id, mode, digest, completed_at, id
FROM eligibility_checks
WHERE outcome = 'answered' AND cache_source IS NULL AND completed_at > now() - interval '1 day';
ALTER TABLE eligibility_checks FORCE ROW LEVEL SECURITY;
DROP INDEX eligibility_checks_recent;

ALTER TABLE eligibility_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE eligibility_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON eligibility_answers TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system ON eligibility_answers TO molar_system USING (true);
GRANT SELECT, INSERT ON eligibility_answers TO molar_app;
GRANT SELECT, DELETE ON eligibility_answers TO molar_system;
