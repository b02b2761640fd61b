package pgstore

import (
	"context"
	"net"

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
	q := events{&tx{scope: l.Scope}}.filter(f)
	text := q.tail(after, limit)
	return text, q.args
}
