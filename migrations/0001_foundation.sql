-- +goose Up

-- Two roles do all the work. Neither can log in, owns a table, or gets past
-- row-level security: a transaction of the login role becomes one of them.
-- Roles belong to the cluster, and other databases of it may be migrating at
-- this very moment, hence the exceptions.
-- +goose StatementBegin
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['molar_app', 'molar_system'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END IF;
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = wanted AND (rolsuper OR rolbypassrls)) THEN
            RAISE EXCEPTION 'role % may bypass row-level security; take that away first', wanted;
        END IF;
        -- The migrating user becomes a member, unless an administrator has
        -- made it one already or it may become anybody.
        IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
            BEGIN
                EXECUTE format('GRANT %I TO %I', wanted, current_user);
            EXCEPTION
                WHEN unique_violation THEN
                    NULL;
                WHEN insufficient_privilege THEN
                    IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
                        RAISE;
                    END IF;
            END;
        END IF;
        -- Public schemas are often closed by hardened installations.
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), wanted);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT ON goose_db_version TO molar_system;

CREATE TABLE organizations (
    id         uuid PRIMARY KEY,
    name       text NOT NULL CHECK (name <> ''),
    created_at timestamptz NOT NULL
);

CREATE TABLE api_keys (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL REFERENCES organizations (id),
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    name        text NOT NULL,
    permissions text[] NOT NULL CHECK (permissions <@ ARRAY['read', 'submit']),
    last_four   text NOT NULL,
    digest      bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
    created_at  timestamptz NOT NULL,
    revoked_at  timestamptz
);
CREATE INDEX api_keys_list ON api_keys (org_id, created_at, id);

