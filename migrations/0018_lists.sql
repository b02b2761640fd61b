-- +goose Up

-- Lists for a dashboard. The first day of service is compared within claims_list,
-- or found by claims_service and sorted, whichever reads less. Only claims have
-- days of service. A patient has claims of both kinds.
DROP INDEX claims_list;
CREATE INDEX claims_list ON claims (kind, org_id, mode, created_at, id, sent_at, first_service_date);
CREATE INDEX claims_service ON claims (org_id, mode, first_service_date, created_at, id) WHERE kind = 'claim';
CREATE INDEX claims_of_patient ON claims (patient_id, org_id, mode, created_at, id) WHERE patient_id IS NOT NULL;

-- Searches. Row-level policies let no index serve a function or a pattern, so names
-- are columns in the order of their bytes, and a prefix is a range of them. Letters
-- lose their accents and case; spaces and punctuation do not count.
CREATE FUNCTION search_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT left(regexp_replace(lower(normalize(name, NFKD)), '[\u0300-\u036f[:space:][:punct:]]', '', 'g'), 100)$$;

ALTER TABLE patients
    ADD COLUMN first_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_key(first_name)) STORED,
    ADD COLUMN last_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_key(last_name)) STORED;
CREATE INDEX patients_list ON patients (org_id, mode, created_at, id);
CREATE INDEX patients_last ON patients (org_id, mode, last_key, first_key, id);
CREATE INDEX patients_first ON patients (org_id, mode, first_key, last_key, id);
CREATE INDEX patients_born ON patients (date_of_birth, org_id, mode, id);

ALTER TABLE claims ADD COLUMN member_key text GENERATED ALWAYS AS (upper(left(subscriber ->> 'MemberID', 100))) STORED;
CREATE INDEX claims_member ON claims (member_key, org_id, mode, created_at, id) WHERE member_key IS NOT NULL;
ANALYZE patients, claims;

-- Remittances by office and by trace number, and those that do not add up.
CREATE INDEX eras_office ON eras (office_id, org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL;
CREATE INDEX eras_trace ON eras (trace_number, org_id, mode, received_at, id) WHERE received_at IS NOT NULL AND trace_number <> '';
CREATE INDEX eras_unbalanced ON eras (org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL AND NOT balanced;
