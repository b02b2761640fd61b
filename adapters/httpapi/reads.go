package httpapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// pathID returns an ID in the path. A malformed ID becomes the zero ID, which no
// resource has. So it is reported as not found, and only after any earlier error.
func pathID[T billing.ID[K], K billing.Kind](x *exchange, name string) T {
	id, _ := billing.ParseID[T, K](x.params.Params(name))
	return id
}

// pathText returns a text of the caller's own in the path, which may have any characters.
func pathText(x *exchange, name string) string {
	text, err := url.PathUnescape(x.params.Params(name))
	if err != nil {
		return x.params.Params(name) // nothing has it
	}
	return text
}

func attachmentID(x *exchange) billing.AttachmentID { return pathID[billing.AttachmentID](x, "id") }
func documentID(x *exchange) billing.DocumentID     { return pathID[billing.DocumentID](x, "doc_id") }
func claimID(x *exchange) billing.ClaimID           { return pathID[billing.ClaimID](x, "id") }
func fileID(x *exchange) billing.FileID             { return pathID[billing.FileID](x, "id") }
func eraID(x *exchange) billing.ERAID               { return pathID[billing.ERAID](x, "id") }
func payerRequestID(x *exchange) billing.PayerRequestID {
	return pathID[billing.PayerRequestID](x, "id")
}

func endpointID(x *exchange) billing.WebhookEndpointID {
	return pathID[billing.WebhookEndpointID](x, "id")
}

// withoutQuery is an operation without parameters in its query.
func withoutQuery(handle func(*exchange) (*reply, error)) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		if err := x.query().end().Err(); err != nil {
			return nil, err
		}
		return handle(x)
	}
}

// getting is a GET of the resource that the path names.
func getting[ID billing.ID[K], T, J any, K billing.Kind](
	get func(context.Context, billing.Scope, ID) (T, error), shape func(T) J,
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) { return read(x, get, pathID[ID, K](x, "id"), shape) }
}

// paging is a GET of a list without filters.
func paging[T, J any](
	a *api, name string,
	list func(context.Context, billing.Scope, billing.Page) ([]T, *billing.Position, error), shape func(T) J,
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) { return unfiltered(a, x, name, list, shape) }
}

// ordering is paging that takes order=asc, for the oldest first.
func ordering[T, J any](
	a *api, name string,
	list func(context.Context, billing.Scope, billing.Page) ([]T, *billing.Position, error), shape func(T) J,
) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) {
		q := x.query()
		return listed(a, x, q, q.bindOrdered(name, x.call.Scope), struct{}{}, anyOf(list), shape)
	}
}

// read replies with the resource that has the ID, in its shape.
func read[ID, T, J any](
	x *exchange, get func(context.Context, billing.Scope, ID) (T, error), id ID, shape func(T) J,
) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	found, err := get(x.ctx, x.call.Scope, id)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: shape(found)}, nil
}

// listed replies with a page of the list that the filter selects. It reads the last
// parameters of the query.
func listed[Filter, T, J any](
	a *api, x *exchange, q *query, l list, f Filter,
	read func(context.Context, billing.Scope, Filter, billing.Page) ([]T, *billing.Position, error), shape func(T) J,
) (*reply, error) {
	if x.prefersTable() {
		return asTable(a, x, q, l, f, read, shape)
	}
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l), Oldest: l.oldest}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, next, err := read(x.ctx, x.call.Scope, f, p)
	if err != nil {
		return nil, err
	}
	return page(found, shape, a.cursors.encode(l, next)), nil
}

// whole replies with a list that is read at once, and has no pages. It reads the last parameters
// of the query.
func whole[T, J any](a *api, x *exchange, q *query, name string, list func(context.Context, billing.Scope) ([]T, error), shape func(T) J) (*reply, error) {
	all := func(ctx context.Context, scope billing.Scope, _ struct{}, _ billing.Page) ([]T, *billing.Position, error) {
		found, err := list(ctx, scope)
		return found, nil, err
	}
	if x.prefersTable() {
		return asTable(a, x, q, q.bind(name, x.call.Scope, "limit", "cursor"), struct{}{}, all, shape)
	}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, err := list(x.ctx, x.call.Scope)
	if err != nil {
		return nil, err
	}
	return page(found, shape, nil), nil
}

// wholly is a GET of a list that is read at once, without parameters but those of files.
func wholly[T, J any](a *api, name string, list func(context.Context, billing.Scope) ([]T, error), shape func(T) J) func(*exchange) (*reply, error) {
	return func(x *exchange) (*reply, error) { return whole(a, x, x.query(), name, list, shape) }
}

// unfiltered replies with a page of a list without filters.
func unfiltered[T, J any](
	a *api, x *exchange, name string,
	read func(context.Context, billing.Scope, billing.Page) ([]T, *billing.Position, error), shape func(T) J,
) (*reply, error) {
	q := x.query()
	return listed(a, x, q, q.bind(name, x.call.Scope, "limit", "cursor"), struct{}{}, anyOf(read), shape)
}

// anyOf returns the read of a list without filters as one that takes none.
func anyOf[T any](
	read func(context.Context, billing.Scope, billing.Page) ([]T, *billing.Position, error),
) func(context.Context, billing.Scope, struct{}, billing.Page) ([]T, *billing.Position, error) {
	return func(ctx context.Context, scope billing.Scope, _ struct{}, p billing.Page) ([]T, *billing.Position, error) {
		return read(ctx, scope, p)
	}
}

// foundJSON is a page of what a search finds.
type foundJSON[T any] struct {
	pageJSON[T]
	Truncated bool `json:"truncated"`
}

// searched replies with a page of what the search of the body finds. The text is in no
// URL and in no cursor: a cursor is only valid with the same text.
func searched[T, J any](
	a *api, x *exchange, name string,
	find func(context.Context, billing.Scope, billing.Search, billing.Page) ([]T, *billing.Position, bool, error), shape func(T) J,
) (*reply, error) {
	var in intake.SearchRequest
	doc := x.document(&in.Faults)
	in.Query, in.Limit = doc.Text("query"), doc.OptionalNumber("limit")
	cursor := doc.OptionalText("cursor")
	doc.End()
	l := list{name: name, scope: x.call.Scope, filters: [][2]string{{"query", in.Query}}}
	what, limit := in.Search()
	p := billing.Page{Limit: limit}
	if cursor != nil {
		p.After = a.cursors.read(l, *cursor, &in.Faults)
	}
	if err := in.Faults.Err(); err != nil {
		return nil, err
	}
	found, next, truncated, err := find(x.ctx, x.call.Scope, what, p)
	if err != nil {
		return nil, err
	}
	body := foundJSON[J]{pageJSON[J]{mapped(found, shape), a.cursors.encode(l, next)}, truncated}
	return &reply{status: http.StatusOK, body: body}, nil
}
