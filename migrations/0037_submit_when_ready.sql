-- +goose Up

-- A claim that a caller has submitted while its office waited for an enrollment is queued
-- once nothing is wrong with it any more.
ALTER TABLE claims ADD COLUMN submit_when_ready boolean NOT NULL DEFAULT false;
GRANT UPDATE (submit_when_ready) ON claims TO molar_app;
