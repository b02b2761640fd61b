package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
)

type deliveries struct{ *tx }

// The keys of queued writes that change the deliveries of an event or of an endpoint.
type (
	queuedOf  billing.EventID
	queuedFor billing.WebhookEndpointID
)

// call calls a lane once after the commit. The zero ID is no lane.
func (t *tx) call(scope billing.Scope, endpoint billing.WebhookEndpointID) {
	if !endpoint.IsZero() && !slices.ContainsFunc(t.staged, func(j jobs.Job) bool { return j.Kind == jobs.KindWebhook && j.Subject == endpoint }) {
		t.staged = append(t.staged, lane(scope, endpoint))
	}
}

func lane(scope billing.Scope, endpoint billing.WebhookEndpointID) jobs.Job {
	return jobs.Job{ID: billing.NewID[billing.JobID](billing.RealAt(time.Now())), Kind: jobs.KindWebhook, Scope: scope, Subject: endpoint}
}

// newDeliveryID is the SQL for the ID of each inserted row. The first half of the first
// parameter supplies the time in the ID. The rest is random.
const newDeliveryID = "(left($1::uuid::text, 18) || right(gen_random_uuid()::text, 18))::uuid"

const fanOutOne = `
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)
SELECT ` + newDeliveryID + `, org_id, mode, id, $4, $5, $6, $6
FROM webhook_endpoints
WHERE org_id = $2 AND mode = $3 AND status = 'enabled' AND (event_types IS NULL OR $5 = ANY (event_types))
RETURNING org_id, mode, endpoint_id`

const fanOutMany = `
INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)
SELECT (left(v.id::text, 18) || right(gen_random_uuid()::text, 18))::uuid, e.org_id, e.mode, e.id, v.event_id, v.event_type, v.at, v.at
FROM json_to_recordset($1) v (id uuid, org_id uuid, mode text, event_id uuid, event_type text, at timestamptz)
JOIN webhook_endpoints e ON e.org_id = v.org_id AND e.mode = v.mode
WHERE e.status = 'enabled' AND (e.event_types IS NULL OR v.event_type = ANY (e.event_types))
RETURNING org_id, mode, endpoint_id`

// fanOut queues an event for every enabled endpoint that subscribes to it. Most scopes
// have no endpoints, and then it writes nothing.
func (t *tx) fanOut(ctx context.Context, scope billing.Scope, e event.Event) error {
	id, at := billing.DeliveryID(e.ID), micro(e.CreatedAt) // a delivery has the time of the event's ID
	return t.push(ctx, write{
		row: queuedOf(e.ID), calls: true, text: fanOutOne, args: []any{id, scope.Org, scope.Mode, e.ID, e.Type, at},
		set: fanOutMany, rows: []row{{"id": id, "org_id": scope.Org, "mode": scope.Mode, "event_id": e.ID, "event_type": e.Type, "at": at}},
	})
}

// Resend queues events again for the enabled endpoints that subscribe to them.
func (r deliveries) Resend(ctx context.Context, f webhook.ResendFilter, now time.Time, limit int) (int, error) {
	if err := r.named(ctx, f.EndpointID, f.EventID); err != nil {
		return 0, err
	}
	text, args := r.count(f, limit)
	if err := r.few(ctx, limit, text, args); err != nil {
		return 0, err
	}
	return r.queueAgain(ctx, now, func(q *query, what string) { q.resent(what, r.scope, f) })
}

// ResendListed queues the events of deliveries again, for the endpoints of the
// deliveries that are enabled and still subscribe to them.
func (r deliveries) ResendListed(ctx context.Context, f webhook.DeliveryFilter, now time.Time, limit int) (int, error) {
	if err := r.named(ctx, f.EndpointID, f.EventID); err != nil {
		return 0, err
	}
	text, args := r.countListed(f, limit)
	if err := r.few(ctx, limit, text, args); err != nil {
		return 0, err
	}
	return r.queueAgain(ctx, now, func(q *query, what string) { q.resentListed(what, r.scope, f) })
}

// few returns an error if the statement counts more than the limit.
func (r deliveries) few(ctx context.Context, limit int, text string, args []any) error {
	var n int
	if err := r.get(ctx, &n, text, args...); err != nil {
		return fmt.Errorf("count the deliveries to resend: %w", err)
	}
	if n > limit {
		var faults billing.Faults
		faults.Add("created_after", billing.FaultTooMany, fmt.Sprintf("At most %d deliveries can be queued at once. Narrow the filter.", limit))
		return faults.Err()
	}
	return nil
}

