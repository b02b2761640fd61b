-- +goose NO TRANSACTION
-- +goose Up

-- The oldest claim that waits for a batch, and the oldest batch that did not leave, for the operator's metrics.
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_unsent ON claims (mode, updated_at) WHERE state = 'queued' AND batch_id IS NULL AND held IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS batches_unsent ON batches (mode, created_at) WHERE state = 'pending' AND unknown_since IS NULL;
GRANT SELECT (updated_at) ON claims TO molar_system;
