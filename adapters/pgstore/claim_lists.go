package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// List reads a page of claims, newest first.
func (r claims) List(ctx context.Context, f billing.ClaimFilter, p billing.Page) ([]*billing.Claim, error) {
	q := r.filter(f)
	rows, err := page[claimRow](ctx, r.tx, q, p)
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return values(rows, claimRow.claim)
}

func (r claims) filter(f billing.ClaimFilter) *query {
	q := r.query(claimListColumns, "claims c")
	q.claims(f)
	return q
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
	if !f.SentFrom.IsZero() {
		q.where("sent_at >= %", f.SentFrom.UTC())
	}
	if !f.SentTo.IsZero() {
		// No claim is sent before it is made, so the list begins here.
		q.where("sent_at < % AND created_at < %", f.SentTo.UTC(), f.SentTo.UTC().Add(clockSkew))
	}
	if !f.SentFrom.IsZero() || !f.SentTo.IsZero() {
		q.where("sent_at IS NOT NULL AND frequency <> 'void'")
	}
}
