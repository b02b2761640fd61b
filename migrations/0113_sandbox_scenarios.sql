-- +goose Up

-- What an organization makes the sandbox's payers do, besides what the sandbox has itself.
-- The content is encrypted. Live mode can have no row.
CREATE TABLE sandbox_scenarios (
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode = 'test'),
    ending     text NOT NULL,
    operation  text NOT NULL CHECK (operation IN ('eligibility', 'claim', 'attachment')),
    summary    text NOT NULL,
    dates      text NOT NULL CHECK (dates IN ('move', 'keep')),
    content    bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, mode, ending)
);

CREATE POLICY scope ON sandbox_scenarios TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
ALTER TABLE sandbox_scenarios ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_scenarios FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE, UPDATE (summary, dates, content) ON sandbox_scenarios TO molar_app;
