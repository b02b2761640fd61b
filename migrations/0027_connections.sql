-- +goose Up

-- Connections to networks of payers. Those without an organization serve the whole
-- deployment. Operators write them; the services read them, and pause one whose sign-in
-- is refused. The revision counts the changes of a row. The secrets are encrypted, and
-- no transaction of an organization reads them.
CREATE TABLE connections (
    id           uuid PRIMARY KEY,
    org_id       uuid,
    mode         text NOT NULL CHECK (mode IN ('test', 'live')),
    name         text NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('sandbox', 'sftp', 'core')),
    carries      text[] NOT NULL CHECK (cardinality(carries) > 0),
    settings     json NOT NULL,
    secrets      bytea,
    enabled      boolean NOT NULL,
    paused_at    timestamptz,
    pause_reason text,
    pause_detail text,
    revision     integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    CONSTRAINT connections_pause CHECK (num_nulls(paused_at, pause_reason, pause_detail) IN (0, 3))
);
CREATE UNIQUE INDEX connections_name ON connections (lower(name));

ALTER TABLE connections ENABLE ROW LEVEL SECURITY;
ALTER TABLE connections FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON connections FOR SELECT TO molar_app
    USING ((org_id = current_setting('molar.org')::uuid OR org_id IS NULL) AND mode = current_setting('molar.mode'));
CREATE POLICY system ON connections TO molar_system USING (true);
GRANT SELECT (id, org_id, mode, name, kind, carries, settings, enabled, paused_at, pause_reason, pause_detail, revision, created_at)
    ON connections TO molar_app;
GRANT SELECT, INSERT, DELETE, UPDATE (enabled, paused_at, pause_reason, pause_detail, revision) ON connections TO molar_system;

-- A connection of the kind sandbox has a mailbox of its own, under its name.
ALTER TABLE sandbox_mail ADD COLUMN network text NOT NULL DEFAULT 'sandbox';
