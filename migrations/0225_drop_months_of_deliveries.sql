-- +goose Up

-- The sweep of deliveries looks at old months in their order. "lowest" is where the first month begins at which it has
-- not looked; what stays of those before it goes by rows. "below" is the last row of that month at which it looked, "seen" how
-- many there were, and "held" which holds there were when it began.
ALTER TABLE sweeps ADD COLUMN seen bigint NOT NULL DEFAULT 0, ADD COLUMN held text;

-- +goose StatementBegin

-- The months of deliveries, and what came before them.
CREATE FUNCTION delivery_months() RETURNS TABLE (bare name, first uuid, next uuid)
LANGUAGE sql STABLE
AS $$
    SELECT c.relname, coalesce(bound[1], '00000000-0000-0000-0000-000000000000')::uuid, bound[2]::uuid
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        CROSS JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \((?:MINVALUE|''(.*)'')\) TO \(''(.*)''\)') b (bound)
    WHERE i.inhparent = 'webhook_deliveries'::regclass AND bound IS NOT NULL
$$;

-- Deliveries from here on go with their month, which is not whole yet, or at which the sweep has not looked.
CREATE FUNCTION delivery_rows_below(before timestamptz) RETURNS uuid
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(
        (SELECT m.first FROM delivery_months() m JOIN sweeps s ON s.bare = 'webhook_deliveries' AND m.first >= s.lowest
        WHERE m.first < first_id(before) ORDER BY m.first LIMIT 1),
        'ffffffff-ffff-ffff-ffff-ffffffffffff')
$$;

-- Changes whenever a hold is placed or released, whatever the clocks are.
CREATE FUNCTION holds_now() RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(md5(string_agg(h::text, ' ' ORDER BY h.org_id, h.patient_id)), '') FROM holds h
$$;

-- Acquires locks, or none if others have them: what waits behind it waits no longer than one of its tries.
CREATE FUNCTION lock_soon(what text) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM set_config('lock_timeout', '30ms', true);
    FOR tries IN 1..20 LOOP
        BEGIN
            EXECUTE 'LOCK TABLE ' || what;
            RETURN true;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.05);
        END;
    END LOOP;
    RETURN false;
END
$$;

-- Makes the next month two weeks ahead, or looks at so many deliveries of the first month that is older than the
-- time, or drops a month: after a look that found nothing that stays, or when its rows are gone. A transaction has one of these as its
-- last statement, because the lock stays until its end. Returns how many rows went, and whether to go on.
-- While another process does this, it does nothing. It makes no month beside a default partition that is larger than the
-- most bytes, and fails when there is nothing else to do.
CREATE FUNCTION sweep_delivery_months(before timestamptz, most integer, largest bigint DEFAULT 64 * 1024 * 1024, OUT removed bigint, OUT more boolean)
LANGUAGE plpgsql
AS $$
DECLARE
    home   text := (SELECT format('%I.', relnamespace::regnamespace) FROM pg_class WHERE oid = 'webhook_deliveries'::regclass);
    every  text := 'ONLY webhook_deliveries, ONLY webhook_deliveries_default';
    bound  uuid := first_id(least(before, now() - interval '30 days') - interval '10 days'); -- the last attempts come after the month
    sweep  sweeps;
    m      record;
    n      bigint;
    last   uuid;
    kept   boolean;
    young  boolean := false;
    ahead  uuid := coalesce((SELECT next FROM delivery_months() ORDER BY next DESC LIMIT 1), first_id(date_trunc('month', now())));
    until  uuid := first_id(now() + interval '14 days');
    months timestamptz;
    made   text;
