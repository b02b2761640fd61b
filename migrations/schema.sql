CREATE TYPE public.claim_money AS (
	day date,
	charged bigint,
	paid bigint,
	elsewhere bigint,
	written_off bigint,
	patient bigint,
	decided boolean,
	posted boolean,
	accepted bigint,
	billed bigint
);

CREATE TYPE public.claim_version AS (
	sign integer,
	id uuid,
	org_id uuid,
	mode text,
	pair uuid,
	secondary_id uuid,
	money public.claim_money
);

CREATE FUNCTION public.audit_shown() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO audit_resources (org_id, resource, created_at, id)
    SELECT org_id, resource, created_at, id
    FROM new_entries CROSS JOIN LATERAL unnest(shown || resource_id) resource
    WHERE org_id IS NOT NULL AND resource IS NOT NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.check_lane_room(of_org uuid, of_mode text, networks text[], payers uuid[], most integer[]) RETURNS TABLE(room integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    place  integer;
    taken  integer;
    own    integer;
    orgs   integer;
    lane   check_lanes;
    spaces integer[] := array_fill(0, ARRAY[cardinality(networks)]);
BEGIN
    FOR place IN SELECT n.ordinality FROM unnest(networks, payers) WITH ORDINALITY n (network, payer, ordinality) ORDER BY network, payer LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(format('lane %s %s', networks[place], payers[place]), 0));
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
$$;

CREATE FUNCTION public.check_of_patient() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO check_members (org_id, mode, member_key, patient_id)
    VALUES (NEW.org_id, NEW.mode, upper(left(NEW.inquiry -> 'Subscriber' ->> 'MemberID', 100)), NEW.patient_id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.claim_idempotency_key(wanted_org uuid, wanted_mode text, wanted_key text) RETURNS TABLE(claimed boolean, fingerprint bytea, check_id uuid, created_at timestamp with time zone, status smallint, body bytea, work uuid)
    LANGUAGE plpgsql
    AS $$
BEGIN
    claimed := pg_try_advisory_xact_lock(hashtextextended(format('%s %s %s', wanted_org, wanted_mode, wanted_key), 0));
    SELECT k.fingerprint, k.check_id, k.created_at, k.status, k.body, k.work
    INTO fingerprint, check_id, created_at, status, body, work
    FROM idempotency_keys k
    WHERE k.org_id = wanted_org AND k.mode = wanted_mode AND k.key = wanted_key;
    RETURN NEXT;
END
$$;

CREATE FUNCTION public.delete_again(wanted uuid, called text, wished timestamp with time zone, wisher text, kept integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM restores WHERE resumed_at IS NULL) THEN
        RAISE EXCEPTION 'no restore is open';
    END IF;
    INSERT INTO deletions (org_id, name, asked_at, asked_by, backups_days) VALUES (wanted, called, wished, wisher, kept) ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION public.delete_rows(wanted uuid, bare text, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    which    text := 'org_id = $1';
    sorted   text := '';
    payments text := 'SELECT id FROM eras WHERE org_id = $1 AND received_at IS NOT NULL UNION ALL SELECT id FROM eras WHERE org_id = $1 AND stage <> ''done''';
    removed  integer;
BEGIN
    PERFORM FROM deletions d
    WHERE d.org_id = wanted AND d.asked_at <= now() - interval '30 days' AND coalesce(d.removed_at > now() - interval '1 day', true)
        AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = wanted);
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    CASE bare
        WHEN 'claims', 'eligibility_checks' THEN -- what names a row has a later ID
            sorted := 'ORDER BY id DESC';
        WHEN 'batch_acknowledgements' THEN
            which := 'batch_id IN (SELECT id FROM batches WHERE org_id = $1)';
        WHEN 'era_claims' THEN
            which := format('era_id IN (%s)', payments);
        WHEN 'eras' THEN
            which := format('id IN (%s)', payments);
        WHEN 'webhook_deliveries' THEN
            which := 'endpoint_id IN (SELECT id FROM webhook_endpoints WHERE org_id = $1)';
        WHEN 'received_parts' THEN
            which := 'file_id IN (SELECT id FROM received_files WHERE org_id = $1)';
        WHEN 'organizations' THEN
            UPDATE organizations SET expires_at = least(expires_at, now()) WHERE maker_id = wanted AND removed_at IS NULL;
            which := 'id = $1 AND NOT EXISTS (SELECT FROM organizations m WHERE m.maker_id = $1)';
        ELSE
    END CASE;
    EXECUTE format('DELETE FROM %1$I WHERE %4$s = ANY (ARRAY (SELECT %4$s FROM %1$I WHERE %2$s %3$s LIMIT $2))', bare, which, sorted, CASE bare WHEN 'webhook_deliveries' THEN 'id' ELSE 'ctid' END)
        USING wanted, most;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$_$;

CREATE FUNCTION public.delivery_months() RETURNS TABLE(bare name, first uuid, next uuid)
    LANGUAGE sql STABLE
    AS $$
    SELECT c.relname, coalesce(bound[1], '00000000-0000-0000-0000-000000000000')::uuid, bound[2]::uuid
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        CROSS JOIN LATERAL regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \((?:MINVALUE|''(.*)'')\) TO \(''(.*)''\)') b (bound)
    WHERE i.inhparent = 'webhook_deliveries'::regclass AND bound IS NOT NULL
$$;

CREATE FUNCTION public.delivery_rows_below(before timestamp with time zone) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
    SELECT coalesce(
        (SELECT m.first FROM delivery_months() m JOIN sweeps s ON s.bare = 'webhook_deliveries' AND m.first >= s.lowest
        WHERE m.first < first_id(before) ORDER BY m.first LIMIT 1),
        'ffffffff-ffff-ffff-ffff-ffffffffffff')
$$;

CREATE FUNCTION public.end_reset(wanted uuid, job uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM public.sandbox_clocks WHERE org_id = wanted AND reset_job = job;
    IF FOUND THEN
        UPDATE public.webhook_endpoints
        SET failures = 0, failing_since = NULL, circuit_until = NULL, last_success_at = NULL, holder = NULL, holder_address = '', lease_until = NULL,
            called_at = NULL, status = CASE WHEN disabled_reason IN ('gone', 'failures') THEN 'enabled' ELSE status END,
            disabled_reason = CASE WHEN disabled_reason IN ('gone', 'failures') THEN NULL ELSE disabled_reason END
        WHERE org_id = wanted AND mode = 'test';
        DELETE FROM public.organizations WHERE id = wanted AND maker_id IS NOT NULL AND removed_at IS NOT NULL;
    END IF;
    DELETE FROM public.jobs WHERE org_id = wanted AND mode = 'test' AND id = job;
END
$$;

CREATE FUNCTION public.erase_again(who uuid, of_org uuid, of_mode text, why text, eraser text, began timestamp with time zone, what json) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM restores WHERE resumed_at IS NULL) THEN
        RAISE EXCEPTION 'no restore is open';
    END IF;
    INSERT INTO erasures (patient_id, org_id, mode, reason, erased_by, begun_at, record) VALUES (who, of_org, of_mode, why, eraser, began, what)
    ON CONFLICT (patient_id) DO UPDATE SET done_at = NULL;
END
$$;

CREATE FUNCTION public.erase_parts(who uuid, of_claims uuid[], of_attachments uuid[], resources text[]) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    e    erasures;
    sets uuid[];
BEGIN
    SELECT * INTO e FROM erasures WHERE patient_id = who AND done_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no erasure of the patient has begun';
    END IF;
    IF EXISTS (SELECT FROM holds h WHERE h.org_id = e.org_id AND (h.patient_id IS NULL OR h.patient_id = who)) THEN
        RETURN 'held';
    END IF;
    PERFORM FROM eras WHERE id IN (SELECT era_id FROM era_claims WHERE claim_id = ANY (of_claims)) ORDER BY id FOR UPDATE;
    PERFORM FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims) ORDER BY id FOR UPDATE;
    sets := ARRAY (SELECT id FROM attachments WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims)) || of_attachments;
    PERFORM FROM attachments WHERE id = ANY (sets) ORDER BY id FOR UPDATE;
    IF EXISTS (SELECT FROM attachments WHERE id = ANY (sets) AND org_id = e.org_id AND mode = e.mode AND sending IS NOT NULL) THEN
        RETURN 'sending';
    END IF;
    UPDATE status_inquiries SET exchanges = NULL WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    DELETE FROM uploads WHERE org_id = e.org_id AND mode = e.mode AND attachment_id = ANY (sets);
    DELETE FROM appeals WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    DELETE FROM documents WHERE org_id = e.org_id AND mode = e.mode AND attachment_id = ANY (sets);
    DELETE FROM attachments WHERE org_id = e.org_id AND mode = e.mode AND id = ANY (sets) AND state = 'open';
    UPDATE tasks SET settled = NULL WHERE org_id = e.org_id AND mode = e.mode AND settled IS NOT NULL
        AND (claim_id = ANY (of_claims) OR attachment_id = ANY (sets)
            OR payer_request_id IN (SELECT id FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims)));
    UPDATE tasks SET patient_id = NULL WHERE org_id = e.org_id AND mode = e.mode AND patient_id IS NOT NULL
        AND payer_request_id IN (SELECT id FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims));
    DELETE FROM notes WHERE org_id = e.org_id AND mode = e.mode
        AND (claim_id = ANY (of_claims) OR attachment_id = ANY (sets)
            OR payer_request_id IN (SELECT id FROM payer_requests WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims)));
    UPDATE attachments SET about = '{}', narrative = '', decisions = '[]' WHERE org_id = e.org_id AND mode = e.mode AND id = ANY (sets);
    UPDATE payer_requests SET patient_id = NULL, requested = '', decisions = '[]', answer_note = CASE answer_note WHEN '' THEN '' ELSE 'erased' END
    WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    UPDATE era_claims
    SET detail = (detail::jsonb - ARRAY['PatientFirstName', 'PatientLastName', 'MemberID', 'CorrectedPatient'])::json
    WHERE org_id = e.org_id AND mode = e.mode AND claim_id = ANY (of_claims);
    DELETE FROM idempotency_keys WHERE org_id = e.org_id AND mode = e.mode AND resource_id = ANY (resources);
    RETURN '';
END
$$;

