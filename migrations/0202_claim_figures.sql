-- +goose Up

-- What reports add up of each claim, so that none reads the claims themselves: package report
-- computes it, and a row is written with its claim. Claims of the release before have theirs once
-- the sweep of the rules of tasks has passed.
CREATE TABLE claim_figures (
    claim_id     uuid PRIMARY KEY REFERENCES claims ON DELETE CASCADE,
    org_id       uuid NOT NULL,
    mode         text NOT NULL CHECK (mode IN ('test', 'live')),
    office_id    uuid NOT NULL,
    payer_id     uuid NOT NULL,
    provider_id  uuid,
    secondary_id uuid,
    state        text NOT NULL,
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    served_on    date,
    decided_on   date,
    first_pass   boolean NOT NULL,
    open         bigint NOT NULL,
    owed         bigint NOT NULL,
    paid         bigint NOT NULL,
    contractual  bigint NOT NULL,
    write_off    bigint NOT NULL,
    billed       bigint NOT NULL,
    other        bigint NOT NULL,
    refused      jsonb
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
-- The aging reads only its index. The others find the claims of a span, or of a list.
CREATE INDEX claim_figures_aging ON claim_figures (org_id, mode) INCLUDE (served_on, sent_at, open, owed, payer_id, office_id, provider_id, secondary_id)
    WHERE open <> 0 OR owed <> 0;
CREATE INDEX claim_figures_list ON claim_figures (org_id, mode, created_at, claim_id);
CREATE INDEX claim_figures_served ON claim_figures (org_id, mode, served_on);
CREATE INDEX claim_figures_sent ON claim_figures (org_id, mode, sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX claim_figures_decided ON claim_figures (org_id, mode, decided_on) WHERE decided_on IS NOT NULL;

GRANT SELECT, INSERT, DELETE, UPDATE (office_id, payer_id, provider_id, secondary_id, state, sent_at, served_on, decided_on, first_pass,
    open, owed, paid, contractual, write_off, billed, other, refused) ON claim_figures TO molar_app;
CREATE POLICY scope ON claim_figures TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON claim_figures TO CURRENT_USER USING (true);
ALTER TABLE claim_figures ENABLE ROW LEVEL SECURITY;
ALTER TABLE claim_figures FORCE ROW LEVEL SECURITY;

-- They go with the test data of a reset.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''claim_totals'',', '''claim_totals'', ''claim_figures'',');
END
$$;
-- +goose StatementEnd
