-- +goose Up

-- Since when the network of a batch does not take its file. It counts while the batch is
-- pending: an earlier release does not clear it.
ALTER TABLE batches ADD COLUMN delayed_since timestamptz;
GRANT UPDATE (delayed_since) ON batches TO molar_app;
GRANT SELECT (delayed_since) ON batches TO molar_system;
