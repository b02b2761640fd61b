-- +goose Up

-- Claims to secondary payers, and everything else that an 837D can say. Each
-- default is what an earlier claim or office says about it: nothing.
ALTER TABLE claims
    ADD COLUMN coverage text NOT NULL DEFAULT 'primary',
    ADD COLUMN other_coverage json NOT NULL DEFAULT '[]',
    ADD COLUMN details json NOT NULL DEFAULT '{}',
    ADD COLUMN secondary_to uuid REFERENCES claims (id),
    ADD COLUMN secondary_id uuid REFERENCES claims (id);

ALTER TABLE offices ADD COLUMN details json NOT NULL DEFAULT '{}';

GRANT UPDATE (coverage, other_coverage, details, secondary_to, secondary_id) ON claims TO molar_app;
