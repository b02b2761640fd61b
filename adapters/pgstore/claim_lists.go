package pgstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// List reads a page of claims. The filter must select a kind or be
// Single, because only these have an index in that order.
func (r claims) List(ctx context.Context, f claim.Filter, p billing.Page) ([]*claim.Record, error) {
	if o, ok := claimOrders[f.Sort]; ok {
		return r.ordered(ctx, o, f, p)
	}
	if f.Figured() {
		text, args := r.ofReports(f, p)
		return r.read(ctx, "list claims by their figures", listed, text, args)
	}
	few, err := r.few(ctx, f)
	if err != nil {
		return nil, err
	}
	var text string
	var args []any
	switch {
	case few != nil:
		text, args = r.sorted(*few, f, p)
	case len(f.States) > 1 && wide(f) || ofMoney(f):
		text, args = r.merged(f, p)
	default:
		text, args = r.walked(f, p)
	}
	return r.read(ctx, "list claims", listed, text, args)
}

func (r claims) walked(f claim.Filter, p billing.Page) (string, []any) {
	q := r.query(listed.columns(), "claims c")
	q.claims(f)
	q.inList(f)
	text := q.page(p)
	return text, q.args
}

// clockSkew is the maximum clock difference between the machine that creates a claim
// and the machine that sends it.
const clockSkew = time.Minute

// claims adds the conditions of the filter, except those of spans and batches.
func (q *query) claims(f claim.Filter) {
	whereSet(q, "kind = %", f.Kind)
	switch len(f.States) {
	case 0:
	case 1:
		q.where("state = %", f.States[0])
	default:
		q.where("state = ANY (%::text[])", texts(f.States))
	}
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "patient_id = % AND patient_id IS NOT NULL", f.PatientID)
	whereSet(q, "request_id = % AND request_id IS NOT NULL", f.RequestID)
	whereSet(q, "estimate_id = %", f.EstimateID)
	whereSet(q, "control_key = upper(%)", f.ControlNumber)
	if f.Open {
		q.where(openOf + " <> 0")
	}
	if f.Overpaid {
		q.where(openOf + " < 0 AND " + openOf + " + accepted_sum < 0")
	}
	if f.Changed {
		q.where(paymentChanged)
	}
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	if !f.SentTo.IsZero() {
		// No claim is sent before it is created, so skip claims created later.
		q.where("created_at < %", f.SentTo.UTC().Add(clockSkew))
	}
}

// ofPatient adds a condition on the claims of a patient, if there is one. The condition
// has % for them.
func (q *query) ofPatient(condition string, patient billing.PatientID) {
	claims := "SELECT id FROM claims WHERE org_id = $1 AND mode = $2 AND patient_id = % AND patient_id IS NOT NULL"
	whereSet(q, strings.Replace(condition, "%", claims, 1), patient)
}

// inList restricts a scan of the list to the spans of the filter. The conditions are
// not worded like the indexes on those columns, so that the planner does not choose
// these and sort. A void is a claim with a parent.
func (q *query) inList(f claim.Filter) {
	if sent(f) {
		q.where("parent_id IS NULL")
		q.span("sent_at", f.SentFrom, f.SentTo)
	}
	q.served(f)
}

func (q *query) served(f claim.Filter) {
	whereSet(q, "first_service_date >= %", f.ServiceFrom)
	whereSet(q, "first_service_date <= %", f.ServiceTo)
}

// sent reports whether the filter has a span of times of sending, served whether it
// has one of days of service.
func sent(f claim.Filter) bool   { return !f.SentFrom.IsZero() || !f.SentTo.IsZero() }
func served(f claim.Filter) bool { return !f.ServiceFrom.IsZero() || !f.ServiceTo.IsZero() }

// ofMoney reports whether the indexes of claims with such money, by state, are the best for
// the filter.
func ofMoney(f claim.Filter) bool { return (f.Open || f.Overpaid || f.Changed) && !f.Single() }

