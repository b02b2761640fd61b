-- +goose Up

-- What needs a person. A task follows from its resource, and goes with it. People decide
-- only about the last columns.
CREATE TABLE tasks (
    id               uuid PRIMARY KEY,
    org_id           uuid NOT NULL,
    mode             text NOT NULL CHECK (mode IN ('test', 'live')),
    resource         text NOT NULL CHECK (resource IN ('claim', 'era', 'payer_request', 'attachment', 'enrollment')),
    claim_id         uuid REFERENCES claims ON DELETE CASCADE,
    era_id           uuid REFERENCES eras ON DELETE CASCADE,
    payer_request_id uuid REFERENCES payer_requests ON DELETE CASCADE,
    attachment_id    uuid REFERENCES attachments ON DELETE CASCADE,
    enrollment_id    uuid REFERENCES enrollments ON DELETE CASCADE,
    resource_id      uuid NOT NULL GENERATED ALWAYS AS (coalesce(claim_id, era_id, payer_request_id, attachment_id, enrollment_id)) STORED,
    kind             text NOT NULL,
    office_id        uuid, -- null for none
    payer_id         uuid, -- null for none
    payer_code       text NOT NULL,
    payer_name       text NOT NULL,
    patient_id       uuid, -- null for none
    amount           bigint NOT NULL,
    since            timestamptz NOT NULL, -- may lie in the future
    due_on           date, -- null for none
    due_by           text NOT NULL,
    reason           text NOT NULL,
    actions          text[] NOT NULL,
    ended_at         timestamptz, -- null while it exists
    assignee         uuid, -- null for nobody
    snoozed_until    timestamptz, -- null for none
    until_change     boolean NOT NULL DEFAULT false,
    CHECK (num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id) = 1),
    CONSTRAINT tasks_one UNIQUE (resource_id, kind)
);
CREATE INDEX tasks_list ON tasks (org_id, mode, (coalesce(due_on, 'infinity')), (-amount), since, id) WHERE ended_at IS NULL;
CREATE INDEX tasks_kind ON tasks (org_id, mode, kind, (coalesce(due_on, 'infinity')), (-amount), since, id) WHERE ended_at IS NULL;
CREATE INDEX tasks_assignee ON tasks (org_id, mode, assignee, (coalesce(due_on, 'infinity')), (-amount), since, id)
    WHERE ended_at IS NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_counts ON tasks (org_id, mode, kind, assignee) INCLUDE (since, snoozed_until, until_change) WHERE ended_at IS NULL;
CREATE INDEX tasks_claim ON tasks (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX tasks_era ON tasks (era_id) WHERE era_id IS NOT NULL;
CREATE INDEX tasks_payer_request ON tasks (payer_request_id) WHERE payer_request_id IS NOT NULL;
CREATE INDEX tasks_attachment ON tasks (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX tasks_enrollment ON tasks (enrollment_id) WHERE enrollment_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE ON tasks TO molar_app;
CREATE POLICY scope ON tasks TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON tasks TO CURRENT_USER USING (true);
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE tasks FORCE ROW LEVEL SECURITY;

-- They go with the test data of a reset.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''estimates'',',
        '''estimates'', ''tasks'',');
END
$$;
-- +goose StatementEnd
