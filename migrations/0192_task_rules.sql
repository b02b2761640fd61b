-- +goose Up

-- By which version of the rules the tasks of an organization were computed, by mode: the version,
-- the kind and the ID of the last resource, and whether it was the last of all.
ALTER TABLE organizations ADD COLUMN task_rules jsonb NOT NULL DEFAULT '{}';
GRANT UPDATE (task_rules) ON organizations TO molar_system;
