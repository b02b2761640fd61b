-- +goose Up

-- An organization may require a second factor. A session knows whether it began with
-- one, and whether its password was easy to guess.
ALTER TABLE organizations ADD COLUMN require_totp boolean NOT NULL DEFAULT false;
ALTER TABLE sessions
    ADD COLUMN totp          boolean NOT NULL DEFAULT false,
    ADD COLUMN password_weak boolean NOT NULL DEFAULT false;

CREATE POLICY scope ON organizations TO molar_app USING (id = current_setting('molar.org')::uuid);
GRANT SELECT (id, name, require_totp, created_at), UPDATE (require_totp) ON organizations TO molar_app;
GRANT SELECT (totp, password_weak) ON sessions TO molar_app;
