-- +goose Up

-- No row is read or moved: the constraint proves what the partition promises, and its indexes become those
-- of the partitions. The lock is waited for 50 ms at a time, so that nothing waits long behind it.
-- +goose StatementBegin
DO $$
DECLARE
    tries integer := 0;
    bound text;
    bare  text;
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
    SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]+)''') INTO STRICT bound
    FROM pg_constraint WHERE conrelid = 'webhook_deliveries'::regclass AND conname = 'webhook_deliveries_before' AND convalidated;
    DROP TRIGGER failed ON webhook_deliveries;
    FOR bare IN SELECT polname FROM pg_policy WHERE polrelid = 'webhook_deliveries'::regclass LOOP
        EXECUTE format('DROP POLICY %I ON webhook_deliveries', bare);
    END LOOP;
    REVOKE ALL ON webhook_deliveries FROM molar_app, molar_system;
    FOR bare IN SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'webhook_deliveries'::regclass LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', bare, replace(bare, 'webhook_deliveries', 'webhook_deliveries_first'));
    END LOOP;
    ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_first;

    CREATE TABLE webhook_deliveries (
        LIKE webhook_deliveries_first INCLUDING DEFAULTS,
        CONSTRAINT webhook_deliveries_state CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
        PRIMARY KEY (id)
    ) PARTITION BY RANGE (id);
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at, id) WHERE state = 'pending';
    CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id, created_at, id);
    CREATE INDEX webhook_deliveries_list ON webhook_deliveries (endpoint_id, created_at, id);
    CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, created_at, id) WHERE state <> 'delivered';
    CREATE INDEX webhook_deliveries_type ON webhook_deliveries (endpoint_id, event_type, created_at, id);
    EXECUTE format('ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_first FOR VALUES FROM (MINVALUE) TO (%L)', bound);
    ALTER TABLE webhook_deliveries_first DROP CONSTRAINT webhook_deliveries_before;
    -- So that no insert fails for want of a month.
    CREATE TABLE webhook_deliveries_default PARTITION OF webhook_deliveries DEFAULT
        WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

    CREATE TRIGGER failed AFTER UPDATE OF state ON webhook_deliveries
        FOR EACH ROW WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION record_change('webhook_delivery');
    CREATE POLICY scope ON webhook_deliveries TO molar_app
        USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
    CREATE POLICY reset ON webhook_deliveries TO CURRENT_USER USING (mode = 'test');
    CREATE POLICY retention ON webhook_deliveries TO CURRENT_USER USING (true);
    CREATE POLICY system ON webhook_deliveries FOR SELECT TO molar_system USING (true);
    CREATE POLICY system_forgets ON webhook_deliveries FOR DELETE TO molar_system
        USING (state <> 'pending' OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id));
    CREATE POLICY system_queues ON webhook_deliveries FOR INSERT TO molar_system WITH CHECK (event_type LIKE 'api_key.%');
    GRANT SELECT, INSERT, DELETE ON webhook_deliveries TO molar_app;
    GRANT UPDATE (state, next_attempt_at, attempts, settled_at) ON webhook_deliveries TO molar_app;
    GRANT INSERT, DELETE ON webhook_deliveries TO molar_system;
    GRANT SELECT (id, org_id, mode, endpoint_id, state, next_attempt_at, created_at, settled_at) ON webhook_deliveries TO molar_system;
    FOREACH bare IN ARRAY ARRAY['webhook_deliveries', 'webhook_deliveries_first', 'webhook_deliveries_default'] LOOP
        EXECUTE format('ALTER TABLE %1$I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', bare);
    END LOOP;
END
$$;
-- +goose StatementEnd
