package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

type outbox struct{ *tx }

// Stage stores a job. This process leases a job that is due at once, and publishes it
// right after the commit. A job with a time rests until then.
func (r outbox) Stage(ctx context.Context, j jobs.Job) error {
	j = r.identified(ctx, j)
	if j.NotBefore.IsZero() {
		r.staged = append(r.staged, j)
	}
	return r.laterOf(ctx, billing.CheckID(j.Subject), j.ID, stageJob, staging(j, r.scope)...)
}

// identified returns the job with an ID.
func (t *tx) identified(ctx context.Context, j jobs.Job) jobs.Job {
	if j.ID.IsZero() {
		j.ID = billing.NewID[billing.JobID](transactionClock{ctx, t}.Now())
	}
	return j
}

const stageJob = `
INSERT INTO jobs (id, kind, org_id, mode, subject, reply_to, not_before, lease_until)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, now()), CASE WHEN $7 IS NULL THEN now() + $8 * interval '1 us' END)`

// staging are the arguments of stageJob. A job of no organization has the zero ID.
func staging(j jobs.Job, in billing.Scope) []any {
	return []any{
		j.ID, j.Kind, in.Org.UUID(), in.Mode, billing.JobID(j.Subject), j.ReplyTo, optional(j.NotBefore), billing.JobLease.Microseconds(),
	}
}

// Done removes a job.
func (r outbox) Done(ctx context.Context, id billing.JobID) error {
	return r.push(ctx, write{
		row: id, text: "DELETE FROM jobs WHERE org_id = $1 AND mode = $2 AND id = $3", args: []any{r.scope.Org, r.scope.Mode, id},
		set: `
DELETE FROM jobs
USING json_to_recordset($1) AS d (id uuid, org_id uuid, mode text)
WHERE jobs.id = d.id AND jobs.org_id = d.org_id AND jobs.mode = d.mode`,
		rows: []row{{"id": id, "org_id": r.scope.Org, "mode": r.scope.Mode}},
	})
}

// Pending reports whether the job is not done yet.
func (r outbox) Pending(ctx context.Context, id billing.JobID) (there bool, err error) {
	err = r.fetch(ctx, "find job "+id.String(), &there, "SELECT EXISTS (SELECT FROM jobs WHERE org_id = $1 AND mode = $2 AND id = $3)",
		r.scope.Org, r.scope.Mode, id)
	return there, err
}

// Postpone ends the lease and lets the job rest until the given time. Any relay
// may lease it then.
func (r outbox) Postpone(ctx context.Context, id billing.JobID, until time.Time) error {
	return r.push(ctx, write{
		row: id, again: true, text: "UPDATE jobs SET not_before = $4, lease_until = NULL WHERE org_id = $1 AND mode = $2 AND id = $3",
		args: []any{r.scope.Org, r.scope.Mode, id, micro(until)},
		set: `
UPDATE jobs
SET not_before = p.until, lease_until = NULL
FROM json_to_recordset($1) AS p (id uuid, org_id uuid, mode text, until timestamptz)
WHERE jobs.id = p.id AND jobs.org_id = p.org_id AND jobs.mode = p.mode`,
		rows: []row{{"id": id, "org_id": r.scope.Org, "mode": r.scope.Mode, "until": micro(until)}},
	})
}

// anyOutbox stores jobs of the scopes that they name, and of none.
type anyOutbox struct{ *tx }

// Stage stores a job, like that of a scope.
func (r anyOutbox) Stage(ctx context.Context, j jobs.Job) error {
	j = r.identified(ctx, j)
	if j.NotBefore.IsZero() {
		r.staged = append(r.staged, j)
	}
	return r.later(ctx, j.ID, stageJob, staging(j, j.Scope)...)
}

// Done removes a job.
func (r anyOutbox) Done(ctx context.Context, id billing.JobID) error {
	return r.push(ctx, write{
		row: id, text: "DELETE FROM jobs WHERE id = $1", args: []any{id},
		set: "DELETE FROM jobs USING json_to_recordset($1) AS d (id uuid) WHERE jobs.id = d.id", rows: []row{{"id": id}},
	})
}

// Pending reports whether the job is not done yet.
func (r anyOutbox) Pending(ctx context.Context, id billing.JobID) (there bool, err error) {
	err = r.fetch(ctx, "find job "+id.String(), &there, "SELECT EXISTS (SELECT FROM jobs WHERE id = $1)", id)
	return there, err
}

