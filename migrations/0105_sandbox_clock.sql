-- +goose Up

-- The clock of an organization in test mode. An organization that never touched it has no
-- row. It runs, ahead of real time, or it stands. It has no mode: what live mode reads is
-- written without this table, and in live mode no row can be written.
CREATE TABLE sandbox_clocks (
    org_id    uuid PRIMARY KEY REFERENCES organizations (id),
    ahead     interval NOT NULL DEFAULT '0',
    stands_at timestamptz
);

-- The statement that begins a transaction reads the clock before it has a role. The policy
-- shows it only the row of its scope.
CREATE POLICY begin ON sandbox_clocks FOR SELECT USING (org_id = nullif(current_setting('molar.org', true), '')::uuid);
CREATE POLICY scope ON sandbox_clocks TO molar_app
    USING (org_id = current_setting('molar.org')::uuid) WITH CHECK (org_id = current_setting('molar.org')::uuid AND current_setting('molar.mode') = 'test');
CREATE POLICY system ON sandbox_clocks FOR SELECT TO molar_system USING (true);
ALTER TABLE sandbox_clocks ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_clocks FORCE ROW LEVEL SECURITY;
GRANT SELECT ON sandbox_clocks TO PUBLIC;
GRANT INSERT, UPDATE (ahead, stands_at) ON sandbox_clocks TO molar_app;

-- The files of an organization whose clock was touched are found by its own time.
CREATE INDEX sandbox_mail_clocks ON sandbox_mail (org_id, due, name) WHERE removed_at IS NULL AND mode = 'test';
