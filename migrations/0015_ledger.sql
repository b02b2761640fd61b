-- +goose Up

-- The ledger of a claim is the set of the remittance claims that are applied to
-- it. A claim no longer has a copy of them, only the figures that they add up
-- to. The release before reads and writes the copy, so it does not work with
-- this schema: stop it first. Its processes would fail on claims and remittances
-- without losing any, and their jobs would run again.

-- Forced row-level security holds for the owner of the table, too.
ALTER TABLE claims NO FORCE ROW LEVEL SECURITY;
ALTER TABLE eras NO FORCE ROW LEVEL SECURITY;
ALTER TABLE era_claims NO FORCE ROW LEVEL SECURITY;

-- Every row changes, so the table is written anew, in one pass.
ALTER TABLE era_claims RENAME TO earlier_era_claims;
ALTER TABLE earlier_era_claims RENAME CONSTRAINT era_claims_pkey TO earlier_era_claims_pkey;

-- What a remittance says of a claim, and what became of it. Who writes it has the
-- remittance locked, so there is no foreign key to check for each of thousands.
CREATE TABLE era_claims (
    era_id          uuid NOT NULL,
    ordinal         integer NOT NULL,
    org_id          uuid NOT NULL,
    mode            text NOT NULL,
    status          text NOT NULL,
    claim_id        uuid,
    matched_by      text NOT NULL,
    review          text NOT NULL,
    warnings        text[] NOT NULL,
    sequence        text NOT NULL,
    line_numbers    smallint[], -- NULL: the lines are not matched yet
    applied_at      timestamptz,
    balanced        boolean NOT NULL,
    detail          json NOT NULL,
    -- Row-level policies let no index serve a function; a column has no such
    -- trouble.
    control_key     text GENERATED ALWAYS AS (upper(detail ->> 'ControlNumber')) STORED,
    payer_number    text GENERATED ALWAYS AS (detail ->> 'PayerClaimNumber') STORED,
    original_number text GENERATED ALWAYS AS (detail ->> 'Original') STORED,
    CONSTRAINT era_claims_status CHECK (
        status IN ('pending', 'applied', 'needs_review', 'unmatched', 'ignored', 'forwarded')
        AND (status = 'applied') <= (claim_id IS NOT NULL AND applied_at IS NOT NULL)
    )
) WITH (fillfactor = 90);

-- The line of a claim was numbered by REF 6R, or by its place in the file. Now
-- it has the control number that the file states, if any; a number is only
-- believed if the content agrees.
INSERT INTO era_claims (era_id, ordinal, org_id, mode, status, claim_id, matched_by, review, warnings, sequence, applied_at, balanced, detail)
SELECT r.era_id, r.ordinal, r.org_id, r.mode,
    CASE WHEN r.applied THEN 'applied' WHEN r.claim_id IS NULL THEN 'unmatched' WHEN r.balanced THEN 'pending' ELSE 'needs_review' END,
    r.claim_id,
    CASE
        WHEN r.claim_id IS NULL THEN ''
        WHEN upper(r.detail ->> 'ControlNumber') = c.control_key THEN 'control_number'
        ELSE 'payer_claim_number'
    END,
    CASE WHEN r.applied THEN '' WHEN r.claim_id IS NULL THEN 'no_claim' WHEN r.balanced THEN '' ELSE 'unbalanced' END,
    '{}',
    CASE r.detail ->> 'StatusCode'
        WHEN '1' THEN 'primary' WHEN '2' THEN 'secondary' WHEN '3' THEN 'tertiary'
        WHEN '19' THEN 'primary' WHEN '20' THEN 'secondary' WHEN '21' THEN 'tertiary'
        ELSE ''
    END,
    CASE WHEN r.applied THEN coalesce(e.received_at, now()) END,
    r.balanced,
    regexp_replace(r.detail::text, '"Number": *(\d+), *"ProcedureCode":', '"ControlNumber":"\1","ProcedureCode":', 'g')::json
FROM earlier_era_claims r
LEFT JOIN eras e ON e.id = r.era_id
LEFT JOIN claims c ON c.id = r.claim_id;
DROP TABLE earlier_era_claims;

ALTER TABLE era_claims ADD PRIMARY KEY (era_id, ordinal);
CREATE INDEX era_claims_pending ON era_claims (era_id, ordinal) WHERE status = 'pending';
CREATE INDEX era_claims_ledger ON era_claims (claim_id) WHERE status = 'applied';
CREATE INDEX era_claims_review ON era_claims (claim_id, era_id) WHERE status = 'needs_review';
-- What came before its claim, and reversals that came before what they take back.
CREATE INDEX era_claims_unmatched ON era_claims (control_key, org_id, mode) WHERE status = 'unmatched' AND control_key <> '';
CREATE INDEX era_claims_unmatched_payer ON era_claims (payer_number, org_id, mode) WHERE status = 'unmatched' AND payer_number <> '';
CREATE INDEX era_claims_unmatched_original ON era_claims (original_number, org_id, mode) WHERE status = 'unmatched' AND original_number <> '';
ANALYZE era_claims;