// Postpone ends the lease and lets the job rest until the given time.
func (r anyOutbox) Postpone(ctx context.Context, id billing.JobID, until time.Time) error {
	return r.push(ctx, write{
		row: id, again: true, text: "UPDATE jobs SET not_before = $2, lease_until = NULL WHERE id = $1", args: []any{id, micro(until)},
		set: `
UPDATE jobs
SET not_before = p.until, lease_until = NULL
FROM json_to_recordset($1) AS p (id uuid, until timestamptz)
WHERE jobs.id = p.id`,
		rows: []row{{"id": id, "until": micro(until)}},
	})
}

type jobTable struct{ *tx }

// takeDue skips from stream to stream in the index. It reads the first due jobs of
// each stream, so its cost does not grow with the backlog. A job rests until its
// time. After that, only its lease matters. Each relay skips the jobs that the relay
// of another process is leasing.
const takeDue = `
WITH RECURSIVE ` + allStreams + `, first AS (
	SELECT j.id
	FROM streams s
	CROSS JOIN LATERAL (
		SELECT id, row_number() OVER () AS turn
		FROM (
			(
				SELECT id
				FROM jobs
				WHERE kind = s.kind AND org_id = s.org_id AND mode = s.mode AND lease_until <= now()
				ORDER BY lease_until
				LIMIT $3
			) UNION ALL (
				SELECT id
				FROM jobs
				WHERE kind = s.kind AND org_id = s.org_id AND mode = s.mode AND lease_until IS NULL AND not_before <= $4
				ORDER BY not_before
				LIMIT $3
			)
		) due
	) j
	WHERE (s.kind, s.org_id, s.mode) NOT IN (SELECT * FROM unnest($5::text[], $6::uuid[], $7::text[]))
	ORDER BY turn
	LIMIT $3
), due AS (
	SELECT id
	FROM jobs
	WHERE id = ANY (ARRAY (SELECT id FROM first)) AND (lease_until <= now() OR lease_until IS NULL AND not_before <= $4)
	FOR UPDATE SKIP LOCKED
)` + takeThem

const allStreams = `streams AS (
	(SELECT kind, org_id, mode FROM jobs ORDER BY kind, org_id, mode LIMIT 1)
	UNION ALL
	SELECT next.kind, next.org_id, next.mode
	FROM streams s
	CROSS JOIN LATERAL (
		SELECT kind, org_id, mode
		FROM jobs
		WHERE (kind, org_id, mode) > (s.kind, s.org_id, s.mode)
		ORDER BY kind, org_id, mode
		LIMIT 1
	) next
)`

// anyDue takes a turn, or renews its lease, and reports whether takeDue or callLanes would
// find something. A relay without work asks four times a second.
//
//nolint:gochecknoglobals // a constant, built from the others
var anyDue = "WITH RECURSIVE " + turnTaken + ", " + allStreams + ", " + pendingLanes + `
SELECT ` + turnOf + `,
	EXISTS (
		SELECT
		FROM streams s
		CROSS JOIN LATERAL (
			(SELECT FROM jobs WHERE kind = s.kind AND org_id = s.org_id AND mode = s.mode AND lease_until <= now() LIMIT 1)
			UNION ALL
			(SELECT FROM jobs WHERE kind = s.kind AND org_id = s.org_id AND mode = s.mode AND lease_until IS NULL AND not_before <= now() LIMIT 1)
		) j
	) OR EXISTS (
	SELECT` + renumbered(dueLanes, 3) + `
	) AS due`

// Due takes a turn and looks for work in one message. If the reply to COMMIT is lost, the
// transaction's ID finds the outcome.
func (s *Store) Due(
	ctx context.Context, turn string, holder billing.JobID, lease, pause time.Duration,
) (others time.Duration, due bool, err error) {
	err = s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		return t.last(ctx, []any{&t.xid, microseconds{&others}, &due}, anyDue, turn, holder, lease.Microseconds(), sql.NullTime{}, pause.Microseconds())
	})
	if err != nil {
		return 0, false, fmt.Errorf("look for due jobs: %w", err)
	}
	return others, due, nil
}

// hold leases the jobs whose lease has expired. It returns these and, without a
// transaction ID, the others that are leased: in the statement's snapshot, so that
// one whose lease changes meanwhile is among them.
const hold = `
WITH due AS (
	SELECT id
	FROM jobs
	WHERE id = ANY ($3::uuid[]) AND lease_until <= now()
	FOR UPDATE SKIP LOCKED
), again AS (` + takeThem + `)
SELECT * FROM again
UNION ALL
SELECT id, kind, org_id, mode, subject, reply_to, not_before, ''
FROM jobs
WHERE id = ANY ($3::uuid[]) AND lease_until IS NOT NULL AND id NOT IN (SELECT id FROM again)`

