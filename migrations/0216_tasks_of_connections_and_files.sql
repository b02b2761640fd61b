-- +goose Up

-- Items of batches of checks, connections that are paused, and files in quarantine have tasks and
-- notes. Each kind of resource has a column, which is named as the kind, with _id. One step adds all
-- three, because it writes both tables anew.
-- +goose StatementBegin
DO $$
DECLARE
    bare  text;
    names text;
    kinds text;
BEGIN
    FOREACH bare IN ARRAY ARRAY['tasks', 'notes'] LOOP
        EXECUTE format('ALTER TABLE %1$I DROP CONSTRAINT %1$s_check, DROP CONSTRAINT %1$s_resource_check, DROP COLUMN resource_id,
            ADD COLUMN eligibility_batch_item_id uuid REFERENCES check_batch_items ON DELETE CASCADE,
            ADD COLUMN connection_id uuid REFERENCES connections ON DELETE CASCADE,
            ADD COLUMN quarantined_file_id uuid REFERENCES quarantine ON DELETE CASCADE', bare);
        SELECT string_agg(a.attname, ', ' ORDER BY a.attnum), string_agg(quote_literal(left(a.attname, -3)), ', ' ORDER BY a.attnum) INTO STRICT names, kinds
        FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
        WHERE c.conrelid = bare::regclass AND c.contype = 'f';
        EXECUTE format('ALTER TABLE %1$I ADD COLUMN resource_id uuid NOT NULL GENERATED ALWAYS AS (coalesce(%2$s)) STORED,
            ADD CONSTRAINT %1$s_resource_check CHECK (resource IN (%3$s)),
            ADD CONSTRAINT %1$s_check CHECK (num_nonnulls(%2$s) = 1)', bare, names, kinds);
        EXECUTE format('CREATE INDEX %1$s_check_item ON %1$I (eligibility_batch_item_id) WHERE eligibility_batch_item_id IS NOT NULL', bare);
        EXECUTE format('CREATE INDEX %1$s_connection ON %1$I (connection_id) WHERE connection_id IS NOT NULL', bare);
        EXECUTE format('CREATE INDEX %1$s_quarantined_file ON %1$I (quarantined_file_id) WHERE quarantined_file_id IS NOT NULL', bare);
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE tasks ADD CONSTRAINT tasks_one UNIQUE (resource_id, kind);
CREATE INDEX notes_resource ON notes (resource_id, created_at, id);

-- A task may end at a time that is known: that of a check with its visit. Counts read it from their index.
ALTER TABLE tasks ADD COLUMN until timestamptz; -- null for none
DROP INDEX tasks_counts;
CREATE INDEX tasks_counts ON tasks (org_id, mode, kind, assignee) INCLUDE (since, until, snoozed_until, until_change) WHERE ended_at IS NULL;

-- Streams do not tell of items: their checks are told of.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_note() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('molar.untold', true) = 'on' OR NEW.eligibility_batch_item_id IS NOT NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, NEW.resource, NEW.resource_id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- Connections change outside of every organization, and their tasks with them. A document of the
-- operator replaces a connection in its row, so that its notes stay.
GRANT SELECT, INSERT, UPDATE ON tasks TO molar_system;
CREATE POLICY connections ON tasks TO molar_system USING (connection_id IS NOT NULL);
GRANT UPDATE (carries, settings, secrets) ON connections TO molar_system;

-- Who computes tasks again locks the connections and the files, and can change nothing of them.
GRANT UPDATE (name) ON quarantine TO molar_app;
CREATE POLICY lock ON quarantine AS RESTRICTIVE FOR UPDATE TO molar_app USING (true) WITH CHECK (false);
GRANT UPDATE (revision) ON connections TO molar_app;
CREATE POLICY lock ON connections FOR UPDATE TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode')) WITH CHECK (false);

-- Open streams learn of both. Files of the operator are on none.
CREATE TRIGGER change AFTER INSERT ON quarantine FOR EACH ROW WHEN (NEW.org_id IS NOT NULL) EXECUTE FUNCTION record_change('quarantined_file');
CREATE TRIGGER removed AFTER DELETE ON quarantine FOR EACH ROW WHEN (OLD.org_id IS NOT NULL) EXECUTE FUNCTION record_removal('quarantined_file');
CREATE TRIGGER change AFTER UPDATE OF enabled, paused_at ON connections FOR EACH ROW WHEN (NEW.org_id IS NOT NULL) EXECUTE FUNCTION record_change('connection');

-- A reset keeps connections, and so their tasks and notes.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''tasks'', ''notes'', ', ''),
        'WHEN ''eligibility_checks'' THEN', 'WHEN ''tasks'', ''notes'' THEN
            which := which || '' AND t.connection_id IS NULL'';
        WHEN ''eligibility_checks'' THEN');
END
$$;
-- +goose StatementEnd
