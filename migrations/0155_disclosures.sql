-- +goose Up

-- To whom records of a patient were given, which the patient may ask (45 CFR 164.528).
CREATE TABLE disclosures (
    id           uuid PRIMARY KEY,
    org_id       uuid NOT NULL,
    mode         text NOT NULL CHECK (mode IN ('test', 'live')),
    patient_id   uuid NOT NULL,
    disclosed_to text NOT NULL,
    purpose      text NOT NULL,
    disclosed_by text NOT NULL, -- the operator
    disclosed_at timestamptz NOT NULL
);
CREATE INDEX disclosures_patient ON disclosures (org_id, mode, patient_id);
GRANT SELECT, INSERT ON disclosures TO molar_app;
CREATE POLICY scope ON disclosures TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON disclosures TO CURRENT_USER USING (true);
ALTER TABLE disclosures ENABLE ROW LEVEL SECURITY;
ALTER TABLE disclosures FORCE ROW LEVEL SECURITY;

-- They go with a throw-away organization.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''connections'',', '''connections'', ''disclosures'',');
END
$$;
-- +goose StatementEnd
