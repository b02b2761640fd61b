-- +goose NO TRANSACTION
-- +goose Up

-- The items of batches of checks about a person whom nobody asked about yet, for the archive and the erasure of a patient.
CREATE INDEX CONCURRENTLY IF NOT EXISTS check_batch_items_person ON check_batch_items (org_id, mode, person_key, person_born)
    WHERE check_id IS NULL;
