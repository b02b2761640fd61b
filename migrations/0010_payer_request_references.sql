-- +goose Up

-- Whether a payer's network request is kept already is asked by its reference.
CREATE INDEX payer_requests_reference ON payer_requests (org_id, mode, payer_id, reference_number) WHERE source = 'network';
