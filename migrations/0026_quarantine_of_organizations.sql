-- +goose Up

-- Files of an organization's own connections, and its imports, are in its own
-- quarantine. Those of the deployment's connections have no organization; only the
-- operator sees them. Several organizations may hold the same file.
ALTER TABLE quarantine
    ADD COLUMN org_id uuid,
    ADD COLUMN source text NOT NULL DEFAULT 'network',
    ADD COLUMN detail json, -- the payment; NULL: the file has none that can be read
    ADD CONSTRAINT quarantine_source CHECK (source IN ('network', 'import')),
    DROP CONSTRAINT quarantine_content,
    ADD CONSTRAINT quarantine_content UNIQUE NULLS NOT DISTINCT (digest, mode, org_id);
-- The operator's list has every file, so it needs no index.
DROP INDEX quarantine_list;
CREATE INDEX quarantine_own ON quarantine (org_id, mode, received_at, id) WHERE org_id IS NOT NULL;
CREATE POLICY scope ON quarantine TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT, INSERT, DELETE ON quarantine TO molar_app;

ALTER TABLE eras
    ADD COLUMN source text NOT NULL DEFAULT 'network',
    ADD CONSTRAINT eras_source CHECK (source IN ('network', 'import'));

-- The acknowledgements of a batch, numbered in the order in which they came. A file
-- that also concerns other organizations has an excerpt, which the batch's own may
-- read. Files that came before this migration belong to no batch.
ALTER TABLE acknowledgements ADD COLUMN excerpt bytea;
ALTER TABLE acknowledgements ALTER COLUMN excerpt SET STORAGE EXTERNAL;
CREATE TABLE batch_acknowledgements (
    batch_id           uuid NOT NULL,
    number             integer NOT NULL,
    org_id             uuid NOT NULL,
    mode               text NOT NULL,
    kind               text NOT NULL CHECK (kind IN ('997', '999', 'TA1', '277CA', '277')),
    acknowledgement_id uuid NOT NULL,
    PRIMARY KEY (batch_id, number)
);
ALTER TABLE batch_acknowledgements ENABLE ROW LEVEL SECURITY;
ALTER TABLE batch_acknowledgements FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON batch_acknowledgements TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT, INSERT ON batch_acknowledgements TO molar_app;
