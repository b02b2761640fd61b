-- What pgtest keeps of a database whose store has just opened.
CREATE SCHEMA pristine;

-- The rows of the tables that are not empty, and statements that make all tables so again.
DO $build$
DECLARE
	t regclass;
	s regclass;
	columns text;
	filled boolean;
	last bigint;
	called boolean;
	locks text;
	deletes text := '';
	inserts text := '';
	numbers text := '';
BEGIN
	SELECT string_agg(format('%s', oid::regclass), ', ' ORDER BY relname) INTO locks
	FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r';
	FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname LOOP
		deletes := deletes || format('DELETE FROM %s;', t);
		EXECUTE format('SELECT EXISTS (SELECT FROM %s)', t) INTO filled;
		CONTINUE WHEN NOT filled;
		SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
		FROM pg_attribute WHERE attrelid = t AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
		EXECUTE format('CREATE TABLE pristine.%s AS SELECT %s FROM %s', t, columns, t);
		inserts := inserts || format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT * FROM pristine.%s;', t, columns, t);
	END LOOP;
	FOR s IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' LOOP
		EXECUTE format('SELECT last_value, is_called FROM %s', s) INTO last, called;
		numbers := numbers || format('PERFORM setval(%L, %s, %L);', s, last, called);
	END LOOP;
	EXECUTE format($f$
		CREATE FUNCTION pristine.reset() RETURNS void LANGUAGE plpgsql
		SET session_replication_role = replica SET lock_timeout = '5s' SET search_path = public, pg_temp AS $reset$
		BEGIN
			LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE;
			%s %s %s
		END
		$reset$ $f$, locks, deletes, inserts, numbers);
END
$build$;

-- Every change of a table, a function, a trigger or a policy changes the catalogs.
CREATE FUNCTION pristine.shape() RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ',
		(SELECT sum(xmin::text::bigint) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
		(SELECT sum(xmin::text::bigint) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
		(SELECT sum(xmin::text::bigint) FROM pg_trigger), (SELECT sum(xmin::text::bigint) FROM pg_policy), (SELECT sum(xmin::text::bigint) FROM pg_constraint))
$$;

CREATE TABLE pristine.first_shape AS SELECT pristine.shape() AS shape;

-- A store remembers the deployment's keys and how many live files there were.
CREATE FUNCTION pristine.same() RETURNS boolean LANGUAGE sql AS $$
	SELECT (SELECT shape FROM pristine.first_shape) = pristine.shape()
		AND (SELECT number FROM live_files) = (SELECT number FROM pristine.live_files)
		AND NOT EXISTS (SELECT FROM data_keys WHERE replaced_at IS NOT NULL)
		AND NOT EXISTS (SELECT FROM data_keys k WHERE org_id IS NULL AND NOT EXISTS (SELECT FROM pristine.data_keys p WHERE p = k))
		AND (SELECT count(*) FROM data_keys WHERE org_id IS NULL) = (SELECT count(*) FROM pristine.data_keys)
$$;
