-- +goose Up

-- A transaction of several organizations, for checks that a process reads or ends together. Its role sees the rows
-- of the scopes that the setting molar.scopes names, in the tables that checks need and in no other one. A login that may
-- become molar_app may become it, too.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'molar_scopes') THEN
        BEGIN
            CREATE ROLE molar_scopes NOLOGIN NOINHERIT;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL;
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'the login of the migrations may not create roles; let an administrator run: CREATE ROLE molar_scopes NOLOGIN NOINHERIT; GRANT molar_scopes TO molar_app';
        END;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'molar_scopes' AND (rolsuper OR rolbypassrls)) THEN
        RAISE EXCEPTION 'role molar_scopes may bypass row-level security; take that away first';
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'molar_app' AND rolinherit) THEN
        RAISE EXCEPTION 'role molar_app inherits the rights of other roles; alter it to NOINHERIT first';
    END IF;
    IF NOT pg_has_role('molar_app', 'molar_scopes', 'MEMBER') THEN
        BEGIN
            GRANT molar_scopes TO molar_app;
        EXCEPTION
            WHEN unique_violation THEN
                NULL;
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'the login of the migrations may not grant molar_scopes; let an administrator run: GRANT molar_scopes TO molar_app';
        END;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO molar_scopes', current_schema());
END
$$;
-- +goose StatementEnd

GRANT SELECT ON eligibility_checks TO molar_scopes;
GRANT UPDATE (state, outcome, patient_id, network, latency_ms, completed_at, rejection, coverage_status, benefits, exchanges, shown, shown_failure)
    ON eligibility_checks TO molar_scopes;
GRANT SELECT, INSERT ON check_members, eligibility_answers, patients, patient_words, data_keys TO molar_scopes;
GRANT SELECT (org_id, mode, kind, patient_id, payer_id, sent_at) ON claims TO molar_scopes;
GRANT INSERT ON events, webhook_deliveries, changes TO molar_scopes;
GRANT SELECT (id) ON events TO molar_scopes;
GRANT SELECT (org_id, mode, endpoint_id) ON webhook_deliveries TO molar_scopes;
GRANT SELECT (id, org_id, mode, status, event_types) ON webhook_endpoints TO molar_scopes;
GRANT SELECT ON watches, restores TO molar_scopes;
GRANT SELECT, INSERT, DELETE ON jobs TO molar_scopes;
GRANT UPDATE (not_before, lease_until) ON jobs TO molar_scopes;

-- The setting has the organization and the mode of each scope, without anything between the two.
-- +goose StatementBegin
DO $$
DECLARE
    bare text;
BEGIN
    FOREACH bare IN ARRAY ARRAY['eligibility_checks', 'check_members', 'eligibility_answers', 'patients', 'patient_words', 'claims', 'events',
        'webhook_deliveries', 'webhook_endpoints', 'changes', 'watches', 'jobs'] LOOP
        EXECUTE format('CREATE POLICY scopes ON %I TO molar_scopes USING (strpos(current_setting(''molar.scopes''), org_id || mode) > 0)', bare);
    END LOOP;
END
$$;
-- +goose StatementEnd

CREATE POLICY scopes ON data_keys TO molar_scopes USING (org_id IS NULL OR strpos(current_setting('molar.scopes'), org_id::text) > 0)
    WITH CHECK (strpos(current_setting('molar.scopes'), org_id::text) > 0);

-- The clocks are read in the statement that sets the role, and by the role of the login.
CREATE POLICY begin_scopes ON sandbox_clocks FOR SELECT USING (strpos(current_setting('molar.scopes', true), org_id || 'test') > 0);
