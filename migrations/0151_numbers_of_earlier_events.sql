-- +goose Up

-- Resources that had events before their numbers had a row. Meanwhile the trigger makes the
-- rows of those that have another event.
CREATE POLICY numbers ON events FOR SELECT TO CURRENT_USER USING (true);
INSERT INTO event_numbers (org_id, mode, resource_id, last, event_id)
SELECT DISTINCT ON (org_id, mode, resource_id) org_id, mode, resource_id, sequence, id
FROM events
WHERE type <> 'eligibility.completed'
ORDER BY org_id, mode, resource_id, sequence DESC
ON CONFLICT DO NOTHING;
DROP POLICY numbers ON events;

-- From now on a resource without a row has had no event.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION number_event() RETURNS trigger
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
        VALUES (NEW.org_id, NEW.mode, NEW.resource_id, NEW.id, 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > NEW.resource_id))
        ON CONFLICT (org_id, mode, resource_id) DO UPDATE SET last = n.last + 1, event_id = NEW.id
        RETURNING n.last INTO NEW.sequence;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