// paymentChanged is Claim.PaymentChanged, worded like the index of these claims.
const paymentChanged = "(state = 'reconciled' AND settled_at > reconciled_at OR state = 'accepted_payer' AND kind = 'claim' AND frequency <> 'void' AND standing IS NULL AND settled_at IS NOT NULL)"

// openOf is Claim.Open, worded like the indexes of the claims with an open amount.
const openOf = "open_of(kind, frequency, state, charged, standing, elsewhere + accepted_sum)"

// wide reports whether the index of states is the best for the filter.
func wide(f claim.Filter) bool {
	return !f.Single() && f.OfficeID.IsZero() && f.PayerID.IsZero() && !sent(f) && !served(f)
}

// span selects claims by a column that has an index of its own.
type span struct {
	column string
	where  func(q *query, f claim.Filter)
}

// bySent selects claims that were first sent in the span, byService those with their
// first service in it, byBatch those of a batch. Other conditions of the filter that
// the index lacks are compared in the table.
//
//nolint:gochecknoglobals // constants
var (
	bySent = span{"sent_at", func(q *query, f claim.Filter) {
		q.where("sent_at IS NOT NULL AND frequency <> 'void'")
		q.span("sent_at", f.SentFrom, f.SentTo)
	}}
	byService = span{"first_service_date", func(q *query, f claim.Filter) {
		q.where("kind = 'claim'")
		q.served(f)
	}}
	byBatch = span{"batch_id", func(q *query, f claim.Filter) { q.where("batch_id = %", f.BatchID) }}
)

// maxSorted is the maximum number of claims that are sorted for a page. Reading and
// sorting them takes about eight milliseconds. Counting them, before every page,
// takes two.
const maxSorted = 10_000

// spansOf returns the spans that the filter names.
func spansOf(f claim.Filter) (all []span) {
	if !f.BatchID.IsZero() {
		all = append(all, byBatch)
	}
	if sent(f) {
		all = append(all, bySent)
	}
	if served(f) {
		all = append(all, byService)
	}
	return all
}

// few returns the span of the filter with few enough claims to sort, or nil. The
// alternative is a scan of the list, which is in order of creation. The claims of the
// span may be anywhere in it, so the scan may be long. A batch is never large.
func (r claims) few(ctx context.Context, f claim.Filter) (*span, error) {
	for _, s := range spansOf(f) {
		if s.column == byBatch.column {
			return &s, nil
		}
		if f.Single() || f.Kind == "" {
			return nil, nil
		}
		text, args := r.countIn(s, f)
		var n int
		if err := r.get(ctx, &n, text, args...); err != nil {
			return nil, fmt.Errorf("count claims by %s: %w", s.column, err)
		}
		if n <= maxSorted {
			return &s, nil
		}
	}
	return nil, nil
}

func (r claims) countIn(s span, f claim.Filter) (string, []any) {
	q := &query{}
	q.add("SELECT count(*) FROM (\n\tSELECT FROM claims WHERE org_id = % AND mode = % AND kind = %", r.scope.Org, r.scope.Mode, f.Kind)
	s.where(q, f)
	return q.text("ORDER BY "+s.column+"\nLIMIT %\n) few", maxSorted+1), q.args
}

// sorted reads the claims of a span and sorts them. OFFSET keeps the planner from
// scanning the list.
func (r claims) sorted(s span, f claim.Filter, p billing.Page) (string, []any) {
	return r.chosen(p, func(q *query) {
		q.add(claimKeys)
		q.claims(f)
		for _, each := range spansOf(f) {
			each.where(q, f)
		}
		q.before("created_at", p)
		q.add("\nORDER BY " + s.column + " OFFSET 0")
	})
}

