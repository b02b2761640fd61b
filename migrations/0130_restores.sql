-- +goose Up

-- Every live file gets the next number before it leaves, or before it can be removed at its
-- network, and a copy of it under that number is in the blob store. A database that lacks a
-- number of these copies was restored. A row, and no sequence, because a number must be
-- there exactly if its transaction is.
CREATE TABLE live_files (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    number bigint NOT NULL
);
INSERT INTO live_files (number) VALUES (0);
GRANT SELECT, UPDATE (number) ON live_files TO molar_app, molar_system;

-- The restores of the database. While one is not resumed, live claims and webhooks wait. The
-- numbers of a resource's events continue 1,000 higher after each, whose ID is later than
-- that of the event before. live_file is the highest number that the database had, replayed the
-- one up to which live files were replayed, zero until all were, and lacked are the claims and
-- received files that the database did not have.
CREATE TABLE restores (
    id         uuid PRIMARY KEY,
    begun_at   timestamptz NOT NULL,
    resumed_at timestamptz,
    live_file  bigint NOT NULL,
    replayed   bigint NOT NULL DEFAULT 0,
    lacked     uuid[] NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX restores_open ON restores ((true)) WHERE resumed_at IS NULL;
GRANT SELECT, UPDATE (lacked) ON restores TO molar_app;
GRANT SELECT, INSERT, UPDATE (resumed_at, replayed, lacked) ON restores TO molar_system;

-- The numbers of batches and attachments go on beyond those that were given out.
GRANT SELECT ON SEQUENCE file_serials, attachment_serials TO molar_app;
GRANT SELECT, UPDATE ON SEQUENCE file_serials, attachment_serials TO molar_system;
