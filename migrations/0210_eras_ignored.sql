-- +goose NO TRANSACTION
-- +goose Up

-- Remittances with claims that a person ignored: their money is on no claim, which lists and the report
-- of collections show.
CREATE INDEX CONCURRENTLY IF NOT EXISTS eras_ignored ON eras (org_id, mode, received_at, id, payment_date)
    WHERE received_at IS NOT NULL AND ignored_count > 0 AND state IN ('needs_review', 'posted');
