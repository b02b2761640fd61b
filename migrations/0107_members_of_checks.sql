-- +goose Up

-- The member IDs of a patient's checks, so that a search finds patients without claims. A
-- column of the checks would write their table anew.
CREATE TABLE check_members (
    org_id     uuid NOT NULL,
    mode       text NOT NULL,
    member_key text COLLATE "C" NOT NULL,
    patient_id uuid NOT NULL,
    PRIMARY KEY (org_id, mode, member_key, patient_id)
);
GRANT SELECT, INSERT ON check_members TO molar_app;

-- A trigger, because processes of the release before complete checks, too.
-- +goose StatementBegin
CREATE FUNCTION check_of_patient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO check_members (org_id, mode, member_key, patient_id)
    VALUES (NEW.org_id, NEW.mode, upper(left(NEW.inquiry -> 'Subscriber' ->> 'MemberID', 100)), NEW.patient_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER check_of_patient AFTER INSERT OR UPDATE OF patient_id ON eligibility_checks
    FOR EACH ROW WHEN (NEW.patient_id IS NOT NULL AND NEW.inquiry -> 'Subscriber' ->> 'MemberID' <> '')
    EXECUTE FUNCTION check_of_patient();

-- The owner of a table reads past its policies only while they are not forced.
ALTER TABLE eligibility_checks NO FORCE ROW LEVEL SECURITY;
INSERT INTO check_members (org_id, mode, member_key, patient_id)
SELECT DISTINCT org_id, mode, upper(left(inquiry -> 'Subscriber' ->> 'MemberID', 100)), patient_id
FROM eligibility_checks
WHERE patient_id IS NOT NULL AND inquiry -> 'Subscriber' ->> 'MemberID' <> '';
ALTER TABLE eligibility_checks FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON check_members TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
ALTER TABLE check_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE check_members FORCE ROW LEVEL SECURITY;
