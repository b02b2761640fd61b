package httpapi

import (
	"bytes"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// getEvent handles GET /events/{id}.
func (a *api) getEvent(x *exchange) (*reply, error) {
	id, err := billing.ParseID[billing.EventID](x.params.Params("id"))
	if err != nil {
		return nil, billing.NotFound("event", "")
	}
	e, err := a.events.Get(x.ctx, x.call.Scope, id)
	if err != nil {
		return nil, err
	}
	return rawReply(e.JSON()), nil
}

// listEvents handles GET /events: newest first, or with order=asc the events
// after a given one, for readers that follow them.
func (a *api) listEvents(x *exchange) (*reply, error) {
	q := x.query()
	ascending := oneOf(q, "order", "asc", "desc") == "asc"
	f := event.Filter{
		Types:         someOf(q, "type", event.Types()...),
		Resource:      q.resourceID(),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
	}
	limit := q.limit()
	if ascending {
		return a.tailEvents(x, q, f, limit)
	}
	if _, given := q.text("after"); given {
		q.faults.Add("after", billing.FaultNotAllowed, "after requires order=asc. Add it, or leave out after.")
	}
	l := q.bind("events", x.call.Scope, "limit", "cursor", "order")
	p := billing.Page{Limit: limit, After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	events, next, err := a.events.List(x.ctx, x.call.Scope, f, p)
	if err != nil {
		return nil, err
	}
	return rawPage(events, (*event.Event).JSON, a.cursors.encode(l, next)), nil
}

// tailEvents continues after the cursor, or else after the named event. The
// cursor has the last event of the page. If that one is no longer kept, the page
// has a gap.
func (a *api) tailEvents(x *exchange, q *query, f event.Filter, limit int) (*reply, error) {
	l := q.bind("events, ascending", x.call.Scope, "limit", "cursor", "order", "after")
	after := id[billing.EventID](q, "after")
	p := q.cursor(a.cursors, l)
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	var events []*event.Event
	var more, gap bool
	var err error
	if p != nil {
		events, more, gap, err = a.events.Continue(x.ctx, x.call.Scope, f, p.ID, limit)
	} else {
		events, more, err = a.events.Tail(x.ctx, x.call.Scope, f, after, limit)
	}
	if err != nil {
		return nil, err
	}
	var next *billing.Position
	if more {
		last := events[len(events)-1]
		next = &billing.Position{Time: last.CreatedAt, ID: last.ID}
	}
	page := rawPage(events, (*event.Event).JSON, a.cursors.encode(l, next))
	if gap {
		page.raw = append(bytes.TrimSuffix(page.raw, []byte("}\n")), ",\"gap\":true}\n"...)
	}
	return page, nil
}
