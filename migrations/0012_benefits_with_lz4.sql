-- +goose Up

-- Each fresh check compresses about 5 kB of benefits. lz4 needs a fifth of the
-- time of pglz for that, and an eighth more space. A server that was built
-- without lz4 stays with pglz. What is stored is read as before.
-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE eligibility_checks ALTER COLUMN benefits SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;
-- +goose StatementEnd