// merged reads the first claims of each state of the filter, or of all, and sorts them.
func (r claims) merged(f claim.Filter, p billing.Page) (string, []any) {
	if len(f.States) == 0 {
		f.States = claim.States()
	}
	return r.chosen(p, func(q *query) {
		between := "("
		for _, state := range f.States {
			one := f
			one.States = []claim.State{state}
			q.add(between + claimKeys)
			q.claims(one)
			q.inList(one)
			q.before("created_at", p)
			q.add("\n"+turn("created_at", p)+"\nLIMIT %", p.Limit+1)
			between = ") UNION ALL ("
		}
		q.add(")")
	})
}

// Search reads claims by control number, member ID or patient.
func (r claims) Search(
	ctx context.Context, s billing.Search, patients []billing.PatientID, p billing.Page,
) (found []*claim.Record, more bool, err error) {
	var started []billing.ClaimID
	if s.Starts() {
		text, args := r.started(s)
		if started, err = columnOf[billing.ClaimID](ctx, r.tx, "search claims by the start of a number", text, args...); err != nil {
			return nil, false, err
		}
	}
	if more = len(started) > maxStarted; more {
		started = started[:maxStarted]
	}
	text, args := r.search(s, started, patients, p)
	found, err = r.read(ctx, "search claims", listed, text, args)
	return found, more, err
}

// maxStarted is the maximum number of claims that are found by the start of a number.
const maxStarted = 200

// started reads the claims with a longer number that begins with that of a search.
func (r claims) started(s billing.Search) (string, []any) {
	q := &query{}
	q.add("SELECT id FROM (\n(SELECT id FROM claims WHERE org_id = % AND mode = % AND control_key <> upper(%)", r.scope.Org, r.scope.Mode, s.Number)
	q.number("control_key", s)
	q.add("\nORDER BY control_key COLLATE \"C\"\nLIMIT %)", maxStarted+1)
	q.add("\nUNION\n(SELECT id FROM claims WHERE org_id = $1 AND mode = $2 AND member_key IS NOT NULL AND member_key <> upper(%)", s.Number)
	q.number("member_key", s)
	q.add("\nORDER BY member_key COLLATE \"C\", created_at DESC, id DESC\nLIMIT %)\n) started", maxStarted+1)
	return q.text("LIMIT %", maxStarted+1), q.args
}

// search reads the first claims with each number and of each patient, and sorts them.
func (r claims) search(s billing.Search, started []billing.ClaimID, patients []billing.PatientID, p billing.Page) (string, []any) {
	return r.chosen(p, func(q *query) {
		first := func(condition string, args ...any) {
			q.add("(SELECT c.id, c.created_at FROM claims c WHERE c.org_id = $1 AND c.mode = $2")
			q.where(condition, args...)
			q.before("created_at", p)
			q.add("\nORDER BY created_at DESC, id DESC\nLIMIT %)", p.Limit+1)
		}
		first("control_key = upper(%)", s.Number)
		q.add(" UNION ")
		first(`member_key COLLATE "C" = upper(%) AND member_key IS NOT NULL`, s.Number)
		q.add(" UNION ")
		first("id = ANY (%::uuid[])", pq.Array(started))
		q.add(" UNION SELECT of.id, of.created_at FROM unnest(%::uuid[]) patient (id) CROSS JOIN LATERAL ", pq.Array(patients))
		first("patient_id = patient.id AND patient_id IS NOT NULL")
		q.add(" of")
	})
}

const claimKeys = "SELECT id, created_at FROM claims WHERE org_id = $1 AND mode = $2"

// chosen reads the first claims of a page among those that choose selects by claimKeys.
// It reads all columns only for the claims on the page.
func (r claims) chosen(p billing.Page, choose func(q *query)) (string, []any) {
	q := &query{}
	q.add("SELECT "+listed.columns()+`
FROM claims c
WHERE org_id = % AND mode = % AND id = ANY (ARRAY(
	SELECT id
	FROM (
		`, r.scope.Org, r.scope.Mode)
	choose(q)
	order := turn("created_at", p)
	text := q.text(") chosen\n\t"+order+"\n\tLIMIT %\n))\n"+order, p.Limit+1)
	return text, q.args
}

