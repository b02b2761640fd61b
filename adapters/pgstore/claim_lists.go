package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// List reads a page of claims, newest first. A list is of one kind, or a search
// for a request or a control number: only these have an index in its order.
func (r claims) List(ctx context.Context, f billing.ClaimFilter, p billing.Page) ([]*billing.ClaimRecord, error) {
	few, err := r.fewSent(ctx, f)
	if err != nil {
		return nil, err
	}
	statement := r.walked
	if few {
		statement = r.sorted
	}
	text, args := statement(f, p)
	found, err := r.read(ctx, listed, text, args)
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return found, nil
}

func (r claims) walked(f billing.ClaimFilter, p billing.Page) (string, []any) {
	q := r.query(listed.columns(), "claims c")
	q.claims(f)
	q.inList(f)
	text := q.page(p)
	return text, q.args
}

// clockSkew is how far the clocks of two machines may be apart: one makes a
// claim, another sends it.
const clockSkew = time.Minute

// claims narrows to what the filter lets through.
func (q *query) claims(f billing.ClaimFilter) {
	if f.Kind != "" {
		q.where("kind = %", f.Kind)
	}
	if f.State != "" {
		q.where("state = %", f.State)
	}
	if !f.OfficeID.IsZero() {
		q.where("office_id = %", f.OfficeID)
	}
	if !f.PayerID.IsZero() {
		q.where("payer_id = %", f.PayerID)
	}
	if !f.RequestID.IsZero() {
		q.where("request_id = % AND request_id IS NOT NULL", f.RequestID)
	}
	if f.ControlNumber != "" {
		q.where("control_key = upper(%)", f.ControlNumber)
	}
	q.created(f.CreatedAfter, f.CreatedBefore)
	if !f.SentTo.IsZero() {
		// No claim is sent before it is made, so the list begins here.
		q.where("created_at < %", f.SentTo.UTC().Add(clockSkew))
	}
}

// inList narrows a walk through a list to claims that were first sent in the
// span. A void is what has a parent; said like this, it is not what the index of
// times says, so the planner does not take that one and sort.
func (q *query) inList(f billing.ClaimFilter) {
	if !f.SentFrom.IsZero() || !f.SentTo.IsZero() {
		q.where("parent_id IS NULL")
		q.sent(f)
	}
}

// bySent narrows to claims that were first sent in the span, by the index of
// these times.
func (q *query) bySent(f billing.ClaimFilter) {
	q.where("sent_at IS NOT NULL AND frequency <> 'void'")
	q.sent(f)
}

func (q *query) sent(f billing.ClaimFilter) {
	if !f.SentFrom.IsZero() {
		q.where("sent_at >= %", f.SentFrom.UTC())
	}
	if !f.SentTo.IsZero() {
		q.where("sent_at < %", f.SentTo.UTC())
	}
}

// maxSorted is how many claims of a span are read and sorted for a page, in
// some eight milliseconds. To count them takes two, before every page.
const maxSorted = 10_000

// fewSent reports whether the claims that were sent in the span of the filter
// are so few that they are better sorted than looked for in the list: the list
// is in the order of another time, and those of the span may be anywhere before
// its end.
func (r claims) fewSent(ctx context.Context, f billing.ClaimFilter) (bool, error) {
	if f.Kind == "" || f.SentFrom.IsZero() && f.SentTo.IsZero() || !f.RequestID.IsZero() || f.ControlNumber != "" {
		return false, nil
	}
	text, args := r.countSent(f)
	var n int
	if err := r.get(ctx, &n, text, args...); err != nil {
		return false, fmt.Errorf("count sent claims: %w", err)
	}
	return n <= maxSorted, nil
}

func (r claims) countSent(f billing.ClaimFilter) (string, []any) {
	q := &query{}
	q.add("SELECT count(*) FROM (\n\tSELECT FROM claims WHERE org_id = % AND mode = % AND kind = %", r.scope.Org, r.scope.Mode, f.Kind)
	q.bySent(f)
	return q.text("ORDER BY sent_at\nLIMIT %\n) sent", maxSorted+1), q.args
}

// sorted reads the claims of a span by the time at which they were sent, and
// of those that make the page all columns. OFFSET keeps the planner from
// walking the list after all.
func (r claims) sorted(f billing.ClaimFilter, p billing.Page) (string, []any) {
	q := &query{}
	q.add("SELECT "+listed.columns()+`
FROM claims c
WHERE org_id = % AND mode = % AND id = ANY (ARRAY(
	SELECT id
	FROM (
		SELECT id, created_at FROM claims WHERE org_id = $1 AND mode = $2`, r.scope.Org, r.scope.Mode)
	q.claims(f)
	q.bySent(f)
	q.before("created_at", p)
	text := q.text(`ORDER BY sent_at OFFSET 0
	) sent
	ORDER BY created_at DESC, id DESC
	LIMIT %
))
ORDER BY created_at DESC, id DESC`, p.Limit+1)
	return text, q.args
}
