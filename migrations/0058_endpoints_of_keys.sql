-- +goose Up

-- Who made an endpoint: a user or an API key, as an ID. Empty for endpoints of earlier
-- releases, and of those beside this one.
ALTER TABLE webhook_endpoints ADD COLUMN created_by text NOT NULL DEFAULT '';

-- Whether a key needs the permission read for an endpoint, which gets what a reader sees.
ALTER TABLE organizations ADD COLUMN endpoints_need_read boolean NOT NULL DEFAULT false;
GRANT SELECT (endpoints_need_read), UPDATE (endpoints_need_read) ON organizations TO molar_app;
