package pgstore

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// ordering is the order of a list by an expression that an index has, and then by time and ID.
type ordering struct {
	by, time string
	place    func(p *billing.Position) any // the value of the expression there
}

// earliest is the place of a row without a day.
const earliest = "-infinity"

func amountAt(p *billing.Position) any { return p.Order[0] }

func dayAt(p *billing.Position) any {
	if day := time.Unix(p.Order[0], 0).UTC(); day.Year() > 0 {
		return billing.DateOf(day).String()
	}
	return earliest
}

// The orders of lists of claims and of remittances, worded like their indexes.
//
//nolint:gochecknoglobals // constants
var (
	claimOrders = map[claim.Sort]ordering{
		claim.SortService: {"coalesce(first_service_date, '-infinity')", "created_at", dayAt},
		claim.SortCharge:  {"charged", "created_at", amountAt},
		claim.SortOpen:    {openOf, "created_at", amountAt},
	}
	remittanceOrders = map[remit.Sort]ordering{
		remit.SortDate:  {"coalesce(payment_date, '-infinity')", "received_at", dayAt},
		remit.SortTotal: {"((detail -> 'Payment' ->> 'Total')::bigint)", "received_at", amountAt},
	}
)

// page ends the query with a page in this order.
func (o ordering) page(q *query, p billing.Page) string {
	o.before(q, p)
	return q.text(o.turn(p)+"\nLIMIT %", p.Limit+1)
}

// before skips the rows of earlier pages.
func (o ordering) before(q *query, p billing.Page) {
	if p.After != nil {
		q.where("("+o.by+", "+o.time+", id) "+beyond(p)+" (%, %, %)", o.place(p.After), micro(p.After.Time), billing.JobID(p.After.ID))
	}
}

// turn returns the order of the rows on a page.
func (o ordering) turn(p billing.Page) string {
	if p.Oldest {
		return "ORDER BY " + o.by + ", " + o.time + ", id"
	}
	return "ORDER BY " + o.by + " DESC, " + o.time + " DESC, id DESC"
}

// ordered reads a page of claims in the order of the filter. Few claims are sorted; of many, the
// index of the order is walked.
func (r claims) ordered(ctx context.Context, o ordering, f claim.Filter, p billing.Page) ([]*claim.Record, error) {
	f.Open = f.Open || f.Sort == claim.SortOpen
	few, err := r.areFew(ctx, f)
	if err != nil {
		return nil, err
	}
	text, args := r.inOrder(o, f, p, few)
	return r.read(ctx, "list claims in order", listed, text, args)
}

// areFew reports whether the claims of the filter are few enough to sort for a page, as far as an
// index can count them.
func (r claims) areFew(ctx context.Context, f claim.Filter) (bool, error) {
	if f.Single() || f.Figured() {
		return true, nil
	}
	if s, err := r.few(ctx, f); s != nil || err != nil {
		return s != nil, err
	}
	if len(spansOf(f)) > 0 || !wide(f) || len(f.States) == 0 && !f.Overpaid && !f.Changed {
		return false, nil
	}
	counts, err := r.Count(ctx, f)
	total := 0
	for _, c := range counts {
		total += c.Count
	}
	return total <= maxSorted, err
}

func (r claims) inOrder(o ordering, f claim.Filter, p billing.Page, few bool) (string, []any) {
	q := r.query(listed.columns(), "claims c")
	if !few {
		q.claims(f)
		q.inList(f)
		return o.page(q, p), q.args
	}
	if f.Figured() {
		q.add("\n\tAND id = ANY (ARRAY(\n\tSELECT f.claim_id FROM claim_figures f WHERE f.org_id = $1 AND f.mode = $2")
		q.figured(f)
		q.add("\n))")
		return o.page(q, p), q.args
	}
	q.add("\n\tAND id = ANY (ARRAY(\n\tSELECT id FROM claims WHERE org_id = $1 AND mode = $2")
	q.claims(f)
	for _, each := range spansOf(f) {
		each.where(q, f)
	}
	q.add("\n))")
	return o.page(q, p), q.args
}
