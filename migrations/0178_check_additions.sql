-- +goose Up

-- What people added to answered checks. An addition goes with its check, and is looked for by
-- the patient and the payer, because it follows to later checks.
CREATE TABLE check_additions (
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    check_id   uuid NOT NULL REFERENCES eligibility_checks ON DELETE CASCADE,
    number     integer NOT NULL CHECK (number > 0),
    created_at timestamptz NOT NULL,
    patient_id uuid, -- null for none
    payer_id   uuid NOT NULL,
    content    json NOT NULL, -- path, value, and who said it
    struck_at  timestamptz, -- null unless it is struck
    struck_by  text NOT NULL DEFAULT '',
    PRIMARY KEY (check_id, number)
);
CREATE INDEX check_additions_patient ON check_additions (org_id, mode, patient_id, payer_id);

GRANT SELECT, INSERT, UPDATE (struck_at, struck_by) ON check_additions TO molar_app;
CREATE POLICY scope ON check_additions TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON check_additions TO CURRENT_USER USING (true);
ALTER TABLE check_additions ENABLE ROW LEVEL SECURITY;
ALTER TABLE check_additions FORCE ROW LEVEL SECURITY;

-- They go with the test data of a reset.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''estimates'',',
        '''estimates'', ''check_additions'',');
END
$$;
-- +goose StatementEnd
