-- +goose Up

-- Offices and providers can be corrected and retired. Files that were sent keep what
-- they say.
ALTER TABLE providers ADD COLUMN retired boolean NOT NULL DEFAULT false;

GRANT UPDATE (name, npi, tax_id, line1, line2, city, state, zip, phone, time_zone, verified_at, details) ON offices TO molar_app;
GRANT UPDATE (first_name, last_name, npi, taxonomy, retired) ON providers TO molar_app;
