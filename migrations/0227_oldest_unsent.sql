-- +goose NO TRANSACTION
-- +goose Up

-- The oldest claim that waits for a batch alone, and the oldest batch that did not leave, for the operator's metrics.
CREATE INDEX CONCURRENTLY IF NOT EXISTS batches_unsent ON batches (mode, created_at) WHERE state = 'pending' AND unknown_since IS NULL;
GRANT SELECT (updated_at, office_id) ON claims TO molar_system;
GRANT SELECT (org_id, mode, office_id, payer_id, transaction, state) ON enrollments TO molar_system;

-- The lock is waited for 50 ms at a time, so that nothing waits long behind it.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '50ms';
    FOR tries IN 1 .. 100 LOOP
        BEGIN
            DROP POLICY IF EXISTS system ON enrollments;
            CREATE POLICY system ON enrollments FOR SELECT TO molar_system USING (true);
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            IF tries = 100 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
END
$$;
-- +goose StatementEnd
