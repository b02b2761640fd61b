-- +goose Up

-- The words of a name as searches compare them. Spaces and hyphens part them.
CREATE FUNCTION name_words(name text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT array_remove(ARRAY(SELECT search_key(word) FROM regexp_split_to_table(normalize(name, NFKD), '[[:space:]\u2010-\u2015-]+') word), '')$$;

-- The words of a first and of a last name, a space before each, and a comma between the
-- names. A name of several words is also one word: those who type MaryAnn find Mary Ann.
-- An entry of an index has a maximum length, so very long names end early.
CREATE FUNCTION patient_names(first_name text, last_name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT string_agg(left(' ' || array_to_string(ARRAY(SELECT unnest(name_words(name)) UNION SELECT search_key(name)), ' '), 240), ',' ORDER BY n)
FROM (VALUES (1, first_name), (2, last_name)) names (n, name)$$;

-- Each word of the name of each patient, with the whole name, so that a search for
-- several words reads the index alone.
CREATE TABLE patient_words (
    org_id     uuid NOT NULL,
    mode       text NOT NULL,
    word       text COLLATE "C" NOT NULL,
    patient_id uuid NOT NULL,
    names      text NOT NULL
);
CREATE UNIQUE INDEX patient_words_word ON patient_words (org_id, mode, word, patient_id DESC) INCLUDE (names);
GRANT SELECT, INSERT ON patient_words TO molar_app;

-- A trigger, because processes of the release before insert patients, too.
-- +goose StatementBegin
CREATE FUNCTION patient_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO patient_words (org_id, mode, word, patient_id, names)
    SELECT DISTINCT NEW.org_id, NEW.mode, word, NEW.id, names
    FROM patient_names(NEW.first_name, NEW.last_name) names
    CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
    WHERE word <> '';
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER patient_named AFTER INSERT ON patients FOR EACH ROW EXECUTE FUNCTION patient_named();

-- The owner of a table reads past its policies only while they are not forced.
ALTER TABLE patients NO FORCE ROW LEVEL SECURITY;
INSERT INTO patient_words (org_id, mode, word, patient_id, names)
SELECT DISTINCT org_id, mode, word, id, names
FROM patients
CROSS JOIN patient_names(first_name, last_name) names
CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
WHERE word <> '';
ALTER TABLE patients FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON patient_words TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
ALTER TABLE patient_words ENABLE ROW LEVEL SECURITY;
ALTER TABLE patient_words FORCE ROW LEVEL SECURITY;

-- The columns of these indexes stay for processes of 0.1.0, whose searches are slower
-- until they end.
DROP INDEX patients_last, patients_first;

-- Beginnings of numbers are ranges in the order of bytes. A member ID has the newest
-- claims first.
DROP INDEX claims_member;
CREATE INDEX claims_member ON claims (org_id, mode, member_key COLLATE "C", created_at DESC, id DESC) WHERE member_key IS NOT NULL;
CREATE INDEX claims_control_start ON claims (org_id, mode, control_key COLLATE "C");

CREATE INDEX eligibility_checks_patient ON eligibility_checks (org_id, mode, patient_id, created_at, id) WHERE patient_id IS NOT NULL;
