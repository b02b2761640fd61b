-- +goose NO TRANSACTION
-- +goose Up

-- The filters of the audit: a person or a key, all people, what changed something, and
-- what operators did in all organizations. The remittances that hold a claim, and the
-- attachments without one that are about a patient. Building an index does not keep the
-- tables from being read or written. A migration that was interrupted leaves an invalid
-- index, and begins again.
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_person;
CREATE INDEX CONCURRENTLY audit_entries_person ON audit_entries (org_id, user_id, created_at, id) WHERE user_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_user;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_key;
CREATE INDEX CONCURRENTLY audit_entries_key ON audit_entries (org_id, key_id, created_at, id) WHERE key_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_people;
CREATE INDEX CONCURRENTLY audit_entries_people ON audit_entries (org_id, created_at, id) WHERE user_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_changes;
CREATE INDEX CONCURRENTLY audit_entries_changes ON audit_entries (org_id, created_at, id) WHERE operation !~ '^GET |/search$| show$';
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_operators;
CREATE INDEX CONCURRENTLY audit_entries_operators ON audit_entries (created_at, id) WHERE operator IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS era_claims_claim;
CREATE INDEX CONCURRENTLY era_claims_claim ON era_claims (claim_id, era_id) WHERE claim_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS attachments_born;
CREATE INDEX CONCURRENTLY attachments_born ON attachments (born, org_id, mode) WHERE born IS NOT NULL;