// maxCounted is the maximum number of claims that are counted together, for filters
// that the index of states does not serve.
const maxCounted = 100_000

// Count counts the claims of each state.
func (r claims) Count(ctx context.Context, f claim.Filter) (map[claim.State]claim.ClaimCount, error) {
	if len(f.States) == 0 {
		f.States = claim.States()
	}
	count, each := r.countTogether, wide(f) || ofMoney(f) && len(spansOf(f)) == 0
	switch {
	case f.Figured():
		count, each = r.countOfReports, false
	case each:
		count = r.countEach
	}
	text, args := count(f)
	counted, total := map[claim.State]int{}, 0
	var state claim.State
	var n int
	if err := r.each(ctx, "count claims", []any{&state, &n}, func() {
		counted[state] = n
		total += n
	}, text, args...); err != nil {
		return nil, err
	}
	counts := map[claim.State]claim.ClaimCount{}
	for _, state := range f.States {
		n := counted[state]
		counts[state] = claim.ClaimCount{Count: min(n, claim.MaxClaimCount), More: n > claim.MaxClaimCount || !each && total > maxCounted}
	}
	return counts, nil
}

// countEach counts the claims of each state up to the maximum.
func (r claims) countEach(f claim.Filter) (string, []any) {
	q := &query{}
	between := ""
	for i, state := range f.States {
		one := f
		one.States = []claim.State{state}
		if i == 0 {
			q.add("SELECT state, count(*) FROM (\n\tSELECT state FROM claims WHERE org_id = % AND mode = %", r.scope.Org, r.scope.Mode)
		} else {
			q.add(between + "SELECT state, count(*) FROM (\n\tSELECT state FROM claims WHERE org_id = $1 AND mode = $2")
		}
		q.claims(one)
		q.add("\nLIMIT %\n) counted GROUP BY state", claim.MaxClaimCount+1)
		between = "\nUNION ALL "
	}
	return q.text(""), q.args
}

// countTogether counts the claims of the filter in one pass.
func (r claims) countTogether(f claim.Filter) (string, []any) {
	q := &query{}
	q.add("SELECT state, count(*) FROM (\n\tSELECT state FROM claims WHERE org_id = % AND mode = %", r.scope.Org, r.scope.Mode)
	q.claims(f)
	for _, each := range spansOf(f) {
		each.where(q, f)
	}
	return q.text("LIMIT %\n) counted\nGROUP BY state", maxCounted+1), q.args
}

// Owed sums what a patient owes. Of the claims to several payers for the same services, the
// first one stands for all.
func (r claims) Owed(ctx context.Context, id billing.PatientID) (owed billing.Money, err error) {
	text, args := r.owed(id)
	err = r.each(ctx, "sum what a patient owes", []any{&owed}, func() {}, text, args...)
	return owed, err
}

func (r claims) owed(id billing.PatientID) (string, []any) {
	return `
SELECT coalesce(sum(greatest(0, m.patient + m.billed - coalesce(greatest(
	(c.details ->> 'PatientPaid')::bigint, (two.details ->> 'PatientPaid')::bigint, (three.details ->> 'PatientPaid')::bigint), 0))), 0)::bigint
FROM claims c
LEFT JOIN claims two ON two.org_id = $1 AND two.mode = $2 AND two.id = c.secondary_id
LEFT JOIN claims three ON three.org_id = $1 AND three.mode = $2 AND three.id = two.secondary_id
CROSS JOIN LATERAL money_together(money_of(c), CASE WHEN two.id IS NOT NULL THEN money_of(two) END, CASE WHEN three.id IS NOT NULL THEN money_of(three) END) m
WHERE c.org_id = $1 AND c.mode = $2 AND c.patient_id = $3 AND c.patient_id IS NOT NULL AND c.secondary_to IS NULL`, []any{r.scope.Org, r.scope.Mode, id}
}
