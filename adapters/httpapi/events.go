package httpapi

import (
	"bytes"
	"context"

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
	if ascending {
		return a.tailEvents(x, q, f)
	}
	if _, given := q.text("after"); given {
		q.faults.Add("after", billing.FaultNotAllowed, "after requires order=asc. Add it, or leave out after.")
	}
	l := q.bind("events", x.call.Scope, "limit", "cursor", "order")
	if x.prefersTable() {
		return asTable(a, x, q, l, f, a.events.List, eventRow)
	}
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
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
func (a *api) tailEvents(x *exchange, q *query, f event.Filter) (*reply, error) {
	l := q.bind("events, ascending", x.call.Scope, "limit", "cursor", "order", "after")
	after := id[billing.EventID](q, "after")
	gap := false
	read := func(ctx context.Context, scope billing.Scope, f event.Filter, p billing.Page) (events []*event.Event, next *billing.Position, err error) {
		var more bool
		if p.After != nil {
			events, more, gap, err = a.events.Continue(ctx, scope, f, p.After.ID, p.Limit)
		} else {
			events, more, err = a.events.Tail(ctx, scope, f, after, p.Limit)
		}
		if more {
			at := events[len(events)-1].Position()
			next = &at
		}
		return events, next, err
	}
	if x.prefersTable() {
		return asTable(a, x, q, l, f, read, eventRow)
	}
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	events, next, err := read(x.ctx, x.call.Scope, f, p)
	if err != nil {
		return nil, err
	}
	page := rawPage(events, (*event.Event).JSON, a.cursors.encode(l, next))
	if gap {
		page.raw = append(bytes.TrimSuffix(page.raw, []byte("}\n")), ",\"gap\":true}\n"...)
	}
	return page, nil
}

// eventCells is the row of an event in a file. Its data is JSON in one cell, since its fields depend
// on the type.
type eventCells struct {
	ID        billing.EventID `json:"id"`
	Type      event.Type      `json:"type"`
	Sequence  int             `json:"sequence"`
	CreatedAt string          `json:"created_at"`
	Data      string          `json:"data"`
}

func eventRow(e *event.Event) eventCells {
	return eventCells{e.ID, e.Type, max(e.Sequence, 1), event.Timestamp(e.CreatedAt), string(e.Data)}
}
