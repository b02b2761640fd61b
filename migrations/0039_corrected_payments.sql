-- +goose Up

-- What became known of a remittance after it was stored: that a person acknowledged
-- that its payment does not add up, the other remittances of the same payment, and the
-- decision on a correction. NULL while there is nothing.
ALTER TABLE eras
    ADD COLUMN later json,
    DROP CONSTRAINT eras_state,
    ADD CONSTRAINT eras_state CHECK (
        CASE state
            WHEN 'needs_review' THEN posted_at IS NULL
            WHEN 'replaced' THEN posted_at IS NULL
            WHEN 'discarded' THEN posted_at IS NULL
            WHEN 'posted' THEN posted_at IS NOT NULL AND received_at IS NOT NULL
            ELSE false
        END AND CASE stage
            WHEN 'reading' THEN true
            ELSE stage IN ('applying', 'done') AND received_at IS NOT NULL
        END AND length(identity) = 32);
GRANT UPDATE (balanced, later) ON eras TO molar_app;

-- The remittances of one payment. eras_trace has only those that callers see. The
-- condition always holds; it keeps other statements from this index.
CREATE INDEX eras_payment ON eras (trace_number, org_id, mode, payment_date, arrival) WHERE trace_number IS NOT NULL;

-- The claims of remittances that do not stand: corrections that wait for a person, and
-- what was replaced or discarded.
CREATE INDEX era_claims_aside ON era_claims (era_id, control_key) WHERE review = 'correction';
