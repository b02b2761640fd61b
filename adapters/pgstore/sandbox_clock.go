package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/jobs"
)

type sandboxClock struct{ *tx }

const readClock = `
SELECT (extract(epoch FROM ahead) * 1000000)::bigint AS ahead, stands_at, advance_job, advance_key, advance_until, target, runs_on, progressed_at,
	reset_job, reset_at
FROM sandbox_clocks
WHERE org_id = $1`

// Get reads the clock.
func (r sandboxClock) Get(ctx context.Context) (*sandbox.Clock, error) { return r.read(ctx, readClock) }

func (r sandboxClock) read(ctx context.Context, text string) (*sandbox.Clock, error) {
	var c sandbox.Clock
	var ahead int64 // in microseconds
	var a sandbox.Advance
	var reset sandbox.Reset
	to := []any{&ahead, instant{&c.StandsAt}, &a.Job, &a.Key, &a.Until, instant{&a.Target}, &a.RunsOn, instant{&a.ProgressedAt}}
	to = append(to, &reset.Job, instant{&reset.BeganAt})
	if err := r.row(ctx, to, text, r.scope.Org); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read the sandbox clock: %w", err)
	}
	c.Ahead = time.Duration(ahead) * time.Microsecond
	if !a.Job.IsZero() {
		c.Advance = &a
	}
	if !reset.Job.IsZero() {
		c.Reset = &reset
	}
	return &c, nil
}

// Lock reads the clock, after it has made a row for one that was never touched.
func (r sandboxClock) Lock(ctx context.Context) (*sandbox.Clock, error) {
	if _, err := r.do(ctx, "make the sandbox clock", "INSERT INTO sandbox_clocks (org_id) VALUES ($1) ON CONFLICT DO NOTHING", r.scope.Org); err != nil {
		return nil, err
	}
	return r.read(ctx, readClock+"\n"+forUpdate)
}

const callDue = `
SELECT e.org_id, e.mode, e.id AS endpoint_id
FROM webhook_endpoints e
CROSS JOIN LATERAL (
	SELECT
	FROM webhook_deliveries d
	WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = e.id AND d.state = 'pending' AND d.next_attempt_at <= $3
	ORDER BY d.next_attempt_at, d.id
	LIMIT 1
) waiting
WHERE e.org_id = $1 AND e.mode = $2 AND e.status = 'enabled'`

// The keys in the queue of writes of what is no row of its own.
type (
	calledLanes    struct{}
	closedCircuits struct{}
	fedBatches     struct{}
)

// Put stores the clock. While it stands no circuit is open: each delivery follows its own
// schedule.
func (r sandboxClock) Put(ctx context.Context, c *sandbox.Clock) error {
	a := sandbox.Advance{}
	if c.Advance != nil {
		a = *c.Advance
	}
	reset := sandbox.Reset{}
	if c.Reset != nil {
		reset = *c.Reset
	}
	if err := r.later(ctx, r.scope, `
UPDATE sandbox_clocks
SET ahead = $2 * interval '1 us', stands_at = $3, advance_job = $4, advance_key = $5, advance_until = $6, target = $7, runs_on = $8, progressed_at = $9,
	reset_job = $10, reset_at = $11
WHERE org_id = $1`,
		r.scope.Org, c.Ahead.Microseconds(), optional(c.StandsAt), a.Job, a.Key, a.Until, optional(a.Target), a.RunsOn, optional(a.ProgressedAt),
		reset.Job, optional(reset.BeganAt)); err != nil {
		return err
	}
	if c.StandsAt.IsZero() {
		return nil
	}
	if err := r.later(ctx, closedCircuits{}, `
UPDATE webhook_endpoints
SET circuit_until = NULL
WHERE org_id = $1 AND mode = $2 AND circuit_until IS NOT NULL`, r.scope.Org, r.scope.Mode); err != nil {
		return err
	}
	if err := r.later(ctx, fedBatches{}, `
UPDATE jobs
SET not_before = now()
WHERE org_id = $1 AND mode = $2 AND kind IN ('check_batch', 'status_policy') AND lease_until IS NULL`, r.scope.Org, r.scope.Mode); err != nil {
		return err
	}
	return r.push(ctx, write{row: calledLanes{}, text: callDue, args: []any{r.scope.Org, r.scope.Mode, micro(c.StandsAt)}, calls: true})
}

// dueKind is a kind of work that waits for the clock: the column with its time, a statement
// for the earliest, and one that counts all. Claims are counted by the batches that they will
// be. $1 is the organization, $2 the mode, and $3 the networks of the sandbox.
type dueKind struct{ column, earliest, count string }

