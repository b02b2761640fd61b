-- +goose Up

-- What a payer said when it was asked about the claim, without words of people, and since when
-- the claim waits to be asked about again without a person: null if it does not.
ALTER TABLE claims ADD COLUMN asked json, ADD COLUMN ask_turn smallint NOT NULL DEFAULT 0, ADD COLUMN ask_from timestamptz;
GRANT UPDATE (asked, ask_turn, ask_from) ON claims TO molar_app;
UPDATE claims SET ask_from = sent_at
WHERE state IN ('submitted', 'accepted_clearinghouse', 'accepted_payer') AND kind = 'claim' AND frequency <> 'void' AND erased_at IS NULL AND sent_at IS NOT NULL;
CREATE INDEX claims_to_ask ON claims (org_id, mode, payer_id, ask_turn, ask_from, id) WHERE ask_from IS NOT NULL;
CREATE INDEX status_inquiries_pending ON status_inquiries (payer_id, mode) WHERE state = 'pending';

-- By which an organization has a payer asked about its claims without a person, in days.
CREATE TABLE status_policies (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('test', 'live')),
    payer_id   uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    created_at timestamptz NOT NULL,
    ask_after  integer NOT NULL CHECK (ask_after >= 7),
    ask_every  integer NOT NULL CHECK (ask_every >= 1),
    waits      integer[] NOT NULL, -- by ask_turn of a claim, how many days it waits
    updated_at timestamptz NOT NULL,
    feed       uuid NOT NULL, -- the job that asks
    CONSTRAINT status_policies_one UNIQUE (org_id, mode, payer_id)
);
CREATE INDEX status_policies_list ON status_policies (org_id, mode, created_at, id);

GRANT SELECT, INSERT, DELETE, UPDATE (payer_code, payer_name, ask_after, ask_every, waits, updated_at, feed) ON status_policies TO molar_app;
CREATE POLICY scope ON status_policies TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
CREATE POLICY removal ON status_policies TO CURRENT_USER USING (true);
ALTER TABLE status_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE status_policies FORCE ROW LEVEL SECURITY;

-- +goose StatementBegin
DO $$
BEGIN
    -- Policies go with the test data of a reset.
    EXECUTE replace(pg_get_functiondef('reset_rows(uuid, text, integer)'::regprocedure), '''status_inquiries'',', '''status_policies'', ''status_inquiries'',');

    -- Returns how many more inquiries a payer may get, of those that no person makes, and keeps
    -- others from looking until the transaction ends.
    EXECUTE format($create$
CREATE FUNCTION status_lane_room(of_payer uuid, of_mode text, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp
AS $body$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(format('status lane %%s %%s', of_payer, of_mode), 0));
    RETURN greatest(0, most - (
        SELECT count(*) FROM status_inquiries WHERE payer_id = of_payer AND mode = of_mode AND state = 'pending' AND request_id IS NULL AND person_request_id IS NULL
    ));
END
$body$
$create$, current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION status_lane_room FROM PUBLIC;
GRANT EXECUTE ON FUNCTION status_lane_room TO molar_app;
