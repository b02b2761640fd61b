package pgstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
)

// lanes uses two clocks. Leases and calls concern only the processes and use the
// server's clock. Due times use the transaction's time, which the caller passes.
type lanes struct{ *tx }

// Take assigns the lane to the holder. It uses a second statement to read another
// holder. The first statement may have waited for that holder's commit, and does
// not see its row.
func (r lanes) Take(
	ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID, address string, lease time.Duration,
) (taken bool, other string, err error) {
	for {
		n, err := r.exec(ctx, `
UPDATE webhook_endpoints
SET holder = $4, holder_address = $5, lease_until = clock_timestamp() + $6 * interval '1 us'
WHERE org_id = $1 AND mode = $2 AND id = $3 AND (holder IS NULL OR holder = $4 OR lease_until <= now())`,
			r.scope.Org, r.scope.Mode, id, holder, address, lease.Microseconds())
		if err != nil || n == 1 {
			return n == 1, "", laneError(err, "take", id)
		}
		var held bool
		err = r.row(ctx, []any{&held, &other}, `
SELECT holder IS NOT NULL AND lease_until > now() AS held, holder_address
FROM webhook_endpoints
WHERE org_id = $1 AND mode = $2 AND id = $3`, r.scope.Org, r.scope.Mode, id)
		if errors.Is(err, sql.ErrNoRows) {
			return false, "", nil
		}
		if err != nil || held {
			return false, other, laneError(err, "find the holder of", id)
		}
	} // the other holder left the lane in the meantime
}

func laneError(err error, what string, id billing.WebhookEndpointID) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s the lane of webhook endpoint %s: %w", what, id, err)
}

// dueRow is an endpoint, and a delivery with its event if there is one.
type dueRow struct {
	endpoint webhook.Endpoint
	delivery webhook.Delivery
	event    event.Event
}

func dueFields(r *dueRow) []field {
	return append(sealedEndpointFields(&r.endpoint),
		field{"delivery_id", &r.delivery.ID},
		field{"next_attempt_at", instant{&r.delivery.NextAttemptAt}},
		field{"attempts", document{&r.delivery.Attempts, "[]"}},
		field{"queued_at", instant{&r.delivery.CreatedAt}},
		field{"event_id", &r.event.ID},
		field{"type", orNull[event.Type]{&r.event.Type}},
		field{"resource_id", (*billing.JobID)(&r.event.Resource)},
		field{"sequence", orNull[int]{&r.event.Sequence}},
		field{"happened_at", instant{&r.event.CreatedAt}},
		field{"data", &r.event.Data})
}

func (r *dueRow) shipment() webhook.Shipment {
	d, e := &r.delivery, &r.event
	e.Scope = r.endpoint.Scope
	d.Scope, d.EndpointID, d.EventID, d.EventType, d.State = e.Scope, r.endpoint.ID, e.ID, e.Type, webhook.DeliveryPending
	return webhook.Shipment{Delivery: d, Event: e}
}

// due reads the endpoint with its first pending deliveries, whether due or not. OFFSET
// 0 makes the planner look up the event of each delivery instead of reading all
// events.
//
//nolint:gochecknoglobals // a constant, built from the columns
var due = `
SELECT ` + qualified("e", endpointTable.columns+", secret") + `,
	delivery_id, next_attempt_at, attempts, queued_at, event_id, type, resource_id, sequence, happened_at, data
FROM webhook_endpoints e
LEFT JOIN LATERAL (
	SELECT d.id AS delivery_id, d.next_attempt_at, array_to_json(d.attempts) AS attempts, d.created_at AS queued_at, d.event_id
	FROM webhook_deliveries d
	WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = $3 AND d.state = 'pending' AND d.id <> ALL ($4::uuid[])
		AND e.status = 'enabled' AND NOT ` + openRestore + `
	ORDER BY d.next_attempt_at, d.id
	LIMIT $5
) pending ON true
LEFT JOIN LATERAL (
	SELECT v.type, v.resource_id, v.sequence, v.created_at AS happened_at, v.data
	FROM events v
	WHERE v.org_id = $1 AND v.mode = $2 AND v.id = event_id
	OFFSET 0
) event ON true
WHERE e.org_id = $1 AND e.mode = $2 AND e.id = $3
ORDER BY next_attempt_at, delivery_id`

func (r lanes) due(id billing.WebhookEndpointID, limit int, inFlight []billing.DeliveryID) (string, []any) {
	return due, []any{r.scope.Org, r.scope.Mode, id, uuids(inFlight), limit + 1}
}

