-- +goose Up

-- The control number of a claim in its files, where a network does not take the claim's
-- own: longer than the network returns, or with dashes.
ALTER TABLE claims ADD COLUMN submitted_number text NOT NULL DEFAULT '';
CREATE INDEX claims_submitted_number ON claims (submitted_number, org_id, mode) WHERE submitted_number <> '';
GRANT UPDATE (submitted_number) ON claims TO molar_app;
