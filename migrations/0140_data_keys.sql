-- +goose Up

-- The keys that encrypt data, each encrypted (wrapped) by a key of the deployment. An
-- organization has one for its rows, and the deployment, without an organization, one for rows
-- of none. The deployment also has what the first form of the database derived from its only key:
-- the key of all rows (first), and the secrets of passwords and cursors. The id is the start of
-- the key's SHA-256, as it stands in encrypted bytes. wrapped_by is that of the wrapping key.
CREATE TABLE data_keys (
    id         bytea PRIMARY KEY CHECK (length(id) = 8),
    org_id     uuid,
    purpose    text NOT NULL, -- rows, first, passwords or cursor
    wrapped    bytea NOT NULL,
    wrapped_by bytea NOT NULL CHECK (length(wrapped_by) = 8),
    CHECK (org_id IS NULL OR purpose = 'rows')
);
CREATE UNIQUE INDEX data_keys_owner ON data_keys (coalesce(org_id, '00000000-0000-0000-0000-000000000000'), purpose);

CREATE POLICY scope ON data_keys TO molar_app
    USING (org_id IS NULL OR org_id = current_setting('molar.org')::uuid) WITH CHECK (org_id = current_setting('molar.org')::uuid);
CREATE POLICY system ON data_keys TO molar_system USING (true);
CREATE POLICY removal ON data_keys TO CURRENT_USER USING (true);
ALTER TABLE data_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE data_keys FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON data_keys TO molar_app;
GRANT SELECT, INSERT, UPDATE (wrapped, wrapped_by) ON data_keys TO molar_system;

-- The processes that run, and the keys of the deployment that each holds.
CREATE TABLE key_holders (
    id      text PRIMARY KEY,
    name    text NOT NULL,
    holds   bytea[] NOT NULL,
    seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE, UPDATE (seen_at) ON key_holders TO molar_system;

-- The data key of an organization goes with the organization.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format($create$
CREATE FUNCTION forget_data_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
BEGIN
    DELETE FROM %1$I.data_keys WHERE org_id = OLD.id;
    RETURN NULL;
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
CREATE TRIGGER forget_data_key AFTER DELETE ON organizations FOR EACH ROW EXECUTE FUNCTION forget_data_key();
