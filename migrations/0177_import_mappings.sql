-- +goose Up

-- What the columns and the payers' names in files of other programs mean to an organization.
CREATE TABLE import_mappings (
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    kind       text NOT NULL CHECK (kind IN ('schedule')),
    columns    json NOT NULL, -- names and fields
    payers     json NOT NULL, -- names and payers
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, mode, kind)
);

GRANT SELECT, INSERT, UPDATE (columns, payers, updated_at) ON import_mappings TO molar_app;
CREATE POLICY scope ON import_mappings TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON import_mappings TO CURRENT_USER USING (true);
ALTER TABLE import_mappings ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_mappings FORCE ROW LEVEL SECURITY;

-- They go with a throw-away organization, and a reset leaves them, as it leaves offices.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''connections'',',
        '''connections'', ''import_mappings'',');
END
$$;
-- +goose StatementEnd
