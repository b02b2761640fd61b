-- +goose NO TRANSACTION
-- +goose Up

-- A search compares the letters of names: an apostrophe is none, however it is written, and a letter
-- that Unicode does not decompose is the one that people type for it. A database may have a locale that
-- knows the punctuation and the case of ASCII alone.
CREATE OR REPLACE FUNCTION search_key(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT left(replace(replace(replace(replace(translate(
        regexp_replace(lower(normalize(name, NFKD)), '[\u0300-\u036f\u00b7\u02b9-\u02dd\u2010-\u2027\u2030-\u205e[:space:][:punct:]]', '', 'g'),
        'ØøŁłĐđÐðĦħŦŧŊŋıĸÆŒÞẞ', 'oollddddhhttnnikæœþß'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ß', 'ss'), 100)$$;

-- An acute accent that stands by itself is an apostrophe, and Unicode decomposes it into a space.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION name_words(name text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN array_remove(ARRAY(SELECT search_key(word) FROM regexp_split_to_table(normalize(replace(name, '´', ''), NFKD), '[[:space:]\u2010-\u2015-]+') word), '');
END
$$;
-- +goose StatementEnd

-- No process has read these columns since 0.2.0. The lock is waited for 50 ms at a time, so that nothing waits long
-- behind it.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '50ms';
    FOR tries IN 1 .. 100 LOOP
        BEGIN
            ALTER TABLE patients DROP COLUMN IF EXISTS first_key, DROP COLUMN IF EXISTS last_key;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            IF tries = 100 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- The words of the patients whose names have such letters, anew, in short steps beside the service. A step
-- goes through some blocks of the table. What it writes has the words of now, so no step writes it twice, and
-- a migration that was stopped passes over it.
-- +goose StatementBegin
DO $$
DECLARE
    step  CONSTANT bigint := 16;
    ended bigint;
    range tid[];
    stale uuid[];
BEGIN
    -- What began before may still write words of before.
    SET LOCAL lock_timeout = '50ms';
    FOR tries IN 1 .. 100 LOOP
        BEGIN
            LOCK TABLE patient_words IN SHARE ROW EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            IF tries = 100 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
    ended := pg_relation_size('patient_words') / current_setting('block_size')::bigint;
    COMMIT;
    FOR block IN 0 .. ended BY step LOOP
        range := ARRAY [format('(%s,0)', block), format('(%s,0)', block + step)];
        -- A patient that was removed since left the words of before.
        stale := ARRAY (
            SELECT DISTINCT w.patient_id
            FROM patient_words w LEFT JOIN patients p ON p.id = w.patient_id
            WHERE w.ctid >= range[1] AND w.ctid < range[2]
                AND (p.id IS NULL OR p.first_name || p.last_name ~ '[^\u0001-\u005f\u0061-\u007f]' AND w.names <> patient_names(p.first_name, p.last_name)));
        IF stale <> '{}' THEN
            LOCK TABLE patient_words IN SHARE ROW EXCLUSIVE MODE; -- no patient is removed meanwhile
            DELETE FROM patient_words WHERE ctid >= range[1] AND ctid < range[2] AND patient_id = ANY (stale);
            INSERT INTO patient_words (org_id, mode, word, patient_id, names)
            SELECT DISTINCT org_id, mode, word, id, names
            FROM patients
            CROSS JOIN patient_names(first_name, last_name) names
            CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
            WHERE id = ANY (stale) AND word <> ''
            ON CONFLICT (org_id, mode, word, patient_id) DO UPDATE SET names = excluded.names;
        END IF;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd
