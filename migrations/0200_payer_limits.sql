-- +goose Up

-- Until when a payer accepts claims and appeals: what a contract says, and what the practice
-- recorded of a payer, with where it read that.
ALTER TABLE fee_schedules ADD COLUMN limits json NOT NULL DEFAULT '{}';

CREATE TABLE payer_limits (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    payer_id   uuid NOT NULL,
    created_at timestamptz NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    terms      json NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT payer_limits_one UNIQUE (org_id, mode, payer_id)
);
CREATE INDEX payer_limits_list ON payer_limits (org_id, mode, created_at, id);

GRANT SELECT, INSERT, DELETE, UPDATE (payer_code, payer_name, terms, updated_at) ON payer_limits TO molar_app;
CREATE POLICY scope ON payer_limits TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON payer_limits TO CURRENT_USER USING (true);
ALTER TABLE payer_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE payer_limits FORCE ROW LEVEL SECURITY;

-- They go with the test data of a reset.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''deposit_accounts'',', '''deposit_accounts'', ''payer_limits'',');
END
$$;
-- +goose StatementEnd
