-- +goose Up

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
ALTER TABLE enrollments ENABLE ROW LEVEL SECURITY;
ALTER TABLE enrollments FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON enrollments TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT, INSERT ON enrollments TO molar_app;
GRANT UPDATE (payer_code, payer_name, state, date, note, network_message, updated_at) ON enrollments TO molar_app;
CREATE TRIGGER change AFTER INSERT OR UPDATE ON enrollments FOR EACH ROW EXECUTE FUNCTION record_change('enrollment');

-- A request that no attachment can answer is answered elsewhere, such as by mail. The
-- note says how.
ALTER TABLE payer_requests ADD COLUMN answer_note text NOT NULL DEFAULT '';
ALTER TABLE payer_requests DROP CONSTRAINT payer_requests_state;
ALTER TABLE payer_requests ADD CONSTRAINT payer_requests_state CHECK (source IN ('network', 'staff') AND CASE state
    WHEN 'open' THEN answering_attachment_id IS NULL AND answered_at IS NULL AND answer_note = ''
    WHEN 'answered' THEN (answering_attachment_id IS NULL) = (answer_note <> '') AND answered_at IS NOT NULL
    ELSE false
END) NOT VALID;
ALTER TABLE payer_requests VALIDATE CONSTRAINT payer_requests_state;
GRANT UPDATE (answer_note) ON payer_requests TO molar_app;
