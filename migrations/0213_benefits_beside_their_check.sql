-- +goose NO TRANSACTION
-- +goose Up

-- The benefits of a check are about 2 kB when they are compressed, a little too much for a row
-- beside what is shown. They had a row of their own in the TOAST table, which cost a fifth of the
-- time that PostgreSQL needs to store an answer, and another look-up for each read. Exchanges,
-- which few read, stay there. Checks that are stored stay as they are.
ALTER TABLE eligibility_checks SET (toast_tuple_target = 4080);
