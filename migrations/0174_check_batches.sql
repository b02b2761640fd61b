-- +goose Up

-- Lists of checks that practices ask for together.
CREATE TABLE check_batches (
    id                uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    mode              text NOT NULL CHECK (mode IN ('test', 'live')),
    created_at        timestamptz NOT NULL,
    name              text NOT NULL,
    recheck           bigint, -- microseconds before an appointment; null for none
    request_id        uuid,
    person_request_id uuid,
    not_after         timestamptz NOT NULL,
    feed              uuid, -- the job that asks; null while nothing is left to ask
    canceled_at       timestamptz
);
CREATE INDEX check_batches_list ON check_batches (org_id, mode, created_at, id);

-- The items of a batch, each with its check. An item that has one goes with it.
CREATE TABLE check_batch_items (
    id             uuid PRIMARY KEY,
    org_id         uuid NOT NULL,
    mode           text NOT NULL CHECK (mode IN ('test', 'live')),
    batch_id       uuid NOT NULL REFERENCES check_batches ON DELETE CASCADE,
    created_at     timestamptz NOT NULL, -- of the batch
    item_id        text NOT NULL,
    appointment_at timestamptz,
    appointment_id text,
    request        json NOT NULL, -- as the API has it
    person_key     text NOT NULL, -- as in patients; empty for none
    person_born    date,
    network        text NOT NULL,
    payer_id       uuid,
    parent_id      uuid,
    check_id       uuid REFERENCES eligibility_checks ON DELETE CASCADE,
    fresh          boolean NOT NULL,
    attempts       integer NOT NULL,
    asking         uuid, -- the job that asks the payer
    next_at        timestamptz, -- when the payer is asked
    until          timestamptz,
    recheck_at     timestamptz,
    outcome        text NOT NULL
        CHECK (outcome IN ('', 'answered', 'rejected', 'payer_unavailable', 'error', 'invalid', 'not_asked', 'canceled')),
    needs_a_person boolean NOT NULL,
    faults         json NOT NULL,
    completed_at   timestamptz
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX check_batch_items_item ON check_batch_items (batch_id, item_id);
CREATE INDEX check_batch_items_check ON check_batch_items (check_id) WHERE check_id IS NOT NULL;
CREATE INDEX check_batch_items_due ON check_batch_items (network, payer_id, org_id, mode, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX check_batch_items_org ON check_batch_items (org_id, mode);
CREATE INDEX check_batch_items_next ON check_batch_items (org_id, mode, next_at, id) WHERE next_at IS NOT NULL;

ALTER TABLE eligibility_checks ADD COLUMN batch_id uuid;
CREATE INDEX eligibility_checks_batch ON eligibility_checks (org_id, mode, batch_id, created_at, id) WHERE batch_id IS NOT NULL;

-- Payers that did not respond to the last checks of batches. They belong to no organization.
CREATE TABLE check_lanes (
    network  text NOT NULL,
    payer_id uuid NOT NULL,
    failures integer NOT NULL, -- in a row
    until    timestamptz NOT NULL, -- nothing is asked before it
    PRIMARY KEY (network, payer_id)
);
GRANT SELECT, INSERT, UPDATE ON check_lanes TO molar_app;

GRANT SELECT, INSERT ON check_batches, check_batch_items TO molar_app;
GRANT UPDATE (not_after, feed, canceled_at) ON check_batches TO molar_app;
GRANT UPDATE (request, person_key, person_born, appointment_at, appointment_id, network, payer_id, parent_id, check_id, fresh, attempts, asking, next_at,
    until, recheck_at, outcome, needs_a_person, faults, completed_at) ON check_batch_items TO molar_app;
GRANT SELECT (id, org_id), DELETE ON check_batches TO molar_system;
CREATE POLICY scope ON check_batches TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY scope ON check_batch_items TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY expiry ON check_batches TO molar_system USING (true);
CREATE POLICY removal ON check_batches TO CURRENT_USER USING (true);
CREATE POLICY removal ON check_batch_items TO CURRENT_USER USING (true);
CREATE POLICY lanes ON jobs FOR SELECT TO CURRENT_USER USING (true);
ALTER TABLE check_batches ENABLE ROW LEVEL SECURITY;
ALTER TABLE check_batches FORCE ROW LEVEL SECURITY;
ALTER TABLE check_batch_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE check_batch_items FORCE ROW LEVEL SECURITY;

-- +goose StatementBegin
DO $$
BEGIN
    -- Returns how many checks more an organization may ask for in each lane, and keeps others from
    -- looking until the transaction ends. A check counts while it has a job. Organizations with
    -- items that are due share a lane evenly. A payer that is down is asked one check at a time,
    -- after its rest.
    EXECUTE format($create$
CREATE FUNCTION check_lane_room(of_org uuid, of_mode text, networks text[], payers uuid[], most integer[]) RETURNS TABLE (room integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
DECLARE
    place  integer;
    taken  integer;
    own    integer;
    orgs   integer;
    lane   check_lanes;
    spaces integer[] := array_fill(0, ARRAY[cardinality(networks)]);
BEGIN
    FOR place IN SELECT n.ordinality FROM unnest(networks, payers) WITH ORDINALITY n (network, payer, ordinality) ORDER BY network, payer LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(format('lane %%s %%s', networks[place], payers[place]), 0));
        SELECT * INTO lane FROM check_lanes l WHERE l.network = networks[place] AND l.payer_id = payers[place] AND l.failures >= 3;
        IF FOUND AND lane.until > clock_timestamp() THEN
            CONTINUE;
        ELSIF FOUND THEN
            most[place] := 1;
        END IF;
        SELECT count(*), count(*) FILTER (WHERE c.org_id = of_org AND c.mode = of_mode) INTO taken, own
        FROM jobs j JOIN eligibility_checks c ON c.id = j.subject
        WHERE j.kind IN ('eligibility', 'batch_eligibility') AND c.payer_id = payers[place] AND c.network = networks[place];
        WITH RECURSIVE waiting AS (
            (SELECT i.org_id, i.mode FROM check_batch_items i
            WHERE i.network = networks[place] AND i.payer_id = payers[place] AND i.next_at IS NOT NULL ORDER BY i.org_id, i.mode LIMIT 1)
            UNION ALL
            SELECT n.org_id, n.mode FROM waiting w CROSS JOIN LATERAL (
                SELECT i.org_id, i.mode FROM check_batch_items i
                WHERE i.network = networks[place] AND i.payer_id = payers[place] AND i.next_at IS NOT NULL AND (i.org_id, i.mode) > (w.org_id, w.mode)
                ORDER BY i.org_id, i.mode LIMIT 1
            ) n
        )
        SELECT count(*) INTO orgs FROM waiting w
        WHERE (w.org_id, w.mode) = (of_org, of_mode) OR EXISTS (
            SELECT FROM check_batch_items i
            WHERE i.network = networks[place] AND i.payer_id = payers[place] AND i.org_id = w.org_id AND i.mode = w.mode AND i.next_at <= clock_timestamp()
        );
        spaces[place] := greatest(0, least(most[place] - taken, (most[place] + greatest(orgs, 1) - 1) / greatest(orgs, 1) - own));
    END LOOP;
    RETURN QUERY SELECT unnest(spaces);
END
$body$
$create$, current_schema());

    -- They go with the test data of a reset, items before the checks that they name.
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''check_members'',',
        '''check_batch_items'', ''check_batches'', ''check_members'',');

    -- What was not asked yet about an erased person goes with the rest.
    EXECUTE replace(pg_get_functiondef('erase_person(uuid)'::regprocedure), 'DELETE FROM patient_words',
        'DELETE FROM check_batch_items i USING patients p
    WHERE p.id = who AND i.org_id = e.org_id AND i.mode = e.mode AND i.person_key = p.name_key AND i.person_born = p.date_of_birth;
    DELETE FROM patient_words');
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION check_lane_room FROM PUBLIC;
GRANT EXECUTE ON FUNCTION check_lane_room TO molar_app;
