-- +goose NO TRANSACTION
-- +goose Up

-- The items of batches of checks about a person, for the archive and the erasure of a patient: the check of an item that
-- no payer answered names no patient.
CREATE INDEX CONCURRENTLY IF NOT EXISTS check_batch_items_person ON check_batch_items (org_id, mode, person_key, person_born);
