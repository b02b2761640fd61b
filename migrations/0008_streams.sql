-- +goose Up

-- Jobs are taken in turn: a few of each stream, which is the jobs of one kind,
-- organization and mode. So each stream is found by itself, and in it those that
-- are due, however many others wait: those whose lease has run out, and those
-- that have rested until their time.
CREATE INDEX jobs_streams ON jobs (kind, org_id, mode, lease_until, not_before);
