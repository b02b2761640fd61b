-- +goose Up

-- What patients will pay, as it was computed from checks. An estimate goes with its check: it
-- says nothing without it.
CREATE TABLE estimates (
    id              uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    mode            text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at      timestamptz NOT NULL,
    check_id        uuid NOT NULL REFERENCES eligibility_checks ON DELETE CASCADE,
    second_check_id uuid REFERENCES eligibility_checks ON DELETE CASCADE, -- null for none
    patient_id      uuid NOT NULL,
    office_id       uuid NOT NULL,
    payer_id        uuid NOT NULL,
    payer_code      text NOT NULL,
    payer_name      text NOT NULL,
    content         json NOT NULL -- services, amounts and steps; no name
);
CREATE INDEX estimates_list ON estimates (org_id, mode, created_at, id);
CREATE INDEX estimates_patient ON estimates (org_id, mode, patient_id, created_at, id);
CREATE INDEX estimates_check ON estimates (check_id);
CREATE INDEX estimates_second_check ON estimates (second_check_id) WHERE second_check_id IS NOT NULL;

GRANT SELECT, INSERT ON estimates TO molar_app;
GRANT SELECT (id, org_id, patient_id), DELETE ON estimates TO molar_system;
CREATE POLICY scope ON estimates TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY expiry ON estimates TO molar_system USING (true);
CREATE POLICY removal ON estimates TO CURRENT_USER USING (true);
ALTER TABLE estimates ENABLE ROW LEVEL SECURITY;
ALTER TABLE estimates FORCE ROW LEVEL SECURITY;

-- They go with the test data of a reset.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''eligibility_answers'',',
        '''eligibility_answers'', ''estimates'',');
END
$$;
-- +goose StatementEnd
