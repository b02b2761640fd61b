-- +goose Up

-- The acknowledgements that the network of a batch should have sent by now. A batch is
-- settled once none is awaited any more, or the operator has said so.
ALTER TABLE batches
    ADD COLUMN overdue text[] NOT NULL DEFAULT '{}',
    ADD COLUMN settled_at timestamptz,
    ADD CONSTRAINT batches_overdue CHECK (overdue = '{}' OR state <> 'pending' AND settled_at IS NULL),
    ADD CONSTRAINT batches_settled CHECK (settled_at IS NULL OR state <> 'pending');
CREATE INDEX batches_unsettled ON batches (network, sent_at, id) WHERE settled_at IS NULL;
DROP INDEX batches_unknown_since;
CREATE INDEX batches_undecided ON batches (coalesce(unknown_since, sent_at), id) WHERE unknown_since IS NOT NULL OR overdue <> '{}';
GRANT UPDATE (overdue, settled_at) ON batches TO molar_app;
GRANT SELECT (overdue, settled_at) ON batches TO molar_system;
