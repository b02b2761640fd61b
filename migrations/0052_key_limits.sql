-- +goose Up

-- A key may expire, and work only from some addresses. Who made it, and when and from
-- where it was used last. The release before enforces neither limit.
ALTER TABLE api_keys
    ADD COLUMN expires_at        timestamptz,
    ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}', -- CIDRs; none for every address
    ADD COLUMN created_by        uuid,                         -- a user; empty for the operator
    ADD COLUMN last_used_at      timestamptz,
    ADD COLUMN last_used_from    text NOT NULL DEFAULT '';
GRANT SELECT (expires_at, allowed_addresses, created_by, last_used_at, last_used_from) ON api_keys TO molar_app;
GRANT UPDATE (last_used_at, last_used_from) ON api_keys TO molar_system;
