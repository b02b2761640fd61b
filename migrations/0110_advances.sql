-- +goose Up

-- The advance of a clock: the job that drives it, the idempotency key of the request that
-- began it, the last instant that it may reach, what it runs until, whether the clock runs
-- on afterwards, and when work was last done, in real time.
ALTER TABLE sandbox_clocks
    ADD COLUMN advance_job   uuid,
    ADD COLUMN advance_key   text NOT NULL DEFAULT '',
    ADD COLUMN advance_until text NOT NULL DEFAULT '',
    ADD COLUMN target        timestamptz,
    ADD COLUMN runs_on       boolean NOT NULL DEFAULT false,
    ADD COLUMN progressed_at timestamptz,
    ADD CONSTRAINT sandbox_clocks_advance CHECK ((advance_job IS NULL) = (target IS NULL) AND (advance_job IS NULL) = (progressed_at IS NULL)
        AND (advance_job IS NULL OR stands_at IS NOT NULL));
GRANT UPDATE (advance_job, advance_key, advance_until, target, runs_on, progressed_at) ON sandbox_clocks TO molar_app;

-- An organization sees when its files are due, and their names, which are those of its batches.
CREATE POLICY scope ON sandbox_mail FOR SELECT TO molar_app
    USING (org_id = current_setting('molar.org')::uuid AND mode = current_setting('molar.mode'));
GRANT SELECT (name, due, org_id, mode, network, removed_at) ON sandbox_mail TO molar_app;
