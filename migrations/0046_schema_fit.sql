-- +goose Up

-- The oldest step whose release still works with this schema. A migration that stops
-- earlier releases sets it to its own number. Migration 15 did so before this table.
CREATE TABLE schema_fit (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    least bigint NOT NULL
);
INSERT INTO schema_fit (least) VALUES (15);
GRANT SELECT ON schema_fit TO molar_system;
