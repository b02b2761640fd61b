-- +goose Up

-- Processes of this release keep the member IDs of the checks that they complete in the
-- statement that does it, and say so. The trigger, which reads the inquiry twice, stays for
-- processes of the release before, and for checks that are answered from a saved answer.
DROP TRIGGER check_of_patient ON eligibility_checks;
CREATE TRIGGER check_of_patient AFTER INSERT OR UPDATE OF patient_id ON eligibility_checks
    FOR EACH ROW WHEN (NEW.patient_id IS NOT NULL AND current_setting('molar.members', true) IS DISTINCT FROM 'kept'
        AND NEW.inquiry -> 'Subscriber' ->> 'MemberID' <> '')
    EXECUTE FUNCTION check_of_patient();
