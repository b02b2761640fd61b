-- +goose Up

-- The open amount of a claim follows from its charge, its standing, and three new columns:
-- the amounts that a person accepted, their sum, and what is settled otherwise, as by the
-- payments of other payers. No row is written anew but those of claims to several payers.
-- The release before leaves the columns as they are.
ALTER TABLE claims
    ADD COLUMN accepted json NOT NULL DEFAULT '[]',
    ADD COLUMN accepted_sum bigint NOT NULL DEFAULT 0,
    ADD COLUMN elsewhere bigint NOT NULL DEFAULT 0;
GRANT UPDATE (accepted, accepted_sum, elsewhere) ON claims TO molar_app;

-- billing.Claim.Open, and NULL for a claim without billing.Claim.HasOpen. The indexes of
-- the next migration have it, so a list is right whichever release wrote a claim. The cost
-- keeps the planner from reading another index and computing the amount of each claim.
-- +goose StatementBegin
CREATE FUNCTION open_of(kind text, frequency text, state text, charged bigint, standing json, settled bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000
    AS $$
BEGIN
    RETURN CASE WHEN kind = 'claim' AND frequency <> 'void' AND state <> 'voided' THEN
        charged - settled
            - coalesce((standing ->> 'Paid')::bigint + (standing ->> 'Contractual')::bigint + (standing ->> 'PatientResponsibility')::bigint, 0)
    END;
END
$$;
-- +goose StatementEnd

-- A total has what is outstanding of a reconciled claim whose payment changed since, and
-- leaves out what was accepted. Services may be billed to three payers: each claim names
-- the one to the payer before in secondary_to, and the one to the next in secondary_id.
ALTER TYPE claim_money ADD ATTRIBUTE accepted bigint;

CREATE OR REPLACE FUNCTION money_of(c claims) RETURNS claim_money
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT CASE WHEN c.sent_at IS NOT NULL AND c.state <> 'voided' AND c.kind = 'claim' AND c.frequency <> 'void' THEN
    ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum)::claim_money
END
$$;

