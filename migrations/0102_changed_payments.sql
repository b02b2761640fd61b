-- +goose NO TRANSACTION
-- +goose Up

-- Lists of claims whose payment was taken back, or changed after they were reconciled.
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_changed ON claims (kind, org_id, mode, state, created_at, id, office_id, payer_id)
    WHERE (state = 'reconciled' AND settled_at > reconciled_at OR state = 'accepted_payer' AND kind = 'claim' AND frequency <> 'void' AND standing IS NULL AND settled_at IS NOT NULL);
