-- +goose Up

-- The totals also have what claims state of payments elsewhere, what people accepted as
-- the patient's, and what is overpaid. So the write-off is what was written off.
ALTER TABLE claim_totals
    ADD COLUMN elsewhere bigint NOT NULL DEFAULT 0,
    ADD COLUMN billed    bigint NOT NULL DEFAULT 0,
    ADD COLUMN overpaid  bigint NOT NULL DEFAULT 0;
ALTER TABLE claim_changes
    ADD COLUMN elsewhere bigint NOT NULL DEFAULT 0,
    ADD COLUMN billed    bigint NOT NULL DEFAULT 0,
    ADD COLUMN overpaid  bigint NOT NULL DEFAULT 0;
ALTER TYPE claim_money ADD ATTRIBUTE billed bigint; -- to the patient, as a person accepted it

CREATE FUNCTION sum_billed(accepted json) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT coalesce(sum((l ->> 'Amount')::bigint), 0)::bigint FROM json_array_elements(accepted) a CROSS JOIN json_array_elements(a -> 'Lines') l WHERE a ->> 'As' = 'bill_patient'$$;

CREATE OR REPLACE FUNCTION money_of(c claims) RETURNS claim_money
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT CASE WHEN c.sent_at IS NOT NULL AND c.state <> 'voided' AND c.kind = 'claim' AND c.frequency <> 'void' THEN
    ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum,
        CASE c.accepted::text WHEN '[]' THEN 0 ELSE sum_billed(c.accepted) END)::claim_money
END
$$;

-- The money of the services that one to three claims bill. The charge counts once, and so
-- does what the claims say of the patient. What a claim states of earlier payers counts
-- while no remittance of the primary payer does. What is left of the charge, without what
-- was accepted, is outstanding until all claims are posted. What was accepted as the
-- patient's counts as far as it was left; a payment beyond the charge is overpaid even if
-- that was accepted.
DROP FUNCTION money_together(claim_money, claim_money, claim_money);
CREATE FUNCTION money_together(one claim_money, two claim_money, three claim_money)
    RETURNS TABLE (day date, charged bigint, paid bigint, patient bigint, outstanding bigint, elsewhere bigint, billed bigint, overpaid bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
    AS $$
SELECT least(one.day, two.day, three.day), m.charged, m.paid, m.patient,
    CASE WHEN coalesce(one.posted, true) AND coalesce(two.posted, true) AND coalesce(three.posted, true) THEN 0
    ELSE greatest(0, rest.amount - coalesce(one.accepted, 0) - coalesce(two.accepted, 0) - coalesce(three.accepted, 0)) END,
    m.elsewhere, greatest(0, least(rest.amount, coalesce(one.billed, 0) + coalesce(two.billed, 0) + coalesce(three.billed, 0))),
    greatest(0, -rest.amount)
FROM (
    SELECT coalesce(greatest(one.charged, two.charged, three.charged), 0) AS charged,
        coalesce(one.paid, 0) + coalesce(two.paid, 0) + coalesce(three.paid, 0) AS paid,
        coalesce(greatest(one.patient, two.patient, three.patient), 0) AS patient,
        coalesce(greatest(one.written_off, two.written_off, three.written_off), 0) AS written_off,
        CASE WHEN one.decided THEN one.elsewhere ELSE coalesce(greatest(one.elsewhere, two.elsewhere), three.elsewhere, 0) END AS elsewhere
) m
CROSS JOIN LATERAL (SELECT m.charged - m.paid - m.elsewhere - m.patient - m.written_off AS amount) rest
$$;

CREATE OR REPLACE FUNCTION share_of(sign integer, c claims) RETURNS SETOF claim_changes
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 2
    AS $$
SELECT c.org_id, c.mode, c.kind, c.state, '-infinity'::date, sign::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint
UNION ALL
SELECT c.org_id, c.mode, '', '', m.day, sign, counts * m.charged, counts * m.paid, counts * m.patient, counts * m.outstanding,
    counts * m.elsewhere, counts * m.billed, counts * m.overpaid
FROM money_together(ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum,
        CASE c.accepted::text WHEN '[]' THEN 0 ELSE sum_billed(c.accepted) END)::claim_money, NULL, NULL) m
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
            SELECT v.org_id, v.mode, '', '', m.day, 0, side * m.charged, side * m.paid, side * m.patient, side * m.outstanding,
                side * m.elsewhere, side * m.billed, side * m.overpaid
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION total_updated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO claim_changes
    SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding), sum(elsewhere), sum(billed), sum(overpaid)
    FROM (
        SELECT s.* FROM new_rows n CROSS JOIN LATERAL share_of(1, n) s
        UNION ALL
        SELECT s.* FROM old_rows o CROSS JOIN LATERAL share_of(-1, o) s
    ) changed
    GROUP BY org_id, mode, kind, state, day
    HAVING (sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding), sum(elsewhere), sum(billed), sum(overpaid)) <> (0, 0, 0, 0, 0, 0, 0, 0);
    IF EXISTS (SELECT FROM new_rows WHERE num_nonnulls(secondary_to, secondary_id) > 0) THEN
        PERFORM total_pairs(ARRAY(SELECT version_of(1, n) FROM new_rows n UNION ALL SELECT version_of(-1, o) FROM old_rows o));
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- The statement that adds changes to the totals names no column of this migration, so
-- that processes of the release before keep these columns, too.
-- +goose StatementBegin
CREATE FUNCTION totals_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE claim_totals t
    SET elsewhere = t.elsewhere + a.elsewhere, billed = t.billed + a.billed, overpaid = t.overpaid + a.overpaid
    FROM (
        SELECT org_id, mode, kind, state, day, sum(elsewhere) AS elsewhere, sum(billed) AS billed, sum(overpaid) AS overpaid
        FROM gone
        GROUP BY org_id, mode, kind, state, day
        HAVING (sum(elsewhere), sum(billed), sum(overpaid)) <> (0, 0, 0)
    ) a
    WHERE (t.org_id, t.mode, t.kind, t.state, t.day) = (a.org_id, a.mode, a.kind, a.state, a.day);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER totals_added AFTER DELETE ON claim_changes
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION totals_added();