CREATE FUNCTION public.erase_person(who uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    e      erasures;
    asked  uuid[];
    told   uuid[];
BEGIN
    SELECT * INTO e FROM erasures WHERE patient_id = who AND done_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no erasure of the patient has begun';
    END IF;
    IF EXISTS (SELECT FROM holds h WHERE h.org_id = e.org_id AND (h.patient_id IS NULL OR h.patient_id = who)) THEN
        RETURN 'held';
    END IF;
    IF EXISTS (SELECT FROM claims WHERE org_id = e.org_id AND mode = e.mode AND patient_id = who) THEN
        RETURN 'claims';
    END IF;
    asked := ARRAY (SELECT id FROM eligibility_checks WHERE org_id = e.org_id AND mode = e.mode AND patient_id = who ORDER BY id FOR UPDATE);
    IF EXISTS (SELECT FROM eligibility_checks WHERE id = ANY (asked) AND state = 'pending') THEN
        RETURN 'pending';
    END IF;
    told := ARRAY (SELECT id FROM events WHERE org_id = e.org_id AND mode = e.mode AND resource_id = ANY (asked));
    DELETE FROM webhook_deliveries WHERE event_id = ANY (told);
    DELETE FROM events WHERE id = ANY (told);
    DELETE FROM event_numbers WHERE org_id = e.org_id AND mode = e.mode AND resource_id = ANY (asked);
    DELETE FROM eligibility_answers WHERE org_id = e.org_id AND mode = e.mode AND check_id = ANY (asked);
    DELETE FROM idempotency_keys WHERE org_id = e.org_id AND mode = e.mode AND check_id = ANY (asked);
    UPDATE eligibility_checks SET parent_id = NULL WHERE parent_id = ANY (asked);
    UPDATE eligibility_checks SET cache_source = NULL WHERE cache_source = ANY (asked);
    DELETE FROM eligibility_checks WHERE id = ANY (asked);
    DELETE FROM check_members WHERE patient_id = who;
    DELETE FROM check_batch_items i USING patients p
    WHERE p.id = who AND i.org_id = e.org_id AND i.mode = e.mode AND i.person_key = p.name_key AND i.person_born = p.date_of_birth;
    DELETE FROM patient_words WHERE org_id = e.org_id AND mode = e.mode AND patient_id = who;
    DELETE FROM patients WHERE id = who AND org_id = e.org_id AND mode = e.mode;
    UPDATE erasures SET done_at = now() WHERE patient_id = who;
    RETURN '';
END
$$;

CREATE FUNCTION public.erase_said(of_era uuid, of_ordinal integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE era_claims e
    SET detail = (e.detail::jsonb - ARRAY['PatientFirstName', 'PatientLastName', 'MemberID', 'CorrectedPatient'])::json
    FROM claims c
    WHERE e.era_id = of_era AND e.ordinal = of_ordinal AND c.id = e.claim_id AND c.erased_at IS NOT NULL
        AND e.org_id = current_setting('molar.org')::uuid AND e.mode = current_setting('molar.mode')
$$;

CREATE FUNCTION public.first_id(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((lpad(to_hex(((EXTRACT(epoch FROM at) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE FUNCTION public.first_statistics(least_rows bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    bare text;
BEGIN
    FOR bare IN
        SELECT relname
        FROM pg_stat_user_tables
        WHERE schemaname = 'public' AND n_live_tup >= least_rows AND last_analyze IS NULL AND last_autoanalyze IS NULL
    LOOP
        EXECUTE format('ANALYZE public.%I', bare);
    END LOOP;
END
$$;

CREATE FUNCTION public.forget_audit_entries(before timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    bound timestamptz;
    forgotten bigint;
BEGIN
    SELECT least(before, now() - keep) INTO STRICT bound FROM public.audit_retention;
    WITH gone AS (
        DELETE FROM public.audit_entries
        WHERE created_at < bound AND id IN (
            SELECT id
            FROM public.audit_entries
            WHERE id < (lpad(to_hex((extract(epoch FROM bound) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
            AND NOT EXISTS (SELECT FROM public.holds h WHERE h.org_id = audit_entries.org_id) ORDER BY id
            LIMIT 1000
        )
        RETURNING org_id, created_at, id, resource_id, shown
    ), resources AS (
        DELETE FROM public.audit_resources r
        USING (SELECT DISTINCT org_id, created_at, id, unnest(shown || resource_id) AS resource FROM gone) g
        WHERE r.org_id = g.org_id AND r.resource = g.resource AND r.created_at = g.created_at AND r.id = g.id
    )
    SELECT count(*) INTO forgotten FROM gone;
    RETURN forgotten;
END
$$;

CREATE FUNCTION public.forget_data_key() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM public.data_keys WHERE org_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.forget_records(the_table text, the_mode text, most integer, OUT removed integer, OUT more boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    sweep    sweeps;
    of_kind  text := 'records';
    source   text := the_table;
    looked   uuid[];
    gone     uuid[];
    holder   text := 'true'; -- rows that do not name a patient are held with any
    named    text := 'false';
    born     text := 'NULL::date';
    -- What names a claim, but claims.
    claimed  text := 'EXISTS (SELECT FROM era_claims e WHERE e.claim_id = %1$s.id)
        OR EXISTS (SELECT FROM attachments a WHERE a.org_id = %1$s.org_id AND a.mode = %1$s.mode AND a.claim_id = %1$s.id)
        OR EXISTS (SELECT FROM payer_requests p WHERE p.org_id = %1$s.org_id AND p.mode = %1$s.mode AND p.claim_id = %1$s.id)';
    bound    uuid; -- rows from it on are too young
    unwanted text := 'true'; -- what a later pass has to look at
BEGIN
    removed := 0;
    more := false;
    SELECT * INTO sweep FROM sweeps WHERE bare = the_table AND mode = the_mode FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    CASE the_table
        WHEN 'events' THEN
            of_kind := 'events';
            named := 'EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = t.id)';
        WHEN 'exchanges' THEN
            of_kind := 'exchanges';
            source := 'eligibility_checks';
            holder := 'coalesce(h.patient_id = t.patient_id, true)';
            named := 't.exchanges IS NULL';
            unwanted := 'exchanges IS NOT NULL';
        WHEN 'eras' THEN
        WHEN 'attachments' THEN
            born := 'coalesce(t.born::date, (SELECT p.date_of_birth FROM claims c JOIN patients p ON p.id = c.patient_id WHERE c.id = t.claim_id))';
        WHEN 'payer_requests' THEN
            named := 'EXISTS (SELECT FROM attachments a WHERE a.org_id = t.org_id AND a.mode = t.mode AND a.payer_request_id = t.id)';
        WHEN 'claims' THEN
            holder := 'coalesce(h.patient_id = t.patient_id, true)';
            born := '(SELECT p.date_of_birth FROM patients p WHERE p.id = t.patient_id)';
            named := format(claimed, 't') || '
                OR t.mode = ''test'' AND t.state IN (''queued'', ''submitted'', ''accepted_clearinghouse'', ''accepted_payer'')
                OR EXISTS (SELECT FROM claims r WHERE r.parent_id = t.id)
                OR EXISTS (SELECT FROM claims r WHERE r.converted_from = t.id)
                OR EXISTS (SELECT FROM claims r WHERE r.secondary_to = t.id)
                OR EXISTS (SELECT FROM claims r WHERE r.id IN (t.converted_from, t.secondary_to) AND (' || format(claimed, 'r') || '))';
        WHEN 'batches' THEN
            named := 'EXISTS (SELECT FROM claims c WHERE c.batch_id = t.id)';
        WHEN 'deposits' THEN
        WHEN 'acknowledgements' THEN
            named := 'EXISTS (SELECT FROM batch_acknowledgements b WHERE b.acknowledgement_id = t.id)';
        WHEN 'eligibility_checks' THEN
            holder := 'coalesce(h.patient_id = t.patient_id, true)';
            born := '(SELECT p.date_of_birth FROM patients p WHERE p.id = t.patient_id)';
            named := 'EXISTS (SELECT FROM eligibility_checks r WHERE r.parent_id = t.id)
                OR EXISTS (SELECT FROM eligibility_checks r WHERE r.cache_source = t.id)
                OR EXISTS (SELECT FROM estimates e JOIN claims c ON c.org_id = e.org_id AND c.estimate_id = e.id WHERE e.check_id = t.id OR e.second_check_id = t.id)';
        WHEN 'patients' THEN
            holder := 'h.patient_id = t.id';
            born := 't.date_of_birth';
            named := 'EXISTS (SELECT FROM claims c WHERE c.patient_id = t.id)
                OR EXISTS (SELECT FROM eligibility_checks c WHERE c.org_id = t.org_id AND c.mode = t.mode AND c.patient_id = t.id)
                OR EXISTS (SELECT FROM disclosures d WHERE d.org_id = t.org_id AND d.mode = t.mode AND d.patient_id = t.id)';
        ELSE
            RAISE EXCEPTION 'no rows of % go by their age so', the_table;
    END CASE;
    SELECT first_id(now() - min(keep)) INTO STRICT bound FROM retention WHERE kind = of_kind AND mode = the_mode;
    IF sweep.below IS NULL THEN
        sweep.stays := bound;
    END IF;
    EXECUTE format('SELECT array_agg(id ORDER BY id DESC) FROM (SELECT id FROM %I WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3) t', source)
        INTO looked USING sweep.lowest, least(bound, sweep.below), most;
    IF the_table = 'events' THEN -- what was pending for so long has failed
        UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, settled_at = now() 
        WHERE event_id = ANY (looked) AND mode = the_mode AND state = 'pending' AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = webhook_deliveries.org_id);
    END IF;
    EXECUTE format('
        SELECT array_agg(t.id)
        FROM %1$I t JOIN retention d ON d.kind = $2 AND d.mode = t.mode AND d.org_id IS NULL
            LEFT JOIN retention o ON o.kind = $2 AND o.mode = t.mode AND o.org_id = t.org_id
            CROSS JOIN LATERAL (SELECT coalesce(o.keep, d.keep) AS keep, coalesce(o.minors, d.minors) AS minors) k
        WHERE t.id = ANY ($1) AND t.mode = $3 AND t.id < first_id(now() - k.keep) AND NOT (%2$s)
            AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = t.org_id AND (h.patient_id IS NULL OR %3$s))
            AND NOT (k.minors AND coalesce(%4$s + interval ''18 years'' + k.keep > now(), false))', source, named, holder, born)
        INTO gone USING looked, of_kind, the_mode;
    CASE the_table
        WHEN 'eras' THEN
            DELETE FROM era_claims WHERE era_id = ANY (gone);
        WHEN 'attachments' THEN
            DELETE FROM documents WHERE attachment_id = ANY (gone);
        WHEN 'batches' THEN
            DELETE FROM batch_acknowledgements WHERE batch_id = ANY (gone);
        WHEN 'patients' THEN
            DELETE FROM check_members WHERE patient_id = ANY (gone);
            DELETE FROM patient_words w
            USING patients p CROSS JOIN LATERAL patient_names(p.first_name, p.last_name) full_names
                CROSS JOIN string_to_table(replace(full_names, ',', ''), ' ') of_name (word)
            WHERE p.id = ANY (gone) AND w.org_id = p.org_id AND w.mode = p.mode AND w.word = of_name.word AND w.patient_id = p.id;
        WHEN 'exchanges' THEN
            PERFORM set_config('molar.untold', 'on', true);
            UPDATE eligibility_checks SET exchanges = NULL WHERE id = ANY (gone);
            GET DIAGNOSTICS removed = ROW_COUNT;
            PERFORM set_config('molar.untold', '', true);
        ELSE
    END CASE;
    IF the_table <> 'exchanges' THEN
        EXECUTE format('
            WITH removed AS (
                DELETE FROM %1$I WHERE id = ANY ($1) RETURNING id, org_id, mode
            ), numbers AS (
                DELETE FROM event_numbers n USING removed r WHERE $2 AND n.org_id = r.org_id AND n.mode = r.mode AND n.resource_id = r.id
            )
            SELECT count(*) FROM removed', the_table)
            INTO removed USING gone, of_kind = 'records';
    END IF;
    EXECUTE format('SELECT id FROM %I WHERE id = ANY ($1) AND mode = $2 AND %s ORDER BY id LIMIT 1', source, unwanted)
        INTO bound USING looked, the_mode;
    sweep.stays := least(sweep.stays, bound);
    sweep.below := looked[most];
    more := sweep.below IS NOT NULL;
    UPDATE sweeps
    SET below = sweep.below, stays = CASE WHEN more THEN sweep.stays END, lowest = CASE WHEN more THEN lowest ELSE sweep.stays END
    WHERE bare = the_table AND mode = the_mode;
END
$_$;

CREATE FUNCTION public.holds_now() RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT coalesce(md5(string_agg(h::text, ' ' ORDER BY h.org_id, h.patient_id)), '') FROM holds h
$$;

CREATE FUNCTION public.lock_soon(what text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('lock_timeout', '30ms', true);
    FOR tries IN 1..20 LOOP
        BEGIN
            EXECUTE 'LOCK TABLE ' || what;
            RETURN true;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.05);
        END;
    END LOOP;
    RETURN false;
END
$$;

CREATE FUNCTION public.sum_of_fees(lines json) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN coalesce((SELECT sum((l ->> 'Fee')::bigint) FROM json_array_elements(lines) l), 0);
END
$$;

CREATE FUNCTION public.sum_paid(coverages json) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN coalesce((SELECT sum((c -> 'Adjudication' ->> 'Paid')::bigint) FROM json_array_elements(coverages) c), 0);
END
$$;

CREATE TABLE public.claims (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    frequency text NOT NULL,
    parent_id uuid,
    patient_control_number text NOT NULL,
    office_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    provider_id uuid,
    patient_id uuid,
    subscriber json NOT NULL,
    patient json,
    place_of_service text NOT NULL,
    prior_authorization text NOT NULL,
    accident json,
    note text NOT NULL,
    lines json NOT NULL,
    first_service_date date,
    last_service_date date,
    findings json DEFAULT '[]'::json NOT NULL,
    tenant_reference text,
    request_id uuid,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    batch_id uuid,
    payer_claim_number text DEFAULT ''::text NOT NULL,
    reconciled_at timestamp with time zone,
    estimate json,
    converted_from uuid,
    converted_to uuid,
    history json DEFAULT '[]'::json NOT NULL,
    control_key text GENERATED ALWAYS AS (upper(patient_control_number)) STORED NOT NULL,
    standing json,
    settled_at timestamp with time zone,
    coverage text DEFAULT 'primary'::text NOT NULL,
    other_coverage json DEFAULT '[]'::json NOT NULL,
    details json DEFAULT '{}'::json NOT NULL,
    secondary_to uuid,
    secondary_id uuid,
    member_key text GENERATED ALWAYS AS (upper("left"((subscriber ->> 'MemberID'::text), 100))) STORED,
    charged bigint GENERATED ALWAYS AS (public.sum_of_fees(lines)) STORED,
    paid_elsewhere bigint GENERATED ALWAYS AS (
CASE coverage
    WHEN 'primary'::text THEN (0)::bigint
    ELSE public.sum_paid(other_coverage)
END) STORED,
    submitted_number text DEFAULT ''::text NOT NULL,
    submit_when_ready boolean DEFAULT false NOT NULL,
    accepted json DEFAULT '[]'::json NOT NULL,
    accepted_sum bigint DEFAULT 0 NOT NULL,
    elsewhere bigint DEFAULT 0 NOT NULL,
    edits json DEFAULT '{}'::json NOT NULL,
    erased_at timestamp with time zone,
    estimate_id uuid,
    decisions json DEFAULT '[]'::json NOT NULL,
    held json,
    contract json DEFAULT '{}'::json NOT NULL,
    asked json,
    ask_turn smallint DEFAULT 0 NOT NULL,
    ask_from timestamp with time zone,
    appealing json,
    reconciled_with uuid,
    shown_plan json,
    CONSTRAINT claims_state CHECK (((state = ANY (ARRAY['draft'::text, 'validated'::text, 'needs_attention'::text, 'queued'::text, 'submitted'::text, 'accepted_clearinghouse'::text, 'accepted_payer'::text, 'rejected'::text, 'voided'::text, 'paid'::text, 'denied'::text, 'reconciled'::text, 'returned'::text])) AND
CASE kind
    WHEN 'claim'::text THEN ((state <> 'returned'::text) AND (estimate IS NULL) AND (converted_to IS NULL))
    WHEN 'predetermination'::text THEN ((state <> ALL (ARRAY['paid'::text, 'denied'::text, 'reconciled'::text])) AND (reconciled_at IS NULL) AND (converted_from IS NULL))
    ELSE false
END AND
CASE frequency
    WHEN 'void'::text THEN (parent_id IS NOT NULL)
    ELSE ((frequency = ANY (ARRAY['original'::text, 'replacement'::text])) AND (parent_id IS NULL))
END AND (patient_control_number <> ''::text) AND (num_nulls(first_service_date, last_service_date) = ANY (ARRAY[0, 2]))))
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');

ALTER TABLE ONLY public.claims FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.money_of(c public.claims) RETURNS public.claim_money
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT CASE WHEN c.sent_at IS NOT NULL AND c.state <> 'voided' AND c.kind = 'claim' AND c.frequency <> 'void' THEN
    ROW((c.sent_at AT TIME ZONE 'UTC')::date, c.charged, coalesce((c.standing ->> 'Paid')::bigint, 0), c.paid_elsewhere,
        coalesce((c.standing ->> 'Contractual')::bigint, 0), coalesce((c.standing ->> 'PatientResponsibility')::bigint, 0),
        c.standing IS NOT NULL, c.state = 'reconciled' AND (c.settled_at IS NULL OR coalesce(c.settled_at <= c.reconciled_at, false)), c.accepted_sum,
        CASE c.accepted::text WHEN '[]' THEN 0 ELSE sum_billed(c.accepted) END)::claim_money
END
$$;

CREATE FUNCTION public.money_together(one public.claim_money, two public.claim_money, three public.claim_money) RETURNS TABLE(day date, charged bigint, paid bigint, patient bigint, outstanding bigint, elsewhere bigint, billed bigint, overpaid bigint)
    LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE
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

CREATE FUNCTION public.name_words(name text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN array_remove(ARRAY(SELECT search_key(word) FROM regexp_split_to_table(normalize(replace(name, '´', ''), NFKD), '[[:space:]\u2010-\u2015-]+') word), '');
END
$$;

CREATE FUNCTION public.number_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.type = 'eligibility.completed' THEN
        NEW.sequence := 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > NEW.resource_id);
        RETURN NEW;
    END IF;
    UPDATE event_numbers n
    SET last = n.last + 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > n.event_id), event_id = NEW.id
    WHERE n.org_id = NEW.org_id AND n.mode = NEW.mode AND n.resource_id = NEW.resource_id
    RETURNING n.last INTO NEW.sequence;
    IF NOT FOUND THEN
        INSERT INTO event_numbers AS n (org_id, mode, resource_id, event_id, last)
        VALUES (NEW.org_id, NEW.mode, NEW.resource_id, NEW.id, 1 + 1000 * (SELECT count(*) FROM restores r WHERE r.id > NEW.resource_id))
        ON CONFLICT (org_id, mode, resource_id) DO UPDATE SET last = n.last + 1, event_id = NEW.id
        RETURNING n.last INTO NEW.sequence;
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION public.old_records(bare text, of_mode text, of_org uuid, keep interval, OUT old bigint, OUT held bigint) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
BEGIN
    EXECUTE format('
        SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM holds h WHERE h.org_id = t.org_id))
        FROM %I t
        WHERE t.mode = $1 AND t.id < first_id(now() - $3) AND (t.org_id = $2 OR $2 IS NULL) AND %s',
            CASE bare WHEN 'exchanges' THEN 'eligibility_checks' ELSE bare END, CASE bare WHEN 'exchanges' THEN 't.exchanges IS NOT NULL' ELSE 'true' END)
        INTO old, held USING of_mode, of_org, keep;
END
$_$;

CREATE FUNCTION public.open_of(kind text, frequency text, state text, charged bigint, standing json, settled bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE COST 10000 PARALLEL SAFE
    AS $$
BEGIN
    RETURN CASE WHEN kind = 'claim' AND frequency <> 'void' AND state <> 'voided' THEN
        charged - settled
            - coalesce((standing ->> 'Paid')::bigint + (standing ->> 'Contractual')::bigint + (standing ->> 'PatientResponsibility')::bigint, 0)
    END;
END
$$;

CREATE FUNCTION public.patient_named() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO patient_words (org_id, mode, word, patient_id, names)
    SELECT DISTINCT NEW.org_id, NEW.mode, word, NEW.id, names
    FROM patient_names(NEW.first_name, NEW.last_name) names
    CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
    WHERE word <> '';
    RETURN NULL;
END
$$;

CREATE FUNCTION public.patient_names(first_name text, last_name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN (
        SELECT string_agg(left(' ' || array_to_string(ARRAY(SELECT unnest(name_words(name)) UNION SELECT search_key(name)), ' '), 240), ',' ORDER BY n)
        FROM (VALUES (1, first_name), (2, last_name)) names (n, name));
END
$$;

CREATE FUNCTION public.record_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('molar.untold', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], NEW.id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.record_clock_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, 'sandbox_clock', w.org_id
    FROM watches w
    WHERE w.org_id = COALESCE(NEW.org_id, OLD.org_id) AND w.mode = 'test';
    RETURN NULL;
END
$$;

CREATE FUNCTION public.record_note() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('molar.untold', true) = 'on' OR NEW.eligibility_batch_item_id IS NOT NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, NEW.resource, NEW.resource_id
    FROM watches w
    WHERE w.org_id = NEW.org_id AND w.mode = NEW.mode;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.record_removal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (org_id, mode, kind, id)
    SELECT w.org_id, w.mode, TG_ARGV[0], OLD.id
    FROM watches w
    WHERE w.org_id = OLD.org_id AND w.mode = OLD.mode;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.remove_rows(wanted uuid, bare text, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    job     uuid;
    which   text := 'org_id = $1';
    removed integer;
BEGIN
    SELECT c.reset_job INTO job
    FROM public.sandbox_clocks c JOIN public.organizations o ON o.id = c.org_id
    WHERE c.org_id = wanted AND c.reset_job IS NOT NULL AND o.maker_id IS NOT NULL AND o.removed_at IS NOT NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    CASE bare
        WHEN 'api_keys', 'audit_entries', 'audit_resources', 'automation', 'changes', 'connections', 'import_mappings', 'fee_schedule_rows', 'attachment_rules', 'fee_schedules', 'disclosures', 'erasures', 'holds', 'retention', 'idempotency_keys', 'offices', 'providers', 'received_files',
            'requests', 'sessions', 'sign_in_links', 'users', 'watches', 'webhook_endpoints' THEN
        WHEN 'received_parts' THEN
            which := 'file_id IN (SELECT id FROM public.received_files WHERE org_id = $1)';
        WHEN 'jobs' THEN
            which := 'org_id = $1 AND id <> $3';
        ELSE
            RAISE EXCEPTION 'no rows of % are removed so', bare;
    END CASE;
    EXECUTE format('DELETE FROM public.%1$I WHERE ctid = ANY (ARRAY (SELECT ctid FROM public.%1$I WHERE %2$s LIMIT $2))', bare, which)
        USING wanted, most, job;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$_$;

CREATE FUNCTION public.reseal(bare text, sealed text, places tid[], contents bytea[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    written integer;
BEGIN
    PERFORM sealed_before(bare, sealed, 0, 0); -- refuses other columns
    PERFORM set_config('molar.untold', 'on', true);
    EXECUTE format('UPDATE %1$I t SET %2$I = n.content FROM unnest($1, $2) AS n (place, content) WHERE t.ctid = ANY ($1) AND t.ctid = n.place', bare, sealed)
        USING places, contents;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM set_config('molar.untold', '', true);
    RETURN written;
END
$_$;

CREATE FUNCTION public.reset_rows(wanted uuid, bare text, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    began   timestamptz;
    job     uuid;
    which   text := 'org_id = $1 AND mode = ''test''';
    removed integer;
    -- Each has an index: those that are read, and those that are not done.
    payments text := format('SELECT id FROM public.eras WHERE %1$s AND received_at IS NOT NULL UNION ALL SELECT id FROM public.eras WHERE %1$s AND stage <> ''done''', which);
BEGIN
    SELECT reset_job, reset_at INTO job, began FROM public.sandbox_clocks WHERE org_id = wanted AND reset_job IS NOT NULL;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    CASE bare
        WHEN 'acknowledgements', 'appeals', 'attachments', 'batches', 'check_batch_items', 'check_batches', 'check_members', 'claim_changes', 'claim_totals', 'claim_figures', 'documents', 'eligibility_answers', 'estimates', 'check_additions', 'status_policies', 'status_inquiries',
            'enrollments', 'event_numbers', 'events', 'patient_words', 'deposits', 'deposit_accounts', 'payer_limits', 'patients', 'payer_requests',
            'quarantine', 'sandbox_mail', 'sandbox_notes', 'sandbox_scenarios', 'uploads' THEN
        WHEN 'claims' THEN -- those that no other names
            which := which || ' AND NOT EXISTS (SELECT FROM public.claims r WHERE r.parent_id = t.id)
                AND NOT EXISTS (SELECT FROM public.claims r WHERE r.converted_from = t.id)
                AND NOT EXISTS (SELECT FROM public.claims r WHERE r.secondary_to = t.id)';
        WHEN 'tasks', 'notes' THEN
            which := which || ' AND t.connection_id IS NULL';
        WHEN 'eligibility_checks' THEN
            which := which || ' AND NOT EXISTS (SELECT FROM public.eligibility_checks r WHERE r.parent_id = t.id)';
        WHEN 'batch_acknowledgements' THEN
            which := format('batch_id IN (SELECT id FROM public.batches WHERE %s)', which);
        WHEN 'era_claims' THEN
            which := format('era_id IN (%s)', payments);
        WHEN 'eras' THEN
            which := format('id IN (%s)', payments);
        WHEN 'webhook_deliveries' THEN
            which := format('endpoint_id IN (SELECT id FROM public.webhook_endpoints WHERE %s)', which);
        WHEN 'jobs' THEN -- those that run have a minute; files of connections stay
            which := which || ' AND id <> $4 AND kind <> ''received_file'' AND (coalesce(lease_until <= now(), true) OR now() > $3 + interval ''1 minute'')';
        WHEN 'idempotency_keys' THEN -- that of the reset stays
            which := which || ' AND created_at < $3';
        WHEN 'sandbox_faults' THEN -- they have no mode, because live mode has none
            which := 'org_id = $1';
        ELSE
            RAISE EXCEPTION 'a reset keeps the rows of %', bare;
    END CASE;
    EXECUTE format('DELETE FROM public.%1$I WHERE %3$s = ANY (ARRAY (SELECT %3$s FROM public.%1$I t WHERE %2$s LIMIT $2))', bare, which, CASE bare WHEN 'webhook_deliveries' THEN 'id' ELSE 'ctid' END)
        USING wanted, most, began, job;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$_$;

CREATE FUNCTION public.revoke_made_keys() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    UPDATE public.api_keys SET revoked_at = NEW.revoked_at WHERE made_with = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.sealed_before(bare text, sealed text, first bigint, most bigint) RETURNS TABLE(place tid, org uuid, bound_to text, content bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    source text := 't.*';
    bound  text := 'id';
    also   text := '';
BEGIN
    CASE bare || '.' || sealed
        WHEN 'acknowledgements.content', 'acknowledgements.excerpt', 'appeals.content', 'batches.content', 'connections.secrets', 'deposits.content', 'eligibility_checks.exchanges', 'eras.content',
            'notes.content', 'notes.struck_reason', 'quarantine.content', 'status_inquiries.exchanges', 'webhook_endpoints.secret' THEN
        WHEN 'idempotency_keys.body' THEN
            bound := '''idempotency key '' || key';
        WHEN 'received_parts.content' THEN
            source := 't.*, f.org_id, f.mode';
            bound := 'file_id || '' part '' || part';
            also := 'JOIN received_files f ON f.id = t.file_id';
        WHEN 'sandbox_mail.content' THEN
            source := 't.content, t.name, NULL::uuid AS org_id, ''test'' AS mode';
            bound := '''sandbox mail '' || name';
        WHEN 'sandbox_notes.content' THEN
            source := 't.content, t.key, NULL::uuid AS org_id, ''test'' AS mode';
            bound := '''sandbox note '' || encode(key, ''hex'')';
        WHEN 'sandbox_scenarios.content' THEN
            bound := '''sandbox scenario '' || ending';
        WHEN 'users.totp' THEN
            source := 't.*, '''' AS mode';
        ELSE
            RAISE EXCEPTION 'the column % of % is not encrypted', sealed, bare;
    END CASE;
    RETURN QUERY EXECUTE format($query$
SELECT at, owner, owner || '|' || coalesce(mode, '') || '|' || %1$s, %2$I
FROM (
    SELECT t.ctid AS at, %3$s
    FROM %4$I t %5$s
    WHERE t.ctid >= ('(' || $1 || ',0)')::tid AND t.ctid < ('(' || $1 + $2 || ',0)')::tid AND length(t.%2$I) > 0
        AND NOT (get_byte(t.%2$I, 0) = 2 AND substring(t.%2$I from 2 for 8) = ANY (ARRAY (SELECT id FROM data_keys WHERE replaced_at IS NULL)))
    FOR NO KEY UPDATE OF t SKIP LOCKED
) r, LATERAL (SELECT coalesce(r.org_id, '00000000-0000-0000-0000-000000000000') AS owner) o
$query$, bound, sealed, source, bare, also)
        USING first, most;
END
$_$;

CREATE FUNCTION public.search_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT left(replace(replace(replace(replace(translate(
        regexp_replace(lower(normalize(name, NFKD)), '[\u0300-\u036f\u00b7\u02b9-\u02dd\u2010-\u2027\u2030-\u205e[:space:][:punct:]]', '', 'g'),
        'ØøŁłĐđÐðĦħŦŧŊŋıĸÆŒÞẞ', 'oollddddhhttnnikæœþß'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ß', 'ss'), 100)$$;

CREATE TABLE public.claim_changes (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    day date NOT NULL,
    claims bigint NOT NULL,
    charged bigint NOT NULL,
    paid bigint NOT NULL,
    patient bigint NOT NULL,
    outstanding bigint NOT NULL,
    elsewhere bigint DEFAULT 0 NOT NULL,
    billed bigint DEFAULT 0 NOT NULL,
    overpaid bigint DEFAULT 0 NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

ALTER TABLE ONLY public.claim_changes FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.share_of(sign integer, c public.claims) RETURNS SETOF public.claim_changes
    LANGUAGE sql IMMUTABLE ROWS 2 PARALLEL SAFE
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

CREATE FUNCTION public.status_lane_room(of_payer uuid, of_mode text, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(format('status lane %s %s', of_payer, of_mode), 0));
    RETURN greatest(0, most - (
        SELECT count(*) FROM status_inquiries WHERE payer_id = of_payer AND mode = of_mode AND state = 'pending' AND request_id IS NULL AND person_request_id IS NULL
    ));
END
$$;

CREATE FUNCTION public.sum_billed(accepted json) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN coalesce((
        SELECT sum((l ->> 'Amount')::bigint)
        FROM json_array_elements(accepted) a CROSS JOIN json_array_elements(a -> 'Lines') l
        WHERE a ->> 'As' = 'bill_patient'), 0);
END
$$;

CREATE FUNCTION public.sweep_delivery_months(before timestamp with time zone, most integer, largest bigint DEFAULT ((64 * 1024) * 1024), OUT removed bigint, OUT more boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $_$
DECLARE
    home   text := (SELECT format('%I.', relnamespace::regnamespace) FROM pg_class WHERE oid = 'webhook_deliveries'::regclass);
    every  text := 'ONLY webhook_deliveries, ONLY webhook_deliveries_default';
    bound  uuid := first_id(least(before, now() - interval '30 days') - interval '10 days'); -- the last attempts come after the month
    sweep  sweeps;
    m      record;
    n      bigint;
    last   uuid;
    kept   boolean;
    young  boolean := false;
    ahead  uuid := coalesce((SELECT next FROM delivery_months() ORDER BY next DESC LIMIT 1), first_id(date_trunc('month', now())));
    until  uuid := first_id(now() + interval '14 days');
    months timestamptz;
    made   text;
BEGIN
    removed := 0;
    more := false;
    SELECT * INTO sweep FROM sweeps WHERE bare = 'webhook_deliveries' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    -- A month that the default partition has rows of goes without; the server looks for them under the lock. So the month
    -- after it is made at once, while there are few.
    WHILE ahead <= until AND pg_relation_size('webhook_deliveries_default') < largest LOOP
        months := date_trunc('month', to_timestamp(('x' || left(replace(ahead::text, '-', ''), 12))::bit(48)::bigint / 1000.0));
        EXECUTE 'SELECT EXISTS (SELECT FROM webhook_deliveries WHERE id >= $1 AND id < $2)' INTO kept USING ahead, first_id(months + interval '1 month');
        IF NOT kept THEN
            made := home || to_char(months, '"webhook_deliveries_"YYYY_MM');
            EXECUTE format('CREATE TABLE %1$s (LIKE webhook_deliveries INCLUDING ALL) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
                ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', made);
            more := lock_soon(every || ' IN ACCESS EXCLUSIVE MODE');
            EXECUTE format(CASE WHEN more THEN 'ALTER TABLE webhook_deliveries ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)' ELSE 'DROP TABLE %s' END,
                made, ahead, first_id(months + interval '1 month'));
            RETURN;
        END IF;
        ahead := first_id(months + interval '1 month');
        until := first_id(now() + interval '45 days');
    END LOOP;

    -- A partition has no policy for its owner: only the whole table shows its rows.
    SELECT * INTO m FROM delivery_months() d WHERE d.first >= sweep.lowest AND d.next <= bound ORDER BY d.first LIMIT 1;
    IF FOUND THEN
        IF sweep.below IS NULL THEN
            sweep.held := holds_now();
        END IF;
        EXECUTE '
            SELECT max(id::text)::uuid, count(*), coalesce(bool_or(held OR stays AND settled_at IS NULL), false), coalesce(bool_or(stays), false)
            FROM (
                SELECT id, settled_at, EXISTS (SELECT FROM holds h WHERE h.org_id = d.org_id) AS held,
                    coalesce(settled_at >= $4, true) AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = d.endpoint_id)
                        AND NOT (settled_at IS NOT NULL AND d.mode = ''test'' AND EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = d.org_id)) AS stays
                FROM webhook_deliveries d WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3
            ) looked'
            INTO last, n, kept, young USING coalesce(sweep.below, m.first), m.next, most, before;
        young := young AND NOT kept;
    END IF;
    -- A month that stays only because a delivery was settled a short time ago is looked at again.
    IF m.bare IS NOT NULL AND NOT young THEN
        IF NOT kept AND n = most THEN
            UPDATE sweeps SET below = last, seen = seen + n, held = sweep.held WHERE bare = 'webhook_deliveries';
            more := true;
            RETURN;
        END IF;
        IF NOT kept THEN
            IF NOT lock_soon('holds IN SHARE MODE') THEN
                RETURN;
            END IF;
            IF holds_now() <> sweep.held THEN -- looks again
                UPDATE sweeps SET below = NULL, seen = 0 WHERE bare = 'webhook_deliveries';
                more := true;
                RETURN;
            END IF;
            IF NOT lock_soon(format('%s, ONLY %I IN ACCESS EXCLUSIVE MODE', every, m.bare)) THEN
                RETURN;
            END IF;
            EXECUTE format('DROP TABLE %I', m.bare);
            removed := sweep.seen + n;
        END IF;
        UPDATE sweeps SET lowest = m.next, below = NULL, seen = 0 WHERE bare = 'webhook_deliveries';
        more := true;
        RETURN;
    END IF;

    FOR m IN SELECT * FROM delivery_months() d WHERE d.next <= least(bound, sweep.lowest) ORDER BY d.first LOOP
        EXECUTE 'SELECT EXISTS (SELECT FROM webhook_deliveries WHERE id >= $1 AND id < $2)' INTO kept USING m.first, m.next;
        IF NOT kept THEN
            IF lock_soon(format('%s, ONLY %I IN ACCESS EXCLUSIVE MODE', every, m.bare)) THEN
                EXECUTE format('DROP TABLE %I', m.bare);
                more := true;
            END IF;
            RETURN;
        END IF;
    END LOOP;
    IF ahead <= until THEN
        RAISE program_limit_exceeded USING MESSAGE = 'webhook_deliveries_default is too large to make a month beside it';
    END IF;
END
$_$;

CREATE FUNCTION public.total_inserted() RETURNS trigger
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

CREATE FUNCTION public.total_pairs(versions public.claim_version[]) RETURNS void
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

CREATE FUNCTION public.total_updated() RETURNS trigger
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

CREATE FUNCTION public.totals_added() RETURNS trigger
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

CREATE FUNCTION public.version_at(side integer, claim uuid, versions public.claim_version[]) RETURNS public.claim_version
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

CREATE FUNCTION public.version_of(sign integer, c public.claims) RETURNS public.claim_version
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
SELECT sign, c.id, c.org_id, c.mode, coalesce(c.secondary_to, CASE WHEN c.secondary_id IS NOT NULL THEN c.id END), c.secondary_id, money_of(c)
$$;

CREATE TABLE public.acknowledgements (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    content bytea NOT NULL,
    received_at timestamp with time zone NOT NULL,
    excerpt bytea
);
ALTER TABLE ONLY public.acknowledgements ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.acknowledgements ALTER COLUMN excerpt SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.acknowledgements FORCE ROW LEVEL SECURITY;

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    name text NOT NULL,
    permissions text[] NOT NULL,
    last_four text NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    expires_at timestamp with time zone,
    allowed_addresses text[] DEFAULT '{}'::text[] NOT NULL,
    created_by uuid,
    last_used_at timestamp with time zone,
    last_used_from text DEFAULT ''::text NOT NULL,
    made_with uuid,
    CONSTRAINT api_keys_digest_check CHECK ((length(digest) = 32)),
    CONSTRAINT api_keys_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT api_keys_permissions_check CHECK ((permissions <@ ARRAY['read'::text, 'submit'::text]))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.appeals (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    claim_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    made_by text NOT NULL,
    state text NOT NULL,
    level text NOT NULL,
    content bytea NOT NULL,
    documents json DEFAULT '[]'::json NOT NULL,
    send_by json NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    sent_on date,
    sent_by text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone,
    decided_on date,
    outcome text DEFAULT ''::text NOT NULL,
    decided_at timestamp with time zone,
    recorded_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT appeals_decided CHECK ((((state = 'decided'::text) = (outcome <> ''::text)) AND ((state = 'decided'::text) = (decided_at IS NOT NULL)))),
    CONSTRAINT appeals_level_check CHECK ((level = ANY (ARRAY['first'::text, 'second'::text, 'external'::text]))),
    CONSTRAINT appeals_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT appeals_outcome_check CHECK ((outcome = ANY (ARRAY[''::text, 'overturned'::text, 'partly'::text, 'upheld'::text, 'withdrawn'::text]))),
    CONSTRAINT appeals_sent_by_check CHECK ((sent_by = ANY (ARRAY[''::text, 'mail'::text, 'fax'::text, 'portal'::text, 'other'::text]))),
    CONSTRAINT appeals_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'sent'::text, 'decided'::text])))
);

ALTER TABLE ONLY public.appeals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.attachment_rules (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    payer_id uuid,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    procedure_codes text[] NOT NULL,
    needs text[] NOT NULL,
    asked text NOT NULL,
    note text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    edits json DEFAULT '{}'::json NOT NULL,
    CONSTRAINT attachment_rules_asked_check CHECK ((asked = ANY (ARRAY['initial'::text, 'secondary'::text, 'rejected'::text, 'always'::text]))),
    CONSTRAINT attachment_rules_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT attachment_rules_needs_check CHECK ((needs <@ ARRAY['xray'::text, 'periodontal_chart'::text, 'pathology_report'::text, 'operative_report'::text, 'narrative'::text, 'primary_decision'::text, 'photo'::text]))
);

ALTER TABLE ONLY public.attachment_rules FORCE ROW LEVEL SECURITY;

CREATE SEQUENCE public.attachment_serials
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.attachments (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    state text NOT NULL,
    kind text NOT NULL,
    claim_id uuid,
    office_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    payer_request_id uuid,
    payer_reference text NOT NULL,
    narrative text NOT NULL,
    about json NOT NULL,
    request_id uuid,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    number text,
    sending uuid,
    sending_since timestamp with time zone,
    stalled uuid,
    born text GENERATED ALWAYS AS (
CASE
    WHEN (claim_id IS NULL) THEN ((about -> 'Patient'::text) ->> 'DateOfBirth'::text)
    ELSE NULL::text
END) STORED,
    edits json DEFAULT '{}'::json NOT NULL,
    decisions json DEFAULT '[]'::json NOT NULL,
    CONSTRAINT attachments_state CHECK ((
CASE state
    WHEN 'open'::text THEN ((closed_at IS NULL) AND
    CASE
        WHEN (sending IS NULL) THEN (sending_since IS NULL)
        ELSE ((sending_since IS NOT NULL) AND (number IS NOT NULL))
    END)
    WHEN 'closed'::text THEN ((closed_at IS NOT NULL) AND (number IS NOT NULL) AND (sending IS NULL) AND (sending_since IS NULL))
    ELSE false
END AND
CASE kind
    WHEN 'solicited'::text THEN (payer_request_id IS NOT NULL)
    WHEN 'unsolicited'::text THEN ((payer_request_id IS NULL) AND (payer_reference = ''::text))
    ELSE false
END AND (number IS DISTINCT FROM ''::text)))
)
WITH (fillfactor='90');

ALTER TABLE ONLY public.attachments FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_entries (
    id uuid NOT NULL,
    org_id uuid,
    mode text,
    user_id uuid,
    address text NOT NULL,
    operation text NOT NULL,
    resource_id text,
    shown text[] NOT NULL,
    status smallint,
    created_at timestamp with time zone NOT NULL,
    replied boolean GENERATED ALWAYS AS ((status IS NOT NULL)) STORED NOT NULL,
    key_id uuid,
    operator text,
    background boolean DEFAULT false NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    filters jsonb,
    rule text,
    CONSTRAINT audit_entries_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.audit_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_resources (
    org_id uuid NOT NULL,
    resource text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL
);

ALTER TABLE ONLY public.audit_resources FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_retention (
    one boolean DEFAULT true NOT NULL,
    keep interval NOT NULL,
    CONSTRAINT audit_retention_keep_check CHECK ((keep >= '720:00:00'::interval)),
    CONSTRAINT audit_retention_one_check CHECK (one)
);

CREATE TABLE public.automation (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    level text NOT NULL,
    payers json NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    updated_by text NOT NULL,
    CONSTRAINT automation_level_check CHECK ((level = ANY (ARRAY['review'::text, 'exceptions'::text, 'automatic'::text]))),
    CONSTRAINT automation_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.automation FORCE ROW LEVEL SECURITY;

CREATE TABLE public.batch_acknowledgements (
    batch_id uuid NOT NULL,
    number integer NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    kind text NOT NULL,
    acknowledgement_id uuid NOT NULL,
    CONSTRAINT batch_acknowledgements_kind_check CHECK ((kind = ANY (ARRAY['997'::text, '999'::text, 'TA1'::text, '277CA'::text, '277'::text])))
);

ALTER TABLE ONLY public.batch_acknowledgements FORCE ROW LEVEL SECURITY;

CREATE TABLE public.batches (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    state text NOT NULL,
    name text NOT NULL,
    interchange_number text NOT NULL,
    group_number text NOT NULL,
    transaction_number text NOT NULL,
    number text NOT NULL,
    claim_count integer NOT NULL,
    result text NOT NULL,
    acknowledgement text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    acknowledged_at timestamp with time zone,
    content bytea NOT NULL,
    network text DEFAULT 'sandbox'::text NOT NULL,
    send_token text DEFAULT ''::text NOT NULL,
    unknown_since timestamp with time zone,
    overdue text[] DEFAULT '{}'::text[] NOT NULL,
    settled_at timestamp with time zone,
    delayed_since timestamp with time zone,
    CONSTRAINT batches_network CHECK ((network <> ''::text)),
    CONSTRAINT batches_overdue CHECK (((overdue = '{}'::text[]) OR ((state <> 'pending'::text) AND (settled_at IS NULL)))),
    CONSTRAINT batches_settled CHECK (((settled_at IS NULL) OR (state <> 'pending'::text))),
    CONSTRAINT batches_state CHECK (((name <> ''::text) AND
CASE state
    WHEN 'pending'::text THEN ((sent_at IS NULL) AND (acknowledged_at IS NULL) AND (result = ''::text))
    WHEN 'sent'::text THEN ((sent_at IS NOT NULL) AND (acknowledged_at IS NULL) AND (result = ''::text))
    WHEN 'acknowledged'::text THEN ((acknowledged_at IS NOT NULL) AND (result = ANY (ARRAY['accepted'::text, 'rejected'::text])))
    ELSE false
END)),
    CONSTRAINT batches_unknown CHECK (((unknown_since IS NULL) OR (state = 'pending'::text)))
);
ALTER TABLE ONLY public.batches ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.batches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.changes (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.changes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.check_additions (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    check_id uuid NOT NULL,
    number integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    patient_id uuid,
    payer_id uuid NOT NULL,
    content json NOT NULL,
    struck_at timestamp with time zone,
    struck_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT check_additions_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT check_additions_number_check CHECK ((number > 0))
);

ALTER TABLE ONLY public.check_additions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.check_batch_items (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    batch_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    item_id text NOT NULL,
    appointment_at timestamp with time zone,
    appointment_id text,
    request json NOT NULL,
    person_key text NOT NULL,
    person_born date,
    network text NOT NULL,
    payer_id uuid,
    parent_id uuid,
    check_id uuid,
    fresh boolean NOT NULL,
    attempts integer NOT NULL,
    asking uuid,
    next_at timestamp with time zone,
    until timestamp with time zone,
    recheck_at timestamp with time zone,
    outcome text NOT NULL,
    needs_a_person boolean NOT NULL,
    faults json NOT NULL,
    completed_at timestamp with time zone,
    office_id uuid,
    asked_payer_id uuid,
    payer_code text DEFAULT ''::text NOT NULL,
    payer_name text DEFAULT ''::text NOT NULL,
    appointment_on date,
    patient_id uuid,
    status text DEFAULT ''::text NOT NULL,
    differs boolean DEFAULT false NOT NULL,
    decisions json DEFAULT '[]'::json NOT NULL,
    CONSTRAINT check_batch_items_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT check_batch_items_outcome_check CHECK ((outcome = ANY (ARRAY[''::text, 'answered'::text, 'rejected'::text, 'payer_unavailable'::text, 'error'::text, 'invalid'::text, 'not_asked'::text, 'canceled'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.check_batch_items FORCE ROW LEVEL SECURITY;

CREATE TABLE public.check_batches (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    name text NOT NULL,
    recheck bigint,
    request_id uuid,
    person_request_id uuid,
    not_after timestamp with time zone NOT NULL,
    feed uuid,
    canceled_at timestamp with time zone,
    CONSTRAINT check_batches_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.check_batches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.check_lanes (
    network text NOT NULL,
    payer_id uuid NOT NULL,
    failures integer NOT NULL,
    until timestamp with time zone NOT NULL
);

CREATE TABLE public.check_members (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    member_key text NOT NULL COLLATE pg_catalog."C",
    patient_id uuid NOT NULL
);

ALTER TABLE ONLY public.check_members FORCE ROW LEVEL SECURITY;

CREATE TABLE public.claim_figures (
    claim_id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    office_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    provider_id uuid,
    secondary_id uuid,
    state text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    served_on date,
    decided_on date,
    first_pass boolean NOT NULL,
    open bigint NOT NULL,
    owed bigint NOT NULL,
    paid bigint NOT NULL,
    contractual bigint NOT NULL,
    write_off bigint NOT NULL,
    billed bigint NOT NULL,
    other bigint NOT NULL,
    refused jsonb,
    CONSTRAINT claim_figures_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');

ALTER TABLE ONLY public.claim_figures FORCE ROW LEVEL SECURITY;

CREATE TABLE public.claim_totals (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    day date NOT NULL,
    claims bigint NOT NULL,
    charged bigint NOT NULL,
    paid bigint NOT NULL,
    patient bigint NOT NULL,
    outstanding bigint NOT NULL,
    elsewhere bigint DEFAULT 0 NOT NULL,
    billed bigint DEFAULT 0 NOT NULL,
    overpaid bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

ALTER TABLE ONLY public.claim_totals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.connections (
    id uuid NOT NULL,
    org_id uuid,
    mode text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    carries text[] NOT NULL,
    settings json NOT NULL,
    secrets bytea,
    enabled boolean NOT NULL,
    paused_at timestamp with time zone,
    pause_reason text,
    pause_detail text,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT connections_carries_check CHECK ((cardinality(carries) > 0)),
    CONSTRAINT connections_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT connections_pause CHECK ((num_nulls(paused_at, pause_reason, pause_detail) = ANY (ARRAY[0, 3])))
);

ALTER TABLE ONLY public.connections FORCE ROW LEVEL SECURITY;

CREATE TABLE public.data_keys (
    id bytea NOT NULL,
    org_id uuid,
    purpose text NOT NULL,
    wrapped bytea NOT NULL,
    wrapped_by bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    replaced_at timestamp with time zone,
    CONSTRAINT data_keys_check CHECK (((org_id IS NULL) OR (purpose = 'rows'::text))),
    CONSTRAINT data_keys_id_check CHECK ((length(id) = 8)),
    CONSTRAINT data_keys_wrapped_by_check CHECK ((length(wrapped_by) = 8))
);

ALTER TABLE ONLY public.data_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.data_rotations (
    begun_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone
);

CREATE TABLE public.deletions (
    org_id uuid NOT NULL,
    name text NOT NULL,
    asked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    asked_by text NOT NULL,
    backups_days integer NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT deletions_backups_days_check CHECK ((backups_days >= 0))
);

ALTER TABLE ONLY public.deletions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.deposit_accounts (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    number text NOT NULL,
    first_day date NOT NULL,
    last_day date NOT NULL,
    names text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT deposit_accounts_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT deposit_accounts_number_check CHECK ((number ~ '^[0-9]{4}$'::text))
);

ALTER TABLE ONLY public.deposit_accounts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.deposits (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    identity bytea NOT NULL,
    imported_at timestamp with time zone NOT NULL,
    account text NOT NULL,
    date date NOT NULL,
    amount bigint NOT NULL,
    method text NOT NULL,
    trace text NOT NULL,
    reference text NOT NULL,
    returns text NOT NULL,
    claims boolean NOT NULL,
    content bytea NOT NULL,
    state text NOT NULL,
    parts json DEFAULT '[]'::json NOT NULL,
    eras uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    by_hand boolean DEFAULT false NOT NULL,
    returned_by uuid,
    decisions json DEFAULT '[]'::json NOT NULL,
    CONSTRAINT deposits_account_check CHECK ((account ~ '^[0-9]{4}$'::text)),
    CONSTRAINT deposits_method_check CHECK ((method = ANY (ARRAY['ach'::text, 'check'::text, 'virtual_card'::text, 'other'::text]))),
    CONSTRAINT deposits_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT deposits_state_check CHECK ((state = ANY (ARRAY['unmatched'::text, 'matched'::text, 'other'::text, 'returned'::text])))
);

ALTER TABLE ONLY public.deposits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.disclosures (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    patient_id uuid NOT NULL,
    disclosed_to text NOT NULL,
    purpose text NOT NULL,
    disclosed_by text NOT NULL,
    disclosed_at timestamp with time zone NOT NULL,
    CONSTRAINT disclosures_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.disclosures FORCE ROW LEVEL SECURITY;

CREATE TABLE public.documents (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    attachment_id uuid NOT NULL,
    document_type text NOT NULL,
    medium text NOT NULL,
    image_date date,
    orientation text NOT NULL,
    file_name text NOT NULL,
    converted_from text NOT NULL,
    size bigint NOT NULL,
    md5 bytea NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT documents_whole CHECK ((
CASE medium
    WHEN 'film'::text THEN ((image_date IS NOT NULL) AND (orientation = ANY (ARRAY['left'::text, 'right'::text])))
    WHEN 'paper'::text THEN ((image_date IS NULL) AND (orientation = ''::text))
    ELSE false
END AND (converted_from = ANY (ARRAY[''::text, 'png'::text])) AND (size > 0) AND (length(md5) = 16) AND (length(sha256) = 32)))
);

ALTER TABLE ONLY public.documents FORCE ROW LEVEL SECURITY;

CREATE TABLE public.eligibility_answers (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    digest bytea NOT NULL,
    completed_at timestamp with time zone NOT NULL,
    check_id uuid NOT NULL
);

ALTER TABLE ONLY public.eligibility_answers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.eligibility_checks (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    office_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    patient_id uuid,
    state text NOT NULL,
    outcome text NOT NULL,
    parent_id uuid,
    request_id uuid,
    idempotency_key text NOT NULL,
    tenant_reference text,
    cache_source uuid,
    created_at timestamp with time zone NOT NULL,
    digest bytea NOT NULL,
    inquiry json NOT NULL,
    network text NOT NULL,
    latency_ms integer,
    completed_at timestamp with time zone,
    rejection json,
    benefits json,
    exchanges bytea,
    coverage_status text DEFAULT ''::text NOT NULL,
    person_request_id uuid,
    shown text,
    shown_failure text,
    batch_id uuid,
    CONSTRAINT eligibility_checks_state CHECK (
CASE state
    WHEN 'pending'::text THEN ((outcome = ''::text) AND (completed_at IS NULL) AND (benefits IS NULL) AND (rejection IS NULL))
    WHEN 'completed'::text THEN ((completed_at IS NOT NULL) AND
    CASE outcome
        WHEN 'answered'::text THEN ((benefits IS NOT NULL) AND (rejection IS NULL))
        ELSE ((outcome = ANY (ARRAY['rejected'::text, 'payer_unavailable'::text, 'error'::text])) AND (benefits IS NULL))
    END)
    ELSE false
END)
)
WITH (fillfactor='90', toast_tuple_target='4080');
ALTER TABLE ONLY public.eligibility_checks ALTER COLUMN benefits SET COMPRESSION lz4;
ALTER TABLE ONLY public.eligibility_checks ALTER COLUMN exchanges SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.eligibility_checks ALTER COLUMN shown SET COMPRESSION lz4;

ALTER TABLE ONLY public.eligibility_checks FORCE ROW LEVEL SECURITY;

CREATE TABLE public.encryption_key (
    one boolean DEFAULT true NOT NULL,
    proof bytea NOT NULL,
    CONSTRAINT encryption_key_one_check CHECK (one)
);

ALTER TABLE ONLY public.encryption_key FORCE ROW LEVEL SECURITY;

CREATE TABLE public.enrollments (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    office_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    transaction text NOT NULL,
    state text NOT NULL,
    date date NOT NULL,
    note text NOT NULL,
    network_message text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT enrollments_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT enrollments_state_check CHECK ((state = ANY (ARRAY['not_needed'::text, 'needed'::text, 'submitted'::text, 'active'::text, 'rejected'::text]))),
    CONSTRAINT enrollments_transaction_check CHECK ((transaction = ANY (ARRAY['eligibility'::text, 'claims'::text, 'claim_status'::text])))
);

ALTER TABLE ONLY public.enrollments FORCE ROW LEVEL SECURITY;

CREATE TABLE public.era_claims (
    era_id uuid NOT NULL,
    ordinal integer NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    status text NOT NULL,
    claim_id uuid,
    matched_by text NOT NULL,
    review text NOT NULL,
    warnings text[] NOT NULL,
    sequence text NOT NULL,
    line_numbers smallint[],
    applied_at timestamp with time zone,
    balanced boolean NOT NULL,
    detail json NOT NULL,
    control_key text GENERATED ALWAYS AS (upper((detail ->> 'ControlNumber'::text))) STORED,
    payer_number text GENERATED ALWAYS AS ((detail ->> 'PayerClaimNumber'::text)) STORED,
    original_number text GENERATED ALWAYS AS ((detail ->> 'Original'::text)) STORED,
    CONSTRAINT era_claims_status CHECK (((status = ANY (ARRAY['pending'::text, 'applied'::text, 'needs_review'::text, 'unmatched'::text, 'ignored'::text, 'forwarded'::text])) AND ((status = 'applied'::text) <= ((claim_id IS NOT NULL) AND (applied_at IS NOT NULL)))))
)
WITH (fillfactor='90');

ALTER TABLE ONLY public.era_claims FORCE ROW LEVEL SECURITY;

CREATE TABLE public.eras (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    state text NOT NULL,
    payer_id uuid,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    office_id uuid,
    payment_date date,
    detail json NOT NULL,
    balanced boolean NOT NULL,
    claim_count integer NOT NULL,
    matched_count integer NOT NULL,
    stage text NOT NULL,
    identity bytea NOT NULL,
    received_at timestamp with time zone,
    posted_at timestamp with time zone,
    content bytea NOT NULL,
    arrival bigint NOT NULL,
    applied_count integer NOT NULL,
    needs_review_count integer NOT NULL,
    unmatched_count integer NOT NULL,
    ignored_count integer NOT NULL,
    forwarded_count integer NOT NULL,
    needs_attention boolean NOT NULL,
    stated_payer text NOT NULL,
    trace_number text NOT NULL,
    source text DEFAULT 'network'::text NOT NULL,
    later json,
    CONSTRAINT eras_source CHECK ((source = ANY (ARRAY['network'::text, 'import'::text]))),
    CONSTRAINT eras_state CHECK ((
CASE state
    WHEN 'needs_review'::text THEN (posted_at IS NULL)
    WHEN 'replaced'::text THEN (posted_at IS NULL)
    WHEN 'discarded'::text THEN (posted_at IS NULL)
    WHEN 'posted'::text THEN ((posted_at IS NOT NULL) AND (received_at IS NOT NULL))
    ELSE false
END AND
CASE stage
    WHEN 'reading'::text THEN true
    ELSE ((stage = ANY (ARRAY['applying'::text, 'done'::text])) AND (received_at IS NOT NULL))
END AND (length(identity) = 32)))
)
WITH (fillfactor='90');
ALTER TABLE ONLY public.eras ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.eras FORCE ROW LEVEL SECURITY;

ALTER TABLE public.eras ALTER COLUMN arrival ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.eras_arrival_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.erasures (
    patient_id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    reason text NOT NULL,
    erased_by text NOT NULL,
    begun_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    done_at timestamp with time zone,
    record json NOT NULL,
    CONSTRAINT erasures_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT erasures_reason_check CHECK ((reason <> ''::text))
);

ALTER TABLE ONLY public.erasures FORCE ROW LEVEL SECURITY;

CREATE TABLE public.estimates (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    check_id uuid NOT NULL,
    second_check_id uuid,
    patient_id uuid NOT NULL,
    office_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    content json NOT NULL,
    CONSTRAINT estimates_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.estimates FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_numbers (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    resource_id uuid NOT NULL,
    last integer NOT NULL,
    event_id uuid NOT NULL
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');

ALTER TABLE ONLY public.event_numbers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.events (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    type text NOT NULL,
    resource_id uuid NOT NULL,
    sequence integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    data json NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);

ALTER TABLE ONLY public.events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.fee_schedule_rows (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    schedule_id uuid NOT NULL,
    procedure_code text NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT fee_schedule_rows_amount_check CHECK ((amount >= 0)),
    CONSTRAINT fee_schedule_rows_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.fee_schedule_rows FORCE ROW LEVEL SECURITY;

CREATE TABLE public.fee_schedules (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    office_id uuid,
    payer_id uuid,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    network text NOT NULL,
    effective_from date NOT NULL,
    write_off_beyond_limits boolean NOT NULL,
    replaces uuid,
    row_count integer NOT NULL,
    limits json DEFAULT '{}'::json NOT NULL,
    CONSTRAINT fee_schedules_kind_check CHECK ((kind = ANY (ARRAY['office_fees'::text, 'allowed'::text]))),
    CONSTRAINT fee_schedules_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT fee_schedules_network_check CHECK ((network = ANY (ARRAY[''::text, 'in'::text, 'out'::text])))
);

ALTER TABLE ONLY public.fee_schedules FORCE ROW LEVEL SECURITY;

CREATE SEQUENCE public.file_serials
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.holds (
    org_id uuid NOT NULL,
    patient_id uuid,
    reason text NOT NULL,
    placed_at timestamp with time zone NOT NULL,
    CONSTRAINT holds_reason_check CHECK ((reason <> ''::text))
);

ALTER TABLE ONLY public.holds FORCE ROW LEVEL SECURITY;

CREATE TABLE public.idempotency_keys (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    check_id uuid,
    created_at timestamp with time zone NOT NULL,
    status smallint,
    body bytea,
    work uuid,
    request_id uuid,
    api_key_id uuid,
    operation text,
    resource_id text,
    address text,
    agent text
);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.import_mappings (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    kind text NOT NULL,
    columns json NOT NULL,
    payers json NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT import_mappings_kind_check CHECK ((kind = 'schedule'::text)),
    CONSTRAINT import_mappings_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.import_mappings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.jobs (
    id uuid NOT NULL,
    kind text NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    subject uuid NOT NULL,
    reply_to text NOT NULL,
    not_before timestamp with time zone NOT NULL,
    leased_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone,
    publishes integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');

ALTER TABLE ONLY public.jobs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.key_holders (
    id text NOT NULL,
    name text NOT NULL,
    holds bytea[] NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE public.live_files (
    one boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT live_files_one_check CHECK (one)
);

CREATE TABLE public.notes (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    resource text NOT NULL,
    claim_id uuid,
    era_id uuid,
    payer_request_id uuid,
    attachment_id uuid,
    enrollment_id uuid,
    created_at timestamp with time zone NOT NULL,
    made_by text NOT NULL,
    content bytea NOT NULL,
    struck_at timestamp with time zone,
    struck_by text DEFAULT ''::text NOT NULL,
    struck_reason bytea,
    deposit_id uuid,
    eligibility_batch_item_id uuid,
    connection_id uuid,
    quarantined_file_id uuid,
    resource_id uuid GENERATED ALWAYS AS (COALESCE(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id, connection_id, quarantined_file_id)) STORED NOT NULL,
    CONSTRAINT notes_check CHECK ((num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id, connection_id, quarantined_file_id) = 1)),
    CONSTRAINT notes_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT notes_resource_check CHECK ((resource = ANY (ARRAY['claim'::text, 'era'::text, 'payer_request'::text, 'attachment'::text, 'enrollment'::text, 'deposit'::text, 'eligibility_batch_item'::text, 'connection'::text, 'quarantined_file'::text])))
);

ALTER TABLE ONLY public.notes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.offices (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    name text NOT NULL,
    npi text NOT NULL,
    tax_id text NOT NULL,
    line1 text NOT NULL,
    line2 text NOT NULL,
    city text NOT NULL,
    state text NOT NULL,
    zip text NOT NULL,
    phone text NOT NULL,
    time_zone text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone,
    tax_key text GENERATED ALWAYS AS (regexp_replace(tax_id, '\D'::text, ''::text, 'g'::text)) STORED NOT NULL,
    details json DEFAULT '{}'::json NOT NULL,
    edits json DEFAULT '{}'::json NOT NULL,
    CONSTRAINT offices_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.offices FORCE ROW LEVEL SECURITY;

CREATE TABLE public.organizations (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    require_totp boolean DEFAULT false NOT NULL,
    endpoints_need_read boolean DEFAULT false NOT NULL,
    maker_id uuid,
    made_by text DEFAULT ''::text NOT NULL,
    expires_at timestamp with time zone,
    removed_at timestamp with time zone,
    task_rules jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT organizations_made CHECK ((((maker_id IS NULL) = (expires_at IS NULL)) AND ((maker_id IS NOT NULL) OR (removed_at IS NULL)))),
    CONSTRAINT organizations_name_check CHECK ((name <> ''::text))
);

ALTER TABLE ONLY public.organizations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.origin (
    one boolean DEFAULT true NOT NULL,
    origin text NOT NULL,
    CONSTRAINT origin_one_check CHECK (one)
);

CREATE TABLE public.patient_words (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    patient_id uuid NOT NULL,
    names text NOT NULL
);

ALTER TABLE ONLY public.patient_words FORCE ROW LEVEL SECURITY;

CREATE TABLE public.patients (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    name_key text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    date_of_birth date NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT patients_name_key_check CHECK ((name_key <> ''::text))
);

ALTER TABLE ONLY public.patients FORCE ROW LEVEL SECURITY;

CREATE TABLE public.payer_limits (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    payer_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    terms json NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT payer_limits_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.payer_limits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.payer_requests (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    state text NOT NULL,
    source text NOT NULL,
    claim_id uuid,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    reference_number text NOT NULL,
    requested text NOT NULL,
    due_date date,
    answering_attachment_id uuid,
    answered_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    answer_note text DEFAULT ''::text NOT NULL,
    decisions json DEFAULT '[]'::json NOT NULL,
    office_id uuid,
    patient_id uuid,
    CONSTRAINT payer_requests_state CHECK (((source = ANY (ARRAY['network'::text, 'staff'::text])) AND
CASE state
    WHEN 'open'::text THEN ((answering_attachment_id IS NULL) AND (answered_at IS NULL) AND (answer_note = ''::text))
    WHEN 'answered'::text THEN (((answering_attachment_id IS NULL) = (answer_note <> ''::text)) AND (answered_at IS NOT NULL))
    ELSE false
END))
);

ALTER TABLE ONLY public.payer_requests FORCE ROW LEVEL SECURITY;

CREATE TABLE public.providers (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    npi text NOT NULL,
    taxonomy text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired boolean DEFAULT false NOT NULL,
    edits json DEFAULT '{}'::json NOT NULL,
    CONSTRAINT providers_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.providers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.quarantine (
    id uuid NOT NULL,
    mode text NOT NULL,
    name text NOT NULL,
    reason text NOT NULL,
    digest bytea NOT NULL,
    content bytea NOT NULL,
    received_at timestamp with time zone NOT NULL,
    org_id uuid,
    source text DEFAULT 'network'::text NOT NULL,
    detail json,
    cause text DEFAULT 'other'::text NOT NULL,
    CONSTRAINT quarantine_cause_check CHECK ((cause = ANY (ARRAY['empty'::text, 'report'::text, 'unreadable'::text, 'other'::text, 'unplaced'::text]))),
    CONSTRAINT quarantine_source CHECK ((source = ANY (ARRAY['network'::text, 'import'::text])))
);
ALTER TABLE ONLY public.quarantine ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.quarantine FORCE ROW LEVEL SECURITY;

CREATE TABLE public.received_files (
    id uuid NOT NULL,
    network text NOT NULL,
    org_id uuid,
    mode text NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL,
    listed boolean NOT NULL,
    digest bytea,
    tries integer NOT NULL,
    holder uuid NOT NULL,
    CONSTRAINT received_files_content CHECK (((digest IS NOT NULL) OR (state <> ALL (ARRAY['received'::text, 'applied'::text, 'partial'::text, 'changed'::text, 'not_whole'::text])))),
    CONSTRAINT received_files_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT received_files_state_check CHECK ((state = ANY (ARRAY['fetching'::text, 'received'::text, 'applied'::text, 'partial'::text, 'changed'::text, 'not_whole'::text, 'refused'::text, 'lost'::text, 'set_aside'::text])))
);

ALTER TABLE ONLY public.received_files FORCE ROW LEVEL SECURITY;

CREATE TABLE public.received_parts (
    file_id uuid NOT NULL,
    part integer NOT NULL,
    content bytea NOT NULL
);
ALTER TABLE ONLY public.received_parts ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE public.requests (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    key_id uuid NOT NULL,
    operation text NOT NULL,
    resource_id text,
    status smallint,
    error text,
    duration_us bigint,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT requests_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.requests FORCE ROW LEVEL SECURITY;

CREATE TABLE public.restores (
    id uuid NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    resumed_at timestamp with time zone,
    live_file bigint NOT NULL,
    replayed bigint DEFAULT 0 NOT NULL,
    lacked uuid[] DEFAULT '{}'::uuid[] NOT NULL
);

CREATE TABLE public.retention (
    kind text NOT NULL,
    mode text NOT NULL,
    org_id uuid,
    keep interval NOT NULL,
    minors boolean DEFAULT false NOT NULL,
    CONSTRAINT retention_keep_check CHECK ((keep >= '720:00:00'::interval)),
    CONSTRAINT retention_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.retention FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sandbox_clocks (
    org_id uuid NOT NULL,
    ahead interval DEFAULT '00:00:00'::interval NOT NULL,
    stands_at timestamp with time zone,
    advance_job uuid,
    advance_key text DEFAULT ''::text NOT NULL,
    advance_until text DEFAULT ''::text NOT NULL,
    target timestamp with time zone,
    runs_on boolean DEFAULT false NOT NULL,
    progressed_at timestamp with time zone,
    reset_job uuid,
    reset_at timestamp with time zone,
    CONSTRAINT sandbox_clocks_advance CHECK ((((advance_job IS NULL) = (target IS NULL)) AND ((advance_job IS NULL) = (progressed_at IS NULL)) AND ((advance_job IS NULL) OR (stands_at IS NOT NULL)))),
    CONSTRAINT sandbox_clocks_reset CHECK ((((reset_job IS NULL) = (reset_at IS NULL)) AND ((reset_job IS NULL) OR ((advance_job IS NULL) AND (stands_at IS NULL)))))
);

ALTER TABLE ONLY public.sandbox_clocks FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sandbox_faults (
    serial bigint NOT NULL,
    org_id uuid NOT NULL,
    rule json NOT NULL,
    matched integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.sandbox_faults FORCE ROW LEVEL SECURITY;

ALTER TABLE public.sandbox_faults ALTER COLUMN serial ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sandbox_faults_serial_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sandbox_mail (
    name text NOT NULL,
    due timestamp with time zone NOT NULL,
    given_until timestamp with time zone,
    removed_at timestamp with time zone,
    content bytea,
    org_id uuid,
    mode text,
    network text DEFAULT 'sandbox'::text NOT NULL,
    CONSTRAINT sandbox_mail_state CHECK (((content IS NULL) = (removed_at IS NOT NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');
ALTER TABLE ONLY public.sandbox_mail ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.sandbox_mail FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sandbox_notes (
    key bytea NOT NULL,
    noted_by text NOT NULL,
    serial bigint NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    content bytea NOT NULL,
    org_id uuid,
    mode text
);

ALTER TABLE ONLY public.sandbox_notes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.sandbox_notes ALTER COLUMN serial ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sandbox_notes_serial_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sandbox_scenarios (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    ending text NOT NULL,
    operation text NOT NULL,
    summary text NOT NULL,
    dates text NOT NULL,
    content bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT sandbox_scenarios_dates_check CHECK ((dates = ANY (ARRAY['move'::text, 'keep'::text]))),
    CONSTRAINT sandbox_scenarios_mode_check CHECK ((mode = 'test'::text)),
    CONSTRAINT sandbox_scenarios_operation_check CHECK ((operation = ANY (ARRAY['eligibility'::text, 'claim'::text, 'attachment'::text])))
);

ALTER TABLE ONLY public.sandbox_scenarios FORCE ROW LEVEL SECURITY;

CREATE TABLE public.schema_fit (
    one boolean DEFAULT true NOT NULL,
    "least" bigint NOT NULL,
    CONSTRAINT schema_fit_one_check CHECK (one)
);

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    digest bytea NOT NULL,
    address text NOT NULL,
    agent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    totp boolean DEFAULT false NOT NULL,
    password_weak boolean DEFAULT false NOT NULL,
    operator text DEFAULT ''::text NOT NULL,
    wants_password boolean DEFAULT false NOT NULL,
    CONSTRAINT sessions_digest_check CHECK ((length(digest) = 32))
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sign_in_links (
    digest bytea NOT NULL,
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    operator text DEFAULT ''::text NOT NULL,
    CONSTRAINT sign_in_links_digest_check CHECK ((length(digest) = 32)),
    CONSTRAINT sign_in_links_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'operator'::text, 'reset'::text])))
);

ALTER TABLE ONLY public.sign_in_links FORCE ROW LEVEL SECURITY;

CREATE TABLE public.status_inquiries (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    claim_id uuid NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    request_id uuid,
    person_request_id uuid,
    created_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    outcome text DEFAULT ''::text NOT NULL,
    network text DEFAULT ''::text NOT NULL,
    completed_at timestamp with time zone,
    matches text DEFAULT ''::text NOT NULL,
    payer_claim_number text DEFAULT ''::text NOT NULL,
    others integer DEFAULT 0 NOT NULL,
    statuses json DEFAULT '[]'::json NOT NULL,
    exchanges bytea,
    CONSTRAINT status_inquiries_completed CHECK ((((state = 'completed'::text) = (outcome <> ''::text)) AND ((state = 'completed'::text) = (completed_at IS NOT NULL)))),
    CONSTRAINT status_inquiries_matches_check CHECK ((matches = ANY (ARRAY[''::text, 'control_number'::text, 'payer_claim_number'::text, 'charge_and_date'::text]))),
    CONSTRAINT status_inquiries_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT status_inquiries_outcome_check CHECK ((outcome = ANY (ARRAY[''::text, 'found'::text, 'not_found'::text, 'refused'::text, 'unavailable'::text, 'error'::text]))),
    CONSTRAINT status_inquiries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'completed'::text])))
);

ALTER TABLE ONLY public.status_inquiries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.status_policies (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    payer_id uuid NOT NULL,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ask_after integer NOT NULL,
    ask_every integer NOT NULL,
    waits integer[] NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    feed uuid NOT NULL,
    CONSTRAINT status_policies_ask_after_check CHECK ((ask_after >= 7)),
    CONSTRAINT status_policies_ask_every_check CHECK ((ask_every >= 1)),
    CONSTRAINT status_policies_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.status_policies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sweeps (
    bare text NOT NULL,
    mode text NOT NULL,
    lowest uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    below uuid,
    stays uuid,
    seen bigint DEFAULT 0 NOT NULL,
    held text,
    CONSTRAINT sweeps_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

CREATE TABLE public.tasks (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    resource text NOT NULL,
    claim_id uuid,
    era_id uuid,
    payer_request_id uuid,
    attachment_id uuid,
    enrollment_id uuid,
    kind text NOT NULL,
    office_id uuid,
    payer_id uuid,
    payer_code text NOT NULL,
    payer_name text NOT NULL,
    patient_id uuid,
    amount bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    due_on date,
    due_by text NOT NULL,
    reason text NOT NULL,
    actions text[] NOT NULL,
    ended_at timestamp with time zone,
    assignee uuid,
    snoozed_until timestamp with time zone,
    until_change boolean DEFAULT false NOT NULL,
    settles text[] DEFAULT '{}'::text[] NOT NULL,
    settled json,
    deposit_id uuid,
    place_day date GENERATED ALWAYS AS (COALESCE(due_on, 'infinity'::date)) STORED NOT NULL,
    place_amount bigint GENERATED ALWAYS AS ((- amount)) STORED NOT NULL,
    eligibility_batch_item_id uuid,
    connection_id uuid,
    quarantined_file_id uuid,
    resource_id uuid GENERATED ALWAYS AS (COALESCE(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id, connection_id, quarantined_file_id)) STORED NOT NULL,
    until timestamp with time zone,
    CONSTRAINT tasks_check CHECK ((num_nonnulls(claim_id, era_id, payer_request_id, attachment_id, enrollment_id, deposit_id, eligibility_batch_item_id, connection_id, quarantined_file_id) = 1)),
    CONSTRAINT tasks_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT tasks_resource_check CHECK ((resource = ANY (ARRAY['claim'::text, 'era'::text, 'payer_request'::text, 'attachment'::text, 'enrollment'::text, 'deposit'::text, 'eligibility_batch_item'::text, 'connection'::text, 'quarantined_file'::text])))
);

ALTER TABLE ONLY public.tasks FORCE ROW LEVEL SECURITY;

CREATE TABLE public.turns (
    name text NOT NULL,
    holder uuid NOT NULL,
    lease_until timestamp with time zone NOT NULL
);

CREATE TABLE public.uploads (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    attachment_id uuid NOT NULL,
    document_type text NOT NULL,
    medium text NOT NULL,
    image_date date,
    orientation text NOT NULL,
    file_name text NOT NULL,
    converted_from text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    idempotency_key text NOT NULL,
    state text NOT NULL,
    refusal json,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT uploads_state CHECK ((
CASE state
    WHEN 'refused'::text THEN (refusal IS NOT NULL)
    ELSE ((state = ANY (ARRAY['pending'::text, 'done'::text, 'cancelled'::text])) AND (refusal IS NULL))
END AND (length(sha256) = 32)))
);

ALTER TABLE ONLY public.uploads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.users (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    state text NOT NULL,
    password text,
    totp bytea,
    totp_step bigint DEFAULT 0 NOT NULL,
    recovery_codes bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    signed_in_at timestamp with time zone,
    has_password boolean GENERATED ALWAYS AS ((password IS NOT NULL)) STORED NOT NULL,
    has_totp boolean GENERATED ALWAYS AS ((totp IS NOT NULL)) STORED NOT NULL,
    operator_signed_in_at timestamp with time zone,
    operator_signed_in text DEFAULT ''::text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    CONSTRAINT users_email_check CHECK (((email <> ''::text) AND (email = lower(email)))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'biller'::text, 'viewer'::text]))),
    CONSTRAINT users_state_check CHECK ((state = ANY (ARRAY['invited'::text, 'active'::text, 'disabled'::text])))
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

CREATE TABLE public.watches (
    org_id uuid NOT NULL,
    mode text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    begun xid8 DEFAULT pg_current_xact_id() NOT NULL,
    since xid8,
    CONSTRAINT watches_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

ALTER TABLE ONLY public.watches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    next_attempt_at timestamp with time zone,
    attempts json[] DEFAULT '{}'::json[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_state CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL)))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.webhook_deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries_default (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    next_attempt_at timestamp with time zone,
    attempts json[] DEFAULT '{}'::json[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_state CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');

ALTER TABLE ONLY public.webhook_deliveries_default FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries_first (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    next_attempt_at timestamp with time zone,
    attempts json[] DEFAULT '{}'::json[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_state CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');

ALTER TABLE ONLY public.webhook_deliveries_first FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_endpoints (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    mode text NOT NULL,
    url text NOT NULL,
    description text NOT NULL,
    event_types text[],
    status text NOT NULL,
    secret bytea NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    circuit_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    holder uuid,
    holder_address text DEFAULT ''::text NOT NULL,
    lease_until timestamp with time zone,
    called_at timestamp with time zone,
    disabled_reason text,
    last_success_at timestamp with time zone,
    created_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['user'::text, 'gone'::text, 'failures'::text]))),
    CONSTRAINT webhook_endpoints_state CHECK (((status = ANY (ARRAY['enabled'::text, 'disabled'::text])) AND (url <> ''::text) AND (length(secret) > 33) AND COALESCE((cardinality(event_types) > 0), true) AND
CASE failures
    WHEN 0 THEN (num_nonnulls(failing_since, circuit_until) = 0)
    ELSE ((failures > 0) AND (failing_since IS NOT NULL))
END AND
CASE
    WHEN (holder IS NULL) THEN ((lease_until IS NULL) AND (holder_address = ''::text))
    ELSE (lease_until IS NOT NULL)
END))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');

ALTER TABLE ONLY public.webhook_endpoints FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_default DEFAULT;

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_first FOR VALUES FROM (MINVALUE) TO (the month after next);

ALTER TABLE ONLY public.acknowledgements
    ADD CONSTRAINT acknowledgements_content UNIQUE (digest, org_id, mode);

ALTER TABLE ONLY public.acknowledgements
    ADD CONSTRAINT acknowledgements_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_digest_key UNIQUE (digest);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.attachment_rules
    ADD CONSTRAINT attachment_rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_number_key UNIQUE (number);

ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_pkey PRIMARY KEY (id);

ALTER TABLE public.audit_entries
    ADD CONSTRAINT audit_entries_actor CHECK (
CASE
    WHEN (user_id IS NULL) THEN (num_nonnulls(key_id, operator, rule) = 1)
    ELSE ((key_id IS NULL) AND (rule IS NULL))
END) NOT VALID;

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id, replied);

ALTER TABLE ONLY public.audit_resources
    ADD CONSTRAINT audit_resources_pkey PRIMARY KEY (org_id, resource, created_at, id);

ALTER TABLE ONLY public.audit_retention
    ADD CONSTRAINT audit_retention_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.automation
    ADD CONSTRAINT automation_pkey PRIMARY KEY (org_id, mode);

ALTER TABLE ONLY public.batch_acknowledgements
    ADD CONSTRAINT batch_acknowledgements_pkey PRIMARY KEY (batch_id, number);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_name UNIQUE (name);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.check_additions
    ADD CONSTRAINT check_additions_pkey PRIMARY KEY (check_id, number);

ALTER TABLE ONLY public.check_batch_items
    ADD CONSTRAINT check_batch_items_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.check_batches
    ADD CONSTRAINT check_batches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.check_lanes
    ADD CONSTRAINT check_lanes_pkey PRIMARY KEY (network, payer_id);

ALTER TABLE ONLY public.check_members
    ADD CONSTRAINT check_members_pkey PRIMARY KEY (org_id, mode, member_key, patient_id);

ALTER TABLE ONLY public.claim_figures
    ADD CONSTRAINT claim_figures_pkey PRIMARY KEY (claim_id);

ALTER TABLE ONLY public.claim_totals
    ADD CONSTRAINT claim_totals_pkey PRIMARY KEY (org_id, mode, kind, state, day);

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.data_keys
    ADD CONSTRAINT data_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.data_rotations
    ADD CONSTRAINT data_rotations_pkey PRIMARY KEY (begun_at);

ALTER TABLE ONLY public.deletions
    ADD CONSTRAINT deletions_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.deposit_accounts
    ADD CONSTRAINT deposit_accounts_pkey PRIMARY KEY (org_id, mode, number);

ALTER TABLE ONLY public.deposits
    ADD CONSTRAINT deposits_identity UNIQUE (org_id, mode, identity);

ALTER TABLE ONLY public.deposits
    ADD CONSTRAINT deposits_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.disclosures
    ADD CONSTRAINT disclosures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_image UNIQUE (org_id, mode, attachment_id, sha256);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.eligibility_answers
    ADD CONSTRAINT eligibility_answers_pkey PRIMARY KEY (org_id, mode, digest, completed_at, check_id);

ALTER TABLE ONLY public.eligibility_checks
    ADD CONSTRAINT eligibility_checks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.encryption_key
    ADD CONSTRAINT encryption_key_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.enrollments
    ADD CONSTRAINT enrollments_one UNIQUE (org_id, mode, office_id, payer_id, transaction);

ALTER TABLE ONLY public.enrollments
    ADD CONSTRAINT enrollments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.era_claims
    ADD CONSTRAINT era_claims_pkey PRIMARY KEY (era_id, ordinal);

ALTER TABLE ONLY public.eras
    ADD CONSTRAINT eras_identity UNIQUE (identity, org_id, mode);

ALTER TABLE ONLY public.eras
    ADD CONSTRAINT eras_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (patient_id);

ALTER TABLE ONLY public.estimates
    ADD CONSTRAINT estimates_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.event_numbers
    ADD CONSTRAINT event_numbers_pkey PRIMARY KEY (org_id, mode, resource_id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_sequence UNIQUE (org_id, mode, resource_id, sequence);

ALTER TABLE ONLY public.fee_schedule_rows
    ADD CONSTRAINT fee_schedule_rows_pkey PRIMARY KEY (org_id, mode, schedule_id, procedure_code);

ALTER TABLE ONLY public.fee_schedules
    ADD CONSTRAINT fee_schedules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_org_id_patient_id_key UNIQUE NULLS NOT DISTINCT (org_id, patient_id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, mode, key);

ALTER TABLE ONLY public.import_mappings
    ADD CONSTRAINT import_mappings_pkey PRIMARY KEY (org_id, mode, kind);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.key_holders
    ADD CONSTRAINT key_holders_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.live_files
    ADD CONSTRAINT live_files_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.offices
    ADD CONSTRAINT offices_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.origin
    ADD CONSTRAINT origin_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.patients
    ADD CONSTRAINT patients_person UNIQUE (org_id, mode, name_key, date_of_birth);

ALTER TABLE ONLY public.patients
    ADD CONSTRAINT patients_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.payer_limits
    ADD CONSTRAINT payer_limits_one UNIQUE (org_id, mode, payer_id);

ALTER TABLE ONLY public.payer_limits
    ADD CONSTRAINT payer_limits_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.payer_requests
    ADD CONSTRAINT payer_requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.providers
    ADD CONSTRAINT providers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.quarantine
    ADD CONSTRAINT quarantine_content UNIQUE NULLS NOT DISTINCT (digest, mode, org_id);

ALTER TABLE ONLY public.quarantine
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.received_files
    ADD CONSTRAINT received_files_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.received_parts
    ADD CONSTRAINT received_parts_pkey PRIMARY KEY (file_id, part);

ALTER TABLE ONLY public.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.restores
    ADD CONSTRAINT restores_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.retention
    ADD CONSTRAINT retention_kind_mode_org_id_key UNIQUE NULLS NOT DISTINCT (kind, mode, org_id);

ALTER TABLE ONLY public.sandbox_clocks
    ADD CONSTRAINT sandbox_clocks_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.sandbox_faults
    ADD CONSTRAINT sandbox_faults_pkey PRIMARY KEY (serial);

ALTER TABLE ONLY public.sandbox_mail
    ADD CONSTRAINT sandbox_mail_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.sandbox_notes
    ADD CONSTRAINT sandbox_notes_pkey PRIMARY KEY (key, noted_by);

ALTER TABLE ONLY public.sandbox_scenarios
    ADD CONSTRAINT sandbox_scenarios_pkey PRIMARY KEY (org_id, mode, ending);

ALTER TABLE ONLY public.schema_fit
    ADD CONSTRAINT schema_fit_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_digest_key UNIQUE (digest);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY public.status_inquiries
    ADD CONSTRAINT status_inquiries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.status_policies
    ADD CONSTRAINT status_policies_one UNIQUE (org_id, mode, payer_id);

ALTER TABLE ONLY public.status_policies
    ADD CONSTRAINT status_policies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sweeps
    ADD CONSTRAINT sweeps_pkey PRIMARY KEY (bare, mode);

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_one UNIQUE (resource_id, kind);

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email UNIQUE (org_id, email);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.watches
    ADD CONSTRAINT watches_pkey PRIMARY KEY (org_id, mode);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_default
    ADD CONSTRAINT webhook_deliveries_default_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_first
    ADD CONSTRAINT webhook_deliveries_first_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);

CREATE INDEX acknowledgements_org ON public.acknowledgements USING btree (org_id, mode);

CREATE INDEX api_keys_list ON public.api_keys USING btree (org_id, created_at, id);

CREATE INDEX api_keys_made_with ON public.api_keys USING btree (made_with) WHERE (made_with IS NOT NULL);

CREATE INDEX appeals_claim ON public.appeals USING btree (claim_id, created_at, id);

CREATE INDEX appeals_list ON public.appeals USING btree (org_id, mode, created_at, id);

CREATE UNIQUE INDEX appeals_undecided ON public.appeals USING btree (claim_id) WHERE (state <> 'decided'::text);

CREATE INDEX attachment_rules_list ON public.attachment_rules USING btree (org_id, mode, created_at, id);

CREATE INDEX attachment_rules_payer ON public.attachment_rules USING btree (org_id, mode, payer_id, created_at, id);

CREATE UNIQUE INDEX attachments_answering ON public.attachments USING btree (org_id, mode, payer_request_id) WHERE ((state = 'open'::text) AND (payer_request_id IS NOT NULL));

CREATE INDEX attachments_born ON public.attachments USING btree (born, org_id, mode) WHERE (born IS NOT NULL);

CREATE INDEX attachments_claim ON public.attachments USING btree (org_id, mode, claim_id, created_at, id) WHERE (claim_id IS NOT NULL);

CREATE INDEX attachments_list ON public.attachments USING btree (org_id, mode, created_at, id);

CREATE INDEX attachments_office ON public.attachments USING btree (org_id, mode, office_id, created_at, id);

CREATE INDEX attachments_payer_request ON public.attachments USING btree (org_id, mode, payer_request_id, created_at, id) WHERE (payer_request_id IS NOT NULL);

CREATE INDEX attachments_request ON public.attachments USING btree (org_id, mode, request_id, created_at, id) WHERE (request_id IS NOT NULL);

CREATE INDEX attachments_state ON public.attachments USING btree (org_id, mode, state, created_at, id);

CREATE INDEX audit_entries_changes ON public.audit_entries USING btree (org_id, created_at, id) WHERE (operation !~ '^GET |/search$| show$'::text);

CREATE INDEX audit_entries_key ON public.audit_entries USING btree (org_id, key_id, created_at, id) WHERE (key_id IS NOT NULL);

CREATE INDEX audit_entries_list ON public.audit_entries USING btree (org_id, created_at, id);

CREATE INDEX audit_entries_operators ON public.audit_entries USING btree (created_at, id) WHERE (operator IS NOT NULL);

CREATE INDEX audit_entries_people ON public.audit_entries USING btree (org_id, created_at, id) WHERE (user_id IS NOT NULL);

CREATE INDEX audit_entries_person ON public.audit_entries USING btree (org_id, user_id, created_at, id) WHERE (user_id IS NOT NULL);

CREATE INDEX audit_entries_rules ON public.audit_entries USING btree (org_id, created_at, id) WHERE (rule IS NOT NULL);

CREATE INDEX batch_acknowledgements_of ON public.batch_acknowledgements USING btree (acknowledgement_id);

CREATE INDEX batches_list ON public.batches USING btree (org_id, mode, created_at, id);

CREATE INDEX batches_number ON public.batches USING btree (mode, number, created_at);

CREATE INDEX batches_undecided ON public.batches USING btree (COALESCE(unknown_since, sent_at), id) WHERE ((unknown_since IS NOT NULL) OR (overdue <> '{}'::text[]));

CREATE INDEX batches_unsent ON public.batches USING btree (mode, created_at) WHERE ((state = 'pending'::text) AND (unknown_since IS NULL));

CREATE INDEX batches_unsettled ON public.batches USING btree (network, sent_at, id) WHERE (settled_at IS NULL);

CREATE INDEX changes_created ON public.changes USING btree (created_at);

CREATE INDEX changes_tail ON public.changes USING btree (org_id, mode, xid);

CREATE INDEX check_additions_patient ON public.check_additions USING btree (org_id, mode, patient_id, payer_id);

CREATE INDEX check_batch_items_check ON public.check_batch_items USING btree (check_id) WHERE (check_id IS NOT NULL);

CREATE INDEX check_batch_items_due ON public.check_batch_items USING btree (network, payer_id, org_id, mode, next_at) WHERE (next_at IS NOT NULL);

CREATE UNIQUE INDEX check_batch_items_item ON public.check_batch_items USING btree (batch_id, item_id);

CREATE INDEX check_batch_items_next ON public.check_batch_items USING btree (org_id, mode, next_at, id) WHERE (next_at IS NOT NULL);

CREATE INDEX check_batch_items_org ON public.check_batch_items USING btree (org_id, mode, id);

CREATE INDEX check_batch_items_person ON public.check_batch_items USING btree (org_id, mode, person_key, person_born);

CREATE INDEX check_batches_list ON public.check_batches USING btree (org_id, mode, created_at, id);

CREATE INDEX check_members_patient ON public.check_members USING btree (patient_id);

CREATE INDEX claim_changes_scope ON public.claim_changes USING btree (org_id, mode);

CREATE INDEX claim_figures_aging ON public.claim_figures USING btree (org_id, mode) INCLUDE (served_on, sent_at, open, owed, payer_id, office_id, provider_id, secondary_id) WHERE ((open <> 0) OR (owed <> 0));

CREATE INDEX claim_figures_decided ON public.claim_figures USING btree (org_id, mode, decided_on) WHERE (decided_on IS NOT NULL);

CREATE INDEX claim_figures_list ON public.claim_figures USING btree (org_id, mode, created_at, claim_id);

CREATE INDEX claim_figures_sent ON public.claim_figures USING btree (org_id, mode, sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX claim_figures_served ON public.claim_figures USING btree (org_id, mode, served_on);

CREATE INDEX claims_batch ON public.claims USING btree (batch_id) WHERE (batch_id IS NOT NULL);

CREATE INDEX claims_by_charge ON public.claims USING btree (kind, org_id, mode, charged, created_at, id);

CREATE INDEX claims_by_open ON public.claims USING btree (kind, org_id, mode, public.open_of(kind, frequency, state, charged, standing, (elsewhere + accepted_sum)), created_at, id) WHERE (public.open_of(kind, frequency, state, charged, standing, (elsewhere + accepted_sum)) <> 0);

CREATE INDEX claims_by_service ON public.claims USING btree (kind, org_id, mode, COALESCE(first_service_date, '-infinity'::date), created_at, id);

CREATE INDEX claims_changed ON public.claims USING btree (kind, org_id, mode, state, created_at, id, office_id, payer_id) WHERE (((state = 'reconciled'::text) AND (settled_at > reconciled_at)) OR ((state = 'accepted_payer'::text) AND (kind = 'claim'::text) AND (frequency <> 'void'::text) AND (standing IS NULL) AND (settled_at IS NOT NULL)));

CREATE UNIQUE INDEX claims_control_number ON public.claims USING btree (control_key, org_id, mode);

CREATE INDEX claims_control_start ON public.claims USING btree (org_id, mode, control_key COLLATE "C");

CREATE INDEX claims_converted_from ON public.claims USING btree (converted_from) WHERE (converted_from IS NOT NULL);

CREATE INDEX claims_estimate ON public.claims USING btree (org_id, estimate_id) WHERE (estimate_id IS NOT NULL);

CREATE INDEX claims_list ON public.claims USING btree (kind, org_id, mode, created_at, id, sent_at, first_service_date);

CREATE INDEX claims_member ON public.claims USING btree (org_id, mode, member_key COLLATE "C", created_at DESC, id DESC) WHERE (member_key IS NOT NULL);

CREATE INDEX claims_of_patient ON public.claims USING btree (patient_id, org_id, mode, created_at, id) WHERE (patient_id IS NOT NULL);

CREATE INDEX claims_office ON public.claims USING btree (kind, org_id, mode, office_id, created_at, id, state);

CREATE INDEX claims_open ON public.claims USING btree (kind, org_id, mode, state, created_at, id, office_id, payer_id) WHERE (public.open_of(kind, frequency, state, charged, standing, (elsewhere + accepted_sum)) <> 0);

CREATE INDEX claims_overpaid ON public.claims USING btree (kind, org_id, mode, state, created_at, id, office_id, payer_id) WHERE (public.open_of(kind, frequency, state, charged, standing, (elsewhere + accepted_sum)) < 0);

CREATE INDEX claims_parent ON public.claims USING btree (parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX claims_patient ON public.claims USING btree (patient_id, org_id, mode, first_service_date) WHERE ((kind = 'claim'::text) AND (patient_id IS NOT NULL));

CREATE INDEX claims_payer ON public.claims USING btree (kind, org_id, mode, payer_id, created_at, id, state);

CREATE INDEX claims_payer_number ON public.claims USING btree (payer_claim_number, org_id, mode) WHERE (payer_claim_number <> ''::text);

CREATE INDEX claims_queued ON public.claims USING btree (mode, org_id, id) WHERE ((state = 'queued'::text) AND (batch_id IS NULL) AND (held IS NULL));

CREATE INDEX claims_queued_payers ON public.claims USING btree (mode, org_id, payer_id) WHERE ((state = 'queued'::text) AND (batch_id IS NULL) AND (held IS NULL));

CREATE INDEX claims_reconciled_with ON public.claims USING btree (org_id, mode, reconciled_with, id) WHERE (reconciled_with IS NOT NULL);

CREATE INDEX claims_request ON public.claims USING btree (request_id, org_id, mode, created_at, id) WHERE (request_id IS NOT NULL);

CREATE INDEX claims_secondary_to ON public.claims USING btree (secondary_to) WHERE (secondary_to IS NOT NULL);

CREATE INDEX claims_sent ON public.claims USING btree (kind, org_id, mode, sent_at, created_at, id) WHERE ((sent_at IS NOT NULL) AND (frequency <> 'void'::text));

CREATE INDEX claims_service ON public.claims USING btree (org_id, mode, first_service_date, created_at, id) WHERE (kind = 'claim'::text);

CREATE INDEX claims_state ON public.claims USING btree (kind, org_id, mode, state, created_at, id);

CREATE INDEX claims_submitted_number ON public.claims USING btree (submitted_number, org_id, mode) WHERE (submitted_number <> ''::text);

CREATE INDEX claims_to_ask ON public.claims USING btree (org_id, mode, payer_id, ask_turn, ask_from, id) WHERE (ask_from IS NOT NULL);

CREATE UNIQUE INDEX claims_void ON public.claims USING btree (parent_id, org_id, mode) WHERE ((frequency = 'void'::text) AND (state <> 'rejected'::text));

CREATE UNIQUE INDEX connections_name ON public.connections USING btree (lower(name));

CREATE UNIQUE INDEX data_keys_owner ON public.data_keys USING btree (COALESCE(org_id, '00000000-0000-0000-0000-000000000000'::uuid), purpose) WHERE (replaced_at IS NULL);

CREATE INDEX data_keys_replaced ON public.data_keys USING btree (replaced_at) WHERE (replaced_at IS NOT NULL);

CREATE UNIQUE INDEX data_rotations_open ON public.data_rotations USING btree ((true)) WHERE (ended_at IS NULL);

CREATE INDEX deposits_amount ON public.deposits USING btree (org_id, mode, amount, date, id);

CREATE INDEX deposits_eras ON public.deposits USING gin (eras);

CREATE INDEX deposits_list ON public.deposits USING btree (org_id, mode, date, id);

CREATE INDEX deposits_reference ON public.deposits USING btree (org_id, mode, reference, date, id) WHERE (reference <> ''::text);

CREATE INDEX deposits_state ON public.deposits USING btree (org_id, mode, state, date, id);

CREATE INDEX deposits_trace ON public.deposits USING btree (org_id, mode, trace, date, id) WHERE (trace <> ''::text);

CREATE INDEX disclosures_patient ON public.disclosures USING btree (org_id, mode, patient_id);

CREATE INDEX documents_attachment ON public.documents USING btree (attachment_id);

CREATE INDEX documents_org ON public.documents USING btree (org_id, mode, id);

CREATE INDEX eligibility_answers_sweep ON public.eligibility_answers USING btree (completed_at);

CREATE INDEX eligibility_checks_batch ON public.eligibility_checks USING btree (org_id, mode, batch_id, created_at, id) WHERE (batch_id IS NOT NULL);

CREATE INDEX eligibility_checks_list ON public.eligibility_checks USING btree (org_id, mode, created_at, id);

CREATE INDEX eligibility_checks_office ON public.eligibility_checks USING btree (org_id, mode, office_id, created_at, id);

CREATE INDEX eligibility_checks_outcome ON public.eligibility_checks USING btree (org_id, mode, outcome, created_at, id) WHERE (outcome <> ''::text);

CREATE INDEX eligibility_checks_parent ON public.eligibility_checks USING btree (parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX eligibility_checks_patient ON public.eligibility_checks USING btree (org_id, mode, patient_id, created_at, id) WHERE (patient_id IS NOT NULL);

CREATE INDEX eligibility_checks_payer ON public.eligibility_checks USING btree (org_id, mode, payer_id, created_at, id);

CREATE INDEX eligibility_checks_request ON public.eligibility_checks USING btree (org_id, mode, request_id, created_at, id);

CREATE INDEX eligibility_checks_source ON public.eligibility_checks USING btree (cache_source) WHERE (cache_source IS NOT NULL);

CREATE INDEX eligibility_checks_tenant_reference ON public.eligibility_checks USING btree (org_id, mode, tenant_reference, created_at, id) WHERE (tenant_reference IS NOT NULL);

CREATE INDEX enrollments_list ON public.enrollments USING btree (org_id, mode, created_at, id);

CREATE INDEX era_claims_aside ON public.era_claims USING btree (era_id, control_key) WHERE (review = 'correction'::text);

CREATE INDEX era_claims_claim ON public.era_claims USING btree (claim_id, era_id) WHERE (claim_id IS NOT NULL);

CREATE INDEX era_claims_forwarded ON public.era_claims USING btree (claim_id, era_id) WHERE (status = 'forwarded'::text);

CREATE INDEX era_claims_ledger ON public.era_claims USING btree (claim_id) WHERE (status = 'applied'::text);

CREATE INDEX era_claims_payer_number ON public.era_claims USING btree (payer_number, org_id, mode) WHERE ((status = 'applied'::text) AND (payer_number <> ''::text));

CREATE INDEX era_claims_pending ON public.era_claims USING btree (era_id, ordinal) WHERE (status = 'pending'::text);

CREATE INDEX era_claims_review ON public.era_claims USING btree (claim_id, era_id) WHERE (status = 'needs_review'::text);

CREATE INDEX era_claims_unmatched ON public.era_claims USING btree (control_key, org_id, mode) WHERE ((status = 'unmatched'::text) AND (control_key <> ''::text));

CREATE INDEX era_claims_unmatched_original ON public.era_claims USING btree (original_number, org_id, mode) WHERE ((status = 'unmatched'::text) AND (original_number <> ''::text));

CREATE INDEX era_claims_unmatched_payer ON public.era_claims USING btree (payer_number, org_id, mode) WHERE ((status = 'unmatched'::text) AND (payer_number <> ''::text));

CREATE INDEX eras_attention ON public.eras USING btree (org_id, mode, received_at, id, payment_date) WHERE ((received_at IS NOT NULL) AND needs_attention);

CREATE INDEX eras_balance_forwarded ON public.eras USING btree (org_id, mode, payer_id) WHERE ((detail)::jsonb @> '{"ProviderAdjustments": [{"Reason": "FB"}]}'::jsonb);

CREATE INDEX eras_by_date ON public.eras USING btree (org_id, mode, COALESCE(payment_date, '-infinity'::date), received_at, id) WHERE (received_at IS NOT NULL);

CREATE INDEX eras_by_total ON public.eras USING btree (org_id, mode, ((((detail -> 'Payment'::text) ->> 'Total'::text))::bigint), received_at, id) WHERE (received_at IS NOT NULL);

CREATE INDEX eras_ignored ON public.eras USING btree (org_id, mode, received_at, id, payment_date) WHERE ((received_at IS NOT NULL) AND (ignored_count > 0) AND (state = ANY (ARRAY['needs_review'::text, 'posted'::text])));

CREATE INDEX eras_list ON public.eras USING btree (org_id, mode, received_at, id, payment_date) WHERE (received_at IS NOT NULL);

CREATE INDEX eras_office ON public.eras USING btree (office_id, org_id, mode, received_at, id, payment_date) WHERE (received_at IS NOT NULL);

CREATE INDEX eras_payer ON public.eras USING btree (org_id, mode, payer_id, received_at, id, payment_date) WHERE (received_at IS NOT NULL);

CREATE INDEX eras_payment ON public.eras USING btree (trace_number, org_id, mode, payment_date, arrival) WHERE (trace_number IS NOT NULL);

CREATE INDEX eras_state ON public.eras USING btree (org_id, mode, state, received_at, id, payment_date) WHERE (received_at IS NOT NULL);

CREATE INDEX eras_trace ON public.eras USING btree (trace_number, org_id, mode, received_at, id) WHERE ((received_at IS NOT NULL) AND (trace_number <> ''::text));

CREATE INDEX eras_unbalanced ON public.eras USING btree (org_id, mode, received_at, id, payment_date) WHERE ((received_at IS NOT NULL) AND (NOT balanced));

CREATE INDEX eras_undone ON public.eras USING btree (org_id, mode, arrival) WHERE (stage <> 'done'::text);

CREATE INDEX erasures_org ON public.erasures USING btree (org_id);

CREATE INDEX estimates_check ON public.estimates USING btree (check_id);

CREATE INDEX estimates_list ON public.estimates USING btree (org_id, mode, created_at, id);

CREATE INDEX estimates_patient ON public.estimates USING btree (org_id, mode, patient_id, created_at, id);

CREATE INDEX estimates_second_check ON public.estimates USING btree (second_check_id) WHERE (second_check_id IS NOT NULL);

CREATE INDEX events_list ON public.events USING btree (org_id, mode, created_at, id);

CREATE INDEX events_tail ON public.events USING btree (org_id, mode, xid, id);

CREATE INDEX events_type ON public.events USING btree (org_id, mode, type, created_at, id);

CREATE INDEX fee_schedules_for ON public.fee_schedules USING btree (org_id, mode, payer_id, office_id, effective_from);

CREATE INDEX fee_schedules_list ON public.fee_schedules USING btree (org_id, mode, created_at, id);

CREATE UNIQUE INDEX fee_schedules_replaces ON public.fee_schedules USING btree (replaces) WHERE (replaces IS NOT NULL);

CREATE INDEX idempotency_keys_sweep ON public.idempotency_keys USING btree (created_at);

CREATE INDEX jobs_streams ON public.jobs USING btree (kind, org_id, mode, lease_until, not_before);

CREATE INDEX notes_attachment ON public.notes USING btree (attachment_id) WHERE (attachment_id IS NOT NULL);

CREATE INDEX notes_check_item ON public.notes USING btree (eligibility_batch_item_id) WHERE (eligibility_batch_item_id IS NOT NULL);

CREATE INDEX notes_claim ON public.notes USING btree (claim_id) WHERE (claim_id IS NOT NULL);

CREATE INDEX notes_connection ON public.notes USING btree (connection_id) WHERE (connection_id IS NOT NULL);

CREATE INDEX notes_deposit ON public.notes USING btree (deposit_id) WHERE (deposit_id IS NOT NULL);

CREATE INDEX notes_enrollment ON public.notes USING btree (enrollment_id) WHERE (enrollment_id IS NOT NULL);

CREATE INDEX notes_era ON public.notes USING btree (era_id) WHERE (era_id IS NOT NULL);

CREATE INDEX notes_list ON public.notes USING btree (org_id, mode, created_at, id);

CREATE INDEX notes_payer_request ON public.notes USING btree (payer_request_id) WHERE (payer_request_id IS NOT NULL);

CREATE INDEX notes_quarantined_file ON public.notes USING btree (quarantined_file_id) WHERE (quarantined_file_id IS NOT NULL);

CREATE INDEX notes_resource ON public.notes USING btree (resource_id, created_at, id);

CREATE INDEX offices_list ON public.offices USING btree (org_id, mode, created_at, id);

CREATE INDEX offices_npi ON public.offices USING btree (npi, org_id, mode);

CREATE INDEX offices_tax_id ON public.offices USING btree (tax_key, org_id, mode);

CREATE INDEX offices_verified_npi ON public.offices USING btree (npi, mode) WHERE (verified_at IS NOT NULL);

CREATE INDEX offices_verified_tax_id ON public.offices USING btree (tax_key, mode) WHERE (verified_at IS NOT NULL);

CREATE INDEX organizations_expire ON public.organizations USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (removed_at IS NULL));

CREATE INDEX organizations_made ON public.organizations USING btree (maker_id, created_at, id) WHERE (maker_id IS NOT NULL);

CREATE UNIQUE INDEX patient_words_word ON public.patient_words USING btree (org_id, mode, word, patient_id DESC) INCLUDE (names);

CREATE INDEX patients_born ON public.patients USING btree (date_of_birth, org_id, mode, id);

CREATE INDEX patients_list ON public.patients USING btree (org_id, mode, created_at, id);

CREATE INDEX payer_limits_list ON public.payer_limits USING btree (org_id, mode, created_at, id);

CREATE INDEX payer_requests_claim ON public.payer_requests USING btree (org_id, mode, claim_id, created_at, id) WHERE (claim_id IS NOT NULL);

CREATE INDEX payer_requests_due ON public.payer_requests USING btree (org_id, mode, created_at, id, due_date) WHERE (due_date IS NOT NULL);

CREATE INDEX payer_requests_list ON public.payer_requests USING btree (org_id, mode, created_at, id);

CREATE INDEX payer_requests_open ON public.payer_requests USING btree (org_id, mode, due_date NULLS FIRST) WHERE (state = 'open'::text);

CREATE INDEX payer_requests_open_of_claim ON public.payer_requests USING btree (claim_id, due_date, created_at, id) WHERE ((state = 'open'::text) AND (claim_id IS NOT NULL));

CREATE INDEX payer_requests_payer ON public.payer_requests USING btree (org_id, mode, payer_id, created_at, id);

CREATE INDEX payer_requests_reference ON public.payer_requests USING btree (org_id, mode, payer_id, reference_number) WHERE (source = 'network'::text);

CREATE INDEX payer_requests_state ON public.payer_requests USING btree (org_id, mode, state, created_at, id);

CREATE INDEX providers_list ON public.providers USING btree (org_id, mode, created_at, id);

CREATE INDEX quarantine_own ON public.quarantine USING btree (org_id, mode, received_at, id) WHERE (org_id IS NOT NULL);

CREATE UNIQUE INDEX received_files_listed ON public.received_files USING btree (network, name, size, modified_at) WHERE listed;

CREATE INDEX received_files_names ON public.received_files USING btree (network, name);

CREATE INDEX received_files_problems ON public.received_files USING btree (since, id) WHERE (state = ANY (ARRAY['refused'::text, 'lost'::text, 'set_aside'::text]));

CREATE INDEX received_files_since ON public.received_files USING btree (since, id);

CREATE INDEX received_files_waiting ON public.received_files USING btree (network, since, id) WHERE (state = 'received'::text);

CREATE INDEX requests_error ON public.requests USING btree (org_id, mode, error, created_at, id) WHERE (error IS NOT NULL);

CREATE INDEX requests_key ON public.requests USING btree (org_id, mode, key_id, created_at, id);

CREATE INDEX requests_list ON public.requests USING btree (org_id, mode, created_at, id);

CREATE INDEX requests_operation ON public.requests USING btree (org_id, mode, operation, created_at, id);

CREATE INDEX requests_resource ON public.requests USING btree (org_id, mode, resource_id, created_at, id) WHERE (resource_id IS NOT NULL);

CREATE INDEX requests_status ON public.requests USING btree (org_id, mode, status, created_at, id);

CREATE UNIQUE INDEX restores_open ON public.restores USING btree ((true)) WHERE (resumed_at IS NULL);

CREATE INDEX sandbox_faults_org ON public.sandbox_faults USING btree (org_id, serial);

CREATE INDEX sandbox_mail_clocks ON public.sandbox_mail USING btree (org_id, due, name) WHERE ((removed_at IS NULL) AND (mode = 'test'::text));

CREATE INDEX sandbox_mail_due ON public.sandbox_mail USING btree (due, name) WHERE (removed_at IS NULL);

CREATE INDEX sandbox_mail_removed ON public.sandbox_mail USING btree (removed_at) WHERE (removed_at IS NOT NULL);

CREATE INDEX sandbox_notes_org ON public.sandbox_notes USING btree (org_id, mode) WHERE (org_id IS NOT NULL);

CREATE INDEX sandbox_notes_sweep ON public.sandbox_notes USING btree (noted_at);

CREATE INDEX sessions_list ON public.sessions USING btree (org_id, created_at, id) WHERE (ended_at IS NULL);

CREATE INDEX sessions_user ON public.sessions USING btree (user_id, created_at, id) WHERE (ended_at IS NULL);

CREATE INDEX sign_in_links_created ON public.sign_in_links USING btree (created_at);

CREATE INDEX sign_in_links_user ON public.sign_in_links USING btree (user_id) WHERE (used_at IS NULL);

CREATE INDEX status_inquiries_claim ON public.status_inquiries USING btree (claim_id, created_at, id);

CREATE INDEX status_inquiries_list ON public.status_inquiries USING btree (org_id, mode, created_at, id);

CREATE INDEX status_inquiries_pending ON public.status_inquiries USING btree (payer_id, mode) WHERE (state = 'pending'::text);

CREATE INDEX status_policies_list ON public.status_policies USING btree (org_id, mode, created_at, id);

CREATE INDEX tasks_attachment ON public.tasks USING btree (attachment_id) WHERE (attachment_id IS NOT NULL);

CREATE INDEX tasks_check_item ON public.tasks USING btree (eligibility_batch_item_id) WHERE (eligibility_batch_item_id IS NOT NULL);

CREATE INDEX tasks_claim ON public.tasks USING btree (claim_id) WHERE (claim_id IS NOT NULL);

CREATE INDEX tasks_connection ON public.tasks USING btree (connection_id) WHERE (connection_id IS NOT NULL);

CREATE INDEX tasks_deposit ON public.tasks USING btree (deposit_id) WHERE (deposit_id IS NOT NULL);

CREATE INDEX tasks_enrollment ON public.tasks USING btree (enrollment_id) WHERE (enrollment_id IS NOT NULL);

CREATE INDEX tasks_era ON public.tasks USING btree (era_id) WHERE (era_id IS NOT NULL);

CREATE INDEX tasks_in_place ON public.tasks USING btree (org_id, mode, place_day, place_amount, since, id, office_id, payer_id) WHERE (ended_at IS NULL);

CREATE INDEX tasks_in_place_of_assignee ON public.tasks USING btree (org_id, mode, assignee, place_day, place_amount, since, id) WHERE ((ended_at IS NULL) AND (assignee IS NOT NULL));

CREATE INDEX tasks_in_place_of_kind ON public.tasks USING btree (org_id, mode, kind, place_day, place_amount, since, id, office_id, payer_id) WHERE (ended_at IS NULL);

CREATE INDEX tasks_open ON public.tasks USING btree (org_id, mode, office_id, payer_id, kind, assignee, since) WHERE ((ended_at IS NULL) AND (until IS NULL) AND (snoozed_until IS NULL) AND (NOT until_change));

CREATE INDEX tasks_open_for_a_time ON public.tasks USING btree (org_id, mode, office_id, payer_id, kind, assignee) INCLUDE (since, until, snoozed_until) WHERE ((ended_at IS NULL) AND (NOT until_change) AND ((until IS NOT NULL) OR (snoozed_until IS NOT NULL)));

CREATE INDEX tasks_payer_request ON public.tasks USING btree (payer_request_id) WHERE (payer_request_id IS NOT NULL);

CREATE INDEX tasks_quarantined_file ON public.tasks USING btree (quarantined_file_id) WHERE (quarantined_file_id IS NOT NULL);

CREATE INDEX uploads_org ON public.uploads USING btree (org_id, mode, id);

CREATE INDEX uploads_sweep ON public.uploads USING btree (created_at) WHERE (state <> 'pending'::text);

CREATE INDEX users_list ON public.users USING btree (org_id, created_at, id);

CREATE INDEX users_sign_in ON public.users USING btree (email, created_at, id);

CREATE INDEX webhook_deliveries_list ON ONLY public.webhook_deliveries USING btree (endpoint_id, created_at, id);

CREATE INDEX webhook_deliveries_default_endpoint_id_created_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, created_at, id);

CREATE INDEX webhook_deliveries_type ON ONLY public.webhook_deliveries USING btree (endpoint_id, event_type, created_at, id);

CREATE INDEX webhook_deliveries_default_endpoint_id_event_type_created_a_idx ON public.webhook_deliveries_default USING btree (endpoint_id, event_type, created_at, id);

CREATE INDEX webhook_deliveries_due ON ONLY public.webhook_deliveries USING btree (endpoint_id, next_attempt_at, id) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_default_endpoint_id_next_attempt_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, next_attempt_at, id) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_state ON ONLY public.webhook_deliveries USING btree (endpoint_id, state, created_at, id) WHERE (state <> 'delivered'::text);

CREATE INDEX webhook_deliveries_default_endpoint_id_state_created_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, state, created_at, id) WHERE (state <> 'delivered'::text);

CREATE INDEX webhook_deliveries_event ON ONLY public.webhook_deliveries USING btree (event_id, created_at, id);

CREATE INDEX webhook_deliveries_default_event_id_created_at_id_idx ON public.webhook_deliveries_default USING btree (event_id, created_at, id);

CREATE INDEX webhook_deliveries_first_due ON public.webhook_deliveries_first USING btree (endpoint_id, next_attempt_at, id) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_first_event ON public.webhook_deliveries_first USING btree (event_id, created_at, id);

CREATE INDEX webhook_deliveries_first_list ON public.webhook_deliveries_first USING btree (endpoint_id, created_at, id);

CREATE INDEX webhook_deliveries_first_state ON public.webhook_deliveries_first USING btree (endpoint_id, state, created_at, id) WHERE (state <> 'delivered'::text);

CREATE INDEX webhook_deliveries_first_type ON public.webhook_deliveries_first USING btree (endpoint_id, event_type, created_at, id);

CREATE INDEX webhook_endpoints_list ON public.webhook_endpoints USING btree (org_id, mode, created_at, id);

ALTER INDEX public.webhook_deliveries_list ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_event_type_created_a_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_next_attempt_at_id_idx;

ALTER INDEX public.webhook_deliveries_state ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_state_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_event ATTACH PARTITION public.webhook_deliveries_default_event_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_default_pkey;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_first_due;

ALTER INDEX public.webhook_deliveries_event ATTACH PARTITION public.webhook_deliveries_first_event;

ALTER INDEX public.webhook_deliveries_list ATTACH PARTITION public.webhook_deliveries_first_list;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_first_pkey;

ALTER INDEX public.webhook_deliveries_state ATTACH PARTITION public.webhook_deliveries_first_state;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_first_type;

CREATE TRIGGER audit_shown AFTER INSERT ON public.audit_entries REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION public.audit_shown();

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.attachments FOR EACH ROW EXECUTE FUNCTION public.record_change('attachment');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.batches FOR EACH ROW EXECUTE FUNCTION public.record_change('batch');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.claims FOR EACH ROW EXECUTE FUNCTION public.record_change('claim');

CREATE TRIGGER change AFTER UPDATE OF enabled, paused_at ON public.connections FOR EACH ROW WHEN ((new.org_id IS NOT NULL)) EXECUTE FUNCTION public.record_change('connection');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.deposits FOR EACH ROW EXECUTE FUNCTION public.record_change('deposit');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.eligibility_checks FOR EACH ROW EXECUTE FUNCTION public.record_change('eligibility_check');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.enrollments FOR EACH ROW EXECUTE FUNCTION public.record_change('enrollment');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.eras FOR EACH ROW WHEN ((new.received_at IS NOT NULL)) EXECUTE FUNCTION public.record_change('era');

CREATE TRIGGER change AFTER INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION public.record_change('event');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.notes FOR EACH ROW EXECUTE FUNCTION public.record_note();

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.offices FOR EACH ROW EXECUTE FUNCTION public.record_change('office');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.payer_requests FOR EACH ROW EXECUTE FUNCTION public.record_change('payer_request');

CREATE TRIGGER change AFTER INSERT OR UPDATE ON public.providers FOR EACH ROW EXECUTE FUNCTION public.record_change('provider');

CREATE TRIGGER change AFTER INSERT ON public.quarantine FOR EACH ROW WHEN ((new.org_id IS NOT NULL)) EXECUTE FUNCTION public.record_change('quarantined_file');

CREATE TRIGGER change AFTER UPDATE ON public.sandbox_clocks FOR EACH ROW WHEN (((((old.ahead IS DISTINCT FROM new.ahead) OR (old.stands_at IS DISTINCT FROM new.stands_at)) OR (old.advance_job IS DISTINCT FROM new.advance_job)) OR (old.reset_job IS DISTINCT FROM new.reset_job))) EXECUTE FUNCTION public.record_clock_change();

CREATE TRIGGER change AFTER INSERT ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION public.record_change('webhook_endpoint');

CREATE TRIGGER changed AFTER UPDATE ON public.webhook_endpoints FOR EACH ROW WHEN ((((((((old.url IS DISTINCT FROM new.url) OR (old.description IS DISTINCT FROM new.description)) OR (old.event_types IS DISTINCT FROM new.event_types)) OR (old.status IS DISTINCT FROM new.status)) OR (old.failures IS DISTINCT FROM new.failures)) OR (old.failing_since IS DISTINCT FROM new.failing_since)) OR (old.circuit_until IS DISTINCT FROM new.circuit_until))) EXECUTE FUNCTION public.record_change('webhook_endpoint');

CREATE TRIGGER check_of_patient AFTER INSERT OR UPDATE OF patient_id ON public.eligibility_checks FOR EACH ROW WHEN (((new.patient_id IS NOT NULL) AND (current_setting('molar.members'::text, true) IS DISTINCT FROM 'kept'::text) AND (((new.inquiry -> 'Subscriber'::text) ->> 'MemberID'::text) <> ''::text))) EXECUTE FUNCTION public.check_of_patient();

CREATE TRIGGER claims_inserted AFTER INSERT ON public.claims REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.total_inserted();

CREATE TRIGGER claims_updated AFTER UPDATE ON public.claims REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.total_updated();

CREATE TRIGGER failed AFTER UPDATE OF state ON public.webhook_deliveries FOR EACH ROW WHEN (((new.state = 'failed'::text) AND (old.state <> 'failed'::text))) EXECUTE FUNCTION public.record_change('webhook_delivery');

CREATE TRIGGER forget_data_key AFTER DELETE ON public.organizations FOR EACH ROW EXECUTE FUNCTION public.forget_data_key();

CREATE TRIGGER number BEFORE INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION public.number_event();

CREATE TRIGGER patient_named AFTER INSERT ON public.patients FOR EACH ROW EXECUTE FUNCTION public.patient_named();

CREATE TRIGGER removed AFTER DELETE ON public.quarantine FOR EACH ROW WHEN ((old.org_id IS NOT NULL)) EXECUTE FUNCTION public.record_removal('quarantined_file');

CREATE TRIGGER removed AFTER DELETE ON public.sandbox_clocks FOR EACH ROW EXECUTE FUNCTION public.record_clock_change();

CREATE TRIGGER removed AFTER DELETE ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION public.record_removal('webhook_endpoint');

CREATE TRIGGER revoked AFTER UPDATE OF revoked_at ON public.api_keys FOR EACH ROW WHEN (((new.revoked_at IS NOT NULL) AND (old.revoked_at IS NULL))) EXECUTE FUNCTION public.revoke_made_keys();

CREATE TRIGGER totals_added AFTER DELETE ON public.claim_changes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.totals_added();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.appeals
    ADD CONSTRAINT appeals_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES public.claims(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.check_additions
    ADD CONSTRAINT check_additions_check_id_fkey FOREIGN KEY (check_id) REFERENCES public.eligibility_checks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.check_batch_items
    ADD CONSTRAINT check_batch_items_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.check_batches(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.check_batch_items
    ADD CONSTRAINT check_batch_items_check_id_fkey FOREIGN KEY (check_id) REFERENCES public.eligibility_checks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.claim_figures
    ADD CONSTRAINT claim_figures_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES public.claims(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_converted_from_fkey FOREIGN KEY (converted_from) REFERENCES public.claims(id);

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.claims(id);

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_secondary_to_fkey FOREIGN KEY (secondary_to) REFERENCES public.claims(id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES public.attachments(id);

ALTER TABLE ONLY public.eligibility_checks
    ADD CONSTRAINT eligibility_checks_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.eligibility_checks(id);

ALTER TABLE ONLY public.estimates
    ADD CONSTRAINT estimates_check_id_fkey FOREIGN KEY (check_id) REFERENCES public.eligibility_checks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.estimates
    ADD CONSTRAINT estimates_second_check_id_fkey FOREIGN KEY (second_check_id) REFERENCES public.eligibility_checks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES public.attachments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES public.claims(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES public.deposits(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_eligibility_batch_item_id_fkey FOREIGN KEY (eligibility_batch_item_id) REFERENCES public.check_batch_items(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_enrollment_id_fkey FOREIGN KEY (enrollment_id) REFERENCES public.enrollments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_era_id_fkey FOREIGN KEY (era_id) REFERENCES public.eras(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_payer_request_id_fkey FOREIGN KEY (payer_request_id) REFERENCES public.payer_requests(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_quarantined_file_id_fkey FOREIGN KEY (quarantined_file_id) REFERENCES public.quarantine(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.offices
    ADD CONSTRAINT offices_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_maker_id_fkey FOREIGN KEY (maker_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.providers
    ADD CONSTRAINT providers_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.sandbox_clocks
    ADD CONSTRAINT sandbox_clocks_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.sandbox_faults
    ADD CONSTRAINT sandbox_faults_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.status_inquiries
    ADD CONSTRAINT status_inquiries_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES public.claims(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES public.attachments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES public.claims(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES public.deposits(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_eligibility_batch_item_id_fkey FOREIGN KEY (eligibility_batch_item_id) REFERENCES public.check_batch_items(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_enrollment_id_fkey FOREIGN KEY (enrollment_id) REFERENCES public.enrollments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_era_id_fkey FOREIGN KEY (era_id) REFERENCES public.eras(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_payer_request_id_fkey FOREIGN KEY (payer_request_id) REFERENCES public.payer_requests(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_quarantined_file_id_fkey FOREIGN KEY (quarantined_file_id) REFERENCES public.quarantine(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE public.acknowledgements ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.appeals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attachment_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.attachments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_resources ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.automation ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.batch_acknowledgements ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.batches ENABLE ROW LEVEL SECURITY;

CREATE POLICY begin ON public.sandbox_clocks FOR SELECT USING ((org_id = (NULLIF(current_setting('molar.org'::text, true), ''::text))::uuid));

CREATE POLICY begin_scopes ON public.sandbox_clocks FOR SELECT USING ((strpos(current_setting('molar.scopes'::text, true), (org_id || 'test'::text)) > 0));

ALTER TABLE public.changes ENABLE ROW LEVEL SECURITY;

CREATE POLICY changes ON public.sandbox_mail FOR UPDATE TO molar_app USING (((mode = 'test'::text) AND (org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

ALTER TABLE public.check_additions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.check_batch_items ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.check_batches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.check_members ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_figures ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_totals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claims ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.connections ENABLE ROW LEVEL SECURITY;

CREATE POLICY connections ON public.tasks TO molar_system USING ((connection_id IS NOT NULL));

ALTER TABLE public.data_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY deletion ON public.changes TO postgres USING (true);

CREATE POLICY deletion ON public.eligibility_answers TO postgres USING (true);

CREATE POLICY deletion ON public.enrollments TO postgres USING (true);

CREATE POLICY deletion ON public.idempotency_keys TO postgres USING (true);

CREATE POLICY deletion ON public.jobs TO postgres USING (true);

CREATE POLICY deletion ON public.quarantine TO postgres USING (true);

CREATE POLICY deletion ON public.sandbox_mail TO postgres USING (true);

CREATE POLICY deletion ON public.sandbox_notes TO postgres USING (true);

CREATE POLICY deletion ON public.sandbox_scenarios TO postgres USING (true);

CREATE POLICY deletion ON public.uploads TO postgres USING (true);

CREATE POLICY deletion ON public.watches TO postgres USING (true);

CREATE POLICY deletion ON public.webhook_endpoints TO postgres USING (true);

ALTER TABLE public.deletions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deposit_accounts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deposits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.disclosures ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.eligibility_answers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.eligibility_checks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.encryption_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.enrollments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.era_claims ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.eras ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.erasures ENABLE ROW LEVEL SECURITY;

CREATE POLICY estimated ON public.claims FOR SELECT TO molar_system USING ((estimate_id IS NOT NULL));

ALTER TABLE public.estimates ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_numbers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

CREATE POLICY expiry ON public.audit_entries TO postgres USING (true);

CREATE POLICY expiry ON public.audit_resources TO postgres USING (true);

CREATE POLICY expiry ON public.check_batches TO molar_system USING (true);

CREATE POLICY expiry ON public.estimates TO molar_system USING (true);

ALTER TABLE public.fee_schedule_rows ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.fee_schedules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.holds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_mappings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.jobs ENABLE ROW LEVEL SECURITY;

CREATE POLICY lanes ON public.jobs FOR SELECT TO postgres USING (true);

CREATE POLICY lock ON public.connections FOR UPDATE TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text)))) WITH CHECK (false);

CREATE POLICY lock ON public.quarantine AS RESTRICTIVE FOR UPDATE TO molar_app USING (true) WITH CHECK (false);

CREATE POLICY made ON public.organizations FOR SELECT TO molar_app USING ((maker_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY making ON public.organizations AS RESTRICTIVE FOR INSERT TO molar_app WITH CHECK ((maker_id IS NOT NULL));

ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.offices ENABLE ROW LEVEL SECURITY;

CREATE POLICY operators ON public.audit_entries FOR SELECT TO molar_system USING ((operator IS NOT NULL));

ALTER TABLE public.organizations ENABLE ROW LEVEL SECURITY;

CREATE POLICY owner ON public.deletions TO postgres USING (true);

CREATE POLICY owner ON public.erasures TO postgres USING (true);

CREATE POLICY owner ON public.event_numbers TO postgres USING (true);

CREATE POLICY owner ON public.holds TO postgres USING (true);

CREATE POLICY owner ON public.retention TO postgres USING (true);

ALTER TABLE public.patient_words ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.patients ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payer_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payer_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.providers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.quarantine ENABLE ROW LEVEL SECURITY;

CREATE POLICY reads ON public.audit_entries FOR SELECT TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY reads ON public.audit_resources FOR SELECT TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid));

ALTER TABLE public.received_files ENABLE ROW LEVEL SECURITY;

CREATE POLICY removal ON public.api_keys TO postgres USING (true);

CREATE POLICY removal ON public.appeals TO postgres USING (true);

CREATE POLICY removal ON public.attachment_rules TO postgres USING (true);

CREATE POLICY removal ON public.automation TO postgres USING (true);

CREATE POLICY removal ON public.check_additions TO postgres USING (true);

CREATE POLICY removal ON public.check_batch_items TO postgres USING (true);

CREATE POLICY removal ON public.check_batches TO postgres USING (true);

CREATE POLICY removal ON public.claim_figures TO postgres USING (true);

CREATE POLICY removal ON public.connections TO postgres USING (true);

CREATE POLICY removal ON public.data_keys TO postgres USING (true);

CREATE POLICY removal ON public.deposit_accounts TO postgres USING (true);

CREATE POLICY removal ON public.deposits TO postgres USING (true);

CREATE POLICY removal ON public.disclosures TO postgres USING (true);

CREATE POLICY removal ON public.estimates TO postgres USING (true);

CREATE POLICY removal ON public.fee_schedule_rows TO postgres USING (true);

CREATE POLICY removal ON public.fee_schedules TO postgres USING (true);

CREATE POLICY removal ON public.import_mappings TO postgres USING (true);

CREATE POLICY removal ON public.notes TO postgres USING (true);

CREATE POLICY removal ON public.offices TO postgres USING (true);

CREATE POLICY removal ON public.organizations TO postgres USING (true);

CREATE POLICY removal ON public.payer_limits TO postgres USING (true);

CREATE POLICY removal ON public.providers TO postgres USING (true);

CREATE POLICY removal ON public.received_files TO postgres USING (true);

CREATE POLICY removal ON public.requests TO postgres USING (true);

CREATE POLICY removal ON public.sessions TO postgres USING (true);

CREATE POLICY removal ON public.sign_in_links TO postgres USING (true);

CREATE POLICY removal ON public.status_inquiries TO postgres USING (true);

CREATE POLICY removal ON public.status_policies TO postgres USING (true);

CREATE POLICY removal ON public.tasks TO postgres USING (true);

CREATE POLICY removal ON public.users TO postgres USING (true);

ALTER TABLE public.requests ENABLE ROW LEVEL SECURITY;

CREATE POLICY reset ON public.acknowledgements TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.attachments TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.batch_acknowledgements TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.batches TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.changes TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.check_members TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.claim_changes TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.claim_totals TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.claims TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.documents TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.eligibility_answers TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.eligibility_checks TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.enrollments TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.era_claims TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.eras TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.events TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.idempotency_keys TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.jobs TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.patient_words TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.patients TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.payer_requests TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.quarantine TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.sandbox_clocks TO postgres USING (true);

CREATE POLICY reset ON public.sandbox_faults TO postgres USING (true);

CREATE POLICY reset ON public.sandbox_mail TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.sandbox_notes TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.sandbox_scenarios TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.uploads TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.watches TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.webhook_deliveries TO postgres USING ((mode = 'test'::text));

CREATE POLICY reset ON public.webhook_endpoints TO postgres USING ((mode = 'test'::text));

CREATE POLICY retention ON public.acknowledgements TO postgres USING (true);

CREATE POLICY retention ON public.attachments TO postgres USING (true);

CREATE POLICY retention ON public.batch_acknowledgements TO postgres USING (true);

CREATE POLICY retention ON public.batches TO postgres USING (true);

CREATE POLICY retention ON public.check_members TO postgres USING (true);

CREATE POLICY retention ON public.claim_changes TO postgres USING (true);

CREATE POLICY retention ON public.claim_totals TO postgres USING (true);

CREATE POLICY retention ON public.claims TO postgres USING (true);

CREATE POLICY retention ON public.documents TO postgres USING (true);

CREATE POLICY retention ON public.eligibility_checks TO postgres USING (true);

CREATE POLICY retention ON public.era_claims TO postgres USING (true);

CREATE POLICY retention ON public.eras TO postgres USING (true);

CREATE POLICY retention ON public.events TO postgres USING (true);

CREATE POLICY retention ON public.patient_words TO postgres USING (true);

CREATE POLICY retention ON public.patients TO postgres USING (true);

CREATE POLICY retention ON public.payer_requests TO postgres USING (true);

ALTER TABLE public.retention ENABLE ROW LEVEL SECURITY;

CREATE POLICY retention ON public.webhook_deliveries TO postgres USING (true);

ALTER TABLE public.sandbox_clocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sandbox_faults ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sandbox_mail ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sandbox_notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sandbox_scenarios ENABLE ROW LEVEL SECURITY;

CREATE POLICY scope ON public.acknowledgements TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.api_keys TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY scope ON public.appeals TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.attachment_rules TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.attachments TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.automation TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.batch_acknowledgements TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.batches TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.changes FOR INSERT TO molar_app WITH CHECK (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.check_additions TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.check_batch_items TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.check_batches TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.check_members TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.claim_changes TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.claim_figures TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.claim_totals FOR SELECT TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.claims TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.connections FOR SELECT TO molar_app USING ((((org_id = (current_setting('molar.org'::text))::uuid) OR (org_id IS NULL)) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.data_keys TO molar_app USING (((org_id IS NULL) OR (org_id = (current_setting('molar.org'::text))::uuid))) WITH CHECK ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY scope ON public.deposit_accounts TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.deposits TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.disclosures TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.documents TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.eligibility_answers TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.eligibility_checks TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.enrollments TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.era_claims TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.eras TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.estimates TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.event_numbers TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.events TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.fee_schedule_rows TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.fee_schedules TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.idempotency_keys TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.import_mappings TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.jobs TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.notes TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.offices TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.organizations TO molar_app USING ((id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY scope ON public.patient_words TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.patients TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.payer_limits TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.payer_requests TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.providers TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.quarantine TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.requests FOR SELECT TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.sandbox_clocks TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid)) WITH CHECK (((org_id = (current_setting('molar.org'::text))::uuid) AND (current_setting('molar.mode'::text) = 'test'::text)));

CREATE POLICY scope ON public.sandbox_faults TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (current_setting('molar.mode'::text) = 'test'::text)));

CREATE POLICY scope ON public.sandbox_mail FOR SELECT TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.sandbox_scenarios TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.sessions TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY scope ON public.sign_in_links TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY scope ON public.status_inquiries TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.status_policies TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.tasks TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.uploads TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.users TO molar_app USING ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY scope ON public.watches FOR SELECT TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.webhook_deliveries TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scope ON public.webhook_endpoints TO molar_app USING (((org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY scopes ON public.changes TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.check_members TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.claims TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.data_keys TO molar_scopes USING (((org_id IS NULL) OR (strpos(current_setting('molar.scopes'::text), (org_id)::text) > 0))) WITH CHECK ((strpos(current_setting('molar.scopes'::text), (org_id)::text) > 0));

CREATE POLICY scopes ON public.eligibility_answers TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.eligibility_checks TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.events TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.jobs TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.patient_words TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.patients TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.watches TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.webhook_deliveries TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY scopes ON public.webhook_endpoints TO molar_scopes USING ((strpos(current_setting('molar.scopes'::text), (org_id || mode)) > 0));

CREATE POLICY sealing ON public.acknowledgements TO postgres USING (true);

CREATE POLICY sealing ON public.batches TO postgres USING (true);

CREATE POLICY sealing ON public.connections TO postgres USING (true);

CREATE POLICY sealing ON public.eligibility_checks TO postgres USING (true);

CREATE POLICY sealing ON public.eras TO postgres USING (true);

CREATE POLICY sealing ON public.idempotency_keys TO postgres USING (true);

CREATE POLICY sealing ON public.quarantine TO postgres USING (true);

CREATE POLICY sealing ON public.received_files TO postgres USING (true);

CREATE POLICY sealing ON public.sandbox_mail TO postgres USING (true);

CREATE POLICY sealing ON public.sandbox_notes TO postgres USING (true);

CREATE POLICY sealing ON public.sandbox_scenarios TO postgres USING (true);

CREATE POLICY sealing ON public.users TO postgres USING (true);

CREATE POLICY sealing ON public.webhook_endpoints TO postgres USING (true);

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_in_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.status_inquiries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.status_policies ENABLE ROW LEVEL SECURITY;

CREATE POLICY system ON public.api_keys TO molar_system USING (true);

CREATE POLICY system ON public.batches FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.changes TO molar_system USING (true);

CREATE POLICY system ON public.claim_changes TO molar_system USING (true);

CREATE POLICY system ON public.claim_totals TO molar_system USING (true);

CREATE POLICY system ON public.claims FOR SELECT TO molar_system USING (((state = 'queued'::text) AND (batch_id IS NULL)));

CREATE POLICY system ON public.connections TO molar_system USING (true);

CREATE POLICY system ON public.data_keys TO molar_system USING (true);

CREATE POLICY system ON public.deletions TO molar_system USING (true);

CREATE POLICY system ON public.documents FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.eligibility_answers TO molar_system USING (true);

CREATE POLICY system ON public.eligibility_checks FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.encryption_key TO molar_system USING (true);

CREATE POLICY system ON public.enrollments FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.erasures FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.event_numbers TO molar_system USING (true);

CREATE POLICY system ON public.events TO molar_system USING ((type ~~ 'api_key.%'::text));

CREATE POLICY system ON public.holds TO molar_system USING (true);

CREATE POLICY system ON public.idempotency_keys TO molar_system USING (true);

CREATE POLICY system ON public.jobs TO molar_system USING (true);

CREATE POLICY system ON public.offices FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.organizations TO molar_system USING (true);

CREATE POLICY system ON public.patients FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.quarantine TO molar_system USING (true);

CREATE POLICY system ON public.received_files TO molar_system USING (true);

CREATE POLICY system ON public.retention TO molar_system USING (true);

CREATE POLICY system ON public.sandbox_clocks FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.sandbox_faults FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.sandbox_mail TO molar_system USING (true);

CREATE POLICY system ON public.sandbox_notes TO molar_system USING (true);

CREATE POLICY system ON public.sessions TO molar_system USING (true);

CREATE POLICY system ON public.sign_in_links TO molar_system USING (true);

CREATE POLICY system ON public.uploads FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.users TO molar_system USING (true);

CREATE POLICY system ON public.watches TO molar_system USING (true);

CREATE POLICY system ON public.webhook_deliveries FOR SELECT TO molar_system USING (true);

CREATE POLICY system ON public.webhook_endpoints TO molar_system USING (true);

CREATE POLICY system_forgets ON public.requests FOR DELETE TO molar_system USING ((created_at < (now() - '720:00:00'::interval)));

CREATE POLICY system_forgets ON public.uploads FOR DELETE TO molar_system USING ((state <> 'pending'::text));

CREATE POLICY system_forgets ON public.webhook_deliveries FOR DELETE TO molar_system USING (((state <> 'pending'::text) OR (NOT (EXISTS ( SELECT
   FROM public.webhook_endpoints e
  WHERE (e.id = webhook_deliveries.endpoint_id))))));

CREATE POLICY system_queues ON public.webhook_deliveries FOR INSERT TO molar_system WITH CHECK ((event_type ~~ 'api_key.%'::text));

CREATE POLICY system_reads ON public.requests FOR SELECT TO molar_system USING (true);

CREATE POLICY system_writes ON public.audit_entries FOR INSERT TO molar_system WITH CHECK (true);

CREATE POLICY system_writes ON public.audit_resources FOR INSERT TO molar_system WITH CHECK (true);

CREATE POLICY system_writes ON public.requests FOR INSERT TO molar_system WITH CHECK (true);

ALTER TABLE public.tasks ENABLE ROW LEVEL SECURITY;

CREATE POLICY unmade ON public.organizations FOR UPDATE TO molar_app USING ((maker_id = (current_setting('molar.org'::text))::uuid));

ALTER TABLE public.uploads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

CREATE POLICY verify ON public.offices FOR UPDATE TO molar_system USING (true);

ALTER TABLE public.watches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_deliveries_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_deliveries_first ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_endpoints ENABLE ROW LEVEL SECURITY;

CREATE POLICY writes ON public.audit_entries FOR INSERT TO molar_app WITH CHECK ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY writes ON public.audit_resources FOR INSERT TO molar_app WITH CHECK ((org_id = (current_setting('molar.org'::text))::uuid));

CREATE POLICY writes ON public.sandbox_mail FOR INSERT TO molar_app WITH CHECK (((mode = 'test'::text) AND (org_id = (current_setting('molar.org'::text))::uuid) AND (mode = current_setting('molar.mode'::text))));

CREATE POLICY writes ON public.sandbox_notes FOR INSERT TO molar_app WITH CHECK ((current_setting('molar.mode'::text) = 'test'::text));

GRANT USAGE ON SCHEMA public TO molar_app;
GRANT USAGE ON SCHEMA public TO molar_system;
GRANT USAGE ON SCHEMA public TO molar_scopes;

REVOKE ALL ON FUNCTION public.check_lane_room(of_org uuid, of_mode text, networks text[], payers uuid[], most integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.check_lane_room(of_org uuid, of_mode text, networks text[], payers uuid[], most integer[]) TO molar_app;

REVOKE ALL ON FUNCTION public.claim_idempotency_key(wanted_org uuid, wanted_mode text, wanted_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_idempotency_key(wanted_org uuid, wanted_mode text, wanted_key text) TO molar_app;

REVOKE ALL ON FUNCTION public.delete_again(wanted uuid, called text, wished timestamp with time zone, wisher text, kept integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_again(wanted uuid, called text, wished timestamp with time zone, wisher text, kept integer) TO molar_system;

REVOKE ALL ON FUNCTION public.delete_rows(wanted uuid, bare text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_rows(wanted uuid, bare text, most integer) TO molar_system;

REVOKE ALL ON FUNCTION public.delivery_months() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.delivery_rows_below(before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delivery_rows_below(before timestamp with time zone) TO molar_system;

REVOKE ALL ON FUNCTION public.end_reset(wanted uuid, job uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.end_reset(wanted uuid, job uuid) TO molar_system;

REVOKE ALL ON FUNCTION public.erase_again(who uuid, of_org uuid, of_mode text, why text, eraser text, began timestamp with time zone, what json) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_again(who uuid, of_org uuid, of_mode text, why text, eraser text, began timestamp with time zone, what json) TO molar_system;

REVOKE ALL ON FUNCTION public.erase_parts(who uuid, of_claims uuid[], of_attachments uuid[], resources text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_parts(who uuid, of_claims uuid[], of_attachments uuid[], resources text[]) TO molar_app;

REVOKE ALL ON FUNCTION public.erase_person(who uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_person(who uuid) TO molar_app;

REVOKE ALL ON FUNCTION public.erase_said(of_era uuid, of_ordinal integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_said(of_era uuid, of_ordinal integer) TO molar_app;

REVOKE ALL ON FUNCTION public.first_statistics(least_rows bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.first_statistics(least_rows bigint) TO molar_system;

REVOKE ALL ON FUNCTION public.forget_audit_entries(before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_audit_entries(before timestamp with time zone) TO molar_system;

REVOKE ALL ON FUNCTION public.forget_records(the_table text, the_mode text, most integer, OUT removed integer, OUT more boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_records(the_table text, the_mode text, most integer, OUT removed integer, OUT more boolean) TO molar_system;

REVOKE ALL ON FUNCTION public.holds_now() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.lock_soon(what text) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.claims TO molar_app;

GRANT SELECT(id) ON TABLE public.claims TO molar_system;

GRANT SELECT(org_id) ON TABLE public.claims TO molar_system;
GRANT SELECT(org_id) ON TABLE public.claims TO molar_scopes;

GRANT SELECT(mode) ON TABLE public.claims TO molar_system;
GRANT SELECT(mode) ON TABLE public.claims TO molar_scopes;

GRANT SELECT(kind) ON TABLE public.claims TO molar_scopes;

GRANT UPDATE(state) ON TABLE public.claims TO molar_app;
GRANT SELECT(state) ON TABLE public.claims TO molar_system;

GRANT UPDATE(frequency) ON TABLE public.claims TO molar_app;

GRANT UPDATE(patient_control_number) ON TABLE public.claims TO molar_app;

GRANT UPDATE(office_id) ON TABLE public.claims TO molar_app;
GRANT SELECT(office_id) ON TABLE public.claims TO molar_system;

GRANT UPDATE(payer_id) ON TABLE public.claims TO molar_app;
GRANT SELECT(payer_id) ON TABLE public.claims TO molar_system;
GRANT SELECT(payer_id) ON TABLE public.claims TO molar_scopes;

GRANT UPDATE(payer_code) ON TABLE public.claims TO molar_app;

GRANT UPDATE(payer_name) ON TABLE public.claims TO molar_app;

GRANT UPDATE(provider_id) ON TABLE public.claims TO molar_app;

GRANT UPDATE(patient_id) ON TABLE public.claims TO molar_app;
GRANT SELECT(patient_id) ON TABLE public.claims TO molar_scopes;

GRANT UPDATE(subscriber) ON TABLE public.claims TO molar_app;

GRANT UPDATE(patient) ON TABLE public.claims TO molar_app;

GRANT UPDATE(place_of_service) ON TABLE public.claims TO molar_app;

GRANT UPDATE(prior_authorization) ON TABLE public.claims TO molar_app;

GRANT UPDATE(accident) ON TABLE public.claims TO molar_app;

GRANT UPDATE(note) ON TABLE public.claims TO molar_app;

GRANT UPDATE(lines) ON TABLE public.claims TO molar_app;

GRANT UPDATE(first_service_date) ON TABLE public.claims TO molar_app;

GRANT UPDATE(last_service_date) ON TABLE public.claims TO molar_app;

GRANT UPDATE(findings) ON TABLE public.claims TO molar_app;

GRANT UPDATE(tenant_reference) ON TABLE public.claims TO molar_app;

GRANT UPDATE(request_id) ON TABLE public.claims TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.claims TO molar_app;
GRANT SELECT(updated_at) ON TABLE public.claims TO molar_system;

GRANT UPDATE(sent_at) ON TABLE public.claims TO molar_app;
GRANT SELECT(sent_at) ON TABLE public.claims TO molar_scopes;

GRANT UPDATE(batch_id) ON TABLE public.claims TO molar_app;
GRANT SELECT(batch_id) ON TABLE public.claims TO molar_system;

GRANT UPDATE(payer_claim_number) ON TABLE public.claims TO molar_app;

GRANT UPDATE(reconciled_at) ON TABLE public.claims TO molar_app;

GRANT UPDATE(estimate) ON TABLE public.claims TO molar_app;

GRANT UPDATE(converted_from) ON TABLE public.claims TO molar_app;

GRANT UPDATE(converted_to) ON TABLE public.claims TO molar_app;

GRANT UPDATE(history) ON TABLE public.claims TO molar_app;

GRANT UPDATE(standing) ON TABLE public.claims TO molar_app;

GRANT UPDATE(settled_at) ON TABLE public.claims TO molar_app;

GRANT UPDATE(coverage) ON TABLE public.claims TO molar_app;

GRANT UPDATE(other_coverage) ON TABLE public.claims TO molar_app;

GRANT UPDATE(details) ON TABLE public.claims TO molar_app;

GRANT UPDATE(secondary_to) ON TABLE public.claims TO molar_app;

GRANT UPDATE(secondary_id) ON TABLE public.claims TO molar_app;

GRANT UPDATE(submitted_number) ON TABLE public.claims TO molar_app;

GRANT UPDATE(submit_when_ready) ON TABLE public.claims TO molar_app;

GRANT UPDATE(accepted) ON TABLE public.claims TO molar_app;

GRANT UPDATE(accepted_sum) ON TABLE public.claims TO molar_app;

GRANT UPDATE(elsewhere) ON TABLE public.claims TO molar_app;

GRANT UPDATE(edits) ON TABLE public.claims TO molar_app;

GRANT UPDATE(erased_at) ON TABLE public.claims TO molar_app;

GRANT UPDATE(estimate_id) ON TABLE public.claims TO molar_app;
GRANT SELECT(estimate_id) ON TABLE public.claims TO molar_system;

GRANT UPDATE(decisions) ON TABLE public.claims TO molar_app;

GRANT UPDATE(held) ON TABLE public.claims TO molar_app;
GRANT SELECT(held) ON TABLE public.claims TO molar_system;

GRANT UPDATE(contract) ON TABLE public.claims TO molar_app;

GRANT UPDATE(asked) ON TABLE public.claims TO molar_app;

GRANT UPDATE(ask_turn) ON TABLE public.claims TO molar_app;

GRANT UPDATE(ask_from) ON TABLE public.claims TO molar_app;

GRANT UPDATE(appealing) ON TABLE public.claims TO molar_app;

GRANT UPDATE(reconciled_with) ON TABLE public.claims TO molar_app;

GRANT UPDATE(shown_plan) ON TABLE public.claims TO molar_app;

REVOKE ALL ON FUNCTION public.old_records(bare text, of_mode text, of_org uuid, keep interval, OUT old bigint, OUT held bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.old_records(bare text, of_mode text, of_org uuid, keep interval, OUT old bigint, OUT held bigint) TO molar_system;

REVOKE ALL ON FUNCTION public.remove_rows(wanted uuid, bare text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remove_rows(wanted uuid, bare text, most integer) TO molar_system;

REVOKE ALL ON FUNCTION public.reseal(bare text, sealed text, places tid[], contents bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reseal(bare text, sealed text, places tid[], contents bytea[]) TO molar_system;

REVOKE ALL ON FUNCTION public.reset_rows(wanted uuid, bare text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reset_rows(wanted uuid, bare text, most integer) TO molar_system;

REVOKE ALL ON FUNCTION public.sealed_before(bare text, sealed text, first bigint, most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.sealed_before(bare text, sealed text, first bigint, most bigint) TO molar_system;

GRANT SELECT,INSERT ON TABLE public.claim_changes TO molar_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.claim_changes TO molar_system;

REVOKE ALL ON FUNCTION public.status_lane_room(of_payer uuid, of_mode text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.status_lane_room(of_payer uuid, of_mode text, most integer) TO molar_app;

REVOKE ALL ON FUNCTION public.sweep_delivery_months(before timestamp with time zone, most integer, largest bigint, OUT removed bigint, OUT more boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.sweep_delivery_months(before timestamp with time zone, most integer, largest bigint, OUT removed bigint, OUT more boolean) TO molar_system;

GRANT SELECT,INSERT ON TABLE public.acknowledgements TO molar_app;

GRANT INSERT ON TABLE public.api_keys TO molar_app;
GRANT SELECT,INSERT ON TABLE public.api_keys TO molar_system;

GRANT SELECT(id) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(org_id) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(mode) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(name) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(permissions) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(last_four) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(created_at) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE public.api_keys TO molar_app;
GRANT UPDATE(revoked_at) ON TABLE public.api_keys TO molar_system;

GRANT SELECT(expires_at) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(allowed_addresses) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(created_by) ON TABLE public.api_keys TO molar_app;

GRANT SELECT(last_used_at) ON TABLE public.api_keys TO molar_app;
GRANT UPDATE(last_used_at) ON TABLE public.api_keys TO molar_system;

GRANT SELECT(last_used_from) ON TABLE public.api_keys TO molar_app;
GRANT UPDATE(last_used_from) ON TABLE public.api_keys TO molar_system;

GRANT SELECT(made_with) ON TABLE public.api_keys TO molar_app;

GRANT SELECT,INSERT ON TABLE public.appeals TO molar_app;

GRANT UPDATE(state) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(level) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(content) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(documents) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(send_by) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(sent_on) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(sent_by) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(sent_at) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(decided_on) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(outcome) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(decided_at) ON TABLE public.appeals TO molar_app;

GRANT UPDATE(recorded_by) ON TABLE public.appeals TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(payer_id) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(payer_code) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(payer_name) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(procedure_codes) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(needs) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(asked) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(note) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.attachment_rules TO molar_app;

GRANT UPDATE(edits) ON TABLE public.attachment_rules TO molar_app;

GRANT SELECT,USAGE ON SEQUENCE public.attachment_serials TO molar_app;
GRANT SELECT,UPDATE ON SEQUENCE public.attachment_serials TO molar_system;

GRANT SELECT,INSERT ON TABLE public.attachments TO molar_app;

GRANT UPDATE(state) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(narrative) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(closed_at) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(number) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(sending) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(sending_since) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(stalled) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(edits) ON TABLE public.attachments TO molar_app;

GRANT UPDATE(decisions) ON TABLE public.attachments TO molar_app;

GRANT SELECT,INSERT ON TABLE public.audit_entries TO molar_app;
GRANT SELECT,INSERT ON TABLE public.audit_entries TO molar_system;

GRANT SELECT,INSERT ON TABLE public.audit_resources TO molar_app;
GRANT INSERT ON TABLE public.audit_resources TO molar_system;

GRANT SELECT ON TABLE public.audit_retention TO molar_system;

GRANT SELECT,INSERT ON TABLE public.automation TO molar_app;

GRANT UPDATE(level) ON TABLE public.automation TO molar_app;

GRANT UPDATE(payers) ON TABLE public.automation TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.automation TO molar_app;

GRANT UPDATE(updated_by) ON TABLE public.automation TO molar_app;

GRANT SELECT,INSERT ON TABLE public.batch_acknowledgements TO molar_app;

GRANT SELECT,INSERT ON TABLE public.batches TO molar_app;

GRANT SELECT(id) ON TABLE public.batches TO molar_system;

GRANT SELECT(org_id) ON TABLE public.batches TO molar_system;

GRANT SELECT(mode) ON TABLE public.batches TO molar_system;

GRANT UPDATE(state) ON TABLE public.batches TO molar_app;
GRANT SELECT(state) ON TABLE public.batches TO molar_system;

GRANT SELECT(name) ON TABLE public.batches TO molar_system;

GRANT SELECT(interchange_number) ON TABLE public.batches TO molar_system;

GRANT SELECT(group_number) ON TABLE public.batches TO molar_system;

GRANT SELECT(transaction_number) ON TABLE public.batches TO molar_system;

GRANT SELECT(number) ON TABLE public.batches TO molar_system;

GRANT SELECT(claim_count) ON TABLE public.batches TO molar_system;

GRANT UPDATE(result) ON TABLE public.batches TO molar_app;
GRANT SELECT(result) ON TABLE public.batches TO molar_system;

GRANT UPDATE(acknowledgement) ON TABLE public.batches TO molar_app;
GRANT SELECT(acknowledgement) ON TABLE public.batches TO molar_system;

GRANT SELECT(created_at) ON TABLE public.batches TO molar_system;

GRANT UPDATE(sent_at) ON TABLE public.batches TO molar_app;
GRANT SELECT(sent_at) ON TABLE public.batches TO molar_system;

GRANT UPDATE(acknowledged_at) ON TABLE public.batches TO molar_app;
GRANT SELECT(acknowledged_at) ON TABLE public.batches TO molar_system;

GRANT SELECT(network) ON TABLE public.batches TO molar_system;

GRANT UPDATE(send_token) ON TABLE public.batches TO molar_app;
GRANT SELECT(send_token) ON TABLE public.batches TO molar_system;

GRANT UPDATE(unknown_since) ON TABLE public.batches TO molar_app;
GRANT SELECT(unknown_since) ON TABLE public.batches TO molar_system;

GRANT UPDATE(overdue) ON TABLE public.batches TO molar_app;
GRANT SELECT(overdue) ON TABLE public.batches TO molar_system;

GRANT UPDATE(settled_at) ON TABLE public.batches TO molar_app;
GRANT SELECT(settled_at) ON TABLE public.batches TO molar_system;

GRANT UPDATE(delayed_since) ON TABLE public.batches TO molar_app;
GRANT SELECT(delayed_since) ON TABLE public.batches TO molar_system;

GRANT INSERT ON TABLE public.changes TO molar_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.changes TO molar_system;
GRANT INSERT ON TABLE public.changes TO molar_scopes;

GRANT SELECT,INSERT ON TABLE public.check_additions TO molar_app;

GRANT UPDATE(struck_at) ON TABLE public.check_additions TO molar_app;

GRANT UPDATE(struck_by) ON TABLE public.check_additions TO molar_app;

GRANT SELECT,INSERT ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(appointment_at) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(appointment_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(request) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(person_key) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(person_born) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(network) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(payer_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(parent_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(check_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(fresh) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(attempts) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(asking) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(next_at) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(until) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(recheck_at) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(outcome) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(needs_a_person) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(faults) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(completed_at) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(office_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(asked_payer_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(payer_code) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(payer_name) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(appointment_on) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(patient_id) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(status) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(differs) ON TABLE public.check_batch_items TO molar_app;

GRANT UPDATE(decisions) ON TABLE public.check_batch_items TO molar_app;

GRANT SELECT,INSERT ON TABLE public.check_batches TO molar_app;
GRANT DELETE ON TABLE public.check_batches TO molar_system;

GRANT SELECT(id) ON TABLE public.check_batches TO molar_system;

GRANT SELECT(org_id) ON TABLE public.check_batches TO molar_system;

GRANT UPDATE(not_after) ON TABLE public.check_batches TO molar_app;

GRANT UPDATE(feed) ON TABLE public.check_batches TO molar_app;

GRANT UPDATE(canceled_at) ON TABLE public.check_batches TO molar_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.check_lanes TO molar_app;

GRANT SELECT,INSERT ON TABLE public.check_members TO molar_app;
GRANT SELECT,INSERT ON TABLE public.check_members TO molar_scopes;

GRANT SELECT,INSERT,DELETE ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(office_id) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(payer_id) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(provider_id) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(secondary_id) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(state) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(sent_at) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(served_on) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(decided_on) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(first_pass) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(open) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(owed) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(paid) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(contractual) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(write_off) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(billed) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(other) ON TABLE public.claim_figures TO molar_app;

GRANT UPDATE(refused) ON TABLE public.claim_figures TO molar_app;

GRANT SELECT ON TABLE public.claim_totals TO molar_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.claim_totals TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.connections TO molar_system;

GRANT SELECT(id) ON TABLE public.connections TO molar_app;

GRANT SELECT(org_id) ON TABLE public.connections TO molar_app;

GRANT SELECT(mode) ON TABLE public.connections TO molar_app;

GRANT SELECT(name) ON TABLE public.connections TO molar_app;

GRANT SELECT(kind) ON TABLE public.connections TO molar_app;

GRANT SELECT(carries) ON TABLE public.connections TO molar_app;
GRANT UPDATE(carries) ON TABLE public.connections TO molar_system;

GRANT SELECT(settings) ON TABLE public.connections TO molar_app;
GRANT UPDATE(settings) ON TABLE public.connections TO molar_system;

GRANT UPDATE(secrets) ON TABLE public.connections TO molar_system;

GRANT SELECT(enabled) ON TABLE public.connections TO molar_app;
GRANT UPDATE(enabled) ON TABLE public.connections TO molar_system;

GRANT SELECT(paused_at) ON TABLE public.connections TO molar_app;
GRANT UPDATE(paused_at) ON TABLE public.connections TO molar_system;

GRANT SELECT(pause_reason) ON TABLE public.connections TO molar_app;
GRANT UPDATE(pause_reason) ON TABLE public.connections TO molar_system;

GRANT SELECT(pause_detail) ON TABLE public.connections TO molar_app;
GRANT UPDATE(pause_detail) ON TABLE public.connections TO molar_system;

GRANT SELECT(revision),UPDATE(revision) ON TABLE public.connections TO molar_app;
GRANT UPDATE(revision) ON TABLE public.connections TO molar_system;

GRANT SELECT(created_at) ON TABLE public.connections TO molar_app;

GRANT SELECT,INSERT ON TABLE public.data_keys TO molar_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.data_keys TO molar_system;
GRANT SELECT,INSERT ON TABLE public.data_keys TO molar_scopes;

GRANT UPDATE(wrapped) ON TABLE public.data_keys TO molar_system;

GRANT UPDATE(wrapped_by) ON TABLE public.data_keys TO molar_system;

GRANT UPDATE(replaced_at) ON TABLE public.data_keys TO molar_system;

GRANT SELECT,INSERT ON TABLE public.data_rotations TO molar_system;

GRANT UPDATE(ended_at) ON TABLE public.data_rotations TO molar_system;

GRANT SELECT,DELETE ON TABLE public.deletions TO molar_system;

GRANT INSERT(org_id) ON TABLE public.deletions TO molar_system;

GRANT INSERT(name) ON TABLE public.deletions TO molar_system;

GRANT INSERT(asked_by) ON TABLE public.deletions TO molar_system;

GRANT INSERT(backups_days) ON TABLE public.deletions TO molar_system;

GRANT UPDATE(removed_at) ON TABLE public.deletions TO molar_system;

GRANT SELECT,INSERT ON TABLE public.deposit_accounts TO molar_app;

GRANT UPDATE(first_day) ON TABLE public.deposit_accounts TO molar_app;

GRANT UPDATE(last_day) ON TABLE public.deposit_accounts TO molar_app;

GRANT UPDATE(names) ON TABLE public.deposit_accounts TO molar_app;

GRANT SELECT,INSERT ON TABLE public.deposits TO molar_app;

GRANT UPDATE(method) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(trace) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(returns) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(claims) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(content) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(state) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(parts) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(eras) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(by_hand) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(returned_by) ON TABLE public.deposits TO molar_app;

GRANT UPDATE(decisions) ON TABLE public.deposits TO molar_app;

GRANT SELECT,INSERT ON TABLE public.disclosures TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.documents TO molar_app;

GRANT SELECT(id) ON TABLE public.documents TO molar_system;

GRANT SELECT(org_id) ON TABLE public.documents TO molar_system;

GRANT SELECT(mode) ON TABLE public.documents TO molar_system;

GRANT SELECT,INSERT ON TABLE public.eligibility_answers TO molar_app;
GRANT SELECT,DELETE ON TABLE public.eligibility_answers TO molar_system;
GRANT SELECT,INSERT ON TABLE public.eligibility_answers TO molar_scopes;

GRANT SELECT,INSERT ON TABLE public.eligibility_checks TO molar_app;
GRANT SELECT ON TABLE public.eligibility_checks TO molar_scopes;

GRANT SELECT(id) ON TABLE public.eligibility_checks TO molar_system;

GRANT UPDATE(patient_id) ON TABLE public.eligibility_checks TO molar_app;
GRANT SELECT(patient_id) ON TABLE public.eligibility_checks TO molar_system;
GRANT UPDATE(patient_id) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(state) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(state) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(outcome) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(outcome) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(cache_source) ON TABLE public.eligibility_checks TO molar_app;

GRANT UPDATE(network) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(network) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(latency_ms) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(latency_ms) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(completed_at) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(completed_at) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(rejection) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(rejection) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(benefits) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(benefits) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(exchanges) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(exchanges) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(coverage_status) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(coverage_status) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(shown) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(shown) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT UPDATE(shown_failure) ON TABLE public.eligibility_checks TO molar_app;
GRANT UPDATE(shown_failure) ON TABLE public.eligibility_checks TO molar_scopes;

GRANT SELECT,INSERT ON TABLE public.encryption_key TO molar_system;

GRANT SELECT,INSERT ON TABLE public.enrollments TO molar_app;

GRANT SELECT(org_id) ON TABLE public.enrollments TO molar_system;

GRANT SELECT(mode) ON TABLE public.enrollments TO molar_system;

GRANT SELECT(office_id) ON TABLE public.enrollments TO molar_system;

GRANT SELECT(payer_id) ON TABLE public.enrollments TO molar_system;

GRANT UPDATE(payer_code) ON TABLE public.enrollments TO molar_app;

GRANT UPDATE(payer_name) ON TABLE public.enrollments TO molar_app;

GRANT SELECT(transaction) ON TABLE public.enrollments TO molar_system;

GRANT UPDATE(state) ON TABLE public.enrollments TO molar_app;
GRANT SELECT(state) ON TABLE public.enrollments TO molar_system;

GRANT UPDATE(date) ON TABLE public.enrollments TO molar_app;

GRANT UPDATE(note) ON TABLE public.enrollments TO molar_app;

GRANT UPDATE(network_message) ON TABLE public.enrollments TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.enrollments TO molar_app;

GRANT UPDATE(version) ON TABLE public.enrollments TO molar_app;

GRANT SELECT,INSERT ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(status) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(claim_id) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(matched_by) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(review) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(warnings) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(sequence) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(line_numbers) ON TABLE public.era_claims TO molar_app;

GRANT UPDATE(applied_at) ON TABLE public.era_claims TO molar_app;

GRANT SELECT,INSERT ON TABLE public.eras TO molar_app;

GRANT UPDATE(state) ON TABLE public.eras TO molar_app;

GRANT UPDATE(balanced) ON TABLE public.eras TO molar_app;

GRANT UPDATE(claim_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(matched_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(stage) ON TABLE public.eras TO molar_app;

GRANT UPDATE(received_at) ON TABLE public.eras TO molar_app;

GRANT UPDATE(posted_at) ON TABLE public.eras TO molar_app;

GRANT UPDATE(applied_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(needs_review_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(unmatched_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(ignored_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(forwarded_count) ON TABLE public.eras TO molar_app;

GRANT UPDATE(needs_attention) ON TABLE public.eras TO molar_app;

GRANT UPDATE(later) ON TABLE public.eras TO molar_app;

GRANT SELECT ON TABLE public.erasures TO molar_system;

GRANT SELECT,INSERT ON TABLE public.estimates TO molar_app;
GRANT DELETE ON TABLE public.estimates TO molar_system;

GRANT SELECT(id) ON TABLE public.estimates TO molar_system;

GRANT SELECT(org_id) ON TABLE public.estimates TO molar_system;

GRANT SELECT(patient_id) ON TABLE public.estimates TO molar_system;

GRANT SELECT,INSERT ON TABLE public.event_numbers TO molar_app;
GRANT SELECT,INSERT ON TABLE public.event_numbers TO molar_system;

GRANT UPDATE(last) ON TABLE public.event_numbers TO molar_app;
GRANT UPDATE(last) ON TABLE public.event_numbers TO molar_system;

GRANT UPDATE(event_id) ON TABLE public.event_numbers TO molar_app;
GRANT UPDATE(event_id) ON TABLE public.event_numbers TO molar_system;

GRANT SELECT,INSERT ON TABLE public.events TO molar_app;
GRANT INSERT ON TABLE public.events TO molar_system;
GRANT INSERT ON TABLE public.events TO molar_scopes;

GRANT SELECT(id) ON TABLE public.events TO molar_system;
GRANT SELECT(id) ON TABLE public.events TO molar_scopes;

GRANT SELECT(org_id) ON TABLE public.events TO molar_system;

GRANT SELECT(mode) ON TABLE public.events TO molar_system;

GRANT SELECT(type) ON TABLE public.events TO molar_system;

GRANT SELECT(resource_id) ON TABLE public.events TO molar_system;

GRANT SELECT(sequence) ON TABLE public.events TO molar_system;

GRANT SELECT,INSERT ON TABLE public.fee_schedule_rows TO molar_app;

GRANT SELECT,INSERT ON TABLE public.fee_schedules TO molar_app;

GRANT SELECT,USAGE ON SEQUENCE public.file_serials TO molar_app;
GRANT SELECT,UPDATE ON SEQUENCE public.file_serials TO molar_system;

GRANT SELECT ON TABLE public.goose_db_version TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.holds TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.idempotency_keys TO molar_app;
GRANT DELETE ON TABLE public.idempotency_keys TO molar_system;

GRANT SELECT(org_id) ON TABLE public.idempotency_keys TO molar_system;

GRANT SELECT(mode) ON TABLE public.idempotency_keys TO molar_system;

GRANT SELECT(key) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(fingerprint) ON TABLE public.idempotency_keys TO molar_app;

GRANT UPDATE(check_id) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(check_id) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(created_at) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(created_at) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(status) ON TABLE public.idempotency_keys TO molar_app;

GRANT UPDATE(body) ON TABLE public.idempotency_keys TO molar_app;

GRANT UPDATE(work) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(work) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(request_id) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(request_id) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(api_key_id) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(api_key_id) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(operation) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(operation) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(resource_id) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(resource_id) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(address) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(address) ON TABLE public.idempotency_keys TO molar_system;

GRANT UPDATE(agent) ON TABLE public.idempotency_keys TO molar_app;
GRANT SELECT(agent) ON TABLE public.idempotency_keys TO molar_system;

GRANT SELECT,INSERT ON TABLE public.import_mappings TO molar_app;

GRANT UPDATE(columns) ON TABLE public.import_mappings TO molar_app;

GRANT UPDATE(payers) ON TABLE public.import_mappings TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.import_mappings TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.jobs TO molar_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.jobs TO molar_system;
GRANT SELECT,INSERT,DELETE ON TABLE public.jobs TO molar_scopes;

GRANT UPDATE(not_before) ON TABLE public.jobs TO molar_app;
GRANT UPDATE(not_before) ON TABLE public.jobs TO molar_system;
GRANT UPDATE(not_before) ON TABLE public.jobs TO molar_scopes;

GRANT UPDATE(leased_at) ON TABLE public.jobs TO molar_system;

GRANT UPDATE(lease_until) ON TABLE public.jobs TO molar_app;
GRANT UPDATE(lease_until) ON TABLE public.jobs TO molar_system;
GRANT UPDATE(lease_until) ON TABLE public.jobs TO molar_scopes;

GRANT UPDATE(publishes) ON TABLE public.jobs TO molar_system;

GRANT UPDATE(attempts) ON TABLE public.jobs TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.key_holders TO molar_system;

GRANT UPDATE(seen_at) ON TABLE public.key_holders TO molar_system;

GRANT SELECT ON TABLE public.live_files TO molar_app;
GRANT SELECT ON TABLE public.live_files TO molar_system;

GRANT UPDATE(number) ON TABLE public.live_files TO molar_app;
GRANT UPDATE(number) ON TABLE public.live_files TO molar_system;

GRANT SELECT,INSERT ON TABLE public.notes TO molar_app;

GRANT UPDATE(struck_at) ON TABLE public.notes TO molar_app;

GRANT UPDATE(struck_by) ON TABLE public.notes TO molar_app;

GRANT UPDATE(struck_reason) ON TABLE public.notes TO molar_app;

GRANT SELECT,INSERT ON TABLE public.offices TO molar_app;
GRANT SELECT ON TABLE public.offices TO molar_system;

GRANT UPDATE(name) ON TABLE public.offices TO molar_app;

GRANT UPDATE(npi) ON TABLE public.offices TO molar_app;

GRANT UPDATE(tax_id) ON TABLE public.offices TO molar_app;

GRANT UPDATE(line1) ON TABLE public.offices TO molar_app;

GRANT UPDATE(line2) ON TABLE public.offices TO molar_app;

GRANT UPDATE(city) ON TABLE public.offices TO molar_app;

GRANT UPDATE(state) ON TABLE public.offices TO molar_app;

GRANT UPDATE(zip) ON TABLE public.offices TO molar_app;

GRANT UPDATE(phone) ON TABLE public.offices TO molar_app;

GRANT UPDATE(time_zone) ON TABLE public.offices TO molar_app;

GRANT UPDATE(verified_at) ON TABLE public.offices TO molar_app;
GRANT UPDATE(verified_at) ON TABLE public.offices TO molar_system;

GRANT UPDATE(details) ON TABLE public.offices TO molar_app;

GRANT UPDATE(edits) ON TABLE public.offices TO molar_app;

GRANT SELECT,INSERT ON TABLE public.organizations TO molar_system;
GRANT INSERT ON TABLE public.organizations TO molar_app;

GRANT SELECT(id) ON TABLE public.organizations TO molar_app;

GRANT SELECT(name) ON TABLE public.organizations TO molar_app;

GRANT SELECT(created_at) ON TABLE public.organizations TO molar_app;

GRANT SELECT(require_totp),UPDATE(require_totp) ON TABLE public.organizations TO molar_app;

GRANT SELECT(endpoints_need_read),UPDATE(endpoints_need_read) ON TABLE public.organizations TO molar_app;

GRANT SELECT(maker_id) ON TABLE public.organizations TO molar_app;

GRANT SELECT(made_by) ON TABLE public.organizations TO molar_app;

GRANT SELECT(expires_at) ON TABLE public.organizations TO molar_app;

GRANT SELECT(removed_at),UPDATE(removed_at) ON TABLE public.organizations TO molar_app;

GRANT UPDATE(task_rules) ON TABLE public.organizations TO molar_system;
GRANT SELECT(task_rules),UPDATE(task_rules) ON TABLE public.organizations TO molar_app;

GRANT SELECT,INSERT ON TABLE public.origin TO molar_system;

GRANT UPDATE(origin) ON TABLE public.origin TO molar_system;

GRANT SELECT,INSERT ON TABLE public.patient_words TO molar_app;
GRANT SELECT,INSERT ON TABLE public.patient_words TO molar_scopes;

GRANT SELECT,INSERT ON TABLE public.patients TO molar_app;
GRANT SELECT,INSERT ON TABLE public.patients TO molar_scopes;

GRANT SELECT(id) ON TABLE public.patients TO molar_system;

GRANT SELECT(org_id) ON TABLE public.patients TO molar_system;

GRANT SELECT(mode) ON TABLE public.patients TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.payer_limits TO molar_app;

GRANT UPDATE(payer_code) ON TABLE public.payer_limits TO molar_app;

GRANT UPDATE(payer_name) ON TABLE public.payer_limits TO molar_app;

GRANT UPDATE(terms) ON TABLE public.payer_limits TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.payer_limits TO molar_app;

GRANT SELECT,INSERT ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(state) ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(answering_attachment_id) ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(answered_at) ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(answer_note) ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(decisions) ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(office_id) ON TABLE public.payer_requests TO molar_app;

GRANT UPDATE(patient_id) ON TABLE public.payer_requests TO molar_app;

GRANT SELECT,INSERT ON TABLE public.providers TO molar_app;

GRANT UPDATE(first_name) ON TABLE public.providers TO molar_app;

GRANT UPDATE(last_name) ON TABLE public.providers TO molar_app;

GRANT UPDATE(npi) ON TABLE public.providers TO molar_app;

GRANT UPDATE(taxonomy) ON TABLE public.providers TO molar_app;

GRANT UPDATE(retired) ON TABLE public.providers TO molar_app;

GRANT UPDATE(edits) ON TABLE public.providers TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.quarantine TO molar_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.quarantine TO molar_system;

GRANT UPDATE(name) ON TABLE public.quarantine TO molar_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.received_files TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.received_parts TO molar_system;

GRANT SELECT ON TABLE public.requests TO molar_app;
GRANT INSERT,DELETE ON TABLE public.requests TO molar_system;

GRANT SELECT(id) ON TABLE public.requests TO molar_system;

GRANT SELECT(org_id) ON TABLE public.requests TO molar_system;

GRANT SELECT(created_at) ON TABLE public.requests TO molar_system;

GRANT SELECT ON TABLE public.restores TO molar_app;
GRANT SELECT,INSERT ON TABLE public.restores TO molar_system;
GRANT SELECT ON TABLE public.restores TO molar_scopes;

GRANT UPDATE(resumed_at) ON TABLE public.restores TO molar_system;

GRANT UPDATE(replayed) ON TABLE public.restores TO molar_system;

GRANT UPDATE(lacked) ON TABLE public.restores TO molar_app;
GRANT UPDATE(lacked) ON TABLE public.restores TO molar_system;

GRANT SELECT ON TABLE public.retention TO molar_system;

GRANT SELECT ON TABLE public.sandbox_clocks TO PUBLIC;
GRANT INSERT ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(ahead) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(stands_at) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(advance_job) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(advance_key) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(advance_until) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(target) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(runs_on) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(progressed_at) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(reset_job) ON TABLE public.sandbox_clocks TO molar_app;

GRANT UPDATE(reset_at) ON TABLE public.sandbox_clocks TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sandbox_faults TO molar_app;
GRANT SELECT ON TABLE public.sandbox_faults TO molar_system;

GRANT UPDATE(matched) ON TABLE public.sandbox_faults TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sandbox_mail TO molar_system;
GRANT INSERT ON TABLE public.sandbox_mail TO molar_app;

GRANT SELECT(name) ON TABLE public.sandbox_mail TO molar_app;

GRANT SELECT(due) ON TABLE public.sandbox_mail TO molar_app;

GRANT UPDATE(given_until) ON TABLE public.sandbox_mail TO molar_system;
GRANT SELECT(given_until) ON TABLE public.sandbox_mail TO molar_app;

GRANT UPDATE(removed_at) ON TABLE public.sandbox_mail TO molar_system;
GRANT SELECT(removed_at),UPDATE(removed_at) ON TABLE public.sandbox_mail TO molar_app;

GRANT UPDATE(content) ON TABLE public.sandbox_mail TO molar_system;
GRANT SELECT(content),UPDATE(content) ON TABLE public.sandbox_mail TO molar_app;

GRANT SELECT(org_id) ON TABLE public.sandbox_mail TO molar_app;

GRANT SELECT(mode) ON TABLE public.sandbox_mail TO molar_app;

GRANT SELECT(network) ON TABLE public.sandbox_mail TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sandbox_notes TO molar_system;
GRANT INSERT ON TABLE public.sandbox_notes TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sandbox_scenarios TO molar_app;

GRANT UPDATE(summary) ON TABLE public.sandbox_scenarios TO molar_app;

GRANT UPDATE(dates) ON TABLE public.sandbox_scenarios TO molar_app;

GRANT UPDATE(content) ON TABLE public.sandbox_scenarios TO molar_app;

GRANT SELECT ON TABLE public.schema_fit TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.sessions TO molar_system;

GRANT SELECT(id) ON TABLE public.sessions TO molar_app;

GRANT SELECT(org_id) ON TABLE public.sessions TO molar_app;

GRANT SELECT(user_id) ON TABLE public.sessions TO molar_app;

GRANT SELECT(address) ON TABLE public.sessions TO molar_app;

GRANT SELECT(agent) ON TABLE public.sessions TO molar_app;

GRANT SELECT(created_at) ON TABLE public.sessions TO molar_app;

GRANT SELECT(used_at) ON TABLE public.sessions TO molar_app;
GRANT UPDATE(used_at) ON TABLE public.sessions TO molar_system;

GRANT SELECT(ended_at),UPDATE(ended_at) ON TABLE public.sessions TO molar_app;

GRANT SELECT(totp),UPDATE(totp) ON TABLE public.sessions TO molar_app;

GRANT SELECT(password_weak),UPDATE(password_weak) ON TABLE public.sessions TO molar_app;

GRANT SELECT(operator) ON TABLE public.sessions TO molar_app;

GRANT SELECT(wants_password) ON TABLE public.sessions TO molar_app;

GRANT INSERT ON TABLE public.sign_in_links TO molar_app;
GRANT SELECT,DELETE ON TABLE public.sign_in_links TO molar_system;

GRANT SELECT(org_id) ON TABLE public.sign_in_links TO molar_app;

GRANT SELECT(user_id) ON TABLE public.sign_in_links TO molar_app;

GRANT SELECT(used_at),UPDATE(used_at) ON TABLE public.sign_in_links TO molar_app;
GRANT UPDATE(used_at) ON TABLE public.sign_in_links TO molar_system;

GRANT SELECT,INSERT ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(state) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(outcome) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(network) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(completed_at) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(matches) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(payer_claim_number) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(others) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(statuses) ON TABLE public.status_inquiries TO molar_app;

GRANT UPDATE(exchanges) ON TABLE public.status_inquiries TO molar_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(payer_code) ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(payer_name) ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(ask_after) ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(ask_every) ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(waits) ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(updated_at) ON TABLE public.status_policies TO molar_app;

GRANT UPDATE(feed) ON TABLE public.status_policies TO molar_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.tasks TO molar_app;
GRANT SELECT,INSERT,UPDATE ON TABLE public.tasks TO molar_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.turns TO molar_system;

GRANT SELECT,INSERT ON TABLE public.uploads TO molar_app;
GRANT DELETE ON TABLE public.uploads TO molar_system;

GRANT SELECT(id) ON TABLE public.uploads TO molar_system;

GRANT SELECT(org_id) ON TABLE public.uploads TO molar_system;

GRANT SELECT(mode) ON TABLE public.uploads TO molar_system;

GRANT UPDATE(state) ON TABLE public.uploads TO molar_app;
GRANT SELECT(state) ON TABLE public.uploads TO molar_system;

GRANT UPDATE(refusal) ON TABLE public.uploads TO molar_app;

GRANT SELECT(created_at) ON TABLE public.uploads TO molar_system;

GRANT INSERT ON TABLE public.users TO molar_app;
GRANT SELECT ON TABLE public.users TO molar_system;

GRANT SELECT(id) ON TABLE public.users TO molar_app;

GRANT SELECT(org_id) ON TABLE public.users TO molar_app;

GRANT SELECT(email) ON TABLE public.users TO molar_app;

GRANT SELECT(role),UPDATE(role) ON TABLE public.users TO molar_app;

GRANT SELECT(state),UPDATE(state) ON TABLE public.users TO molar_app;
GRANT UPDATE(state) ON TABLE public.users TO molar_system;

GRANT UPDATE(password) ON TABLE public.users TO molar_app;

GRANT UPDATE(totp) ON TABLE public.users TO molar_app;

GRANT UPDATE(totp_step) ON TABLE public.users TO molar_app;
GRANT UPDATE(totp_step) ON TABLE public.users TO molar_system;

GRANT UPDATE(recovery_codes) ON TABLE public.users TO molar_app;
GRANT UPDATE(recovery_codes) ON TABLE public.users TO molar_system;

GRANT SELECT(created_at) ON TABLE public.users TO molar_app;

GRANT SELECT(signed_in_at) ON TABLE public.users TO molar_app;
GRANT UPDATE(signed_in_at) ON TABLE public.users TO molar_system;

GRANT SELECT(has_password) ON TABLE public.users TO molar_app;

GRANT SELECT(has_totp) ON TABLE public.users TO molar_app;

GRANT SELECT(operator_signed_in_at) ON TABLE public.users TO molar_app;
GRANT UPDATE(operator_signed_in_at) ON TABLE public.users TO molar_system;

GRANT SELECT(operator_signed_in) ON TABLE public.users TO molar_app;
GRANT UPDATE(operator_signed_in) ON TABLE public.users TO molar_system;

GRANT SELECT(name),UPDATE(name) ON TABLE public.users TO molar_app;

GRANT SELECT ON TABLE public.watches TO molar_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.watches TO molar_system;
GRANT SELECT ON TABLE public.watches TO molar_scopes;

GRANT UPDATE(expires_at) ON TABLE public.watches TO molar_system;

GRANT UPDATE(since) ON TABLE public.watches TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.webhook_deliveries TO molar_app;
GRANT INSERT,DELETE ON TABLE public.webhook_deliveries TO molar_system;
GRANT INSERT ON TABLE public.webhook_deliveries TO molar_scopes;

GRANT SELECT(id) ON TABLE public.webhook_deliveries TO molar_system;

GRANT SELECT(org_id) ON TABLE public.webhook_deliveries TO molar_system;
GRANT SELECT(org_id) ON TABLE public.webhook_deliveries TO molar_scopes;

GRANT SELECT(mode) ON TABLE public.webhook_deliveries TO molar_system;
GRANT SELECT(mode) ON TABLE public.webhook_deliveries TO molar_scopes;

GRANT SELECT(endpoint_id) ON TABLE public.webhook_deliveries TO molar_system;
GRANT SELECT(endpoint_id) ON TABLE public.webhook_deliveries TO molar_scopes;

GRANT UPDATE(state) ON TABLE public.webhook_deliveries TO molar_app;
GRANT SELECT(state) ON TABLE public.webhook_deliveries TO molar_system;

GRANT UPDATE(next_attempt_at) ON TABLE public.webhook_deliveries TO molar_app;
GRANT SELECT(next_attempt_at) ON TABLE public.webhook_deliveries TO molar_system;

GRANT UPDATE(attempts) ON TABLE public.webhook_deliveries TO molar_app;

GRANT SELECT(created_at) ON TABLE public.webhook_deliveries TO molar_system;

GRANT UPDATE(settled_at) ON TABLE public.webhook_deliveries TO molar_app;
GRANT SELECT(settled_at) ON TABLE public.webhook_deliveries TO molar_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.webhook_endpoints TO molar_app;

GRANT SELECT(id) ON TABLE public.webhook_endpoints TO molar_system;
GRANT SELECT(id) ON TABLE public.webhook_endpoints TO molar_scopes;

GRANT SELECT(org_id) ON TABLE public.webhook_endpoints TO molar_system;
GRANT SELECT(org_id) ON TABLE public.webhook_endpoints TO molar_scopes;

GRANT SELECT(mode) ON TABLE public.webhook_endpoints TO molar_system;
GRANT SELECT(mode) ON TABLE public.webhook_endpoints TO molar_scopes;

GRANT UPDATE(url) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(description) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(event_types) ON TABLE public.webhook_endpoints TO molar_app;
GRANT SELECT(event_types) ON TABLE public.webhook_endpoints TO molar_system;
GRANT SELECT(event_types) ON TABLE public.webhook_endpoints TO molar_scopes;

GRANT UPDATE(status) ON TABLE public.webhook_endpoints TO molar_app;
GRANT SELECT(status) ON TABLE public.webhook_endpoints TO molar_system;
GRANT SELECT(status) ON TABLE public.webhook_endpoints TO molar_scopes;

GRANT UPDATE(secret) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(failures) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(failing_since) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(circuit_until) ON TABLE public.webhook_endpoints TO molar_app;
GRANT SELECT(circuit_until) ON TABLE public.webhook_endpoints TO molar_system;

GRANT UPDATE(holder) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(holder_address) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(lease_until) ON TABLE public.webhook_endpoints TO molar_app;
GRANT SELECT(lease_until) ON TABLE public.webhook_endpoints TO molar_system;

GRANT SELECT(called_at),UPDATE(called_at) ON TABLE public.webhook_endpoints TO molar_system;

GRANT UPDATE(disabled_reason) ON TABLE public.webhook_endpoints TO molar_app;

GRANT UPDATE(last_success_at) ON TABLE public.webhook_endpoints TO molar_app;
