-- The statements of one fresh eligibility check, as the API and the payer
-- worker send them: 11 round trips, 4 transactions. Values have the size of
-- those of a check that the sandbox answers in full.
\set a random(1, 2147483647)
\set b random(1, 2147483647)
\startpipeline
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT (extract(epoch FROM now()) * 1000000)::bigint::text, set_config('role', 'molar_app', true), set_config('molar.org', :org::text, true), set_config('molar.mode', 'test', true);
SELECT * FROM claim_idempotency_key(:org::uuid, 'test', 'floor-' || :a::text || '-' || :b::text);
\endpipeline