// Due returns deliveries that are due, and the time of the next one. For that time it
// reads one more delivery. While the circuit is open, it returns nothing until the
// probe is due. It then returns one delivery as the probe, if none is in flight.
func (r lanes) Due(
	ctx context.Context, id billing.WebhookEndpointID, now time.Time, limit int, inFlight []billing.DeliveryID,
) (*webhook.Endpoint, []webhook.Shipment, time.Time, error) {
	text, args := r.due(id, limit, inFlight)
	rows, err := read(ctx, r.tx, "read rows", dueFields, text, args...)
	if err != nil {
		return nil, nil, time.Time{}, laneError(err, "read the due deliveries of", id)
	}
	if len(rows) == 0 {
		return nil, nil, time.Time{}, billing.NotFound("webhook endpoint", "")
	}
	e := r.reveal(ctx, &rows[0].endpoint)
	if rows[0].delivery.ID.IsZero() {
		return e, nil, time.Time{}, nil
	}
	n := 0
	for n < min(limit, len(rows)) && !rows[n].delivery.NextAttemptAt.After(now) {
		n++
	}
	var next time.Time
	if n < len(rows) {
		next = rows[n].delivery.NextAttemptAt
	}
	switch open := e.Health.CircuitUntil; {
	case open.After(now):
		n, next = 0, latest(open, rows[0].delivery.NextAttemptAt)
	case e.Health.Open() && len(inFlight) > 0:
		n, next = 0, time.Time{}
	case e.Health.Open() && n > 0:
		n, next = 1, time.Time{}
	}
	shipments := make([]webhook.Shipment, n)
	for i, row := range rows[:n] {
		shipments[i] = row.shipment()
	}
	return e, shipments, next, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// results is the key of delivery results in the queue of writes.
type results struct{}

// Record stores the results of attempts in one statement. It finds pending deliveries
// by their next attempt, because a search by state could read all pending
// deliveries, and only in the months between the first ID and the last. Two attempts with equal text, including the time in nanoseconds, are
// the same.
func (r lanes) Record(ctx context.Context, tried []*webhook.Delivery) error {
	if len(tried) == 0 {
		return nil
	}
	ids, states, last := make(pq.StringArray, len(tried)), make(pq.StringArray, len(tried)), make(pq.StringArray, len(tried))
	next, settled := make([]sql.NullTime, len(tried)), make([]sql.NullTime, len(tried))
	for i, d := range tried {
		if len(d.Attempts) == 0 {
			return fmt.Errorf("record delivery %s: it has no attempt", d.ID)
		}
		a := d.Attempts[len(d.Attempts)-1]
		if d.State != webhook.DeliveryPending {
			settled[i] = optional(a.At)
		}
		attempt, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("record delivery %s: %w", d.ID, err)
		}
		ids[i], states[i], next[i], last[i] = d.ID.UUID(), string(d.State), optional(d.NextAttemptAt), string(attempt)
	}
	if err := r.recordSuccess(ctx, tried); err != nil {
		return err
	}
	return r.later(ctx, results{}, `
UPDATE webhook_deliveries d
SET state = t.state, next_attempt_at = t.next_attempt_at, attempts = array_append(d.attempts, t.attempt), settled_at = t.settled_at
FROM unnest($3::uuid[], $4::text[], $5::timestamptz[], $6::json[], $7::timestamptz[]) t (id, state, next_attempt_at, attempt, settled_at)
WHERE d.org_id = $1 AND d.mode = $2 AND d.id = ANY ($3::uuid[]) AND d.id BETWEEN $8 AND $9 AND d.id = t.id AND d.next_attempt_at IS NOT NULL
	AND t.attempt::text <> ALL (d.attempts::text[])`,
		r.scope.Org, r.scope.Mode, ids, states, pq.Array(next), last, pq.Array(settled), slices.Min(ids), slices.Max(ids))
}

// recordSuccess stores the time of the last success of each endpoint, at most once a
// second, because successes come by the hundred.
func (r lanes) recordSuccess(ctx context.Context, tried []*webhook.Delivery) error {
	last := map[billing.WebhookEndpointID]webhook.Attempt{}
	for _, d := range tried {
		if a := d.Attempts[len(d.Attempts)-1]; a.Succeeded() && a.At.After(last[d.EndpointID].At) {
			last[d.EndpointID] = a
		}
	}
	for id, a := range last {
		if err := r.later(ctx, id, `
UPDATE webhook_endpoints
SET last_success_at = $4
WHERE org_id = $1 AND mode = $2 AND id = $3 AND url = $5 AND coalesce(last_success_at <= $4::timestamptz - interval '1 s', true)`,
			r.scope.Org, r.scope.Mode, id, micro(a.At), a.URL); err != nil {
			return err
		}
	}
	return nil
}

