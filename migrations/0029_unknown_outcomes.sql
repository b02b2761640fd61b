-- +goose Up

-- Before the step that may deliver its file, a batch gets the token of that step. When
-- its network cannot say later whether it has the file, the batch waits for an
-- acknowledgement, or for the operator.
ALTER TABLE batches
    ADD COLUMN send_token text NOT NULL DEFAULT '',
    ADD COLUMN unknown_since timestamptz,
    ADD CONSTRAINT batches_unknown CHECK (unknown_since IS NULL OR state = 'pending');
CREATE INDEX batches_unknown_since ON batches (unknown_since, id) WHERE unknown_since IS NOT NULL;
GRANT UPDATE (send_token, unknown_since) ON batches TO molar_app;
GRANT SELECT (send_token, unknown_since) ON batches TO molar_system;
