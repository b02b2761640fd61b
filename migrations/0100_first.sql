-- +goose Up

-- The schema of release 0.1.0. The migrations after it only go forward; schema.sql shows
-- the result of all.
--
-- A column of words has the words of package billing. An ID or a time that may be missing
-- is NULL. A text that may be missing is empty, unless the interface distinguishes the
-- two.

-- ROLES

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

-- The oldest step whose release still works with this schema. A migration that stops
-- earlier releases sets it to its own number.
CREATE TABLE schema_fit (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    least bigint NOT NULL
);
INSERT INTO schema_fit (least) VALUES (100);
GRANT SELECT ON schema_fit TO molar_system;

-- What the first process with a key has sealed. A process that cannot open it has another
-- key, and would store what no other process can open.
CREATE TABLE encryption_key (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    proof bytea NOT NULL
);
GRANT SELECT, INSERT ON encryption_key TO molar_system;

-- Services log in with a role that owns nothing. ANALYZE is for the owner of a
-- table, so this function does it for them: for each table of this schema with
-- at least so many rows and no statistics.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format($create$
CREATE FUNCTION first_statistics(least_rows bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
    bare text;
BEGIN
    FOR bare IN
        SELECT relname
        FROM pg_stat_user_tables
        WHERE schemaname = %1$L AND n_live_tup >= least_rows AND last_analyze IS NULL AND last_autoanalyze IS NULL
    LOOP
        EXECUTE format('ANALYZE %1$I.%%I', bare);
    END LOOP;
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION first_statistics(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION first_statistics(bigint) TO molar_system;

-- ORGANIZATIONS, KEYS AND PEOPLE

CREATE TABLE organizations (
    id                  uuid PRIMARY KEY,
    name                text NOT NULL CHECK (name <> ''),
    created_at          timestamptz NOT NULL,
    require_totp        boolean NOT NULL DEFAULT false, -- people need a second factor
    endpoints_need_read boolean NOT NULL DEFAULT false -- a key needs the permission read for an endpoint, which gets what a reader sees
);
-- molar_system works across scopes: it administers organizations and keys, writes the
-- events of keys, leases jobs and forgets old idempotency keys. It reads no patient data.
CREATE POLICY scope ON organizations TO molar_app USING (id = current_setting('molar.org')::uuid);
GRANT SELECT (id, name, created_at, require_totp, endpoints_need_read), UPDATE (require_totp, endpoints_need_read) ON organizations TO molar_app;
GRANT SELECT, INSERT ON organizations TO molar_system;

-- A key may expire, and work only from some addresses.
CREATE TABLE api_keys (
    id                uuid PRIMARY KEY,
    org_id            uuid NOT NULL REFERENCES organizations (id),
    mode              text NOT NULL CHECK (mode IN ('test', 'live')),
    name              text NOT NULL,
    permissions       text[] NOT NULL CHECK (permissions <@ ARRAY['read', 'submit']),
    last_four         text NOT NULL,
    digest            bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
    created_at        timestamptz NOT NULL,
    revoked_at        timestamptz,
    expires_at        timestamptz,
    allowed_addresses text[] NOT NULL DEFAULT '{}', -- CIDRs; none for every address
    created_by        uuid, -- a user; empty for the operator
    last_used_at      timestamptz,
    last_used_from    text NOT NULL DEFAULT ''
);
CREATE INDEX api_keys_list ON api_keys (org_id, created_at, id);
-- Owners create and revoke the API keys of their organization, of both modes. Its
-- transactions write digests, and never read them.
CREATE POLICY scope ON api_keys TO molar_app USING (org_id = current_setting('molar.org')::uuid);
GRANT SELECT (id, org_id, mode, name, permissions, last_four, created_at, revoked_at, expires_at, allowed_addresses, created_by, last_used_at,
    last_used_from), INSERT, UPDATE (revoked_at) ON api_keys TO molar_app;
GRANT SELECT, INSERT, UPDATE (revoked_at, last_used_at, last_used_from) ON api_keys TO molar_system;

-- People who sign in, their sign-in links and their sessions. They belong to an
-- organization in both modes.
CREATE TABLE users (
    id                    uuid PRIMARY KEY,
    org_id                uuid NOT NULL REFERENCES organizations (id),
    email                 text NOT NULL CHECK (email <> '' AND email = lower(email)),
    role                  text NOT NULL CHECK (role IN ('owner', 'biller', 'viewer')),
    state                 text NOT NULL CHECK (state IN ('invited', 'active', 'disabled')),
    password              text, -- argon2id
    totp                  bytea, -- encrypted
    totp_step             bigint NOT NULL DEFAULT 0,
    recovery_codes        bytea[] NOT NULL DEFAULT '{}',
    created_at            timestamptz NOT NULL,
    signed_in_at          timestamptz,
    -- What an organization's own transactions may know of the two.
    has_password          boolean NOT NULL GENERATED ALWAYS AS (password IS NOT NULL) STORED,
    has_totp              boolean NOT NULL GENERATED ALWAYS AS (totp IS NOT NULL) STORED,
    operator_signed_in_at timestamptz, -- with an operator's link; users see it for some days
    operator_signed_in    text NOT NULL DEFAULT '', -- the name of the operator
    CONSTRAINT users_email UNIQUE (org_id, email)
);
CREATE INDEX users_list ON users (org_id, created_at, id);
CREATE INDEX users_sign_in ON users (email, created_at, id);
-- The transactions of an organization write passwords and secrets, and never read them.
GRANT SELECT (id, org_id, email, role, state, created_at, signed_in_at, has_password, has_totp, operator_signed_in_at, operator_signed_in), INSERT,
    UPDATE (role, state, password, totp, totp_step, recovery_codes) ON users TO molar_app;
GRANT SELECT, UPDATE (state, totp_step, recovery_codes, signed_in_at, operator_signed_in_at, operator_signed_in) ON users TO molar_system;

CREATE TABLE sign_in_links (
    digest     bytea PRIMARY KEY CHECK (length(digest) = 32),
    org_id     uuid NOT NULL REFERENCES organizations (id),
    user_id    uuid NOT NULL REFERENCES users (id),
    kind       text NOT NULL CHECK (kind IN ('invitation', 'operator', 'reset')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    operator   text NOT NULL DEFAULT '' -- who made the link; a session that begins with it is the operator's
);
CREATE INDEX sign_in_links_user ON sign_in_links (user_id) WHERE used_at IS NULL;
CREATE INDEX sign_in_links_created ON sign_in_links (created_at);
GRANT SELECT (org_id, user_id, used_at), INSERT, UPDATE (used_at) ON sign_in_links TO molar_app;
GRANT SELECT, UPDATE (used_at), DELETE ON sign_in_links TO molar_system;

CREATE TABLE sessions (
    id            uuid PRIMARY KEY,
    org_id        uuid NOT NULL REFERENCES organizations (id),
    user_id       uuid NOT NULL REFERENCES users (id),
    digest        bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
    address       text NOT NULL,
    agent         text NOT NULL,
    created_at    timestamptz NOT NULL,
    used_at       timestamptz NOT NULL,
    ended_at      timestamptz,
    totp          boolean NOT NULL DEFAULT false, -- it began with a second factor, or one was set up in it
    password_weak boolean NOT NULL DEFAULT false, -- the password was easy to guess
    operator      text NOT NULL DEFAULT '' -- who made the link that it began with
);
CREATE INDEX sessions_list ON sessions (org_id, created_at, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_user ON sessions (user_id, created_at, id) WHERE ended_at IS NULL;
GRANT SELECT (id, org_id, user_id, address, agent, created_at, used_at, ended_at, totp, password_weak, operator), UPDATE (ended_at, totp,
    password_weak) ON sessions TO molar_app;
GRANT SELECT, INSERT, UPDATE (used_at), DELETE ON sessions TO molar_system;

-- The origin of the service's dashboard, for the links that the command line prints.
CREATE TABLE origin (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    origin text NOT NULL
);
GRANT SELECT, INSERT, UPDATE (origin) ON origin TO molar_system;

-- OFFICES, PROVIDERS AND PATIENTS

-- Offices and providers can be corrected and retired. Files that were sent keep what they
-- say.
CREATE TABLE offices (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL REFERENCES organizations (id),
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    name        text NOT NULL,
    npi         text NOT NULL,
    tax_id      text NOT NULL,
    line1       text NOT NULL,
    line2       text NOT NULL,
    city        text NOT NULL,
    state       text NOT NULL,
    zip         text NOT NULL,
    phone       text NOT NULL,
    time_zone   text NOT NULL,
    created_at  timestamptz NOT NULL,
    -- An operator verifies that an office is the practice whose numbers it has. A remittance
    -- from outside goes to verified offices alone. Test offices are verified when they are
    -- created.
    verified_at timestamptz,
    -- Row-level policies let no index serve a function; a column has no such trouble.
    tax_key     text NOT NULL GENERATED ALWAYS AS (regexp_replace(tax_id, '\D', '', 'g')) STORED,
    details     json NOT NULL DEFAULT '{}'
);
CREATE INDEX offices_list ON offices (org_id, mode, created_at, id);
-- However many offices others create with a number, finding one's own offices or the
-- verified ones reads none of theirs.
CREATE INDEX offices_npi ON offices (npi, org_id, mode);
CREATE INDEX offices_tax_id ON offices (tax_key, org_id, mode);
CREATE INDEX offices_verified_npi ON offices (npi, mode) WHERE verified_at IS NOT NULL;
CREATE INDEX offices_verified_tax_id ON offices (tax_key, mode) WHERE verified_at IS NOT NULL;
-- Across scopes files are routed by the offices that are paid.
CREATE POLICY system ON offices FOR SELECT TO molar_system USING (true);
CREATE POLICY verify ON offices FOR UPDATE TO molar_system USING (true);
GRANT SELECT, INSERT, UPDATE (name, npi, tax_id, line1, line2, city, state, zip, phone, time_zone, verified_at, details) ON offices TO molar_app;
GRANT SELECT, UPDATE (verified_at) ON offices TO molar_system;

CREATE TABLE providers (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organizations (id),
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    first_name text NOT NULL,
    last_name  text NOT NULL,
    npi        text NOT NULL,
    taxonomy   text NOT NULL,
    created_at timestamptz NOT NULL,
    retired    boolean NOT NULL DEFAULT false
);
CREATE INDEX providers_list ON providers (org_id, mode, created_at, id);
GRANT SELECT, INSERT, UPDATE (first_name, last_name, npi, taxonomy, retired) ON providers TO molar_app;

-- Searches. Row-level policies let no index serve a function or a pattern, so names
-- are columns in the order of their bytes, and a prefix is a range of them. Letters
-- lose their accents and case; spaces and punctuation do not count.
CREATE FUNCTION search_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT left(regexp_replace(lower(normalize(name, NFKD)), '[\u0300-\u036f[:space:][:punct:]]', '', 'g'), 100)$$;

-- The tables from here on take inserts by the thousand for one organization and often one
-- office. A foreign key would lock that one row in share mode for each of them, and every
-- such lock is written to the row; so they have none to organizations, offices and
-- patients, from which nothing is ever deleted. Nor has an idempotency key one to its
-- check, which is inserted in the same statement: checking it took a seventh of the
-- database's time for a fresh check. The row-level policies keep org_id and mode true, and
-- for the same reason a rule is checked once for a row, not once for each column: the
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
    first_key     text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_key(first_name)) STORED,
    last_key      text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_key(last_name)) STORED,
    CONSTRAINT patients_person UNIQUE (org_id, mode, name_key, date_of_birth)
);
CREATE INDEX patients_list ON patients (org_id, mode, created_at, id);
CREATE INDEX patients_last ON patients (org_id, mode, last_key, first_key, id);
CREATE INDEX patients_first ON patients (org_id, mode, first_key, last_key, id);
CREATE INDEX patients_born ON patients (date_of_birth, org_id, mode, id);
GRANT SELECT, INSERT ON patients TO molar_app;

-- ELIGIBILITY

CREATE TABLE eligibility_checks (
    id                uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    mode              text NOT NULL,
    office_id         uuid NOT NULL,
    payer_id          uuid NOT NULL,
    payer_code        text NOT NULL,
    payer_name        text NOT NULL,
    patient_id        uuid,
    state             text NOT NULL,
    outcome           text NOT NULL,
    parent_id         uuid REFERENCES eligibility_checks (id),
    request_id        uuid,
    idempotency_key   text NOT NULL,
    tenant_reference  text,
    cache_source      uuid,
    created_at        timestamptz NOT NULL,
    digest            bytea NOT NULL,
    inquiry           json NOT NULL,
    network           text NOT NULL,
    latency_ms        integer,
    completed_at      timestamptz,
    rejection         json,
    benefits          json,
    exchanges         bytea,
    -- The benefits are stored in the bytes that every reply shows. Their status, which replies
    -- and events show elsewhere, has a column of its own.
    coverage_status   text NOT NULL DEFAULT '',
    -- The request of a person, which the reply to a failed check names, and the check does not
    -- show.
    person_request_id uuid,
    -- A completed check keeps the JSON that its release shows: the check without its benefits,
    -- and the reply to the request of a failed one.
    shown             text,
    shown_failure     text,
    CONSTRAINT eligibility_checks_state CHECK (CASE state
        WHEN 'pending' THEN outcome = '' AND completed_at IS NULL AND benefits IS NULL AND rejection IS NULL
        WHEN 'completed' THEN completed_at IS NOT NULL AND CASE outcome
            WHEN 'answered' THEN benefits IS NOT NULL AND rejection IS NULL
            ELSE outcome IN ('rejected', 'payer_unavailable', 'error') AND benefits IS NULL
        END
        ELSE false
    END)
) WITH (fillfactor = 90);
ALTER TABLE eligibility_checks ALTER COLUMN exchanges SET STORAGE EXTERNAL;
-- One index for each filter of the list, in the order of the list.
CREATE INDEX eligibility_checks_list ON eligibility_checks (org_id, mode, created_at, id);
CREATE INDEX eligibility_checks_office ON eligibility_checks (org_id, mode, office_id, created_at, id);
CREATE INDEX eligibility_checks_payer ON eligibility_checks (org_id, mode, payer_id, created_at, id);
CREATE INDEX eligibility_checks_outcome ON eligibility_checks (org_id, mode, outcome, created_at, id) WHERE outcome <> '';
CREATE INDEX eligibility_checks_request ON eligibility_checks (org_id, mode, request_id, created_at, id);
CREATE INDEX eligibility_checks_tenant_reference ON eligibility_checks (org_id, mode, tenant_reference, created_at, id)
    WHERE tenant_reference IS NOT NULL;
CREATE POLICY system ON eligibility_checks FOR SELECT TO molar_system USING (true);
GRANT SELECT, INSERT, UPDATE (patient_id, state, outcome, cache_source, network, latency_ms, completed_at, rejection, benefits, exchanges,
    coverage_status, shown, shown_failure) ON eligibility_checks TO molar_app;
GRANT SELECT (id, patient_id) ON eligibility_checks TO molar_system;

-- Encrypted bytes do not compress, hence the storage of exchanges, and of the files below.
-- Each fresh check compresses about 5 kB of benefits. lz4 needs a fifth of the time of
-- pglz for that, and an eighth more space. A server that was built without lz4 stays with
-- pglz.
-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE eligibility_checks ALTER COLUMN benefits SET COMPRESSION lz4, ALTER COLUMN shown SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;
-- +goose StatementEnd

-- The answers that a check may be answered from. They are swept when they are
-- too old for that, so the index, whose order is random, stays in memory
-- however many checks are kept.
CREATE TABLE eligibility_answers (
    org_id       uuid NOT NULL,
    mode         text NOT NULL,
    digest       bytea NOT NULL,
    completed_at timestamptz NOT NULL,
    check_id     uuid NOT NULL,
    PRIMARY KEY (org_id, mode, digest, completed_at, check_id)
);
CREATE INDEX eligibility_answers_sweep ON eligibility_answers (completed_at);
GRANT SELECT, INSERT ON eligibility_answers TO molar_app;
GRANT SELECT, DELETE ON eligibility_answers TO molar_system;

-- The enrollments of offices with payers. An office without a row needs none. An
-- organization has few, so the list serves every filter.
CREATE TABLE enrollments (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    office_id       uuid NOT NULL,
    payer_id        uuid NOT NULL,
    payer_code      text NOT NULL,
    payer_name      text NOT NULL,
    transaction     text NOT NULL CHECK (transaction IN ('eligibility', 'claims')),
    state           text NOT NULL CHECK (state IN ('not_needed', 'needed', 'submitted', 'active', 'rejected')),
    date            date NOT NULL,
    note            text NOT NULL,
    network_message text NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    CONSTRAINT enrollments_one UNIQUE (org_id, mode, office_id, payer_id, transaction)
);
CREATE INDEX enrollments_list ON enrollments (org_id, mode, created_at, id);
GRANT SELECT, INSERT, UPDATE (payer_code, payer_name, state, date, note, network_message, updated_at) ON enrollments TO molar_app;

-- CLAIMS

-- What a claim charges, and what other payers paid for its services, as it states.
CREATE FUNCTION sum_of_fees(lines json) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT coalesce(sum((l ->> 'Fee')::bigint), 0)::bigint FROM json_array_elements(lines) l$$;
CREATE FUNCTION sum_paid(coverages json) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT coalesce(sum((c -> 'Adjudication' ->> 'Paid')::bigint), 0)::bigint FROM json_array_elements(coverages) c$$;

-- billing.Claim.Open, and NULL for a claim without billing.Claim.HasOpen. The indexes of
-- claims have it, so a list is right whichever release wrote a claim. The cost keeps the
-- planner from reading another index and computing the amount of each claim.
-- +goose StatementBegin
CREATE FUNCTION open_of(kind text, frequency text, state text, charged bigint, standing json, settled bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000
    AS $$
BEGIN
    RETURN CASE WHEN kind = 'claim' AND frequency <> 'void' AND state <> 'voided' THEN
        charged - settled
            - coalesce((standing ->> 'Paid')::bigint + (standing ->> 'Contractual')::bigint + (standing ->> 'PatientResponsibility')::bigint, 0)
    END;
END
$$;
-- +goose StatementEnd

-- A claim with its lines. What only later steps of a claim's life know (from sent_at on)
-- begins as NULL. A caller's control number is unique within the scope, whatever the case:
-- were it so across the modes, a test would run into a number that its key cannot see.
--
-- The ledger of a claim is the set of the remittance claims that are applied to it. The
-- claim has only the figures that they add up to: standing and settled_at. Its open amount
-- follows from its charge, its standing, the amounts that a person accepted, and what is
-- settled elsewhere, as by the payments of other payers. Services may be billed to three
-- payers: each claim names the one to the payer before in secondary_to, and the one to the
-- next in secondary_id.
CREATE TABLE claims (
    id                     uuid PRIMARY KEY,
    org_id                 uuid NOT NULL,
    mode                   text NOT NULL,
    kind                   text NOT NULL,
    state                  text NOT NULL,
    frequency              text NOT NULL,
    parent_id              uuid REFERENCES claims (id),
    patient_control_number text NOT NULL,
    office_id              uuid NOT NULL,
    payer_id               uuid NOT NULL,
    payer_code             text NOT NULL,
    payer_name             text NOT NULL,
    provider_id            uuid,
    patient_id             uuid,
    subscriber             json NOT NULL,
    patient                json,
    place_of_service       text NOT NULL,
    prior_authorization    text NOT NULL,
    accident               json,
    note                   text NOT NULL,
    lines                  json NOT NULL,
    first_service_date     date,
    last_service_date      date,
    findings               json NOT NULL DEFAULT '[]',
    tenant_reference       text,
    request_id             uuid,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    sent_at                timestamptz,
    batch_id               uuid,
    payer_claim_number     text NOT NULL DEFAULT '',
    reconciled_at          timestamptz,
    estimate               json,
    converted_from         uuid REFERENCES claims (id),
    converted_to           uuid REFERENCES claims (id),
    history                json NOT NULL DEFAULT '[]',
    -- Row-level policies let no index serve a function that might tell of
    -- the rows it sees, such as upper; a column has no such trouble.
    control_key            text NOT NULL GENERATED ALWAYS AS (upper(patient_control_number)) STORED,
    standing               json,
    settled_at             timestamptz,
    coverage               text NOT NULL DEFAULT 'primary',
    other_coverage         json NOT NULL DEFAULT '[]',
    details                json NOT NULL DEFAULT '{}',
    secondary_to           uuid REFERENCES claims (id),
    secondary_id           uuid REFERENCES claims (id),
    member_key             text GENERATED ALWAYS AS (upper(left(subscriber ->> 'MemberID', 100))) STORED,
    charged                bigint GENERATED ALWAYS AS (sum_of_fees(lines)) STORED,
    paid_elsewhere         bigint GENERATED ALWAYS AS (CASE coverage WHEN 'primary' THEN 0 ELSE sum_paid(other_coverage) END) STORED,
    -- The control number of a claim in its files, where a network does not take the claim's
    -- own: longer than the network returns, or with dashes.
    submitted_number       text NOT NULL DEFAULT '',
    -- A claim that a caller submitted while its office waited for an enrollment is queued once
    -- nothing is wrong with it any more.
    submit_when_ready      boolean NOT NULL DEFAULT false,
    accepted               json NOT NULL DEFAULT '[]',
    accepted_sum           bigint NOT NULL DEFAULT 0,
    elsewhere              bigint NOT NULL DEFAULT 0,
    CONSTRAINT claims_state CHECK (
        state IN ('draft', 'validated', 'needs_attention', 'queued', 'submitted', 'accepted_clearinghouse', 'accepted_payer',
            'rejected', 'voided', 'paid', 'denied', 'reconciled', 'returned')
        AND CASE kind
            WHEN 'claim' THEN state <> 'returned' AND estimate IS NULL AND converted_to IS NULL
            WHEN 'predetermination' THEN state NOT IN ('paid', 'denied', 'reconciled') AND reconciled_at IS NULL AND converted_from IS NULL
            ELSE false
        END
        AND CASE frequency
            WHEN 'void' THEN parent_id IS NOT NULL
            ELSE frequency IN ('original', 'replacement') AND parent_id IS NULL
        END
        AND patient_control_number <> ''
        AND num_nulls(first_service_date, last_service_date) IN (0, 2)
    )
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
-- No index begins with the scope, which every policy compares: one that did would be taken
-- for as good as the primary key while there are few claims.
CREATE UNIQUE INDEX claims_control_number ON claims (control_key, org_id, mode);
-- A claim has one void that is under way or was accepted.
CREATE UNIQUE INDEX claims_void ON claims (parent_id, org_id, mode) WHERE frequency = 'void' AND state <> 'rejected';
-- One index for each filter of the list, in the order of the list; a list is of one kind.
-- When a claim was sent, and its first day of service, are compared within claims_list, or
-- found by claims_sent and claims_service and sorted, whichever reads less. The state of
-- an office's or a payer's claims is compared within their index, too. A patient has
-- claims of both kinds.
CREATE INDEX claims_state ON claims (kind, org_id, mode, state, created_at, id);
CREATE INDEX claims_office ON claims (kind, org_id, mode, office_id, created_at, id, state);
CREATE INDEX claims_payer ON claims (kind, org_id, mode, payer_id, created_at, id, state);
CREATE INDEX claims_sent ON claims (kind, org_id, mode, sent_at, created_at, id) WHERE sent_at IS NOT NULL AND frequency <> 'void';
CREATE INDEX claims_request ON claims (request_id, org_id, mode, created_at, id) WHERE request_id IS NOT NULL;
CREATE INDEX claims_patient ON claims (patient_id, org_id, mode, first_service_date) WHERE kind = 'claim' AND patient_id IS NOT NULL;
-- What files report on, what they are made of, and whose turn it is.
CREATE INDEX claims_payer_number ON claims (payer_claim_number, org_id, mode) WHERE payer_claim_number <> '';
CREATE INDEX claims_batch ON claims (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX claims_queued ON claims (mode, org_id, id) WHERE state = 'queued' AND batch_id IS NULL;
-- The payers of the claims that wait decide for which networks batches are cut.
CREATE INDEX claims_queued_payers ON claims (mode, org_id, payer_id) WHERE state = 'queued' AND batch_id IS NULL;
CREATE INDEX claims_list ON claims (kind, org_id, mode, created_at, id, sent_at, first_service_date);
CREATE INDEX claims_service ON claims (org_id, mode, first_service_date, created_at, id) WHERE kind = 'claim';
CREATE INDEX claims_of_patient ON claims (patient_id, org_id, mode, created_at, id) WHERE patient_id IS NOT NULL;
CREATE INDEX claims_member ON claims (member_key, org_id, mode, created_at, id) WHERE member_key IS NOT NULL;
CREATE INDEX claims_submitted_number ON claims (submitted_number, org_id, mode) WHERE submitted_number <> '';
-- Lists of claims of which an amount is open.
CREATE INDEX claims_open ON claims (kind, org_id, mode, state, created_at, id, office_id, payer_id)
    WHERE open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum) <> 0;
CREATE INDEX claims_overpaid ON claims (kind, org_id, mode, state, created_at, id, office_id, payer_id)
    WHERE open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum) < 0;
-- Across scopes molar_system reads which claims wait for a batch. All of a claim may
-- change but what it is and when it was made.
CREATE POLICY system ON claims FOR SELECT TO molar_system USING (state = 'queued' AND batch_id IS NULL);
GRANT SELECT, INSERT, UPDATE (state, frequency, patient_control_number, office_id, payer_id, payer_code, payer_name, provider_id, patient_id,
    subscriber, patient, place_of_service, prior_authorization, accident, note, lines, first_service_date, last_service_date, findings,
    tenant_reference, request_id, updated_at, sent_at, batch_id, payer_claim_number, reconciled_at, estimate, converted_from, converted_to, history,
    standing, settled_at, coverage, other_coverage, details, secondary_to, secondary_id, submitted_number, submit_when_ready, accepted, accepted_sum,
    elsewhere) ON claims TO molar_app;
GRANT SELECT (id, org_id, mode, state, payer_id, batch_id) ON claims TO molar_system;

-- The totals of an organization's claims, for its summary. Every write of claims adds
-- rows to claim_changes, which say by how much the totals change. The services add
-- these rows to claim_totals from time to time. The sum of both tables is exact at any
-- moment, and no two writers wait for the same row.
--
-- A row has one of two forms. With a kind and a state it counts claims, and day is
-- '-infinity'. Without them it has the money of the claims that were first sent on the
-- day, and counts these claims, voided ones too.
CREATE TABLE claim_totals (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    day         date NOT NULL,
    claims      bigint NOT NULL,
    charged     bigint NOT NULL,
    paid        bigint NOT NULL,
    patient     bigint NOT NULL,
    outstanding bigint NOT NULL,
    PRIMARY KEY (org_id, mode, kind, state, day)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE POLICY scope ON claim_totals FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT ON claim_totals TO molar_app;
GRANT SELECT, INSERT, UPDATE ON claim_totals TO molar_system;

-- Rows live for seconds.
CREATE TABLE claim_changes (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    day         date NOT NULL,
    claims      bigint NOT NULL,
    charged     bigint NOT NULL,
    paid        bigint NOT NULL,
    patient     bigint NOT NULL,
    outstanding bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX claim_changes_scope ON claim_changes (org_id, mode);
GRANT SELECT, INSERT ON claim_changes TO molar_app;
GRANT SELECT, UPDATE, DELETE ON claim_changes TO molar_system;

-- The money of one claim; NULL for one that has none: it was not sent or is voided, or it
-- is a void transaction or a predetermination.
CREATE TYPE claim_money AS (
    day         date,    -- when it was first sent
    charged     bigint,
    paid        bigint,  -- by its remittances
    elsewhere   bigint,  -- by other payers, as the claim states it
    written_off bigint,
    patient     bigint,
    decided     boolean, -- by a remittance
    posted      boolean, -- and its payment has not changed since
    accepted    bigint   -- by a person
);
CREATE FUNCTION money_of(c claims) RETURNS claim_money
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT CASE WHEN c.sent_at IS NOT NULL AND c.state <> 'voided' AND c.kind = 'claim' AND c.frequency <> 'void' THEN
    ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum)::claim_money
END
$$;

-- The money of the services that one to three claims bill. The charge counts once, and so
-- does what the claims say of the patient. What a claim states of earlier payers counts
-- while no remittance of the primary payer does. What is left of the charge, without what
-- was accepted, is outstanding until all claims are posted.
CREATE FUNCTION money_together(one claim_money, two claim_money, three claim_money)
    RETURNS TABLE (day date, charged bigint, paid bigint, patient bigint, outstanding bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
    AS $$
SELECT least(one.day, two.day, three.day), m.charged, m.paid, m.patient,
    CASE WHEN coalesce(one.posted, true) AND coalesce(two.posted, true) AND coalesce(three.posted, true) THEN 0
    ELSE greatest(0, m.charged - m.paid - m.patient - coalesce(greatest(one.written_off, two.written_off, three.written_off), 0)
        - coalesce(one.accepted, 0) - coalesce(two.accepted, 0) - coalesce(three.accepted, 0)
        - CASE WHEN one.decided THEN one.elsewhere ELSE coalesce(greatest(one.elsewhere, two.elsewhere), three.elsewhere, 0) END) END
FROM (
    SELECT coalesce(greatest(one.charged, two.charged, three.charged), 0) AS charged,
        coalesce(one.paid, 0) + coalesce(two.paid, 0) + coalesce(three.paid, 0) AS paid,
        coalesce(greatest(one.patient, two.patient, three.patient), 0) AS patient
) m
$$;

-- What a row of claims adds to the totals: to its state, and to the day when it was sent.
-- With a sign of -1 it takes that away. Services that are billed to several payers have
-- their money added together; see total_pairs. The server copies the function into the
-- statements that call it.
CREATE FUNCTION share_of(sign integer, c claims) RETURNS SETOF claim_changes
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 2
    AS $$
SELECT c.org_id, c.mode, c.kind, c.state, '-infinity'::date, sign::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint
UNION ALL
SELECT c.org_id, c.mode, '', '', m.day, sign, counts * m.charged, counts * m.paid, counts * m.patient, counts * m.outstanding
FROM money_together(ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum)::claim_money, NULL, NULL) m
CROSS JOIN LATERAL (SELECT CASE WHEN c.state = 'voided' OR num_nonnulls(c.secondary_to, c.secondary_id) > 0 THEN 0 ELSE sign END AS counts) own
WHERE c.sent_at IS NOT NULL AND c.kind = 'claim' AND c.frequency <> 'void'
$$;

-- A row of claims before a statement (sign -1) or after it (1).
CREATE TYPE claim_version AS (
    sign         integer,
    id           uuid,
    org_id       uuid,
    mode         text,
    pair         uuid, -- the claim to the primary payer, if the services are billed to two
    secondary_id uuid,
    money        claim_money
);
CREATE FUNCTION version_of(sign integer, c claims) RETURNS claim_version
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT sign, c.id, c.org_id, c.mode, coalesce(c.secondary_to, CASE WHEN c.secondary_id IS NOT NULL THEN c.id END), c.secondary_id, money_of(c)
$$;

-- The row of a claim on one side of the statement that has the versions.
-- +goose StatementBegin
CREATE FUNCTION version_at(side integer, claim uuid, versions claim_version[]) RETURNS claim_version
    LANGUAGE plpgsql
    AS $$
DECLARE
    v claim_version;
BEGIN
    SELECT * INTO v FROM unnest(versions) u WHERE u.id = claim AND u.sign = side;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM unnest(versions) u WHERE u.id = claim) THEN
        SELECT (version_of(side, c)).* INTO v FROM claims c WHERE c.id = claim;
    END IF;
    RETURN v;
END
$$;
-- +goose StatementEnd

-- Adds the changes of the money of services that are billed to several payers. While a
-- transaction counts their claims together, no other does.
-- +goose StatementBegin
CREATE FUNCTION total_pairs(versions claim_version[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    counted uuid; -- the first claim for the services
    side    integer;
    one     claim_version;
    two     claim_version;
    three   claim_version;
BEGIN
    FOR counted IN
        SELECT DISTINCT coalesce(before.secondary_to, v.pair) AS first
        FROM unnest(versions) v LEFT JOIN claims before ON before.id = v.pair
        WHERE v.pair IS NOT NULL
        ORDER BY first
    LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('claim ' || counted, 0));
        FOREACH side IN ARRAY ARRAY[-1, 1] LOOP
            one := version_at(side, counted, versions);
            two := version_at(side, one.secondary_id, versions);
            three := version_at(side, two.secondary_id, versions);
            INSERT INTO claim_changes
            SELECT v.org_id, v.mode, '', '', m.day, 0, side * m.charged, side * m.paid, side * m.patient, side * m.outstanding
            FROM (
                SELECT one.org_id, one.mode, one.money AS first, two.money AS second, three.money AS third
                WHERE one.pair IS NOT NULL -- else it was counted alone
                UNION ALL
                SELECT v.org_id, v.mode, v.money, NULL, NULL
                FROM unnest(versions) v LEFT JOIN claims before ON before.id = v.pair
                WHERE coalesce(before.secondary_to, v.pair) = counted AND v.sign = side AND v.id <> counted
                    AND v.id IS DISTINCT FROM one.secondary_id AND v.id IS DISTINCT FROM two.secondary_id
            ) v
            CROSS JOIN LATERAL money_together(v.first, v.second, v.third) m
            WHERE m.day IS NOT NULL;
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION total_inserted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO claim_changes SELECT s.* FROM new_rows n CROSS JOIN LATERAL share_of(1, n) s;
    IF EXISTS (SELECT FROM new_rows WHERE num_nonnulls(secondary_to, secondary_id) > 0) THEN
        PERFORM total_pairs(ARRAY(SELECT version_of(1, n) FROM new_rows n));
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION total_updated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO claim_changes
    SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)
    FROM (
        SELECT s.* FROM new_rows n CROSS JOIN LATERAL share_of(1, n) s
        UNION ALL
        SELECT s.* FROM old_rows o CROSS JOIN LATERAL share_of(-1, o) s
    ) changed
    GROUP BY org_id, mode, kind, state, day
    HAVING (sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)) <> (0, 0, 0, 0, 0);
    IF EXISTS (SELECT FROM new_rows WHERE num_nonnulls(secondary_to, secondary_id) > 0) THEN
        PERFORM total_pairs(ARRAY(SELECT version_of(1, n) FROM new_rows n UNION ALL SELECT version_of(-1, o) FROM old_rows o));
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER claims_inserted AFTER INSERT ON claims
    REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION total_inserted();
CREATE TRIGGER claims_updated AFTER UPDATE ON claims
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION total_updated();

-- ATTACHMENTS

CREATE TABLE payer_requests (
    id                      uuid PRIMARY KEY,
    org_id                  uuid NOT NULL,
    mode                    text NOT NULL,
    state                   text NOT NULL,
    source                  text NOT NULL,
    claim_id                uuid,
    payer_id                uuid NOT NULL,
    payer_code              text NOT NULL,
    payer_name              text NOT NULL,
    reference_number        text NOT NULL,
    requested               text NOT NULL,
    due_date                date,
    answering_attachment_id uuid,
    answered_at             timestamptz,
    created_at              timestamptz NOT NULL,
    answer_note             text NOT NULL DEFAULT '', -- how a request that no attachment can answer was answered
    CONSTRAINT payer_requests_state CHECK (source IN ('network', 'staff') AND CASE state
        WHEN 'open' THEN answering_attachment_id IS NULL AND answered_at IS NULL AND answer_note = ''
        WHEN 'answered' THEN (answering_attachment_id IS NULL) = (answer_note <> '') AND answered_at IS NOT NULL
        ELSE false
    END)
);
-- One index for each filter of the list, in the order of the list. The day
-- that an answer is due by is compared within the index.
CREATE INDEX payer_requests_list ON payer_requests (org_id, mode, created_at, id);
CREATE INDEX payer_requests_state ON payer_requests (org_id, mode, state, created_at, id);
CREATE INDEX payer_requests_claim ON payer_requests (org_id, mode, claim_id, created_at, id) WHERE claim_id IS NOT NULL;
CREATE INDEX payer_requests_payer ON payer_requests (org_id, mode, payer_id, created_at, id);
CREATE INDEX payer_requests_due ON payer_requests (org_id, mode, created_at, id, due_date) WHERE due_date IS NOT NULL;
-- Whether a payer's network request is kept already is asked by its reference.
CREATE INDEX payer_requests_reference ON payer_requests (org_id, mode, payer_id, reference_number) WHERE source = 'network';
-- Open payer requests by the day on which they are due.
CREATE INDEX payer_requests_open ON payer_requests (org_id, mode, due_date NULLS FIRST) WHERE state = 'open';
GRANT SELECT, INSERT, UPDATE (state, answering_attachment_id, answered_at, answer_note) ON payer_requests TO molar_app;

-- Networks know attachments by these numbers, whoever sends them.
CREATE SEQUENCE attachment_serials;
GRANT USAGE ON SEQUENCE attachment_serials TO molar_app;

CREATE TABLE attachments (
    id               uuid PRIMARY KEY,
    org_id           uuid NOT NULL,
    mode             text NOT NULL,
    state            text NOT NULL,
    kind             text NOT NULL,
    claim_id         uuid,
    office_id        uuid NOT NULL,
    payer_id         uuid NOT NULL,
    payer_code       text NOT NULL,
    payer_name       text NOT NULL,
    payer_request_id uuid,
    payer_reference  text NOT NULL,
    narrative        text NOT NULL,
    about            json NOT NULL,
    request_id       uuid,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    closed_at        timestamptz,
    number           text UNIQUE,
    sending          uuid,
    sending_since    timestamptz,
    -- The last job that could not send the attachment because of a fault of the service
    -- itself. It goes on while it is the job of the column sending, too.
    stalled          uuid,
    -- An attachment without a claim names its patient, whose date of birth finds it.
    born             text GENERATED ALWAYS AS (CASE WHEN claim_id IS NULL THEN about -> 'Patient' ->> 'DateOfBirth' END) STORED,
    CONSTRAINT attachments_state CHECK (CASE state
        WHEN 'open' THEN closed_at IS NULL AND CASE WHEN sending IS NULL THEN sending_since IS NULL ELSE sending_since IS NOT NULL AND number IS NOT NULL END
        WHEN 'closed' THEN closed_at IS NOT NULL AND number IS NOT NULL AND sending IS NULL AND sending_since IS NULL
        ELSE false
    END AND CASE kind
        WHEN 'solicited' THEN payer_request_id IS NOT NULL
        WHEN 'unsolicited' THEN payer_request_id IS NULL AND payer_reference = ''
        ELSE false
    END AND number IS DISTINCT FROM '')
) WITH (fillfactor = 90);
CREATE INDEX attachments_list ON attachments (org_id, mode, created_at, id);
CREATE INDEX attachments_claim ON attachments (org_id, mode, claim_id, created_at, id) WHERE claim_id IS NOT NULL;
CREATE INDEX attachments_payer_request ON attachments (org_id, mode, payer_request_id, created_at, id) WHERE payer_request_id IS NOT NULL;
CREATE INDEX attachments_request ON attachments (org_id, mode, request_id, created_at, id) WHERE request_id IS NOT NULL;
CREATE INDEX attachments_state ON attachments (org_id, mode, state, created_at, id);
CREATE INDEX attachments_office ON attachments (org_id, mode, office_id, created_at, id);
-- A payer request has one open attachment.
CREATE UNIQUE INDEX attachments_answering ON attachments (org_id, mode, payer_request_id)
    WHERE state = 'open' AND payer_request_id IS NOT NULL;
CREATE INDEX attachments_born ON attachments (born, org_id, mode) WHERE born IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (state, narrative, updated_at, closed_at, number, sending, sending_since, stalled) ON attachments TO molar_app;

-- A document is written by whoever has locked its attachment, so the foreign
-- key makes nobody wait; it is never written where that row is not locked.
CREATE TABLE documents (
    id             uuid PRIMARY KEY,
    org_id         uuid NOT NULL,
    mode           text NOT NULL,
    attachment_id  uuid NOT NULL REFERENCES attachments (id),
    document_type  text NOT NULL,
    medium         text NOT NULL,
    image_date     date,
    orientation    text NOT NULL,
    file_name      text NOT NULL,
    converted_from text NOT NULL,
    size           bigint NOT NULL,
    md5            bytea NOT NULL,
    sha256         bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    -- An attachment has an image once. By this index documents are read, too.
    CONSTRAINT documents_image UNIQUE (org_id, mode, attachment_id, sha256),
    CONSTRAINT documents_whole CHECK (CASE medium
        WHEN 'film' THEN image_date IS NOT NULL AND orientation IN ('left', 'right')
        WHEN 'paper' THEN image_date IS NULL AND orientation = ''
        ELSE false
    END AND converted_from IN ('', 'png') AND size > 0 AND length(md5) = 16 AND length(sha256) = 32)
);
-- Across scopes molar_system reads which images have a row, and forgets uploads once they
-- are settled.
CREATE POLICY system ON documents FOR SELECT TO molar_system USING (true);
GRANT SELECT, INSERT, DELETE ON documents TO molar_app;
GRANT SELECT (id) ON documents TO molar_system;

-- A PNG on its way to become the document with the same ID. It has no foreign
-- key: it is received while another request may have the attachment locked.
CREATE TABLE uploads (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    attachment_id   uuid NOT NULL,
    document_type   text NOT NULL,
    medium          text NOT NULL,
    image_date      date,
    orientation     text NOT NULL,
    file_name       text NOT NULL,
    converted_from  text NOT NULL,
    size            bigint NOT NULL,
    sha256          bytea NOT NULL,
    idempotency_key text NOT NULL,
    state           text NOT NULL,
    refusal         json,
    created_at      timestamptz NOT NULL,
    CONSTRAINT uploads_state CHECK (CASE state
        WHEN 'refused' THEN refusal IS NOT NULL
        ELSE state IN ('pending', 'done', 'cancelled') AND refusal IS NULL
    END AND length(sha256) = 32)
);
CREATE INDEX uploads_sweep ON uploads (created_at) WHERE state <> 'pending';
CREATE POLICY system ON uploads FOR SELECT TO molar_system USING (true);
CREATE POLICY system_forgets ON uploads FOR DELETE TO molar_system USING (state <> 'pending');
GRANT SELECT, INSERT, UPDATE (state, refusal) ON uploads TO molar_app;
GRANT SELECT (id, state, created_at), DELETE ON uploads TO molar_system;

-- CONNECTIONS, BATCHES AND REMITTANCES

-- Connections to networks of payers. Those without an organization serve the whole
-- deployment. Operators write them; the services read them, and pause one whose sign-in
-- is refused. The revision counts the changes of a row. The secrets are encrypted, and
-- no transaction of an organization reads them.
CREATE TABLE connections (
    id           uuid PRIMARY KEY,
    org_id       uuid,
    mode         text NOT NULL CHECK (mode IN ('test', 'live')),
    name         text NOT NULL,
    kind         text NOT NULL, -- those of the release: see ports.ConnectionKind
    carries      text[] NOT NULL CHECK (cardinality(carries) > 0),
    settings     json NOT NULL,
    secrets      bytea,
    enabled      boolean NOT NULL,
    paused_at    timestamptz,
    pause_reason text,
    pause_detail text,
    revision     integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    CONSTRAINT connections_pause CHECK (num_nulls(paused_at, pause_reason, pause_detail) IN (0, 3))
);
CREATE UNIQUE INDEX connections_name ON connections (lower(name));
CREATE POLICY scope ON connections FOR SELECT TO molar_app
    USING ((org_id = current_setting('molar.org')::uuid OR org_id IS NULL) AND mode = current_setting('molar.mode'));
GRANT SELECT (id, org_id, mode, name, kind, carries, settings, enabled, paused_at, pause_reason, pause_detail, revision, created_at) ON connections TO
    molar_app;
GRANT SELECT, INSERT, UPDATE (enabled, paused_at, pause_reason, pause_detail, revision), DELETE ON connections TO molar_system;

-- The numbers of files.
CREATE SEQUENCE file_serials;
GRANT USAGE ON SEQUENCE file_serials TO molar_app;

-- A file of claims that was made, for one network. What comes back from a network is about
-- its batches alone. Names are of a clearinghouse's mailbox, which knows no scopes. Number
-- is the control number of all parts of the file, in the form in which numbers that others
-- repeat are compared: without leading zeros.
CREATE TABLE batches (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL,
    mode               text NOT NULL,
    state              text NOT NULL,
    name               text NOT NULL,
    interchange_number text NOT NULL,
    group_number       text NOT NULL,
    transaction_number text NOT NULL,
    number             text NOT NULL,
    claim_count        integer NOT NULL,
    result             text NOT NULL,
    acknowledgement    text NOT NULL,
    created_at         timestamptz NOT NULL,
    sent_at            timestamptz,
    acknowledged_at    timestamptz,
    content            bytea NOT NULL,
    network            text NOT NULL DEFAULT 'sandbox',
    -- Before the step that may deliver its file, a batch gets the token of that step. When its
    -- network cannot say later whether it has the file, the batch waits for an
    -- acknowledgement, or for the operator.
    send_token         text NOT NULL DEFAULT '',
    unknown_since      timestamptz,
    -- The acknowledgements that the network should have sent by now. A batch is settled once
    -- none is awaited any more, or the operator has said so.
    overdue            text[] NOT NULL DEFAULT '{}',
    settled_at         timestamptz,
    -- Since when the network does not take the file. It counts while the batch is pending.
    delayed_since      timestamptz,
    CONSTRAINT batches_name UNIQUE (name),
    CONSTRAINT batches_state CHECK (name <> '' AND CASE state
        WHEN 'pending' THEN sent_at IS NULL AND acknowledged_at IS NULL AND result = ''
        WHEN 'sent' THEN sent_at IS NOT NULL AND acknowledged_at IS NULL AND result = ''
        WHEN 'acknowledged' THEN acknowledged_at IS NOT NULL AND result IN ('accepted', 'rejected')
        ELSE false
    END),
    CONSTRAINT batches_network CHECK (network <> ''),
    CONSTRAINT batches_unknown CHECK (unknown_since IS NULL OR state = 'pending'),
    CONSTRAINT batches_overdue CHECK (overdue = '{}' OR state <> 'pending' AND settled_at IS NULL),
    CONSTRAINT batches_settled CHECK (settled_at IS NULL OR state <> 'pending')
);
ALTER TABLE batches ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX batches_list ON batches (org_id, mode, created_at, id);
CREATE INDEX batches_number ON batches (mode, number, created_at);
CREATE INDEX batches_unsettled ON batches (network, sent_at, id) WHERE settled_at IS NULL;
CREATE INDEX batches_undecided ON batches (coalesce(unknown_since, sent_at), id) WHERE unknown_since IS NOT NULL OR overdue <> '{}';
-- Across scopes files are routed by the batches that are answered, whose content stays
-- unread.
CREATE POLICY system ON batches FOR SELECT TO molar_system USING (true);
GRANT SELECT, INSERT, UPDATE (state, result, acknowledgement, sent_at, acknowledged_at, send_token, unknown_since, overdue, settled_at, delayed_since)
    ON batches TO molar_app;
GRANT SELECT (id, org_id, mode, state, name, interchange_number, group_number, transaction_number, number, claim_count, result, acknowledgement,
    created_at, sent_at, acknowledged_at, network, send_token, unknown_since, overdue, settled_at, delayed_since) ON batches TO molar_system;

-- An acknowledgement that was applied: one with the same content is not
-- applied again.
CREATE TABLE acknowledgements (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    name        text NOT NULL,
    digest      bytea NOT NULL,
    content     bytea NOT NULL,
    received_at timestamptz NOT NULL,
    -- The part about the batch, of a file that also concerns other organizations. The batch's
    -- own may read it.
    excerpt     bytea,
    CONSTRAINT acknowledgements_content UNIQUE (digest, org_id, mode)
);
ALTER TABLE acknowledgements ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE acknowledgements ALTER COLUMN excerpt SET STORAGE EXTERNAL;
GRANT SELECT, INSERT ON acknowledgements TO molar_app;

-- The acknowledgements of a batch, numbered in the order in which they came.
CREATE TABLE batch_acknowledgements (
    batch_id           uuid NOT NULL,
    number             integer NOT NULL,
    org_id             uuid NOT NULL,
    mode               text NOT NULL,
    kind               text NOT NULL CHECK (kind IN ('997', '999', 'TA1', '277CA', '277')),
    acknowledgement_id uuid NOT NULL,
    PRIMARY KEY (batch_id, number)
);
GRANT SELECT, INSERT ON batch_acknowledgements TO molar_app;

-- A remittance is seen by callers once it has been received, which is when all of its
-- claims are kept. The day of the payment is compared within the index. A remittance
-- counts its claims by status; those that are still to be applied are in no count. Once
-- the work has ended, all that were not applied need a person.
CREATE TABLE eras (
    id                 uuid PRIMARY KEY,
    org_id             uuid NOT NULL,
    mode               text NOT NULL,
    state              text NOT NULL,
    payer_id           uuid,
    payer_code         text NOT NULL,
    payer_name         text NOT NULL,
    office_id          uuid,
    payment_date       date,
    detail             json NOT NULL,
    balanced           boolean NOT NULL,
    claim_count        integer NOT NULL,
    matched_count      integer NOT NULL,
    stage              text NOT NULL,
    identity           bytea NOT NULL,
    received_at        timestamptz,
    posted_at          timestamptz,
    content            bytea NOT NULL,
    arrival            bigint GENERATED ALWAYS AS IDENTITY,
    applied_count      integer NOT NULL,
    needs_review_count integer NOT NULL,
    unmatched_count    integer NOT NULL,
    ignored_count      integer NOT NULL,
    forwarded_count    integer NOT NULL,
    needs_attention    boolean NOT NULL,
    stated_payer       text NOT NULL, -- ledgers repeat who paid, and under which number
    trace_number       text NOT NULL,
    source             text NOT NULL DEFAULT 'network',
    -- What became known after the remittance was stored: that a person acknowledged that its
    -- payment does not add up, the other remittances of the same payment, and the decision on
    -- a correction. NULL while there is nothing.
    later              json,
    CONSTRAINT eras_identity UNIQUE (identity, org_id, mode),
    CONSTRAINT eras_source CHECK (source IN ('network', 'import')),
    CONSTRAINT eras_state CHECK (
        CASE state
            WHEN 'needs_review' THEN posted_at IS NULL
            WHEN 'replaced' THEN posted_at IS NULL
            WHEN 'discarded' THEN posted_at IS NULL
            WHEN 'posted' THEN posted_at IS NOT NULL AND received_at IS NOT NULL
            ELSE false
        END AND CASE stage
            WHEN 'reading' THEN true
            ELSE stage IN ('applying', 'done') AND received_at IS NOT NULL
        END AND length(identity) = 32)
) WITH (fillfactor = 90);
ALTER TABLE eras ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX eras_list ON eras (org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL;
CREATE INDEX eras_state ON eras (org_id, mode, state, received_at, id, payment_date) WHERE received_at IS NOT NULL;
CREATE INDEX eras_payer ON eras (org_id, mode, payer_id, received_at, id, payment_date) WHERE received_at IS NOT NULL;
-- Remittances are applied in the order in which they came.
CREATE INDEX eras_undone ON eras (org_id, mode, arrival) WHERE stage <> 'done';
CREATE INDEX eras_attention ON eras (org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL AND needs_attention;
-- Remittances by office and by trace number, and those that do not add up.
CREATE INDEX eras_office ON eras (office_id, org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL;
CREATE INDEX eras_trace ON eras (trace_number, org_id, mode, received_at, id) WHERE received_at IS NOT NULL AND trace_number <> '';
CREATE INDEX eras_unbalanced ON eras (org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL AND NOT balanced;
-- The remittances of one payment. eras_trace has only those that callers see. The
-- condition always holds; it keeps other statements from this index.
CREATE INDEX eras_payment ON eras (trace_number, org_id, mode, payment_date, arrival) WHERE trace_number IS NOT NULL;
-- The balances that payers carry from one payment to another.
CREATE INDEX eras_balance_forwarded ON eras (org_id, mode, payer_id)
    WHERE detail::jsonb @> '{"ProviderAdjustments": [{"Reason": "FB"}]}';
GRANT SELECT, INSERT, UPDATE (state, balanced, claim_count, matched_count, stage, received_at, posted_at, applied_count, needs_review_count,
    unmatched_count, ignored_count, forwarded_count, needs_attention, later) ON eras TO molar_app;

-- What a remittance says of a claim, and what became of it. Who writes it has the
-- remittance locked, so there is no foreign key to check for each of thousands.
CREATE TABLE era_claims (
    era_id          uuid NOT NULL,
    ordinal         integer NOT NULL,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    status          text NOT NULL,
    claim_id        uuid,
    matched_by      text NOT NULL,
    review          text NOT NULL,
    warnings        text[] NOT NULL,
    sequence        text NOT NULL,
    line_numbers    smallint[], -- NULL: the lines are not matched yet
    applied_at      timestamptz,
    balanced        boolean NOT NULL,
    detail          json NOT NULL,
    -- Row-level policies let no index serve a function; a column has no such
    -- trouble.
    control_key     text GENERATED ALWAYS AS (upper(detail ->> 'ControlNumber')) STORED,
    payer_number    text GENERATED ALWAYS AS (detail ->> 'PayerClaimNumber') STORED,
    original_number text GENERATED ALWAYS AS (detail ->> 'Original') STORED,
    CONSTRAINT era_claims_status CHECK (
        status IN ('pending', 'applied', 'needs_review', 'unmatched', 'ignored', 'forwarded')
        AND (status = 'applied') <= (claim_id IS NOT NULL AND applied_at IS NOT NULL)
    ),
    PRIMARY KEY (era_id, ordinal)
) WITH (fillfactor = 90);
CREATE INDEX era_claims_pending ON era_claims (era_id, ordinal) WHERE status = 'pending';
CREATE INDEX era_claims_ledger ON era_claims (claim_id) WHERE status = 'applied';
CREATE INDEX era_claims_review ON era_claims (claim_id, era_id) WHERE status = 'needs_review';
-- What came before its claim, and reversals that came before what they take back.
CREATE INDEX era_claims_unmatched ON era_claims (control_key, org_id, mode) WHERE status = 'unmatched' AND control_key <> '';
CREATE INDEX era_claims_unmatched_payer ON era_claims (payer_number, org_id, mode) WHERE status = 'unmatched' AND payer_number <> '';
CREATE INDEX era_claims_unmatched_original ON era_claims (original_number, org_id, mode) WHERE status = 'unmatched' AND original_number <> '';
-- The claims of remittances that do not stand: corrections that wait for a person, and
-- what was replaced or discarded.
CREATE INDEX era_claims_aside ON era_claims (era_id, control_key) WHERE review = 'correction';
-- The remittances in which a payer forwarded a claim and decided nothing.
CREATE INDEX era_claims_forwarded ON era_claims (claim_id, era_id) WHERE status = 'forwarded';
-- The claims that provider adjustments name.
CREATE INDEX era_claims_payer_number ON era_claims (payer_number, org_id, mode) WHERE status = 'applied' AND payer_number <> '';
-- The remittances that hold a claim, for the audit.
CREATE INDEX era_claims_claim ON era_claims (claim_id, era_id) WHERE claim_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (status, claim_id, matched_by, review, warnings, sequence, line_numbers, applied_at) ON era_claims TO molar_app;

-- Files that belong to no one yet. Those of an organization's own connections, and its
-- imports, are in its own quarantine. Those of the deployment's connections have no
-- organization; only the operator sees them. Several organizations may hold the same file.
CREATE TABLE quarantine (
    id          uuid PRIMARY KEY,
    mode        text NOT NULL,
    name        text NOT NULL,
    reason      text NOT NULL,
    digest      bytea NOT NULL,
    content     bytea NOT NULL,
    received_at timestamptz NOT NULL,
    org_id      uuid,
    source      text NOT NULL DEFAULT 'network',
    detail      json, -- the payment; NULL: the file has none that can be read
    cause       text NOT NULL DEFAULT 'other' CHECK (cause IN ('empty', 'report', 'unreadable', 'other', 'unplaced')), -- for metrics
    CONSTRAINT quarantine_source CHECK (source IN ('network', 'import')),
    CONSTRAINT quarantine_content UNIQUE NULLS NOT DISTINCT (digest, mode, org_id)
);
ALTER TABLE quarantine ALTER COLUMN content SET STORAGE EXTERNAL;
-- The operator's list has every file, so it needs no index.
CREATE INDEX quarantine_own ON quarantine (org_id, mode, received_at, id) WHERE org_id IS NOT NULL;
GRANT SELECT, INSERT, DELETE ON quarantine TO molar_app;
GRANT SELECT, INSERT, DELETE ON quarantine TO molar_system;

-- The files of connections: each version that a clearinghouse listed and that was asked
-- for, and what became of it. Those of the deployment's connections have no organization.
-- The row is written before the download begins, so that a file which is gone afterwards
-- has a name. A version that is no longer listed may come again; it is another row then.
CREATE TABLE received_files (
    id          uuid PRIMARY KEY,
    network     text NOT NULL,
    org_id      uuid,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    name        text NOT NULL,
    size        bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    state       text NOT NULL CHECK (state IN ('fetching', 'received', 'applied', 'partial', 'changed', 'not_whole', 'refused', 'lost', 'set_aside')),
    reason      text NOT NULL,
    since       timestamptz NOT NULL,
    listed      boolean NOT NULL,
    digest      bytea, -- NULL: no content is stored
    tries       integer NOT NULL,
    holder      uuid NOT NULL,
    CONSTRAINT received_files_content CHECK (digest IS NOT NULL OR state NOT IN ('received', 'applied', 'partial', 'changed', 'not_whole'))
);
CREATE UNIQUE INDEX received_files_listed ON received_files (network, name, size, modified_at) WHERE listed;
CREATE INDEX received_files_waiting ON received_files (network, since, id) WHERE state = 'received';
CREATE INDEX received_files_problems ON received_files (since, id) WHERE state IN ('refused', 'lost', 'set_aside');
CREATE INDEX received_files_names ON received_files (network, name);
CREATE INDEX received_files_since ON received_files (since, id);
GRANT SELECT, INSERT, UPDATE, DELETE ON received_files TO molar_system;

-- Their contents, encrypted, in parts of a megabyte: no process holds all of a large file
-- to store it.
CREATE TABLE received_parts (
    file_id uuid NOT NULL,
    part    integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (file_id, part)
);
ALTER TABLE received_parts ALTER COLUMN content SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, DELETE ON received_parts TO molar_system;

-- THE SANDBOX

-- What the clearinghouse of the sandbox has for us. The name of a file that was removed is
-- remembered for some days: content is NULL then. A connection of the kind sandbox has a
-- mailbox of its own, under its name.
CREATE TABLE sandbox_mail (
    name        text PRIMARY KEY,
    due         timestamptz NOT NULL,
    given_until timestamptz,
    removed_at  timestamptz,
    content     bytea,
    org_id      uuid, -- whose claims the file is about
    mode        text,
    network     text NOT NULL DEFAULT 'sandbox',
    CONSTRAINT sandbox_mail_state CHECK ((content IS NULL) = (removed_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
ALTER TABLE sandbox_mail ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX sandbox_mail_due ON sandbox_mail (due, name) WHERE removed_at IS NULL;
CREATE INDEX sandbox_mail_removed ON sandbox_mail (removed_at) WHERE removed_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (given_until, removed_at, content), DELETE ON sandbox_mail TO molar_system;

-- What it remembers for later files, in the order in which that was noted.
CREATE TABLE sandbox_notes (
    key      bytea NOT NULL,
    noted_by text NOT NULL,
    serial   bigint GENERATED ALWAYS AS IDENTITY,
    noted_at timestamptz NOT NULL,
    content  bytea NOT NULL,
    PRIMARY KEY (key, noted_by)
);
CREATE INDEX sandbox_notes_sweep ON sandbox_notes (noted_at);
GRANT SELECT, INSERT, DELETE ON sandbox_notes TO molar_system;

-- EVENTS AND WEBHOOKS

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
CREATE POLICY system ON events TO molar_system USING (type LIKE 'api_key.%');
GRANT SELECT, INSERT ON events TO molar_app;
GRANT SELECT (id, org_id, mode, type, resource_id, sequence), INSERT ON events TO molar_system;

-- Lists go by time and ID, and so does the search for the endpoints that take
-- an event: a scope has ten at most. The secret is encrypted. What follows
-- created_at is the lane: who delivers at the moment, where to reach that
-- process, how long it may, and when the lane was last called. It is written by
-- the second, beside what callers change, so it is in no index and the pages
-- have room.
CREATE TABLE webhook_endpoints (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    url             text NOT NULL,
    description     text NOT NULL,
    event_types     text[],
    status          text NOT NULL,
    secret          bytea NOT NULL,
    failures        integer NOT NULL DEFAULT 0,
    failing_since   timestamptz,
    circuit_until   timestamptz,
    created_at      timestamptz NOT NULL,
    holder          uuid,
    holder_address  text NOT NULL DEFAULT '',
    lease_until     timestamptz,
    called_at       timestamptz,
    -- Why the endpoint is disabled, when it last accepted an event, and who made it: a user or
    -- an API key, as an ID.
    disabled_reason text CHECK (disabled_reason IN ('user', 'gone', 'failures')),
    last_success_at timestamptz,
    created_by      text NOT NULL DEFAULT '',
    CONSTRAINT webhook_endpoints_state CHECK (
        status IN ('enabled', 'disabled')
        AND url <> ''
        AND length(secret) > 33
        AND coalesce(cardinality(event_types) > 0, true)
        AND CASE failures WHEN 0 THEN num_nonnulls(failing_since, circuit_until) = 0 ELSE failures > 0 AND failing_since IS NOT NULL END
        AND CASE WHEN holder IS NULL THEN lease_until IS NULL AND holder_address = '' ELSE lease_until IS NOT NULL END
    )
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE INDEX webhook_endpoints_list ON webhook_endpoints (org_id, mode, created_at, id);
-- Across scopes lanes are called, the events of keys are queued, and settled deliveries
-- are forgotten. molar_system reads no secret and no reply.
GRANT SELECT, INSERT, UPDATE (url, description, event_types, status, secret, failures, failing_since, circuit_until, holder, holder_address,
    lease_until, disabled_reason, last_success_at), DELETE ON webhook_endpoints TO molar_app;
GRANT SELECT (id, org_id, mode, event_types, status, circuit_until, lease_until, called_at), UPDATE (called_at) ON webhook_endpoints TO molar_system;

-- A delivery begins pending, in the commit of its event. Its ID begins with
-- created_at, as every ID does, so old ones are found by the primary key.
-- There is no foreign key to the endpoint: it would lock that row for every
-- event, write the lock to it, and keep events waiting while an endpoint is
-- deleted. A delivery that was queued in the moment in which its endpoint was
-- deleted goes nowhere, and is forgotten with the old ones. Attempts are json
-- and not jsonb, because a reply may hold any byte.
CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    endpoint_id     uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_type      text NOT NULL,
    state           text NOT NULL DEFAULT 'pending',
    next_attempt_at timestamptz,
    attempts        json[] NOT NULL DEFAULT '{}',
    created_at      timestamptz NOT NULL,
    settled_at      timestamptz, -- when the last attempt was made
    -- The server reads a rule for every statement, so it is a short one.
    CONSTRAINT webhook_deliveries_state CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- No index begins with the scope, which an endpoint has but one of: one that did
-- would be taken for as good as the primary key, and what is looked up by its
-- ID would be looked for among all of the scope.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at, id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (endpoint_id, created_at, id);
-- Lists of deliveries by type, by state and by event. Most deliveries are delivered, so
-- only the others are indexed by state. A list of all endpoints merges their lists.
CREATE INDEX webhook_deliveries_type ON webhook_deliveries (endpoint_id, event_type, created_at, id);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, created_at, id) WHERE state <> 'delivered';
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id, created_at, id);
CREATE POLICY system ON webhook_deliveries FOR SELECT TO molar_system USING (true);
CREATE POLICY system_queues ON webhook_deliveries FOR INSERT TO molar_system WITH CHECK (event_type LIKE 'api_key.%');
CREATE POLICY system_forgets ON webhook_deliveries FOR DELETE TO molar_system
    USING (state <> 'pending' OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id));
GRANT SELECT, INSERT, UPDATE (state, next_attempt_at, attempts, settled_at), DELETE ON webhook_deliveries TO molar_app;
GRANT SELECT (id, org_id, mode, endpoint_id, state, next_attempt_at, created_at, settled_at), INSERT, DELETE ON webhook_deliveries TO molar_system;

-- What changed, for GET /stream. Transactions record a change only while a process
-- has a stream of the scope open: it renews the row of the scope in watches. The
-- changes of every transaction with an ID of at least since are complete.
CREATE TABLE watches (
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    expires_at timestamptz NOT NULL,
    begun      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    since      xid8, -- empty until a transaction after the first
    PRIMARY KEY (org_id, mode)
);
CREATE POLICY scope ON watches FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT ON watches TO molar_app;
GRANT SELECT, INSERT, UPDATE (expires_at, since), DELETE ON watches TO molar_system;

CREATE TABLE changes (
    org_id     uuid NOT NULL,
    mode       text NOT NULL,
    kind       text NOT NULL,
    id         uuid NOT NULL,
    xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX changes_tail ON changes (org_id, mode, xid);
CREATE INDEX changes_created ON changes (created_at);
CREATE POLICY scope ON changes FOR INSERT TO molar_app
    WITH CHECK (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT INSERT ON changes TO molar_app;
GRANT SELECT, INSERT, DELETE ON changes TO molar_system;

-- record_change runs after the row is written, so the transaction has an ID before
-- the function looks for a watch. A watch that it does not find is committed later.
-- +goose StatementBegin
CREATE FUNCTION record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], NEW.id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION record_removal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], OLD.id
    FROM watches w
    WHERE w.org_id = OLD.org_id AND w.mode = OLD.mode;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER change AFTER INSERT OR UPDATE ON eligibility_checks FOR EACH ROW EXECUTE FUNCTION record_change('eligibility_check');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON claims FOR EACH ROW EXECUTE FUNCTION record_change('claim');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON attachments FOR EACH ROW EXECUTE FUNCTION record_change('attachment');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON payer_requests FOR EACH ROW EXECUTE FUNCTION record_change('payer_request');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON enrollments FOR EACH ROW EXECUTE FUNCTION record_change('enrollment');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON eras FOR EACH ROW
    WHEN (NEW.received_at IS NOT NULL) EXECUTE FUNCTION record_change('era');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON batches FOR EACH ROW EXECUTE FUNCTION record_change('batch');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON offices FOR EACH ROW EXECUTE FUNCTION record_change('office');
CREATE TRIGGER change AFTER INSERT OR UPDATE ON providers FOR EACH ROW EXECUTE FUNCTION record_change('provider');
CREATE TRIGGER change AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION record_change('event');
CREATE TRIGGER change AFTER INSERT ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION record_change('webhook_endpoint');
-- Neither the lease of its lane nor the time of its last success counts.
CREATE TRIGGER changed AFTER UPDATE ON webhook_endpoints FOR EACH ROW
    WHEN ((OLD.url, OLD.description, OLD.event_types, OLD.status, OLD.failures, OLD.failing_since, OLD.circuit_until)
        IS DISTINCT FROM (NEW.url, NEW.description, NEW.event_types, NEW.status, NEW.failures, NEW.failing_since, NEW.circuit_until))
    EXECUTE FUNCTION record_change('webhook_endpoint');
CREATE TRIGGER removed AFTER DELETE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION record_removal('webhook_endpoint');
CREATE TRIGGER failed AFTER UPDATE OF state ON webhook_deliveries FOR EACH ROW
    WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION record_change('webhook_delivery');

-- WORK

-- The use of a key: its reply by value, the work that it waits for, and what the entries
-- of its request in the log and in the audit need, in the commit of the effect. The
-- sweeper restores the entries that are missing. No constraint: this table is written by
-- every request that changes something.
CREATE TABLE idempotency_keys (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    check_id    uuid,
    created_at  timestamptz NOT NULL,
    status      smallint,
    body        bytea,
    work        uuid,
    request_id  uuid,
    api_key_id  uuid,
    operation   text,
    resource_id text,
    address     text,
    agent       text,
    PRIMARY KEY (org_id, mode, key)
);
CREATE INDEX idempotency_keys_sweep ON idempotency_keys (created_at);
GRANT SELECT, INSERT, UPDATE (fingerprint, check_id, created_at, status, body, work, request_id, api_key_id, operation, resource_id, address, agent),
    DELETE ON idempotency_keys TO molar_app;
GRANT SELECT (org_id, mode, key, check_id, created_at, work, request_id, api_key_id, operation, resource_id, address, agent), DELETE ON
    idempotency_keys TO molar_system;

-- claim_idempotency_key reserves a key until the transaction ends, without ever waiting,
-- and reads its use. The use is read also when another transaction has the key, so that
-- replays do not hold each other up. Each statement of a volatile function has a snapshot
-- of its own, so the use that the last holder committed is seen; in one plain statement
-- the snapshot would be older than the lock.
-- +goose StatementBegin
CREATE FUNCTION claim_idempotency_key(wanted_org uuid, wanted_mode text, wanted_key text)
RETURNS TABLE (claimed boolean, fingerprint bytea, check_id uuid, created_at timestamptz, status smallint, body bytea, work uuid)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    claimed := pg_try_advisory_xact_lock(hashtextextended(format('%s %s %s', wanted_org, wanted_mode, wanted_key), 0));
    SELECT k.fingerprint, k.check_id, k.created_at, k.status, k.body, k.work
    INTO fingerprint, check_id, created_at, status, body, work
    FROM idempotency_keys k
    WHERE k.org_id = wanted_org AND k.mode = wanted_mode AND k.key = wanted_key;
    RETURN NEXT;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION claim_idempotency_key(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_idempotency_key(uuid, text, text) TO molar_app;

-- A job is due when both its time has come and no process holds it any more. It rests,
-- without a lease, until its time comes; after that its lease alone counts. So the time of
-- the work and the time of leases are never compared with each other.
CREATE TABLE jobs (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL,
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    subject     uuid NOT NULL,
    reply_to    text NOT NULL,
    not_before  timestamptz NOT NULL,
    leased_at   timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    publishes   integer NOT NULL DEFAULT 0,
    attempts    integer NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- Jobs are taken in turn: a few of each stream, which is the jobs of one kind,
-- organization and mode. So each stream is found by itself, and in it those that
-- are due, however many others wait: those whose lease has run out, and those
-- that have rested until their time.
CREATE INDEX jobs_streams ON jobs (kind, org_id, mode, lease_until, not_before);
-- A file of the deployment's connection is work of no organization: its job has the zero
-- ID for one.
GRANT SELECT, INSERT, UPDATE (not_before, lease_until), DELETE ON jobs TO molar_app;
GRANT SELECT, INSERT, UPDATE (not_before, leased_at, lease_until, publishes, attempts), DELETE ON jobs TO molar_system;

-- Work that one process does at a time, by name. Only the length of a lease counts, so it
-- uses the server's clock.
CREATE TABLE turns (
    name        text PRIMARY KEY,
    holder      uuid NOT NULL,
    lease_until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON turns TO molar_system;

-- THE REQUEST LOG AND THE AUDIT

-- How long entries are kept. Only the owner of the tables sets it.
CREATE TABLE audit_retention (
    one  boolean PRIMARY KEY DEFAULT true CHECK (one),
    keep interval NOT NULL CHECK (keep >= interval '720 hours')
);
GRANT SELECT ON audit_retention TO molar_system;
INSERT INTO audit_retention (keep) VALUES (interval '52560 hours');

-- The request log. Entries are written together, shortly after the replies, and never
-- change. The services can delete an entry only after the retention that the owner of the
-- tables sets.
CREATE TABLE requests (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('test', 'live')),
    key_id      uuid NOT NULL,
    operation   text NOT NULL,
    resource_id text,
    status      smallint, -- empty if no reply was recorded
    error       text,
    duration_us bigint,
    created_at  timestamptz NOT NULL
);
CREATE INDEX requests_list ON requests (org_id, mode, created_at, id);
CREATE INDEX requests_key ON requests (org_id, mode, key_id, created_at, id);
CREATE INDEX requests_operation ON requests (org_id, mode, operation, created_at, id);
CREATE INDEX requests_status ON requests (org_id, mode, status, created_at, id);
CREATE INDEX requests_error ON requests (org_id, mode, error, created_at, id) WHERE error IS NOT NULL;
CREATE INDEX requests_resource ON requests (org_id, mode, resource_id, created_at, id) WHERE resource_id IS NOT NULL;
CREATE POLICY scope ON requests FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system_reads ON requests FOR SELECT TO molar_system USING (true);
CREATE POLICY system_writes ON requests FOR INSERT TO molar_system WITH CHECK (true);
CREATE POLICY system_forgets ON requests FOR DELETE TO molar_system
    USING (created_at < now() - (SELECT keep FROM audit_retention));
GRANT SELECT ON requests TO molar_app;
GRANT SELECT (id, created_at), INSERT, DELETE ON requests TO molar_system;

-- The audit: the requests of people and of keys, and what operators did. One of user_id,
-- key_id and operator says who; a user's entry with an operator is of a session that began
-- with the operator's link. An entry of an operator that concerns no organization has no
-- org_id, so no organization sees it. Entries never change. The roles of the services
-- cannot delete them; only the function below can.
--
-- A write stores its entry in its own commit. If its reply is not known yet, the entry has
-- no status, and a second row with the status follows. Lists show the row with the status,
-- if there is one.
CREATE TABLE audit_entries (
    id          uuid NOT NULL,
    org_id      uuid,
    mode        text CHECK (mode IN ('test', 'live')), -- empty for a sign-in
    user_id     uuid,
    address     text NOT NULL,
    operation   text NOT NULL,
    resource_id text,
    shown       text[] NOT NULL, -- patients, and claims, that the reply showed
    status      smallint,
    created_at  timestamptz NOT NULL,
    replied     boolean NOT NULL GENERATED ALWAYS AS (status IS NOT NULL) STORED,
    key_id      uuid,
    operator    text,
    background  boolean NOT NULL DEFAULT false, -- a page made the request by itself
    agent       text NOT NULL DEFAULT '', -- the User-Agent of the client
    PRIMARY KEY (id, replied),
    CONSTRAINT audit_entries_actor CHECK (CASE WHEN user_id IS NULL THEN num_nonnulls(key_id, operator) = 1 ELSE key_id IS NULL END)
);
CREATE INDEX audit_entries_list ON audit_entries (org_id, created_at, id);
-- The filters: a person or a key, all people, what changed something, and what operators
-- did in all organizations.
CREATE INDEX audit_entries_person ON audit_entries (org_id, user_id, created_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_entries_key ON audit_entries (org_id, key_id, created_at, id) WHERE key_id IS NOT NULL;
CREATE INDEX audit_entries_people ON audit_entries (org_id, created_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_entries_changes ON audit_entries (org_id, created_at, id) WHERE operation !~ '^GET |/search$| show$';
CREATE INDEX audit_entries_operators ON audit_entries (created_at, id) WHERE operator IS NOT NULL;
-- molar audit list reads what operators did, in all organizations.
CREATE POLICY operators ON audit_entries FOR SELECT TO molar_system USING (operator IS NOT NULL);
GRANT SELECT, INSERT ON audit_entries TO molar_app;
GRANT SELECT, INSERT ON audit_entries TO molar_system;

-- The entries of a resource: of requests that named it, made it or showed it.
CREATE TABLE audit_resources (
    org_id     uuid NOT NULL,
    resource   text NOT NULL,
    created_at timestamptz NOT NULL,
    id         uuid NOT NULL,
    PRIMARY KEY (org_id, resource, created_at, id)
);
GRANT SELECT, INSERT ON audit_resources TO molar_app;
GRANT INSERT ON audit_resources TO molar_system;

-- Each statement that inserts entries inserts their resources, too. An entry of the whole
-- deployment has none: no organization searches it.
-- +goose StatementBegin
CREATE FUNCTION audit_shown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_resources (org_id, resource, created_at, id)
    SELECT org_id, resource, created_at, id
    FROM new_entries CROSS JOIN LATERAL unnest(shown || resource_id) resource
    WHERE org_id IS NOT NULL AND resource IS NOT NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_shown AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS new_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_shown();

-- Deletes the oldest entries that were made before the given time, at most 1,000, and
-- returns how many. It keeps those that are younger than the retention, whatever time the
-- caller passes. IDs sort by time. The names have their schema, so that a temporary table
-- of the caller's does not stand in for a table.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format($create$
CREATE FUNCTION forget_audit_entries(before timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
    bound timestamptz;
    forgotten bigint;
BEGIN
    SELECT least(before, now() - keep) INTO STRICT bound FROM %1$I.audit_retention;
    WITH gone AS (
        DELETE FROM %1$I.audit_entries
        WHERE created_at < bound AND id IN (
            SELECT id
            FROM %1$I.audit_entries
            WHERE id < (lpad(to_hex((extract(epoch FROM bound) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
            ORDER BY id
            LIMIT 1000
        )
        RETURNING org_id, created_at, id, resource_id, shown
    ), resources AS (
        DELETE FROM %1$I.audit_resources r
        USING (SELECT DISTINCT org_id, created_at, id, unnest(shown || resource_id) AS resource FROM gone) g
        WHERE r.org_id = g.org_id AND r.resource = g.resource AND r.created_at = g.created_at AND r.id = g.id
    )
    SELECT count(*) INTO forgotten FROM gone;
    RETURN forgotten;
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION forget_audit_entries(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_audit_entries(timestamptz) TO molar_system;

-- ROW-LEVEL SECURITY

-- molar_app sees the rows of one scope. Without a scope current_setting fails, and so does
-- the statement. The policies of molar_system without a condition are here, too. Forced
-- row-level security holds for the owner of a table as well.
-- +goose StatementBegin
DO $$
DECLARE
    guarded text;
BEGIN
    FOREACH guarded IN ARRAY ARRAY[
        'offices', 'providers', 'patients', 'eligibility_checks', 'events', 'idempotency_keys', 'jobs', 'claims',
        'payer_requests', 'attachments', 'documents', 'uploads', 'webhook_endpoints', 'webhook_deliveries', 'batches',
        'acknowledgements', 'eras', 'era_claims', 'quarantine', 'eligibility_answers', 'claim_changes', 'batch_acknowledgements',
        'enrollments'
    ] LOOP
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app
            USING (org_id = current_setting(''molar.org'')::uuid AND mode = current_setting(''molar.mode''))', guarded);
    END LOOP;
    FOREACH guarded IN ARRAY ARRAY['users', 'sign_in_links', 'sessions'] LOOP -- of both modes
        EXECUTE format('CREATE POLICY scope ON %I TO molar_app USING (org_id = current_setting(''molar.org'')::uuid)', guarded);
    END LOOP;
    FOREACH guarded IN ARRAY ARRAY[
        'organizations', 'api_keys', 'idempotency_keys', 'jobs', 'webhook_endpoints', 'quarantine', 'sandbox_mail',
        'sandbox_notes', 'encryption_key', 'eligibility_answers', 'users', 'sign_in_links', 'sessions', 'claim_totals',
        'claim_changes', 'watches', 'changes', 'connections', 'received_files'
    ] LOOP
        EXECUTE format('CREATE POLICY system ON %I TO molar_system USING (true)', guarded);
    END LOOP;
    FOREACH guarded IN ARRAY ARRAY['audit_entries', 'audit_resources'] LOOP
        EXECUTE format('CREATE POLICY reads ON %I FOR SELECT TO molar_app USING (org_id = current_setting(''molar.org'')::uuid)', guarded);
        EXECUTE format('CREATE POLICY writes ON %I FOR INSERT TO molar_app WITH CHECK (org_id = current_setting(''molar.org'')::uuid)', guarded);
        EXECUTE format('CREATE POLICY system_writes ON %I FOR INSERT TO molar_system WITH CHECK (true)', guarded);
        EXECUTE format('CREATE POLICY expiry ON %I TO CURRENT_USER USING (true)', guarded);
    END LOOP;
    FOR guarded IN SELECT DISTINCT tablename FROM pg_policies WHERE schemaname = current_schema() LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd
