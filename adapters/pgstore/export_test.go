package pgstore

import (
	"context"
	"net"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// OpenDialing is Open with sockets of the test's.
func OpenDialing(ctx context.Context, o Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*Store, error) {
	return open(ctx, o, dial)
}

// ListQueries gives the statements of the lists, for EXPLAIN.
type ListQueries struct{ Scope billing.Scope }

// Checks is the statement of Checks.List.
func (l ListQueries) Checks(f billing.CheckFilter, p billing.Page) (string, []any) {
	q := checks{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Recent is the statement of Checks.Recent.
func (l ListQueries) Recent(digest [32]byte, f billing.CheckFilter) (string, []any) {
	q := checks{&tx{scope: l.Scope}}.recent(digest, f.CreatedAfter)
	text := q.text(newest)
	return text, q.args
}

// Attachments is the statement of Attachments.List.
func (l ListQueries) Attachments(f billing.AttachmentFilter, p billing.Page) (string, []any) {
	q := attachments{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Documents is the statement that reads the documents of attachments.
func (l ListQueries) Documents(ids ...billing.AttachmentID) (string, []any) {
	var all []*billing.Attachment
	for _, id := range ids {
		all = append(all, &billing.Attachment{ID: id})
	}
	return documents{&tx{scope: l.Scope}}.of(all)
}

// PayerRequests is the statement of PayerRequests.List.
func (l ListQueries) PayerRequests(f billing.PayerRequestFilter, p billing.Page) (string, []any) {
	q := payerRequests{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Events is the statement of Events.List.
func (l ListQueries) Events(f billing.EventFilter, p billing.Page) (string, []any) {
	q := events{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Tail is the statement of Events.Tail.
func (l ListQueries) Tail(f billing.EventFilter, after billing.EventID, limit int) (string, []any) {
	return events{&tx{scope: l.Scope}}.tail(f, after, limit)
}

// Deliveries is the statement of Deliveries.List.
func (l ListQueries) Deliveries(id billing.WebhookEndpointID, p billing.Page) (string, []any) {
	q := deliveries{&tx{scope: l.Scope}}.filter(id)
	text := q.page(p)
	return text, q.args
}

// Due is the statement of Lanes.Due.
func (l ListQueries) Due(id billing.WebhookEndpointID, limit int, inFlight ...billing.DeliveryID) (string, []any) {
	return lanes{&tx{scope: l.Scope}}.due(id, limit, inFlight)
}

// Resent is the statement that counts what Deliveries.Resend sends.
func (l ListQueries) Resent(f billing.ResendFilter, limit int) (string, []any) {
	return deliveries{&tx{scope: l.Scope}}.count(f, limit)
}

// Record is the statement of Lanes.Record.
func (l ListQueries) Record(ctx context.Context, tried ...*billing.Delivery) (string, []any, error) {
	t := &tx{scope: l.Scope}
	if err := (lanes{t}).Record(ctx, tried); err != nil {
		return "", nil, err
	}
	return t.queue[0].text, t.queue[0].args, nil
}

// FanOut is the statement that queues an event.
func (l ListQueries) FanOut(ctx context.Context, e billing.Event) (string, []any, error) {
	t := &tx{scope: l.Scope}
	if err := t.fanOut(ctx, l.Scope, e); err != nil {
		return "", nil, err
	}
	return t.queue[0].text, t.queue[0].args, nil
}

// CallLanes is the statement of Jobs.Lanes.
func CallLanes(now time.Time, pause time.Duration, limit int) (string, []any) {
	return callLanes, []any{now, pause.Microseconds(), limit}
}
