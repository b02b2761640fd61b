-- +goose NO TRANSACTION
-- +goose Up

-- Reads all deliveries, beside the service. Run again after it was stopped, it begins anew.
ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_before;
