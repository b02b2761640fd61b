-- +goose Up

-- Deliveries become partitions by the month in their ID, in four steps beside the service. The table of today
-- becomes the first partition. This step bounds its IDs, for which no row is read. The bound is two to three months
-- ahead, and the steps after it must be run before. It is later if a delivery has a later ID. The lock is waited for 50 ms
-- at a time, so that nothing waits long behind it.
-- +goose StatementBegin
DO $$
DECLARE
    tries integer := 0;
    month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months';
BEGIN
    SET LOCAL lock_timeout = '50ms';
    LOOP
        BEGIN
            LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            tries := tries + 1;
            IF tries = 100 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
    month := greatest(month, (SELECT date_trunc('month', to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) AT TIME ZONE 'UTC')
        FROM webhook_deliveries ORDER BY id DESC LIMIT 1));
    EXECUTE format('ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_before CHECK (id < %L) NOT VALID',
        first_id((month + interval '1 month') AT TIME ZONE 'UTC'));
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
