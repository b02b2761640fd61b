-- +goose Up

-- Owners create and revoke the API keys of their organization, of both modes. Its
-- transactions write digests, and never read them.
CREATE POLICY scope ON api_keys TO molar_app USING (org_id = current_setting('molar.org')::uuid);
GRANT SELECT (id, org_id, mode, name, permissions, last_four, created_at, revoked_at), INSERT, UPDATE (revoked_at) ON api_keys TO molar_app;

-- The list of an organization's sessions read those of all organizations by this
-- index. The IDs of sessions begin with their time, so the primary key finds old ones.
DROP INDEX sessions_created;
