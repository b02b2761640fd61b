-- +goose Up

-- A function in SQL that no plan takes in is read, analysed and planned again by each statement
-- that calls it. Those in PL/pgSQL keep their plans for as long as their session: a claim that is
-- entered called four of these, for the columns of its sums and for the words of its patient.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sum_of_fees(lines json) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN coalesce((SELECT sum((l ->> 'Fee')::bigint) FROM json_array_elements(lines) l), 0);
END
$$;
CREATE OR REPLACE FUNCTION sum_paid(coverages json) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN coalesce((SELECT sum((c -> 'Adjudication' ->> 'Paid')::bigint) FROM json_array_elements(coverages) c), 0);
END
$$;
CREATE OR REPLACE FUNCTION sum_billed(accepted json) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN coalesce((
        SELECT sum((l ->> 'Amount')::bigint)
        FROM json_array_elements(accepted) a CROSS JOIN json_array_elements(a -> 'Lines') l
        WHERE a ->> 'As' = 'bill_patient'), 0);
END
$$;
CREATE OR REPLACE FUNCTION name_words(name text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN array_remove(ARRAY(SELECT search_key(word) FROM regexp_split_to_table(normalize(name, NFKD), '[[:space:]\u2010-\u2015-]+') word), '');
END
$$;
CREATE OR REPLACE FUNCTION patient_names(first_name text, last_name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN (
        SELECT string_agg(left(' ' || array_to_string(ARRAY(SELECT unnest(name_words(name)) UNION SELECT search_key(name)), ' '), 240), ',' ORDER BY n)
        FROM (VALUES (1, first_name), (2, last_name)) names (n, name));
END
$$;
-- +goose StatementEnd