-- What is there already. The owner of a table reads and writes past its policies only while they are not
-- forced. Until the commit, no process changes a claim.
ALTER TABLE claims NO FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_changes NO FORCE ROW LEVEL SECURITY;
INSERT INTO claim_changes
SELECT org_id, mode, '', '', day, 0, 0, 0, 0, 0, sum(elsewhere), sum(billed), sum(overpaid)
FROM (
    SELECT c.org_id, c.mode, m.*
    FROM claims c CROSS JOIN LATERAL money_together(money_of(c), NULL, NULL) m
    WHERE c.secondary_to IS NULL AND c.secondary_id IS NULL AND (c.accepted::text <> '[]' OR c.paid_elsewhere <> 0
        OR (c.standing ->> 'Paid')::bigint + (c.standing ->> 'Contractual')::bigint + (c.standing ->> 'PatientResponsibility')::bigint > c.charged)
    UNION ALL
    SELECT c.org_id, c.mode, m.*
    FROM claims c
    LEFT JOIN claims two ON two.id = c.secondary_id
    LEFT JOIN claims three ON three.id = two.secondary_id
    CROSS JOIN LATERAL money_together(money_of(c), money_of(two), money_of(three)) m
    WHERE (c.secondary_to IS NOT NULL OR c.secondary_id IS NOT NULL)
        AND NOT EXISTS (SELECT FROM claims before WHERE before.id = c.secondary_to AND before.secondary_id = c.id)
) counted
WHERE day IS NOT NULL
GROUP BY org_id, mode, day
HAVING (sum(elsewhere), sum(billed), sum(overpaid)) <> (0, 0, 0);
ALTER TABLE claim_changes FORCE ROW LEVEL SECURITY;
ALTER TABLE claims FORCE ROW LEVEL SECURITY;