// takeThem leases the jobs that a statement selected.
const takeThem = `
UPDATE jobs
SET leased_at = clock_timestamp(), lease_until = clock_timestamp() + least($1::bigint << least(publishes, 20), greatest($1, $2)) * interval '1 us',
	publishes = publishes + 1
WHERE id = ANY (ARRAY (SELECT id FROM due))
RETURNING id, kind, org_id, mode, subject, reply_to, not_before, pg_current_xact_id()::text AS xid`

// Due leases due jobs.
func (r jobTable) Due(ctx context.Context, now time.Time, lease time.Duration, limit int, full ...jobs.Stream) ([]jobs.Job, error) {
	kinds, orgs, modes := make(pq.StringArray, len(full)), make(pq.StringArray, len(full)), make(pq.StringArray, len(full))
	for i, s := range full {
		kinds[i], orgs[i], modes[i] = string(s.Kind), s.Scope.Org.UUID(), string(s.Scope.Mode)
	}
	_, leased, err := r.take(ctx, takeDue, lease, limit, micro(now), kinds, orgs, modes)
	return leased, err
}

// Hold leases expired ones of the jobs again.
func (r jobTable) Hold(ctx context.Context, ids []billing.JobID, lease time.Duration) (held []billing.JobID, again []jobs.Job, err error) {
	return r.take(ctx, hold, lease, uuids(ids))
}

// take returns the IDs of all rows of a statement, and the jobs that it leased.
func (r jobTable) take(ctx context.Context, query string, lease time.Duration, args ...any) (held []billing.JobID, leased []jobs.Job, err error) {
	var j jobs.Job
	var xid string
	to := []any{&j.ID, &j.Kind, &j.Scope.Org, &j.Scope.Mode, (*billing.JobID)(&j.Subject), &j.ReplyTo, instant{&j.NotBefore}, &xid}
	err = r.each(ctx, "lease due jobs", to, func() {
		held = append(held, j.ID)
		if xid != "" {
			r.xid = xid
			leased = append(leased, j)
		}
	}, query, append([]any{lease.Microseconds(), billing.JobMaxLease.Microseconds()}, args...)...)
	return held, leased, err
}

// Renew extends the leases of jobs.
func (r jobTable) Renew(ctx context.Context, ids []billing.JobID, lease time.Duration) error {
	_, err := r.do(ctx, "renew leases", `
UPDATE jobs
SET leased_at = clock_timestamp(), lease_until = clock_timestamp() + $2 * interval '1 us'
WHERE id = ANY (ARRAY (
	SELECT id FROM jobs WHERE id = ANY ($1::uuid[]) AND lease_until IS NOT NULL FOR UPDATE SKIP LOCKED
))`, uuids(ids), lease.Microseconds())
	return err
}

// Attempt counts an attempt. It returns zero if the job no longer exists.
func (r jobTable) Attempt(ctx context.Context, id billing.JobID, again bool) (n int, err error) {
	err = r.row(ctx, []any{&n, &r.xid}, `
UPDATE jobs
SET attempts = attempts + CASE WHEN $2 AND lease_until > now() THEN 0 ELSE 1 END
WHERE id = $1
RETURNING attempts, pg_current_xact_id()::text AS xid`, id, again)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("count an attempt at job %s: %w", id, err)
	}
	return n, nil
}

// Release ends leases that are older than age.
func (r jobTable) Release(ctx context.Context, age time.Duration) error {
	_, err := r.do(ctx, "release jobs", "UPDATE jobs SET lease_until = now() WHERE lease_until > now() AND leased_at <= now() - $1 * interval '1 us'", age.Microseconds())
	return err
}

// Backlog counts jobs by kind. The table holds only unfinished work, so it is
// small even when a payer is slow.
func (r jobTable) Backlog(ctx context.Context) ([]ports.Backlog, error) {
	var out []ports.Backlog
	var b ports.Backlog
	use := func() { out = append(out, b) }
	err := r.each(ctx, "count jobs", []any{&b.Kind, &b.Jobs, microseconds{&b.Oldest}}, use, `
SELECT kind, count(*) AS jobs,
	coalesce(extract(epoch FROM clock_timestamp() - min(not_before) FILTER (WHERE not_before <= clock_timestamp())) * 1000000, 0)::bigint AS oldest
FROM jobs
GROUP BY kind
ORDER BY kind`)
	return out, err
}
