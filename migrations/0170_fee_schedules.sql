-- +goose Up

-- What offices charge for procedures, and what payers allow. A schedule never changes; a later
-- one replaces it. An estimate looks up 20 procedures in several schedules, so each has a row.
CREATE TABLE fee_schedules (
    id                      uuid PRIMARY KEY,
    org_id                  uuid NOT NULL,
    mode                    text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at              timestamptz NOT NULL,
    name                    text NOT NULL,
    kind                    text NOT NULL CHECK (kind IN ('office_fees', 'allowed')),
    office_id               uuid, -- null for all
    payer_id                uuid, -- null for all
    payer_code              text NOT NULL,
    payer_name              text NOT NULL,
    network                 text NOT NULL CHECK (network IN ('', 'in', 'out')),
    effective_from          date NOT NULL,
    write_off_beyond_limits boolean NOT NULL,
    replaces                uuid,
    row_count               integer NOT NULL
);
CREATE INDEX fee_schedules_list ON fee_schedules (org_id, mode, created_at, id);
CREATE INDEX fee_schedules_for ON fee_schedules (org_id, mode, payer_id, office_id, effective_from);
CREATE UNIQUE INDEX fee_schedules_replaces ON fee_schedules (replaces) WHERE replaces IS NOT NULL;

-- The one index finds the rows of a schedule, and those of an organization that is removed. With
-- another for the latter, a plan without statistics read all rows of the organization. A foreign
-- key would need another one, too; rows are stored with their schedule, and go before it.
CREATE TABLE fee_schedule_rows (
    org_id         uuid NOT NULL,
    mode           text NOT NULL CHECK (mode IN ('test', 'live')),
    schedule_id    uuid NOT NULL,
    procedure_code text NOT NULL,
    amount         bigint NOT NULL CHECK (amount >= 0), -- cents
    PRIMARY KEY (org_id, mode, schedule_id, procedure_code)
);

GRANT SELECT, INSERT ON fee_schedules, fee_schedule_rows TO molar_app;
CREATE POLICY scope ON fee_schedules TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY scope ON fee_schedule_rows TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON fee_schedules TO CURRENT_USER USING (true);
CREATE POLICY removal ON fee_schedule_rows TO CURRENT_USER USING (true);
ALTER TABLE fee_schedules ENABLE ROW LEVEL SECURITY;
ALTER TABLE fee_schedules FORCE ROW LEVEL SECURITY;
ALTER TABLE fee_schedule_rows ENABLE ROW LEVEL SECURITY;
ALTER TABLE fee_schedule_rows FORCE ROW LEVEL SECURITY;

-- They go with a throw-away organization, and a reset leaves them, as it leaves offices.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('remove_rows(uuid, text, integer)'::regprocedure), '''connections'',',
        '''connections'', ''fee_schedule_rows'', ''fee_schedules'',');
END
$$;
-- +goose StatementEnd
