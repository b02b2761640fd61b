-- +goose Up

-- A job rests, without a lease, until its time comes; after that its lease
-- alone counts. So the time of the work and the time of leases are never
-- compared with each other. The release before leases resting jobs until the
-- moment of their staging, and reads an absent lease as one that is over:
-- while both run, a job that it let rest may come early, finds nothing to do
-- yet, and rests again.
ALTER TABLE jobs ALTER COLUMN lease_until DROP NOT NULL;
UPDATE jobs SET lease_until = NULL WHERE not_before > now();
DROP INDEX jobs_due;
