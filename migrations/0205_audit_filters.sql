-- +goose Up
-- The audit says of a list that was read as a file which filters it had. NULL or null for anything
-- else. A new column without a default takes no time, however many entries there are.
ALTER TABLE audit_entries ADD COLUMN filters jsonb;