// RecordHealth stores the health of the endpoint. It may disable the endpoint, but
// never enables it: an operator may have changed the status since the caller read
// it.
func (r lanes) RecordHealth(ctx context.Context, e *webhook.Endpoint) error {
	h := e.Health
	return r.later(ctx, e.ID, `
UPDATE webhook_endpoints
SET failures = $4, failing_since = $5, circuit_until = $6, status = CASE $7 WHEN 'disabled' THEN 'disabled' ELSE status END,
	disabled_reason = CASE $7 WHEN 'disabled' THEN $8 ELSE disabled_reason END
WHERE org_id = $1 AND mode = $2 AND id = $3`,
		r.scope.Org, r.scope.Mode, e.ID, h.Failures, optional(h.FailingSince), optional(h.CircuitUntil), e.Status,
		nonEmpty(string(e.DisabledBy)))
}

// Postpone moves the time of a delivery.
func (r lanes) Postpone(ctx context.Context, id billing.DeliveryID, until time.Time) error {
	return r.later(ctx, id, `
UPDATE webhook_deliveries
SET next_attempt_at = $4
WHERE org_id = $1 AND mode = $2 AND id = $3 AND state = 'pending' AND cardinality(attempts) = 0`, r.scope.Org, r.scope.Mode, id, micro(until))
}

// Leave releases the lane.
func (r lanes) Leave(ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID) error {
	return r.later(ctx, id, `
UPDATE webhook_endpoints
SET holder = NULL, holder_address = '', lease_until = NULL
WHERE org_id = $1 AND mode = $2 AND id = $3 AND holder = $4`, r.scope.Org, r.scope.Mode, id, holder)
}

// callLanes calls lanes without a holder. Each relay skips those that the relay of another process is
// calling. An endpoint of test mode has the time of its organization's clock.
const callLanes = `
WITH RECURSIVE ` + pendingLanes + `, due AS (
	SELECT e.id` + dueLanes + `
	ORDER BY e.called_at NULLS FIRST
	LIMIT $3
	FOR NO KEY UPDATE OF e SKIP LOCKED
)
UPDATE webhook_endpoints e
SET called_at = clock_timestamp()
WHERE e.id = ANY (ARRAY (SELECT id FROM due)) -- a join would read all of the table
RETURNING pg_current_xact_id()::text AS xid, e.org_id, e.mode, e.id AS endpoint_id`

// pendingLanes goes from endpoint to endpoint in the index of pending deliveries, and reads the next one of each: it
// looks at no endpoint that has none.
const pendingLanes = `pending AS (
	(
		SELECT endpoint_id, next_attempt_at
		FROM webhook_deliveries
		WHERE state = 'pending'
		ORDER BY endpoint_id, next_attempt_at, id
		LIMIT 1
	)
	UNION ALL
	SELECT d.endpoint_id, d.next_attempt_at
	FROM pending p
	CROSS JOIN LATERAL (
		SELECT endpoint_id, next_attempt_at
		FROM webhook_deliveries
		WHERE state = 'pending' AND endpoint_id > p.endpoint_id
		ORDER BY endpoint_id, next_attempt_at, id
		LIMIT 1
	) d
)`

// dueLanes has the real time $1, or that of the transaction.
const dueLanes = `
	FROM pending p
	JOIN webhook_endpoints e ON e.id = p.endpoint_id
	LEFT JOIN sandbox_clocks c ON c.org_id = e.org_id AND e.mode = 'test'
	CROSS JOIN LATERAL (SELECT coalesce(` + clockTime + `, $1, now()) AS now) clock
	WHERE NOT ` + openRestore + ` AND p.next_attempt_at <= clock.now AND e.status = 'enabled' AND coalesce(e.circuit_until <= clock.now, true)
		AND coalesce(e.lease_until <= now(), true) AND coalesce(e.called_at <= now() - $2 * interval '1 us', true)`

// Lanes calls lanes that are due, longest waiting first.
func (r jobTable) Lanes(ctx context.Context, now time.Time, pause time.Duration, limit int) ([]jobs.Job, error) {
	var out []jobs.Job
	var called billing.Scope
	var endpoint billing.WebhookEndpointID
	err := r.each(ctx, "call lanes", []any{&r.xid, &called.Org, &called.Mode, &endpoint}, func() {
		out = append(out, lane(called, endpoint))
	}, callLanes, micro(now), pause.Microseconds(), limit)
	return out, err
}
