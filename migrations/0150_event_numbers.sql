-- +goose Up

-- The last number of each resource's events, and the event that has it. Events go after some
-- time, and the numbers of their resource continue.
CREATE TABLE event_numbers (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    resource_id uuid NOT NULL,
    last        integer NOT NULL,
    event_id    uuid NOT NULL,
    PRIMARY KEY (org_id, mode, resource_id)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE POLICY scope ON event_numbers TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system ON event_numbers TO molar_system USING (true);
CREATE POLICY owner ON event_numbers TO CURRENT_USER USING (true);
ALTER TABLE event_numbers ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_numbers FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE (last, event_id) ON event_numbers TO molar_app, molar_system;

-- Numbers an event. The lock on the row puts the events of a resource in order. After each
-- restore the numbers are 1,000 higher, because events that the database has lost may have
-- been sent; IDs are in the order of real time. The trigger serves the release before, too,
-- whose own number does not count. A resource whose events are older than the table has no
-- row yet. A check has one event, so it needs no row.
-- +goose StatementBegin
CREATE FUNCTION number_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.type = 'eligibility.completed' THEN
        NEW.sequence := 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > NEW.resource_id);
        RETURN NEW;
    END IF;
    UPDATE event_numbers n
    SET last = n.last + 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > n.event_id), event_id = NEW.id
    WHERE n.org_id = NEW.org_id AND n.mode = NEW.mode AND n.resource_id = NEW.resource_id
    RETURNING n.last INTO NEW.sequence;
    IF NOT FOUND THEN
        INSERT INTO event_numbers AS n (org_id, mode, resource_id, event_id, last)
        SELECT NEW.org_id, NEW.mode, NEW.resource_id, NEW.id,
            coalesce(e.sequence, 0) + 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > coalesce(e.id, NEW.resource_id))
        FROM (SELECT) one
        LEFT JOIN LATERAL (
            SELECT id, sequence
            FROM events
            WHERE org_id = NEW.org_id AND mode = NEW.mode AND resource_id = NEW.resource_id
            ORDER BY sequence DESC
            LIMIT 1
        ) e ON true
        ON CONFLICT (org_id, mode, resource_id) DO UPDATE SET last = n.last + 1, event_id = NEW.id
        RETURNING n.last INTO NEW.sequence;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER number BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION number_event();

-- A reset removes the numbers with the events.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''events''', '''event_numbers'', ''events''');
END
$$;
-- +goose StatementEnd
