-- +goose Up

-- How much is done with the remittances of an organization without a person, and the payers for
-- which another level counts. No row stands for none.
CREATE TABLE automation (
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    level      text NOT NULL CHECK (level IN ('review', 'exceptions', 'automatic')),
    payers     json NOT NULL, -- payers and levels
    updated_at timestamptz NOT NULL,
    updated_by text NOT NULL, -- the key or the user
    PRIMARY KEY (org_id, mode)
);

GRANT SELECT, INSERT, UPDATE (level, payers, updated_at, updated_by) ON automation TO molar_app;
CREATE POLICY scope ON automation TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON automation TO CURRENT_USER USING (true);
ALTER TABLE automation ENABLE ROW LEVEL SECURITY;
ALTER TABLE automation FORCE ROW LEVEL SECURITY;

-- The remittance whose posting reconciled the claim: null when a person did. To unpost it finds
-- the claims again.
ALTER TABLE claims ADD COLUMN reconciled_with uuid;
GRANT UPDATE (reconciled_with) ON claims TO molar_app;
CREATE INDEX claims_reconciled_with ON claims (org_id, mode, reconciled_with, id) WHERE reconciled_with IS NOT NULL;

-- The audit names the rule that did something. What the new condition allows includes what the old
-- one did, so the entries need no look.
ALTER TABLE audit_entries ADD COLUMN rule text;
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_actor;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_actor CHECK (
    CASE WHEN user_id IS NULL THEN num_nonnulls(key_id, operator, rule) = 1 ELSE key_id IS NULL AND rule IS NULL END
) NOT VALID;
CREATE INDEX audit_entries_rules ON audit_entries (org_id, created_at, id) WHERE rule IS NOT NULL;

-- Settings go with a throw-away organization, and a reset leaves them, as it leaves offices.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''audit_resources'',',
        '''audit_resources'', ''automation'',');
END
$$;
-- +goose StatementEnd