CREATE POLICY scope ON era_claims TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
ALTER TABLE era_claims ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON era_claims TO molar_app;
GRANT UPDATE (status, claim_id, matched_by, review, warnings, sequence, line_numbers, applied_at) ON era_claims TO molar_app;

-- A remittance counts its claims by status; those that are still to be applied
-- are in no count. Once the work has ended, all that were not applied need a
-- person. Matched claims are counted as they are found, no longer at the end of the
-- file. Ledgers repeat who paid, and under which number.
ALTER TABLE eras RENAME COLUMN progress TO stage;
ALTER TABLE eras
    ADD COLUMN applied_count      integer NOT NULL DEFAULT 0,
    ADD COLUMN needs_review_count integer NOT NULL DEFAULT 0,
    ADD COLUMN unmatched_count    integer NOT NULL DEFAULT 0,
    ADD COLUMN ignored_count      integer NOT NULL DEFAULT 0,
    ADD COLUMN forwarded_count    integer NOT NULL DEFAULT 0,
    ADD COLUMN needs_attention    boolean NOT NULL DEFAULT false,
    ADD COLUMN stated_payer       text NOT NULL DEFAULT '',
    ADD COLUMN trace_number       text NOT NULL DEFAULT '';
UPDATE eras e
SET matched_count = coalesce(s.matched, 0), applied_count = n.applied, needs_review_count = n.needs_review, unmatched_count = n.unmatched,
    needs_attention = CASE e.stage WHEN 'done' THEN e.claim_count > n.applied ELSE n.needs_review + n.unmatched > 0 END
        OR coalesce((e.detail #>> '{Balance,Payment,Failed}')::integer, 0) > 0,
    stated_payer = coalesce(e.detail ->> 'PayerName', ''), trace_number = coalesce(e.detail #>> '{Payment,TraceNumber}', '')
FROM eras k
LEFT JOIN (
    SELECT era_id, count(claim_id) AS matched, count(*) FILTER (WHERE status = 'applied') AS applied, count(*) FILTER (WHERE status = 'needs_review') AS needs_review,
        count(*) FILTER (WHERE status = 'unmatched') AS unmatched
    FROM era_claims
    GROUP BY era_id
) s ON s.era_id = k.id
CROSS JOIN LATERAL (
    SELECT coalesce(s.applied, 0) AS applied, coalesce(s.needs_review, 0) AS needs_review, coalesce(s.unmatched, 0) AS unmatched
) n
WHERE e.id = k.id;
-- Go states them from now on.
ALTER TABLE eras
    ALTER COLUMN applied_count DROP DEFAULT,
    ALTER COLUMN needs_review_count DROP DEFAULT,
    ALTER COLUMN unmatched_count DROP DEFAULT,
    ALTER COLUMN ignored_count DROP DEFAULT,
    ALTER COLUMN forwarded_count DROP DEFAULT,
    ALTER COLUMN needs_attention DROP DEFAULT,
    ALTER COLUMN stated_payer DROP DEFAULT,
    ALTER COLUMN trace_number DROP DEFAULT;
CREATE INDEX eras_attention ON eras (org_id, mode, received_at, id, payment_date) WHERE received_at IS NOT NULL AND needs_attention;
GRANT UPDATE (applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count, needs_attention) ON eras TO molar_app;

-- The figures of a claim, by the rules of the release before: the sums of what no
-- reversal cancels, and the decision of the last of it. They are worked out by
-- the new rules when a remittance next changes the ledger.
ALTER TABLE claims ADD COLUMN standing json, ADD COLUMN settled_at timestamptz;
UPDATE claims c
SET standing = (
        SELECT CASE WHEN count(*) > 0 THEN json_build_object(
            'Outcome', CASE WHEN (array_agg((p ->> 'Denied')::boolean ORDER BY n DESC))[1] THEN 'denied' ELSE 'paid' END,
            'ERAID', (array_agg(p -> 'ERAID' ORDER BY n DESC))[1],
            'PaymentDate', (array_agg(p -> 'Date' ORDER BY n DESC))[1],
            'Paid', sum((p ->> 'Paid')::bigint),
            'Allowed', CASE
                WHEN bool_and(p ->> 'Allowed' IS NOT NULL OR (p ->> 'Denied')::boolean) THEN sum((p ->> 'Allowed')::bigint)
            END,
            'PatientResponsibility', sum((p ->> 'PatientResponsibility')::bigint),
            'Contractual', 0,
            'NotPaid', 0
        ) END
        FROM json_array_elements(c.payments) WITH ORDINALITY AS e (p, n)
        WHERE NOT (p ->> 'Cancelled')::boolean
    ),
    settled_at = coalesce((
        SELECT max(e.received_at)
        FROM era_claims r
        JOIN eras e ON e.id = r.era_id
        WHERE r.claim_id = c.id AND r.status = 'applied'
    ), c.updated_at)
WHERE json_array_length(c.payments) > 0;
ALTER TABLE claims DROP COLUMN payments;
GRANT UPDATE (standing, settled_at) ON claims TO molar_app;

ALTER TABLE claims FORCE ROW LEVEL SECURITY;
ALTER TABLE eras FORCE ROW LEVEL SECURITY;
ALTER TABLE era_claims FORCE ROW LEVEL SECURITY;
