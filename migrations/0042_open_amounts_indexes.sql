-- +goose NO TRANSACTION
-- +goose Up

-- Lists of claims of which an amount is open. Building an index does not keep claims from
-- being read or written. A migration that was interrupted leaves an invalid index, and
-- begins again.
DROP INDEX CONCURRENTLY IF EXISTS claims_open;
CREATE INDEX CONCURRENTLY claims_open ON claims (kind, org_id, mode, state, created_at, id, office_id, payer_id)
    WHERE open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum) <> 0;
DROP INDEX CONCURRENTLY IF EXISTS claims_overpaid;
CREATE INDEX CONCURRENTLY claims_overpaid ON claims (kind, org_id, mode, state, created_at, id, office_id, payer_id)
    WHERE open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum) < 0;

-- The remittances in which a payer forwarded a claim and decided nothing.
DROP INDEX CONCURRENTLY IF EXISTS era_claims_forwarded;
CREATE INDEX CONCURRENTLY era_claims_forwarded ON era_claims (claim_id, era_id) WHERE status = 'forwarded';
