-- +goose Up

-- The totals of an organization's claims, for its summary. Every write of claims adds
-- rows to claim_changes, which say by how much the totals change. The services add
-- these rows to claim_totals from time to time. The sum of both tables is exact at any
-- moment, and no two writers wait for the same row.
--
-- A row has one of two forms. With a kind and a state it counts claims, and day is
-- '-infinity'. Without them it has the money of the claims that were first sent on the
-- day, and counts these claims, voided ones too.
CREATE TABLE claim_totals (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    day         date NOT NULL,
    claims      bigint NOT NULL,
    charged     bigint NOT NULL,
    paid        bigint NOT NULL,
    patient     bigint NOT NULL,
    outstanding bigint NOT NULL,
    PRIMARY KEY (org_id, mode, kind, state, day)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Rows live for seconds.
CREATE TABLE claim_changes (
    org_id      uuid NOT NULL,
    mode        text NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    day         date NOT NULL,
    claims      bigint NOT NULL,
    charged     bigint NOT NULL,
    paid        bigint NOT NULL,
    patient     bigint NOT NULL,
    outstanding bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX claim_changes_scope ON claim_changes (org_id, mode);

ALTER TABLE claim_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE claim_totals FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON claim_totals FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system ON claim_totals TO molar_system USING (true);
GRANT SELECT ON claim_totals TO molar_app;
GRANT SELECT, INSERT, UPDATE ON claim_totals TO molar_system;

ALTER TABLE claim_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE claim_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON claim_changes TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY system ON claim_changes TO molar_system USING (true);
GRANT SELECT, INSERT ON claim_changes TO molar_app;
GRANT SELECT, UPDATE, DELETE ON claim_changes TO molar_system;

-- Open payer requests by the day on which they are due.
CREATE INDEX payer_requests_open ON payer_requests (org_id, mode, due_date NULLS FIRST) WHERE state = 'open';

-- What a claim charges, and what other payers paid for its services, as it states.
-- Generated columns are right whichever release writes the row.
CREATE FUNCTION sum_of_fees(lines json) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT coalesce(sum((l ->> 'Fee')::bigint), 0)::bigint FROM json_array_elements(lines) l$$;
CREATE FUNCTION sum_paid(coverages json) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT coalesce(sum((c -> 'Adjudication' ->> 'Paid')::bigint), 0)::bigint FROM json_array_elements(coverages) c$$;
ALTER TABLE claims
    ADD COLUMN charged bigint GENERATED ALWAYS AS (sum_of_fees(lines)) STORED,
    ADD COLUMN paid_elsewhere bigint GENERATED ALWAYS AS (CASE coverage WHEN 'primary' THEN 0 ELSE sum_paid(other_coverage) END) STORED;

-- The money of one claim; NULL for one that has none: it was not sent or is voided, or it
-- is a void transaction or a predetermination.
CREATE TYPE claim_money AS (
    day         date,    -- when it was first sent
    charged     bigint,
    paid        bigint,  -- by its remittances
    elsewhere   bigint,  -- by other payers, as the claim states it
    written_off bigint,
    patient     bigint,
    decided     boolean, -- by a remittance
    posted      boolean
);
CREATE FUNCTION money_of(c claims) RETURNS claim_money
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT CASE WHEN c.sent_at IS NOT NULL AND c.state <> 'voided' AND c.kind = 'claim' AND c.frequency <> 'void' THEN
    ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled')::claim_money
END
$$;

-- The money of the services that one claim bills, or two: to the primary payer and to
-- the secondary one. The charge counts once, and so does what both say of the patient.
-- What the second claim states of the primary payer counts while no remittance of that
-- payer does. What is left of the charge is outstanding until both claims are posted.
CREATE FUNCTION money_together(one claim_money, two claim_money)
    RETURNS TABLE (day date, charged bigint, paid bigint, patient bigint, outstanding bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
    AS $$
SELECT least(one.day, two.day), m.charged, m.paid, m.patient,
    CASE WHEN coalesce(one.posted, true) AND coalesce(two.posted, true) THEN 0
    ELSE greatest(0, m.charged - m.paid - m.patient - coalesce(greatest(one.written_off, two.written_off), 0)
        - CASE WHEN one.decided THEN one.elsewhere ELSE coalesce(greatest(one.elsewhere, two.elsewhere), 0) END) END
FROM (
    SELECT coalesce(greatest(one.charged, two.charged), 0) AS charged, coalesce(one.paid, 0) + coalesce(two.paid, 0) AS paid,
        coalesce(greatest(one.patient, two.patient), 0) AS patient
) m
$$;

-- What a row of claims adds to the totals: to its state, and to the day when it was sent.
-- With a sign of -1 it takes that away. Services that are billed to two payers have their
-- money added together; see total_pairs. The server copies the function into the
-- statements that call it.
CREATE FUNCTION share_of(sign integer, c claims) RETURNS SETOF claim_changes
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 2
    AS $$
SELECT c.org_id, c.mode, c.kind, c.state, '-infinity'::date, sign::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint
UNION ALL
SELECT c.org_id, c.mode, '', '', m.day, sign, counts * m.charged, counts * m.paid, counts * m.patient, counts * m.outstanding
FROM money_together(ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled')::claim_money, NULL) m
CROSS JOIN LATERAL (SELECT CASE WHEN c.state = 'voided' OR num_nonnulls(c.secondary_to, c.secondary_id) > 0 THEN 0 ELSE sign END AS counts) own
WHERE c.sent_at IS NOT NULL AND c.kind = 'claim' AND c.frequency <> 'void'
$$;

-- A row of claims before a statement (sign -1) or after it (1).
CREATE TYPE claim_version AS (
    sign         integer,
    id           uuid,
    org_id       uuid,
    mode         text,
    pair         uuid, -- the claim to the primary payer, if the services are billed to two
    secondary_id uuid,
    money        claim_money
);

-- +goose StatementBegin
CREATE FUNCTION version_of(sign integer, c claims) RETURNS claim_version
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT sign, c.id, c.org_id, c.mode, coalesce(c.secondary_to, CASE WHEN c.secondary_id IS NOT NULL THEN c.id END), c.secondary_id, money_of(c)
$$;

-- The row of a claim on one side of the statement that has the versions.
CREATE FUNCTION version_at(side integer, claim uuid, versions claim_version[]) RETURNS claim_version
    LANGUAGE plpgsql
    AS $$
DECLARE
    v claim_version;
BEGIN
    SELECT * INTO v FROM unnest(versions) u WHERE u.id = claim AND u.sign = side;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM unnest(versions) u WHERE u.id = claim) THEN
        SELECT (version_of(side, c)).* INTO v FROM claims c WHERE c.id = claim;
    END IF;
    RETURN v;
END
$$;

-- Adds the changes of the money of services that are billed to two payers. While a
-- transaction counts two claims together, no other does.
CREATE FUNCTION total_pairs(versions claim_version[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    counted uuid;
    side    integer;
    one     claim_version;
    two     claim_version;
BEGIN
    FOR counted IN SELECT DISTINCT v.pair FROM unnest(versions) v WHERE v.pair IS NOT NULL ORDER BY v.pair LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('claim ' || counted, 0));
        FOREACH side IN ARRAY ARRAY[-1, 1] LOOP
            one := version_at(side, counted, versions);
            two := version_at(side, one.secondary_id, versions);
            INSERT INTO claim_changes
            SELECT v.org_id, v.mode, '', '', m.day, 0, side * m.charged, side * m.paid, side * m.patient, side * m.outstanding
            FROM (
                SELECT one.org_id, one.mode, one.money AS first, two.money AS second
                WHERE one.pair IS NOT NULL -- else it was counted alone
                UNION ALL
                SELECT v.org_id, v.mode, v.money, NULL
                FROM unnest(versions) v
                WHERE v.pair = counted AND v.sign = side AND v.id <> counted AND v.id IS DISTINCT FROM one.secondary_id
            ) v
            CROSS JOIN LATERAL money_together(v.first, v.second) m
            WHERE m.day IS NOT NULL;
        END LOOP;
    END LOOP;
END
$$;

CREATE FUNCTION total_inserted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO claim_changes SELECT s.* FROM new_rows n CROSS JOIN LATERAL share_of(1, n) s;
    IF EXISTS (SELECT FROM new_rows WHERE num_nonnulls(secondary_to, secondary_id) > 0) THEN
        PERFORM total_pairs(ARRAY(SELECT version_of(1, n) FROM new_rows n));
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION total_updated() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO claim_changes
    SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)
    FROM (
        SELECT s.* FROM new_rows n CROSS JOIN LATERAL share_of(1, n) s
        UNION ALL
        SELECT s.* FROM old_rows o CROSS JOIN LATERAL share_of(-1, o) s
    ) changed
    GROUP BY org_id, mode, kind, state, day
    HAVING (sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)) <> (0, 0, 0, 0, 0);
    IF EXISTS (SELECT FROM new_rows WHERE num_nonnulls(secondary_to, secondary_id) > 0) THEN
        PERFORM total_pairs(ARRAY(SELECT version_of(1, n) FROM new_rows n UNION ALL SELECT version_of(-1, o) FROM old_rows o));
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER claims_inserted AFTER INSERT ON claims
    REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION total_inserted();
CREATE TRIGGER claims_updated AFTER UPDATE ON claims
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION total_updated();

-- The totals of the claims so far. Forced row-level security holds for the owner of the
-- table, too.
ALTER TABLE claims NO FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_totals NO FORCE ROW LEVEL SECURITY;
INSERT INTO claim_totals
SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)
FROM (
    SELECT s.* FROM claims c CROSS JOIN LATERAL share_of(1, c) s
    UNION ALL
    SELECT c.org_id, c.mode, '', '', m.day, 0, m.charged, m.paid, m.patient, m.outstanding
    FROM claims c
    LEFT JOIN claims two ON two.id = c.secondary_id
    CROSS JOIN LATERAL money_together(money_of(c), money_of(two)) m
    WHERE num_nonnulls(c.secondary_to, c.secondary_id) > 0 AND m.day IS NOT NULL
        AND NOT EXISTS (SELECT FROM claims first WHERE first.id = c.secondary_to AND first.secondary_id = c.id)
) counted
GROUP BY org_id, mode, kind, state, day;
ALTER TABLE claims FORCE ROW LEVEL SECURITY;
ALTER TABLE claim_totals FORCE ROW LEVEL SECURITY;
ANALYZE claim_totals;