// dueWork is the table of everything that waits for the clock of an organization. The name
// of a file of the sandbox says its kind, and begins with that of its batch.
func dueWork() []dueKind {
	const (
		files = `
	FROM sandbox_mail
	WHERE org_id = $1 AND mode = 'test' AND mode = $2 AND removed_at IS NULL AND network = ANY ($3::text[])`
		deliveries = `
FROM webhook_endpoints e
CROSS JOIN LATERAL (
	SELECT d.next_attempt_at, d.id
	FROM webhook_deliveries d
	WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = e.id AND d.state = 'pending'
	ORDER BY d.next_attempt_at, d.id%s
) d
WHERE e.org_id = $1 AND e.mode = $2 AND e.status = 'enabled'`
	)
	return []dueKind{
		{"claims.updated_at", `
SELECT 'batch' AS kind, min(updated_at) AS at, NULL::uuid AS about, payer_id, 0 AS n
FROM claims
WHERE org_id = $1 AND mode = $2 AND state = 'queued' AND batch_id IS NULL AND held IS NULL
GROUP BY payer_id`, ""},
		{"check_batch_items.next_at", `
SELECT 'eligibility_check' AS kind, next_at AS at, batch_id AS about, NULL::uuid AS payer_id, 0 AS n
FROM (
	SELECT next_at, batch_id
	FROM check_batch_items
	WHERE org_id = $1 AND mode = $2 AND next_at IS NOT NULL
	ORDER BY next_at, id
	LIMIT 1
) i`, "SELECT '" + counted + number + `
FROM check_batch_items
WHERE org_id = $1 AND mode = $2 AND next_at IS NOT NULL`},
		{"claims.ask_from", `
SELECT 'claim_status' AS kind, at, id AS about, NULL::uuid AS payer_id, 0 AS n
FROM (
	SELECT c.id, c.at` + dueInquiries + `
	WHERE p.org_id = $1 AND p.mode = $2
	ORDER BY c.at, c.id
	LIMIT 1
) i`, ""},
		{"sandbox_mail.due", `
SELECT CASE WHEN name LIKE '%.835' THEN 'era' WHEN name LIKE '%-request-%' THEN 'payer_request' ELSE 'acknowledgement' END AS kind, due AS at,
	(SELECT b.id FROM batches b WHERE b.name = ` + batchOf + ` AND b.org_id = $1 AND b.mode = $2) AS about,
	NULL::uuid AS payer_id, 0 AS n
FROM (
	SELECT name, due` + files + `
	ORDER BY due, name
	LIMIT 1
) m`, "SELECT '" + counted + number + files},
		{
			"webhook_deliveries.next_attempt_at", "SELECT 'delivery' AS kind, d.next_attempt_at AS at, d.id AS about, NULL::uuid AS payer_id, 0 AS n" +
				fmt.Sprintf(deliveries, "\n\tLIMIT 1"),
			"SELECT '" + counted + number + fmt.Sprintf(deliveries, ""),
		},
	}
}

// The rows of a statement about work that are no kind of it.
const (
	counted = "counted"
	ofJob   = "job "
	number  = "' AS kind, NULL::timestamptz AS at, NULL::uuid AS about, NULL::uuid AS payer_id, count(*) AS n"
)

// jobsUnderWay counts the jobs that an advance waits for. Batches of connections, and files
// that come from them, are outside of the sandbox.
const jobsUnderWay = "SELECT '" + ofJob + "' || j.kind || '" + number + `
FROM jobs j
WHERE org_id = $1 AND mode = $2 AND kind = ANY ($4::text[])
	AND (kind <> 'batch_send' OR EXISTS (SELECT FROM batches b WHERE b.id = j.subject AND b.network = ANY ($3::text[])))
GROUP BY kind`

// workOf returns the statement for the work of an organization.
func workOf(count bool) string {
	all := []string{jobsUnderWay}
	for _, k := range dueWork() {
		all = append(all, k.earliest)
		if count && k.count != "" {
			all = append(all, k.count)
		}
	}
	return strings.Join(all, "\nUNION ALL\n")
}

// Work returns the work that waits for the clock, and the jobs under way, in one snapshot.
func (r sandboxClock) Work(ctx context.Context, networks []string, count bool) (w sandbox.Work, err error) {
	var kinds pq.StringArray
	for _, k := range jobs.Kinds() {
		if k != jobs.KindReceivedFile && k != jobs.KindCheckBatch && k != jobs.KindStatusPolicy && k != jobs.KindTasks && k != jobs.KindAdvance && k != jobs.KindReset && k != jobs.KindWebhook {
			kinds = append(kinds, string(k))
		}
	}
	var kind string
	var at time.Time
	var about billing.JobID
	var payer billing.PayerID
	var n int
	w.Jobs = map[string]int{}
	err = r.each(ctx, "read the work that waits for the sandbox clock", []any{&kind, instant{&at}, &about, &payer, &n}, func() {
		job, isJob := strings.CutPrefix(kind, ofJob)
		switch {
		case isJob:
			w.Jobs[job] = n
		case kind == counted:
			w.Counted += n
		default:
			due := sandbox.DueKind(kind)
			w.Waiting = append(w.Waiting, sandbox.Due{At: at, Kind: due, Resource: aboutDue(due, about), Payer: payer})
		}
	}, workOf(count), r.scope.Org, r.scope.Mode, pq.StringArray(networks), kinds)
	return w, err
}

// aboutDue returns the ID of what work is about, as clients see it.
func aboutDue(kind sandbox.DueKind, id billing.JobID) string {
	switch {
	case id.IsZero():
		return ""
	case kind == sandbox.DueDelivery:
		return billing.DeliveryID(id).String()
	case kind == sandbox.DueStatusInquiry:
		return billing.ClaimID(id).String()
	case kind == sandbox.DueCheck:
		return billing.CheckBatchID(id).String()
	default:
		return billing.FileID(id).String()
	}
}
