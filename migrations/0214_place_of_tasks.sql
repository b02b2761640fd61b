-- +goose NO TRANSACTION
-- +goose Up

-- The place of a task in a list: by its day, those without one last, and then the highest amount first.
-- Row-level policies let no index begin at a place that an expression computes, so a page far down read
-- every task before it; with columns it begins there. Adding them writes the table anew.
ALTER TABLE tasks
    ADD COLUMN IF NOT EXISTS place_day    date NOT NULL GENERATED ALWAYS AS (coalesce(due_on, 'infinity')) STORED,
    ADD COLUMN IF NOT EXISTS place_amount bigint NOT NULL GENERATED ALWAYS AS (-amount) STORED;
CREATE INDEX CONCURRENTLY IF NOT EXISTS tasks_in_place ON tasks
    (org_id, mode, place_day, place_amount, since, id, office_id, payer_id) WHERE ended_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS tasks_in_place_of_kind ON tasks
    (org_id, mode, kind, place_day, place_amount, since, id, office_id, payer_id) WHERE ended_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS tasks_in_place_of_assignee ON tasks
    (org_id, mode, assignee, place_day, place_amount, since, id) WHERE ended_at IS NULL AND assignee IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS tasks_in_order;
DROP INDEX CONCURRENTLY IF EXISTS tasks_of_kind;
DROP INDEX CONCURRENTLY IF EXISTS tasks_assignee;
