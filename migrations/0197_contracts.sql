-- +goose Up

-- What the fee schedules say of a claim, and what its payer counts of each line. A claim of the
-- release before has neither, until the sweep of the rules of tasks computes it.
ALTER TABLE claims ADD COLUMN contract json NOT NULL DEFAULT '{}';
GRANT UPDATE (contract) ON claims TO molar_app;

-- A new fee schedule lets the tasks of its organization be computed again.
GRANT SELECT (task_rules), UPDATE (task_rules) ON organizations TO molar_app;
