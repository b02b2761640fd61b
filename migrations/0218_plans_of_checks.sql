-- +goose Up

-- The plan of another payer that an active check shows to the patient of a claim that a payer has decided, as package
-- claim keeps it. The claims of before get theirs when their tasks are computed again.
ALTER TABLE claims ADD COLUMN shown_plan json;
GRANT UPDATE (shown_plan) ON claims TO molar_app;
