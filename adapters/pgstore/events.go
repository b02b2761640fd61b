package pgstore

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

type events struct{ *tx }

func eventFields(e *event.Event) []field {
	return scoped(&e.ID, &e.Scope, []field{
		{"type", &e.Type},
		{"resource_id", (*billing.JobID)(&e.Resource)},
		{"sequence", &e.Sequence},
		{"created_at", instant{&e.CreatedAt}},
		{"data", &e.Data},
	})
}

// Append stores an event, and queues it for the endpoints that subscribe to it. The last
// number of the resource's events is in a row of its own, so that it outlives them: the
// insert locks that row and counts on. If events of a transaction have the same time, lists
// and tails sort them by ascending ID.
func (r events) Append(ctx context.Context, e event.Event) error {
	e = r.numbered(ctx, e)
	if last := &r.lastEvent; e.CreatedAt.Equal(last.at) && bytes.Compare(e.ID[:], last.id[:]) <= 0 {
		e.ID = following(last.id)
	}
	r.lastEvent = lastEvent{e.ID, e.CreatedAt}
	r.evidence = rowEvidence("events", e.ID)
	return r.appendTo(ctx, r.of(e.Scope), e)
}

// numbered returns the event with an ID.
func (t *tx) numbered(ctx context.Context, e event.Event) event.Event {
	if e.ID.IsZero() {
		e.ID = billing.NewID[billing.EventID](transactionClock{ctx, t}.Now())
	}
	return e
}

// lastEvent is the latest event of a transaction.
type lastEvent struct {
	id billing.EventID
	at time.Time
}

// following returns the next ID in sort order.
func following(id billing.EventID) billing.EventID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

// The trigger of the table numbers the events, each after the one before in the queue. Data
// is sent as text, which preserves every byte.
const (
	appendEvent = `
INSERT INTO events (id, org_id, mode, type, resource_id, created_at, data)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

	appendEvents = `
INSERT INTO events (id, org_id, mode, type, resource_id, created_at, data)
SELECT e.id, e.org_id, e.mode, e.type, e.resource_id, e.created_at, e.data::json
FROM ROWS FROM (json_to_recordset($1) AS (id uuid, org_id uuid, mode text, type text, resource_id uuid, created_at timestamptz, data text))
	WITH ORDINALITY AS e (id, org_id, mode, type, resource_id, created_at, data, place)
ORDER BY e.place`
)

func (t *tx) appendTo(ctx context.Context, scope billing.Scope, e event.Event) error {
	at, resource, data := micro(e.CreatedAt), billing.JobID(e.Resource), string(e.Data)
	if err := t.push(ctx, write{
		row: e.ID, text: appendEvent, args: []any{e.ID, scope.Org, scope.Mode, e.Type, resource, at, data},
		set: appendEvents, rows: []row{{
			"id": e.ID, "org_id": scope.Org, "mode": scope.Mode, "type": e.Type, "resource_id": resource, "created_at": at, "data": data,
		}},
	}); err != nil {
		return err
	}
	return t.fanOut(ctx, scope, e)
}

// Get reads an event.
func (r events) Get(ctx context.Context, id billing.EventID) (*event.Event, error) {
	return eventTable.get(ctx, r.tx, id, "")
}

func (r events) filter(f event.Filter) *query {
	q := eventTable.of(r.tx)
	q.events(f)
	return q
}

func (q *query) events(f event.Filter) {
	switch len(f.Types) {
	case 0:
	case 1:
		q.where("type = %", f.Types[0])
	default:
		q.where("type = ANY (%::text[])", texts(f.Types))
	}
	if f.Resource != [16]byte{} {
		q.where("resource_id = %", billing.JobID(f.Resource))
	}
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
}

// merged reads the first events of each type and sorts them.
func (r events) merged(f event.Filter, p billing.Page) *query {
	q := eventTable.of(r.tx)
	between := "\n\tAND id = ANY (ARRAY(\nSELECT id FROM (("
	for _, t := range f.Types {
		one := f
		one.Types = []event.Type{t}
		q.add(between + "SELECT id, created_at FROM events WHERE org_id = $1 AND mode = $2")
		q.events(one)
		q.before("created_at", p)
		q.add("\nORDER BY created_at DESC, id DESC\nLIMIT %", p.Limit+1)
		between = ") UNION ALL ("
	}
	q.add(")) merged\nORDER BY created_at DESC, id DESC\nLIMIT %))", p.Limit+1)
	return q
}

// List reads a page of events, newest first.
func (r events) List(ctx context.Context, f event.Filter, p billing.Page) ([]*event.Event, error) {
	if len(f.Types) > 1 && f.Resource == [16]byte{} {
		return eventTable.page(ctx, r.tx, r.merged(f, p), p)
	}
	return eventTable.page(ctx, r.tx, r.filter(f), p)
}

// beginning finds the first transaction that wrote an event created since the given
// time, and starts the tail there. The index of tails has no times, so otherwise
// each call would read the whole history. OFFSET keeps the planner from searching
// that index for the transaction.
func (q *query) beginning(since time.Time) {
	q.where(`xid >= (
		SELECT xid
		FROM (SELECT xid FROM events WHERE org_id = $1 AND mode = $2 AND created_at >= % OFFSET 0) written
		ORDER BY xid
		LIMIT 1)`, since.UTC())
}

func (r events) tail(f event.Filter, after billing.EventID, limit int) (string, []any) {
	q := r.filter(f)
	q.where("xid < pg_snapshot_xmin(pg_current_snapshot())")
	switch {
	case !after.IsZero():
		q.where("(xid, id) > ((SELECT last.xid FROM events last WHERE last.id = %), %)", after, after)
	case !f.CreatedAfter.IsZero():
		q.beginning(f.CreatedAfter)
	}
	text := q.text("ORDER BY xid, id\nLIMIT %", limit+1)
	return text, q.args
}

// Tail reads the next events in the order of transaction IDs. It stops before the
// oldest open transaction, so that later commits have higher IDs than the events
// returned.
func (r events) Tail(ctx context.Context, f event.Filter, after billing.EventID, limit int) ([]*event.Event, error) {
	text, args := r.tail(f, after, limit)
	found, err := eventTable.many(ctx, r.tx, "tail events", text, args...)
	if err == nil && len(found) == 0 && !after.IsZero() {
		if _, err = r.Get(ctx, after); billing.IsNotFound(err) { // no event follows an unknown one
			return nil, r.expired(ctx, after, err)
		}
	}
	return found, err
}

// expired returns the error of an event that is absent: that it is older than all that are
// stored, if it is.
func (r events) expired(ctx context.Context, absent billing.EventID, unknown error) error {
	text, args := r.tail(event.Filter{}, billing.EventID{}, 0)
	oldest, err := eventTable.many(ctx, r.tx, "find the oldest event", text, args...)
	if err != nil || len(oldest) == 0 || !absent.Time().Before(oldest[0].ID.Time()) {
		return cmp.Or(err, unknown)
	}
	return event.Expired(oldest[0].ID)
}
