-- +goose Up

-- A batch is for one network, and what comes back from a network is about its
-- batches alone. Every batch of earlier releases went to the sandbox.
ALTER TABLE batches ADD COLUMN network text NOT NULL DEFAULT 'sandbox';
ALTER TABLE batches ADD CONSTRAINT batches_network CHECK (network <> '');
GRANT SELECT (network) ON batches TO molar_system;

-- The payers of the claims that wait decide for which networks batches are cut.
CREATE INDEX claims_queued_payers ON claims (mode, org_id, payer_id) WHERE state = 'queued' AND batch_id IS NULL;
GRANT SELECT (payer_id) ON claims TO molar_system;