BEGIN
    removed := 0;
    more := false;
    SELECT * INTO sweep FROM sweeps WHERE bare = 'webhook_deliveries' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    -- A month that the default partition has rows of goes without; the server looks for them under the lock. So the month
    -- after it is made at once, while there are few.
    WHILE ahead <= until AND pg_relation_size('webhook_deliveries_default') < largest LOOP
        months := date_trunc('month', to_timestamp(('x' || left(replace(ahead::text, '-', ''), 12))::bit(48)::bigint / 1000.0));
        EXECUTE 'SELECT EXISTS (SELECT FROM webhook_deliveries WHERE id >= $1 AND id < $2)' INTO kept USING ahead, first_id(months + interval '1 month');
        IF NOT kept THEN
            made := home || to_char(months, '"webhook_deliveries_"YYYY_MM');
            EXECUTE format('CREATE TABLE %1$s (LIKE webhook_deliveries INCLUDING ALL) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
                ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', made);
            more := lock_soon(every || ' IN ACCESS EXCLUSIVE MODE');
            EXECUTE format(CASE WHEN more THEN 'ALTER TABLE webhook_deliveries ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)' ELSE 'DROP TABLE %s' END,
                made, ahead, first_id(months + interval '1 month'));
            RETURN;
        END IF;
        ahead := first_id(months + interval '1 month');
        until := first_id(now() + interval '45 days');
    END LOOP;

    -- A partition has no policy for its owner: only the whole table shows its rows.
    SELECT * INTO m FROM delivery_months() d WHERE d.first >= sweep.lowest AND d.next <= bound ORDER BY d.first LIMIT 1;
    IF FOUND THEN
        IF sweep.below IS NULL THEN
            sweep.held := holds_now();
        END IF;
        EXECUTE '
            SELECT max(id::text)::uuid, count(*), coalesce(bool_or(held OR stays AND settled_at IS NULL), false), coalesce(bool_or(stays), false)
            FROM (
                SELECT id, settled_at, EXISTS (SELECT FROM holds h WHERE h.org_id = d.org_id) AS held,
                    coalesce(settled_at >= $4, true) AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = d.endpoint_id)
                        AND NOT (settled_at IS NOT NULL AND d.mode = ''test'' AND EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = d.org_id)) AS stays
                FROM webhook_deliveries d WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3
            ) looked'
            INTO last, n, kept, young USING coalesce(sweep.below, m.first), m.next, most, before;
        young := young AND NOT kept;
    END IF;
    -- A month that stays only because a delivery was settled a short time ago is looked at again.
    IF m.bare IS NOT NULL AND NOT young THEN
        IF NOT kept AND n = most THEN
            UPDATE sweeps SET below = last, seen = seen + n, held = sweep.held WHERE bare = 'webhook_deliveries';
            more := true;
            RETURN;
        END IF;
        IF NOT kept THEN
            IF NOT lock_soon('holds IN SHARE MODE') THEN
                RETURN;
            END IF;
            IF holds_now() <> sweep.held THEN -- looks again
                UPDATE sweeps SET below = NULL, seen = 0 WHERE bare = 'webhook_deliveries';
                more := true;
                RETURN;
            END IF;
            IF NOT lock_soon(format('%s, ONLY %I IN ACCESS EXCLUSIVE MODE', every, m.bare)) THEN
                RETURN;
            END IF;
            EXECUTE format('DROP TABLE %I', m.bare);
            removed := sweep.seen + n;
        END IF;
        UPDATE sweeps SET lowest = m.next, below = NULL, seen = 0 WHERE bare = 'webhook_deliveries';
        more := true;
        RETURN;
    END IF;

    FOR m IN SELECT * FROM delivery_months() d WHERE d.next <= least(bound, sweep.lowest) ORDER BY d.first LOOP
        EXECUTE 'SELECT EXISTS (SELECT FROM webhook_deliveries WHERE id >= $1 AND id < $2)' INTO kept USING m.first, m.next;
        IF NOT kept THEN
            IF lock_soon(format('%s, ONLY %I IN ACCESS EXCLUSIVE MODE', every, m.bare)) THEN
                EXECUTE format('DROP TABLE %I', m.bare);
                more := true;
            END IF;
            RETURN;
        END IF;
    END LOOP;
    IF ahead <= until THEN
        RAISE program_limit_exceeded USING MESSAGE = 'webhook_deliveries_default is too large to make a month beside it';
    END IF;
END
$$;

DO $$
DECLARE
    owned regprocedure;
BEGIN
    INSERT INTO sweeps (bare, mode, lowest) SELECT 'webhook_deliveries', 'live', next FROM delivery_months();
    FOREACH owned IN ARRAY ARRAY['delivery_rows_below(timestamptz)', 'sweep_delivery_months(timestamptz, integer, bigint)']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, %I, pg_temp SET TimeZone = ''UTC''', owned, current_schema());
    END LOOP;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION delivery_months, delivery_rows_below, holds_now, lock_soon, sweep_delivery_months FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delivery_rows_below, sweep_delivery_months TO molar_system;