-- The money of the services that one to three claims bill. The charge counts once, and so
-- does what the claims say of the patient. What a claim states of earlier payers counts
-- while no remittance of the primary payer does.
CREATE FUNCTION money_together(one claim_money, two claim_money, three claim_money)
    RETURNS TABLE (day date, charged bigint, paid bigint, patient bigint, outstanding bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
    AS $$
SELECT least(one.day, two.day, three.day), m.charged, m.paid, m.patient,
    CASE WHEN coalesce(one.posted, true) AND coalesce(two.posted, true) AND coalesce(three.posted, true) THEN 0
    ELSE greatest(0, m.charged - m.paid - m.patient - coalesce(greatest(one.written_off, two.written_off, three.written_off), 0)
        - coalesce(one.accepted, 0) - coalesce(two.accepted, 0) - coalesce(three.accepted, 0)
        - CASE WHEN one.decided THEN one.elsewhere ELSE coalesce(greatest(one.elsewhere, two.elsewhere), three.elsewhere, 0) END) END
FROM (
    SELECT coalesce(greatest(one.charged, two.charged, three.charged), 0) AS charged,
        coalesce(one.paid, 0) + coalesce(two.paid, 0) + coalesce(three.paid, 0) AS paid,
        coalesce(greatest(one.patient, two.patient, three.patient), 0) AS patient
) m
$$;

CREATE OR REPLACE FUNCTION share_of(sign integer, c claims) RETURNS SETOF claim_changes
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 2
    AS $$
SELECT c.org_id, c.mode, c.kind, c.state, '-infinity'::date, sign::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint
UNION ALL
SELECT c.org_id, c.mode, '', '', m.day, sign, counts * m.charged, counts * m.paid, counts * m.patient, counts * m.outstanding
FROM money_together(ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum)::claim_money, NULL, NULL) m
CROSS JOIN LATERAL (SELECT CASE WHEN c.state = 'voided' OR num_nonnulls(c.secondary_to, c.secondary_id) > 0 THEN 0 ELSE sign END AS counts) own
WHERE c.sent_at IS NOT NULL AND c.kind = 'claim' AND c.frequency <> 'void'
$$;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION total_pairs(versions claim_version[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    counted uuid; -- the first claim for the services
    side    integer;
    one     claim_version;
    two     claim_version;
    three   claim_version;
BEGIN
    FOR counted IN
        SELECT DISTINCT coalesce(before.secondary_to, v.pair) AS first
        FROM unnest(versions) v LEFT JOIN claims before ON before.id = v.pair
        WHERE v.pair IS NOT NULL
        ORDER BY first
    LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('claim ' || counted, 0));
        FOREACH side IN ARRAY ARRAY[-1, 1] LOOP
            one := version_at(side, counted, versions);
            two := version_at(side, one.secondary_id, versions);
            three := version_at(side, two.secondary_id, versions);
            INSERT INTO claim_changes
            SELECT v.org_id, v.mode, '', '', m.day, 0, side * m.charged, side * m.paid, side * m.patient, side * m.outstanding
            FROM (
                SELECT one.org_id, one.mode, one.money AS first, two.money AS second, three.money AS third
                WHERE one.pair IS NOT NULL -- else it was counted alone
                UNION ALL
                SELECT v.org_id, v.mode, v.money, NULL, NULL
                FROM unnest(versions) v LEFT JOIN claims before ON before.id = v.pair
                WHERE coalesce(before.secondary_to, v.pair) = counted AND v.sign = side AND v.id <> counted
                    AND v.id IS DISTINCT FROM one.secondary_id AND v.id IS DISTINCT FROM two.secondary_id
            ) v
            CROSS JOIN LATERAL money_together(v.first, v.second, v.third) m
            WHERE m.day IS NOT NULL;
        END LOOP;
    END LOOP;
END
$$;
-- +goose StatementEnd
DROP FUNCTION money_together(claim_money, claim_money);

ALTER TABLE claims NO FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_totals NO FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_changes NO FORCE ROW LEVEL SECURITY;

-- What the other claim for the same services settles, or else what the claim states of
-- its other payers. An undecided claim has the write-off and the patient's part from there.
UPDATE claims c
SET elsewhere = e.paid + CASE WHEN c.standing IS NULL THEN e.rest ELSE 0 END
FROM (
    SELECT c.id,
        CASE WHEN o.standing IS NULL THEN stated.paid ELSE (o.standing ->> 'Paid')::bigint END AS paid,
        CASE WHEN o.standing IS NULL THEN stated.rest
        ELSE (o.standing ->> 'Contractual')::bigint + (o.standing ->> 'PatientResponsibility')::bigint END AS rest
    FROM claims c
    LEFT JOIN claims o ON o.id = c.secondary_id AND o.secondary_to = c.id OR o.id = c.secondary_to AND o.secondary_id = c.id
    CROSS JOIN LATERAL (
        SELECT coalesce(sum((a.value ->> 'Paid')::bigint), 0)::bigint AS paid, coalesce(sum(adjusted.rest), 0)::bigint AS rest
        FROM json_array_elements(c.other_coverage) p
        CROSS JOIN LATERAL (SELECT p.value -> 'Adjudication' AS value) a
        CROSS JOIN LATERAL (
            SELECT sum((j ->> 'Amount')::bigint) AS rest
            FROM (
                SELECT jsonb_path_query(a.value::jsonb, 'lax $.Adjustments[*]') UNION ALL SELECT jsonb_path_query(a.value::jsonb, 'lax $.Lines[*].Adjustments[*]')
            ) every (j)
            WHERE j ->> 'Group' = 'PR' OR j ->> 'Group' IN ('CO', 'PI') AND j ->> 'Reason' IN
                ('24', '41', '42', '44', '45', '59', '94', '103', '131', '253', '281', 'A2', 'P12', 'P23', 'P24', 'P25', 'P26', 'P29')
        ) adjusted
    ) stated
    WHERE c.kind = 'claim' AND c.frequency <> 'void' AND (c.coverage <> 'primary' OR c.secondary_id IS NOT NULL)
) e
WHERE c.id = e.id;

TRUNCATE claim_totals, claim_changes;
INSERT INTO claim_totals
SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)
FROM (
    SELECT s.* FROM claims c CROSS JOIN LATERAL share_of(1, c) s
    UNION ALL
    SELECT c.org_id, c.mode, '', '', m.day, 0, m.charged, m.paid, m.patient, m.outstanding
    FROM claims c
    LEFT JOIN claims two ON two.id = c.secondary_id
    LEFT JOIN claims three ON three.id = two.secondary_id
    CROSS JOIN LATERAL money_together(money_of(c), money_of(two), money_of(three)) m
    WHERE num_nonnulls(c.secondary_to, c.secondary_id) > 0 AND m.day IS NOT NULL
        AND NOT EXISTS (SELECT FROM claims before WHERE before.id = c.secondary_to AND before.secondary_id = c.id)
) counted
GROUP BY org_id, mode, kind, state, day;
ALTER TABLE claims FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_changes FORCE ROW LEVEL SECURITY;
