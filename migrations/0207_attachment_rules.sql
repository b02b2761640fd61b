-- +goose Up

-- An organization's own rules about what goes with claims. Claims read them when they are read.
CREATE TABLE attachment_rules (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at      timestamptz NOT NULL,
    payer_id        uuid, -- null for all payers
    payer_code      text NOT NULL,
    payer_name      text NOT NULL,
    procedure_codes text[] NOT NULL, -- codes, ranges and patterns; none for all
    needs           text[] NOT NULL CHECK (needs <@ ARRAY['xray', 'periodontal_chart', 'pathology_report', 'operative_report', 'narrative', 'primary_decision', 'photo']),
    asked           text NOT NULL CHECK (asked IN ('initial', 'secondary', 'rejected', 'always')),
    note            text NOT NULL,
    updated_at      timestamptz NOT NULL,
    edits           json NOT NULL DEFAULT '{}'
);
CREATE INDEX attachment_rules_list ON attachment_rules (org_id, mode, created_at, id);
CREATE INDEX attachment_rules_payer ON attachment_rules (org_id, mode, payer_id, created_at, id);

GRANT SELECT, INSERT, DELETE, UPDATE (payer_id, payer_code, payer_name, procedure_codes, needs, asked, note, updated_at, edits) ON attachment_rules TO molar_app;
CREATE POLICY scope ON attachment_rules TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON attachment_rules TO CURRENT_USER USING (true);
ALTER TABLE attachment_rules ENABLE ROW LEVEL SECURITY;
ALTER TABLE attachment_rules FORCE ROW LEVEL SECURITY;

-- They go with a throw-away organization, and a reset leaves them, as it leaves fee schedules.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''fee_schedule_rows'',',
        '''fee_schedule_rows'', ''attachment_rules'',');
END
$$;
-- +goose StatementEnd
