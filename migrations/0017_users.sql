-- +goose Up

-- People who sign in, their sign-in links and their sessions. They belong to an
-- organization in both modes.
CREATE TABLE users (
    id             uuid PRIMARY KEY,
    org_id         uuid NOT NULL REFERENCES organizations (id),
    email          text NOT NULL CHECK (email <> '' AND email = lower(email)),
    role           text NOT NULL CHECK (role IN ('owner', 'biller', 'viewer')),
    state          text NOT NULL CHECK (state IN ('invited', 'active', 'disabled')),
    password       text,  -- argon2id
    totp           bytea, -- encrypted
    totp_step      bigint NOT NULL DEFAULT 0,
    recovery_codes bytea[] NOT NULL DEFAULT '{}',
    created_at     timestamptz NOT NULL,
    signed_in_at   timestamptz,
    -- What an organization's own transactions may know of the two.
    has_password   boolean NOT NULL GENERATED ALWAYS AS (password IS NOT NULL) STORED,
    has_totp       boolean NOT NULL GENERATED ALWAYS AS (totp IS NOT NULL) STORED,
    CONSTRAINT users_email UNIQUE (org_id, email)
);
CREATE INDEX users_list ON users (org_id, created_at, id);
CREATE INDEX users_sign_in ON users (email, created_at, id);

CREATE TABLE sign_in_links (
    digest     bytea PRIMARY KEY CHECK (length(digest) = 32),
    org_id     uuid NOT NULL REFERENCES organizations (id),
    user_id    uuid NOT NULL REFERENCES users (id),
    kind       text NOT NULL CHECK (kind IN ('invitation', 'operator', 'reset')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX sign_in_links_user ON sign_in_links (user_id) WHERE used_at IS NULL;
CREATE INDEX sign_in_links_created ON sign_in_links (created_at);

CREATE TABLE sessions (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organizations (id),
    user_id    uuid NOT NULL REFERENCES users (id),
    digest     bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
    address    text NOT NULL,
    agent      text NOT NULL,
    created_at timestamptz NOT NULL,
    used_at    timestamptz NOT NULL,
    ended_at   timestamptz
);
CREATE INDEX sessions_list ON sessions (org_id, created_at, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_user ON sessions (user_id, created_at, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_created ON sessions (created_at);

-- The origin of the service's dashboard, for the links that the command line prints.
CREATE TABLE origin (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    origin text NOT NULL
);

-- +goose StatementBegin
DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['users', 'sign_in_links', 'sessions'] LOOP
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app USING (org_id = current_setting(''molar.org'')::uuid)', tenant);
        EXECUTE format('CREATE POLICY system ON %I TO molar_system USING (true)', tenant);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- The transactions of an organization write passwords and secrets, and never read
-- them.
GRANT SELECT (id, org_id, email, role, state, created_at, signed_in_at, has_password, has_totp), INSERT ON users TO molar_app;
GRANT UPDATE (role, state, password, totp, totp_step, recovery_codes) ON users TO molar_app;
GRANT SELECT (org_id, user_id, used_at), INSERT, UPDATE (used_at) ON sign_in_links TO molar_app;
GRANT SELECT (id, org_id, user_id, address, agent, created_at, used_at, ended_at), UPDATE (ended_at) ON sessions TO molar_app;

GRANT SELECT, UPDATE (state, totp_step, recovery_codes, signed_in_at) ON users TO molar_system;
GRANT SELECT, UPDATE (used_at), DELETE ON sign_in_links TO molar_system;
GRANT SELECT, INSERT, UPDATE (used_at), DELETE ON sessions TO molar_system;
GRANT SELECT, INSERT, UPDATE (origin) ON origin TO molar_system;

-- What a person makes has no request of a program.
ALTER TABLE eligibility_checks ALTER COLUMN request_id DROP NOT NULL;
