-- The statements of one fresh eligibility check that is alone, as the API and
-- the payer worker send them: 7 round trips in 4 transactions. The values are
-- those of a check that was made before.
\set n :n + 1
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT (extract(epoch FROM now()) * 1000000)::bigint::text, set_config('role', 'molar_app', true), set_config('molar.org', :org::text, true), set_config('molar.mode', 'test', true);
SELECT claimed, fingerprint, check_id, created_at, status, body, work FROM claim_idempotency_key(:org::uuid, 'test', 'floor-' || :n::text || '-' || :client_id::text);
\endpipeline
SELECT id, org_id, mode, office_id, payer_id, payer_code, payer_name, patient_id, state, outcome, parent_id, request_id, person_request_id, idempotency_key, tenant_reference, cache_source, created_at, inquiry, network, latency_ms, completed_at, rejection, coverage_status, benefits, shown, shown_failure
FROM eligibility_checks
WHERE org_id = :org::uuid AND mode = 'test' AND id = (
	SELECT check_id FROM eligibility_answers
	WHERE org_id = :org::uuid AND mode = 'test' AND digest = sha256((:n::text || '-' || :client_id::text)::bytea) AND completed_at >= now() - interval '1 day'
	ORDER BY completed_at DESC LIMIT 1);
\startpipeline
WITH w0 AS (
	INSERT INTO eligibility_checks (id, org_id, mode, office_id, payer_id, payer_code, payer_name, patient_id, state, outcome, parent_id, request_id, person_request_id, idempotency_key, tenant_reference, cache_source, created_at, digest, inquiry, network, latency_ms, completed_at, rejection, coverage_status, benefits, shown, shown_failure)
	VALUES ((lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, :org::uuid, 'test', :office::uuid, :payer::uuid, 'CHTEST', 'Molar Test Payer', NULL, 'pending', '', NULL,
		(lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8001-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, NULL, 'floor-' || :n::text || '-' || :client_id::text, NULL, NULL, now(),
		sha256((:n::text || '-' || :client_id::text)::bytea), :inquiry::json, '', NULL, NULL, NULL, '', NULL, NULL, NULL)
), w1 AS (
	INSERT INTO idempotency_keys AS k (org_id, mode, key, fingerprint, check_id, created_at, status, body, work, request_id, api_key_id, operation, resource_id)
	VALUES (:org::uuid, 'test', 'floor-' || :n::text || '-' || :client_id::text, sha256((:n::text)::bytea), (lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, now(), NULL, NULL, NULL,
		(lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8001-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, :org::uuid, 'POST /eligibility', NULL)
	ON CONFLICT (org_id, mode, key) DO UPDATE SET fingerprint = excluded.fingerprint, check_id = excluded.check_id, created_at = excluded.created_at, status = excluded.status, body = excluded.body, work = excluded.work,
		request_id = coalesce(excluded.request_id, k.request_id), api_key_id = coalesce(excluded.api_key_id, k.api_key_id), operation = coalesce(excluded.operation, k.operation), resource_id = coalesce(excluded.resource_id, k.resource_id)
), w2 AS (
	INSERT INTO jobs (id, kind, org_id, mode, subject, reply_to, not_before, lease_until)
	VALUES ((lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8002-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, 'floor', :org::uuid, 'test', (lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, 'floor', now(), now() + interval '3 s')
)
SELECT pg_current_xact_id()::text AS xid
FROM set_config('synchronous_commit', 'off', true);
COMMIT;
\endpipeline
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY;
SELECT (extract(epoch FROM now()) * 1000000)::bigint::text, set_config('role', 'molar_app', true), set_config('molar.org', :org::text, true), set_config('molar.mode', 'test', true);
SELECT id, org_id, mode, office_id, payer_id, payer_code, payer_name, patient_id, state, outcome, parent_id, request_id, person_request_id, idempotency_key, tenant_reference, cache_source, created_at, inquiry, network, latency_ms, completed_at, rejection, coverage_status, benefits, shown, shown_failure
FROM eligibility_checks
WHERE org_id = :org::uuid AND mode = 'test' AND id = ANY (ARRAY[(lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid]);
COMMIT;
\endpipeline
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT (extract(epoch FROM now()) * 1000000)::bigint::text, set_config('role', 'molar_app', true), set_config('molar.org', :org::text, true), set_config('molar.mode', 'test', true);
WITH wanted AS (
	SELECT DISTINCT ON (name_key, date_of_birth) id, name_key, first_name, last_name, date_of_birth, created_at
	FROM unnest(ARRAY[gen_random_uuid()], ARRAY[:name_key::text], ARRAY['Jane'], ARRAY['Doe'], ARRAY['1985-04-12'::date], ARRAY[now()])
		AS w (id, name_key, first_name, last_name, date_of_birth, created_at)
	ORDER BY name_key, date_of_birth
), known AS (
	SELECT p.id, p.name_key, p.date_of_birth
	FROM wanted w
	JOIN patients p ON p.org_id = :org::uuid AND p.mode = 'test' AND p.name_key = w.name_key AND p.date_of_birth = w.date_of_birth
), made AS (
	INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at)
	SELECT id, :org::uuid, 'test', name_key, first_name, last_name, date_of_birth, created_at
	FROM wanted w
	WHERE NOT EXISTS (SELECT FROM known k WHERE k.name_key = w.name_key AND k.date_of_birth = w.date_of_birth)
	ORDER BY name_key, date_of_birth
	ON CONFLICT ON CONSTRAINT patients_person DO NOTHING
	RETURNING id, name_key, date_of_birth
)
SELECT id, name_key, date_of_birth::text AS born, NULL AS xid FROM known
UNION ALL
SELECT id, name_key, date_of_birth::text, pg_current_xact_id()::text FROM made;
\endpipeline
\startpipeline
WITH completed AS (
	UPDATE eligibility_checks c
	SET state = 'completed', outcome = 'answered', network = 'sandbox', latency_ms = 5, completed_at = now(), coverage_status = 'active', benefits = d.benefits::json, exchanges = d.exchanges, shown = d.shown
	FROM (VALUES ((lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, :benefits::text, decode(:exchanges, 'hex'), :shown::text)) AS d (id, benefits, exchanges, shown), set_config('molar.members', 'kept', true)
	WHERE c.org_id = :org::uuid AND c.mode = 'test' AND c.id = d.id AND c.state = 'pending'
	RETURNING c.id, c.digest, c.completed_at, c.patient_id
), members AS (
	INSERT INTO check_members (org_id, mode, member_key, patient_id)
	SELECT :org::uuid, 'test', upper('floor-' || :n::text || '-' || :client_id::text), patient_id
	FROM completed
	WHERE patient_id IS NOT NULL
	ON CONFLICT DO NOTHING
), kept AS (
	INSERT INTO eligibility_answers (org_id, mode, digest, completed_at, check_id)
	SELECT :org::uuid, 'test', digest, completed_at, id FROM completed
), w0 AS (SELECT FROM completed
), w1 AS (
	INSERT INTO events (id, org_id, mode, type, resource_id, created_at, data, sequence)
	SELECT (lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8003-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, :org::uuid, 'test', 'eligibility.completed',
		(lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, now(), :data::json, coalesce(max(sequence), 0) + 1
	FROM events
	WHERE org_id = :org::uuid AND mode = 'test' AND resource_id = (lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid
), w2 AS (
	INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)
	SELECT gen_random_uuid(), org_id, mode, id, (lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8003-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, 'eligibility.completed', now(), now()
	FROM webhook_endpoints
	WHERE org_id = :org::uuid AND mode = 'test' AND status = 'enabled' AND (event_types IS NULL OR 'eligibility.completed' = ANY (event_types))
	RETURNING org_id, mode, endpoint_id
), w3 AS (
	DELETE FROM jobs WHERE org_id = :org::uuid AND mode = 'test' AND id = (lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8002-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid
)
SELECT CASE WHEN (SELECT count(*) FROM w0) = 1 THEN pg_current_xact_id()::text ELSE (1 / (SELECT count(*) FROM w0 WHERE false))::text END AS xid, org_id, coalesce(mode, '') AS mode, endpoint_id FROM (SELECT) sent LEFT JOIN (SELECT DISTINCT org_id, mode, endpoint_id FROM w2) called ON true;
COMMIT;
\endpipeline
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY;
SELECT (extract(epoch FROM now()) * 1000000)::bigint::text, set_config('role', 'molar_app', true), set_config('molar.org', :org::text, true), set_config('molar.mode', 'test', true);
SELECT id, org_id, mode, office_id, payer_id, payer_code, payer_name, patient_id, state, outcome, parent_id, request_id, person_request_id, idempotency_key, tenant_reference, cache_source, created_at, inquiry, network, latency_ms, completed_at, rejection, coverage_status, benefits, shown, shown_failure
FROM eligibility_checks
WHERE org_id = :org::uuid AND mode = 'test' AND id = ANY (ARRAY[(lpad(to_hex(:n::bigint), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid]);
COMMIT;
\endpipeline
