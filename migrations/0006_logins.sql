-- +goose Up

-- Services log in with a role that owns nothing. ANALYZE is for the owner of a
-- table, so this function does it for them: for each table of this schema with
-- at least so many rows and no statistics.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format($create$
CREATE FUNCTION first_statistics(least_rows bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
    bare text;
BEGIN
    FOR bare IN
        SELECT relname
        FROM pg_stat_user_tables
        WHERE schemaname = %1$L AND n_live_tup >= least_rows AND last_analyze IS NULL AND last_autoanalyze IS NULL
    LOOP
        EXECUTE format('ANALYZE %1$I.%%I', bare);
    END LOOP;
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION first_statistics(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION first_statistics(bigint) TO molar_system;
