package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// List reads a page of claims, newest first. The filter must select a kind, a request
// or a control number, because only these have an index in that order.
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

// clockSkew is the maximum clock difference between the machine that creates a claim
// and the machine that sends it.
const clockSkew = time.Minute

// claims adds the conditions of the filter.
func (q *query) claims(f billing.ClaimFilter) {
	whereSet(q, "kind = %", f.Kind)
	whereSet(q, "state = %", f.State)
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "request_id = % AND request_id IS NOT NULL", f.RequestID)
	whereSet(q, "control_key = upper(%)", f.ControlNumber)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	if !f.SentTo.IsZero() {
		// No claim is sent before it is created, so skip claims created later.
		q.where("created_at < %", f.SentTo.UTC().Add(clockSkew))
	}
}

// inList restricts a scan of the list to claims that were first sent in the span. A
// void is a claim with a parent. The condition is not worded like the index on
// sent_at, so that the planner does not choose that index and sort.
func (q *query) inList(f billing.ClaimFilter) {
	if !f.SentFrom.IsZero() || !f.SentTo.IsZero() {
		q.where("parent_id IS NULL")
		q.span("sent_at", f.SentFrom, f.SentTo)
	}
}

// bySent restricts a query to claims that were first sent in the span. It uses the
// index on sent_at.
func (q *query) bySent(f billing.ClaimFilter) {
	q.where("sent_at IS NOT NULL AND frequency <> 'void'")
	q.span("sent_at", f.SentFrom, f.SentTo)
}

// maxSorted is the maximum number of claims that are sorted for a page. Reading and
// sorting them takes about eight milliseconds. Counting them, before every page,
// takes two.
const maxSorted = 10_000

// fewSent reports whether the claims sent in the filter's span are few enough to
// sort. The alternative is a scan of the list, which is in order of creation. The
// claims of the span may be anywhere in it, so the scan may be long.
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

// sorted reads the claims of a span and sorts them. It reads all columns only for the
// claims on the page. OFFSET keeps the planner from scanning the list.
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
