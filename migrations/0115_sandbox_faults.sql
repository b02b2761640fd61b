-- +goose Up

-- The fault rules of an organization in test mode, in the order of their serial numbers.
-- They have no mode, like its clock: in live mode no row can be read or written.
CREATE TABLE sandbox_faults (
    serial     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organizations (id),
    rule       json NOT NULL,
    matched    integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sandbox_faults_org ON sandbox_faults (org_id, serial);

CREATE POLICY scope ON sandbox_faults TO molar_app USING (org_id = current_setting('molar.org')::uuid AND current_setting('molar.mode') = 'test');
CREATE POLICY system ON sandbox_faults FOR SELECT TO molar_system USING (true);
ALTER TABLE sandbox_faults ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_faults FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE, UPDATE (matched) ON sandbox_faults TO molar_app;
GRANT SELECT ON sandbox_faults TO molar_system;