// queueAgain queues the events v for the endpoints e that the selection returns. To
// keep the order of the events, each is due a microsecond after the previous one.
func (r deliveries) queueAgain(ctx context.Context, now time.Time, selection func(q *query, what string)) (n int, err error) {
	at, first := micro(now), billing.NewID[billing.DeliveryID](transactionClock{ctx, r.tx}.Now())
	q := &query{args: []any{first, at}}
	selection(q, `
SELECT `+newDeliveryID+`, v.org_id, v.mode, e.id, v.id, v.type,
	$2::timestamptz + row_number() OVER (ORDER BY v.created_at, v.id) * interval '1 us', $2
FROM`)
	var called billing.Scope
	var endpoint billing.WebhookEndpointID
	var queued int
	use := func() {
		n += queued
		r.call(called, endpoint)
	}
	err = r.each(ctx, "queue the events to resend", []any{&r.xid, &queued, &called.Org, &called.Mode, &endpoint}, use, `
WITH queued AS (
	INSERT INTO webhook_deliveries (id, org_id, mode, endpoint_id, event_id, event_type, next_attempt_at, created_at)`+q.text("")+`
	RETURNING org_id, mode, endpoint_id
)
SELECT pg_current_xact_id()::text AS xid, count(*) AS queued, org_id, mode, endpoint_id
FROM queued
GROUP BY org_id, mode, endpoint_id`, q.args...)
	return n, err
}

// count counts the deliveries to resend, up to one more than the limit.
func (r deliveries) count(f webhook.ResendFilter, limit int) (string, []any) {
	q := &query{}
	q.resent("SELECT count(*) FROM (\nSELECT FROM", r.scope, f)
	return q.text("LIMIT %\n) resent", limit+1), q.args
}

// countListed counts the deliveries that the filter selects, up to one more than the
// limit.
func (r deliveries) countListed(f webhook.DeliveryFilter, limit int) (string, []any) {
	q := &query{}
	q.ofEndpoints("SELECT count(*) FROM (\nSELECT FROM", "SELECT", r.scope, f)
	return q.text(") d\nWHERE e.status = 'enabled'\nLIMIT %\n) listed", limit+1), q.args
}

// named looks up the endpoint and the event in a filter. It reports an unknown event
// or endpoint before it reports a disabled endpoint.
func (r deliveries) named(ctx context.Context, endpoint billing.WebhookEndpointID, ev billing.EventID) error {
	enabled := true
	if !endpoint.IsZero() {
		e, err := endpoints(r).Get(ctx, endpoint)
		if billing.IsNotFound(err) {
			return billing.NotFound("webhook endpoint", "endpoint_id")
		}
		if err != nil {
			return err
		}
		enabled = e.Status == webhook.EndpointEnabled
	}
	if !ev.IsZero() {
		if _, err := events(r).Get(ctx, ev); err != nil {
			return err
		}
	}
	if !enabled {
		return &billing.Error{Code: billing.CodeConflict, Message: "The webhook endpoint is disabled. Enable it first."}
	}
	return nil
}

// resent selects the events to send again, and the endpoints for each.
func (q *query) resent(what string, in billing.Scope, f webhook.ResendFilter) {
	q.add(what+` events v
JOIN webhook_endpoints e ON e.org_id = v.org_id AND e.mode = v.mode
WHERE v.org_id = % AND v.mode = % AND e.status = 'enabled' AND (e.event_types IS NULL OR v.type = ANY (e.event_types))`, in.Org, in.Mode)
	whereSet(q, "v.id = %", f.EventID)
	whereSet(q, "e.id = %", f.EndpointID)
	q.span("v.created_at", f.CreatedAfter, f.CreatedBefore)
	if f.EventTypes != nil {
		q.where("v.type = ANY (%)", texts(f.EventTypes))
	}
}

// resentListed selects the events of deliveries to resend, and the endpoint for each.
func (q *query) resentListed(what string, in billing.Scope, f webhook.DeliveryFilter) {
	q.ofEndpoints(what, "SELECT DISTINCT event_id", in, f)
	q.add(`
) d
JOIN events v ON v.org_id = e.org_id AND v.mode = e.mode AND v.id = d.event_id
WHERE e.status = 'enabled' AND (e.event_types IS NULL OR v.type = ANY (e.event_types))`)
}

// ofEndpoints selects from the deliveries of each endpoint e. The caller closes the
// subquery.
func (q *query) ofEndpoints(what, each string, in billing.Scope, f webhook.DeliveryFilter) {
	q.add(what+` (
	SELECT id, org_id, mode, status, event_types
	FROM webhook_endpoints
	WHERE org_id = % AND mode = %`, in.Org, in.Mode)
	whereSet(q, "id = %", f.EndpointID)
	q.add("\n) e\nCROSS JOIN LATERAL (\n"+each+`
	FROM webhook_deliveries
	WHERE org_id = % AND mode = % AND endpoint_id = e.id`, in.Org, in.Mode)
	f.EndpointID = billing.WebhookEndpointID{}
	q.deliveries(f)
}

