-- +goose Up

-- The benefits of a check are kept in the bytes that every reply shows. Their
-- status, which replies and events show elsewhere, has a column of its own. It
-- is empty in the rows of earlier releases, whose benefits are read as before.
ALTER TABLE eligibility_checks ADD COLUMN coverage_status text NOT NULL DEFAULT '';
GRANT UPDATE (coverage_status) ON eligibility_checks TO molar_app;
