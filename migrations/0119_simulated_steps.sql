-- +goose Up

-- A developer lets a step of a claim come now: an organization in test mode writes a message
-- of its own, takes the claim out of those that wait, and notes what its payer decided.
CREATE POLICY writes ON sandbox_mail FOR INSERT TO molar_app
    WITH CHECK (mode = 'test' AND org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY changes ON sandbox_mail FOR UPDATE TO molar_app
    USING (mode = 'test' AND org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT (content, given_until), INSERT, UPDATE (content, removed_at) ON sandbox_mail TO molar_app;

-- The keys of notes are digests of the organization and the subject.
CREATE POLICY writes ON sandbox_notes FOR INSERT TO molar_app WITH CHECK (current_setting('molar.mode') = 'test');
GRANT INSERT ON sandbox_notes TO molar_app;