CREATE TABLE offices (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organizations (id),
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    name       text NOT NULL,
    npi        text NOT NULL,
    tax_id     text NOT NULL,
    line1      text NOT NULL,
    line2      text NOT NULL,
    city       text NOT NULL,
    state      text NOT NULL,
    zip        text NOT NULL,
    phone      text NOT NULL,
    time_zone  text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX offices_list ON offices (org_id, mode, created_at, id);

CREATE TABLE providers (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organizations (id),
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    first_name text NOT NULL,
    last_name  text NOT NULL,
    npi        text NOT NULL,
    taxonomy   text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX providers_list ON providers (org_id, mode, created_at, id);

-- The tables from here on take inserts by the thousand for one organization
-- and often one office. A foreign key would lock that one row in share mode
-- for each of them, and every such lock is written to the row; so they have
-- none to organizations, offices and patients, from which nothing is ever
-- deleted. Nor has an idempotency key one to its check, which is inserted in
-- the same statement: checking it took a seventh of the database's time for a
-- fresh check. The row-level policies keep org_id and mode true, and for the
-- same reason a rule is checked once for a row, not once for each column: the
-- server reads every constraint anew for every statement.

CREATE TABLE patients (
    id            uuid PRIMARY KEY,
    org_id        uuid NOT NULL,
    mode          text NOT NULL,
    name_key      text NOT NULL CHECK (name_key <> ''),
    first_name    text NOT NULL,
    last_name     text NOT NULL,
    date_of_birth date NOT NULL,
    created_at    timestamptz NOT NULL,
    CONSTRAINT patients_person UNIQUE (org_id, mode, name_key, date_of_birth)
);

CREATE TABLE eligibility_checks (
    id               uuid PRIMARY KEY,
    org_id           uuid NOT NULL,
    mode             text NOT NULL,
    office_id        uuid NOT NULL,
    payer_id         uuid NOT NULL,
    payer_code       text NOT NULL,
    payer_name       text NOT NULL,
    patient_id       uuid,
    state            text NOT NULL,
    outcome          text NOT NULL,
    parent_id        uuid REFERENCES eligibility_checks (id),
    request_id       uuid NOT NULL,
    idempotency_key  text NOT NULL,
    tenant_reference text,
    cache_source     uuid,
    created_at       timestamptz NOT NULL,
    digest           bytea NOT NULL,
    inquiry          json NOT NULL,
    network          text NOT NULL,
    latency_ms       integer,
    completed_at     timestamptz,
    rejection        json,
    benefits         json,
    exchanges        bytea,
    CONSTRAINT eligibility_checks_state CHECK (CASE state
        WHEN 'pending' THEN outcome = '' AND completed_at IS NULL AND benefits IS NULL AND rejection IS NULL
        WHEN 'completed' THEN completed_at IS NOT NULL AND CASE outcome
            WHEN 'answered' THEN benefits IS NOT NULL AND rejection IS NULL
            ELSE outcome IN ('rejected', 'payer_unavailable', 'error') AND benefits IS NULL
        END
        ELSE false
    END)
) WITH (fillfactor = 90);
-- Encrypted bytes do not compress.
ALTER TABLE eligibility_checks ALTER COLUMN exchanges SET STORAGE EXTERNAL;

-- One index for each filter of the list, in the order of the list.
CREATE INDEX eligibility_checks_list ON eligibility_checks (org_id, mode, created_at, id);
CREATE INDEX eligibility_checks_office ON eligibility_checks (org_id, mode, office_id, created_at, id);
CREATE INDEX eligibility_checks_payer ON eligibility_checks (org_id, mode, payer_id, created_at, id);
CREATE INDEX eligibility_checks_outcome ON eligibility_checks (org_id, mode, outcome, created_at, id) WHERE outcome <> '';
CREATE INDEX eligibility_checks_request ON eligibility_checks (org_id, mode, request_id, created_at, id);
CREATE INDEX eligibility_checks_tenant_reference ON eligibility_checks (org_id, mode, tenant_reference, created_at, id)
    WHERE tenant_reference IS NOT NULL;
-- The saved answers that a check may be answered from.
CREATE INDEX eligibility_checks_recent ON eligibility_checks (org_id, mode, digest, completed_at)
    WHERE outcome = 'answered' AND cache_source IS NULL;

-- xid is the transaction that wrote the row. Tailing goes by it, because the
-- time of a row says nothing of when the row became visible.
CREATE TABLE events (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    type        text NOT NULL,
    resource_id uuid NOT NULL,
    sequence    integer NOT NULL,
    created_at  timestamptz NOT NULL,
    data        json NOT NULL,
    xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT events_sequence UNIQUE (org_id, mode, resource_id, sequence)
);
-- The few events of one resource are found by events_sequence and sorted. It
-- leads with the scope although a resource has but one: the policies compare
-- the scope, and every index of the table begins with it, so that the planner
-- takes the right one even while the table is empty.
CREATE INDEX events_list ON events (org_id, mode, created_at, id);
CREATE INDEX events_type ON events (org_id, mode, type, created_at, id);
CREATE INDEX events_tail ON events (org_id, mode, xid, id);

CREATE TABLE idempotency_keys (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    check_id    uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, mode, key)
);
CREATE INDEX idempotency_keys_sweep ON idempotency_keys (created_at);

-- A job is due when both its time has come and nobody holds it any more.
CREATE TABLE jobs (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL,
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    subject     uuid NOT NULL,
    reply_to    text NOT NULL,
    not_before  timestamptz NOT NULL,
    leased_at   timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz NOT NULL,
    publishes   integer NOT NULL DEFAULT 0,
    attempts    integer NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE INDEX jobs_due ON jobs (GREATEST(not_before, lease_until));

-- claim_idempotency_key takes a key until the transaction ends, without ever
-- waiting, and reads its use. The use is read also when another transaction
-- has the key, so that replays do not hold each other up. Each statement of a
-- volatile function has a snapshot of its own, so the use that the last holder
-- committed is seen; in one plain statement the snapshot would be older than
-- the lock.
-- +goose StatementBegin
CREATE FUNCTION claim_idempotency_key(wanted_org uuid, wanted_mode text, wanted_key text)
RETURNS TABLE (claimed boolean, fingerprint bytea, check_id uuid, created_at timestamptz)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    claimed := pg_try_advisory_xact_lock(hashtextextended(format('%s %s %s', wanted_org, wanted_mode, wanted_key), 0));
    SELECT k.fingerprint, k.check_id, k.created_at
    INTO fingerprint, check_id, created_at
    FROM idempotency_keys k
    WHERE k.org_id = wanted_org AND k.mode = wanted_mode AND k.key = wanted_key;
    RETURN NEXT;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION claim_idempotency_key(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_idempotency_key(uuid, text, text) TO molar_app;

-- molar_app sees the rows of one scope. Without a scope current_setting fails,
-- and so does the statement.
-- +goose StatementBegin
DO $$
DECLARE
    tenant text;
BEGIN
    FOREACH tenant IN ARRAY ARRAY['offices', 'providers', 'patients', 'eligibility_checks', 'events', 'idempotency_keys', 'jobs'] LOOP
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app
            USING (org_id = current_setting(''molar.org'')::uuid AND mode = current_setting(''molar.mode''))', tenant);
    END LOOP;
    FOREACH tenant IN ARRAY ARRAY['organizations', 'api_keys', 'offices', 'providers', 'patients', 'eligibility_checks', 'events', 'idempotency_keys', 'jobs'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT, INSERT ON offices, providers, patients, events TO molar_app;
GRANT SELECT, INSERT ON eligibility_checks TO molar_app;
GRANT UPDATE (patient_id, state, outcome, cache_source, network, latency_ms, completed_at, rejection, benefits, exchanges)
    ON eligibility_checks TO molar_app;
GRANT SELECT, INSERT ON idempotency_keys TO molar_app;
GRANT UPDATE (fingerprint, check_id, created_at) ON idempotency_keys TO molar_app;
GRANT SELECT, INSERT, DELETE ON jobs TO molar_app;
GRANT UPDATE (not_before, lease_until) ON jobs TO molar_app;

-- molar_system works across scopes: it administers organizations and keys,
-- writes the events of keys, leases jobs and forgets old idempotency keys. It
-- reads no patient data.
CREATE POLICY system ON organizations TO molar_system USING (true);
CREATE POLICY system ON api_keys TO molar_system USING (true);
CREATE POLICY system ON jobs TO molar_system USING (true);
CREATE POLICY system ON idempotency_keys TO molar_system USING (true);
CREATE POLICY system ON events TO molar_system USING (type LIKE 'api_key.%');

GRANT SELECT, INSERT ON organizations TO molar_system;
GRANT SELECT, INSERT ON api_keys TO molar_system;
GRANT UPDATE (revoked_at) ON api_keys TO molar_system;
GRANT SELECT (id, org_id, mode, resource_id, sequence, type), INSERT ON events TO molar_system;
GRANT SELECT ON jobs TO molar_system;
GRANT UPDATE (leased_at, lease_until, publishes, attempts) ON jobs TO molar_system;
GRANT SELECT (org_id, mode, key, check_id, created_at), DELETE ON idempotency_keys TO molar_system;
