-- +goose NO TRANSACTION
-- +goose Up

-- The claims that provider adjustments name, and the balances that payers carry from one
-- payment to another. Nothing is filled. A migration that was interrupted leaves an invalid
-- index, and begins again.
DROP INDEX CONCURRENTLY IF EXISTS era_claims_payer_number;
CREATE INDEX CONCURRENTLY era_claims_payer_number ON era_claims (payer_number, org_id, mode) WHERE status = 'applied' AND payer_number <> '';
DROP INDEX CONCURRENTLY IF EXISTS eras_balance_forwarded;
CREATE INDEX CONCURRENTLY eras_balance_forwarded ON eras (org_id, mode, payer_id)
    WHERE detail::jsonb @> '{"ProviderAdjustments": [{"Reason": "FB"}]}';
