-- +goose NO TRANSACTION
-- +goose Up

-- Lists of claims and of remittances in another order than that of time. A claim without services,
-- which only a draft can be, is older than all.
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_by_service ON claims
    (kind, org_id, mode, coalesce(first_service_date, '-infinity'), created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_by_charge ON claims (kind, org_id, mode, charged, created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_by_open ON claims
    (kind, org_id, mode, open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum), created_at, id)
    WHERE open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum) <> 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS eras_by_date ON eras
    (org_id, mode, coalesce(payment_date, '-infinity'), received_at, id) WHERE received_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS eras_by_total ON eras
    (org_id, mode, ((detail -> 'Payment' ->> 'Total')::bigint), received_at, id) WHERE received_at IS NOT NULL;
