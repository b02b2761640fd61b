-- +goose NO TRANSACTION
-- +goose Up

-- Lists of tasks of an office or of a payer look for them in their indexes. Before, those of one
-- that has none read each task.
CREATE INDEX CONCURRENTLY IF NOT EXISTS tasks_in_order ON tasks
    (org_id, mode, (coalesce(due_on, 'infinity')), (-amount), since, id, office_id, payer_id) WHERE ended_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS tasks_of_kind ON tasks
    (org_id, mode, kind, (coalesce(due_on, 'infinity')), (-amount), since, id, office_id, payer_id) WHERE ended_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS tasks_list;
DROP INDEX CONCURRENTLY IF EXISTS tasks_kind;
