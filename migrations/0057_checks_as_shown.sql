-- +goose Up

-- A completed check keeps the JSON that its release shows: the check without its
-- benefits, and the reply to the request of a failed one. Both are NULL in the rows of
-- earlier releases, which are encoded when they are read. The reply names the request of
-- a person, too, which the check does not show.
ALTER TABLE eligibility_checks ADD COLUMN person_request_id uuid, ADD COLUMN shown text, ADD COLUMN shown_failure text;
GRANT UPDATE (shown, shown_failure) ON eligibility_checks TO molar_app;

-- See 0012_benefits_with_lz4.sql.
-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE eligibility_checks ALTER COLUMN shown SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;
-- +goose StatementEnd