// deliveries adds the conditions of the filter. The index on the state has only
// deliveries that are not delivered, and the condition is worded like it.
func (q *query) deliveries(f webhook.DeliveryFilter) {
	whereSet(q, "endpoint_id = %", f.EndpointID)
	whereSet(q, "event_id = %", f.EventID)
	whereSet(q, "event_type = %", f.EventType)
	whereSet(q, "state = %", f.State)
	if f.State != "" && f.State != webhook.DeliveryDelivered {
		q.where("state <> 'delivered'")
	}
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
}

func deliveryFields(d *webhook.Delivery) []field {
	return scoped(&d.ID, &d.Scope, []field{
		{"endpoint_id", &d.EndpointID},
		{"event_id", &d.EventID},
		{"event_type", &d.EventType},
		{"state", &d.State},
		{"next_attempt_at", instant{&d.NextAttemptAt}},
		{"array_to_json(attempts) AS attempts", document{&d.Attempts, "[]"}},
		{"created_at", instant{&d.CreatedAt}},
	})
}

// Get reads a delivery.
func (r deliveries) Get(ctx context.Context, id billing.DeliveryID) (*webhook.Delivery, error) {
	return deliveryTable.get(ctx, r.tx, id, "")
}

// List reads a page of deliveries, newest first.
func (r deliveries) List(ctx context.Context, f webhook.DeliveryFilter, p billing.Page) ([]*webhook.Delivery, error) {
	text, args := r.listed(f, p)
	return deliveryTable.many(ctx, r.tx, "list deliveries", text, args...)
}

// listed reads the deliveries of one endpoint or event from the index on it.
// Otherwise it merges the pages of all endpoints; a scope has few.
func (r deliveries) listed(f webhook.DeliveryFilter, p billing.Page) (string, []any) {
	if !f.EndpointID.IsZero() || !f.EventID.IsZero() {
		q := deliveryTable.of(r.tx)
		q.deliveries(f)
		text := q.page(p)
		return text, q.args
	}
	q := &query{}
	q.ofEndpoints("SELECT d.*\nFROM", "SELECT "+deliveryTable.columns, r.scope, f)
	q.page(p)
	return q.text(") d\nORDER BY d.created_at DESC, d.id DESC\nLIMIT %", p.Limit+1), q.args
}

const forgetDeliveries = `
DELETE FROM webhook_deliveries
WHERE id IN (
	SELECT id
	FROM webhook_deliveries d
	WHERE id < $1 AND id < (SELECT delivery_rows_below($2)) AND (settled_at < $2 OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id)
		OR settled_at IS NOT NULL AND EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = d.org_id AND d.mode = 'test'))
		AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = d.org_id)
	ORDER BY id
	LIMIT ` + forgetBatch + `
)`

// Deliveries removes deliveries that are settled, or whose endpoint was deleted
// while they were queued, a bounded number per call. Their IDs begin with the real
// time of their creation, so the primary key finds them, and only it counts for an
// organization that touched its clock. It leaves those that may go with their month.
func (r forgetter) Deliveries(ctx context.Context, before time.Time) (int, error) {
	before = micro(before)
	return r.do(ctx, "forget deliveries", forgetDeliveries, billing.NewID[billing.DeliveryID](billing.RealAt(before)), before)
}

// monthLook is the number of deliveries that one step looks at before it drops their month:
// it takes as long as to remove a batch of rows.
const monthLook = 20_000

// noMonth says what to do when the default partition is too large to look at under a lock.
const noMonth = "deliveries to come have no month, because webhook_deliveries_default is larger than 64 MB; let the login of the migrations run, when few write: " +
	"SELECT sweep_delivery_months(now(), 1, pg_relation_size('webhook_deliveries_default') + 1)"

// DeliveryMonths makes, looks at or drops a month. COMMIT goes with the statement, so that the
// lock on the deliveries does not wait for this process.
func (r forgetter) DeliveryMonths(ctx context.Context, before time.Time) (removed int, more bool, err error) {
	err = r.last(ctx, []any{&removed, &more, &r.xid},
		"SELECT removed, more, pg_current_xact_id()::text AS xid FROM sweep_delivery_months($1, $2)", micro(before), monthLook)
	if e, ok := errors.AsType[*serverError](err); ok && e.Code == codeProgramLimit {
		return 0, false, errors.New(noMonth)
	}
	if err != nil {
		return 0, false, fmt.Errorf("drop months of deliveries: %w", err)
	}
	return removed, more, nil
}
