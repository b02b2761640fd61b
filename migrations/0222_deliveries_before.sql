-- +goose Up

-- Deliveries become partitions by the month in their ID, in four steps beside the service. The table of today
-- becomes the first partition. This step bounds its IDs, for which no row is read: the bound is one to two months
-- ahead, and the steps after it must be run before.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_before CHECK (id < %L) NOT VALID',
        first_id(date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '2 months'));
END
$$;

-- Rows of several partitions have one ctid: those of deliveries are named by their ID.
DO $$
DECLARE
    named text := 'CASE bare WHEN ''webhook_deliveries'' THEN ''id'' ELSE ''ctid'' END)';
BEGIN
    EXECUTE replace(replace(pg_get_functiondef('delete_rows'::regproc), 'ctid', '%4$s'), 'bare, which, sorted)', 'bare, which, sorted, ' || named);
    EXECUTE replace(replace(pg_get_functiondef('reset_rows'::regproc), 'ctid', '%3$s'), 'bare, which)', 'bare, which, ' || named);
END
$$;
-- +goose StatementEnd
