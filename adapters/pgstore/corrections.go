package pgstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

type corrections struct{ *tx }

// maxSiblings bounds the work for a payer that gives every payment the same number.
const maxSiblings = 100

func (r corrections) ofPayment(trace string, date billing.Date) (string, []any) {
	q := eraTable.of(r.tx)
	q.where("trace_number = % AND payment_date IS NOT DISTINCT FROM %::date", trace, date)
	return q.text("ORDER BY arrival DESC\nLIMIT %\n"+forUpdate, maxSiblings), q.args
}

// OfPayment locks a payment, and reads its remittances.
func (r corrections) OfPayment(ctx context.Context, trace string, date billing.Date) ([]*remit.ERA, error) {
	var locked string
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('payment %s %s %s', $1::uuid, $2::text, $3::text), 0))",
		r.scope.Org, r.scope.Mode, trace); err != nil {
		return nil, fmt.Errorf("lock a payment: %w", err)
	}
	text, args := r.ofPayment(trace, date)
	all, err := eraTable.many(ctx, r.tx, "list the remittances of a payment", text, args...)
	slices.Reverse(all)
	return all, err
}

func (r corrections) left(era billing.ERAID, after, limit int) (string, []any) {
	q := remittanceClaimTable.of(r.tx)
	q.where("era_id = % AND ordinal > % AND review <> 'correction'", era, after)
	return q.text("ORDER BY ordinal\nLIMIT %", limit), q.args
}

// Left reads claims of a remittance that are not set aside.
func (r corrections) Left(ctx context.Context, era billing.ERAID, after, limit int) ([]*remit.Claim, error) {
	text, args := r.left(era, after, limit)
	return remittanceClaims(r).read(ctx, era, text, args)
}

func (r corrections) aside(era billing.ERAID, controlNumbers []string, limit int) (string, []any) {
	q := remittanceClaimTable.of(r.tx)
	q.where("era_id = % AND review = 'correction'", era)
	if controlNumbers != nil {
		q.where("control_key = ANY (ARRAY(SELECT upper(n) FROM unnest(%::text[]) n))", pq.StringArray(controlNumbers))
	}
	return q.text("ORDER BY ordinal\nLIMIT %", limit), q.args
}

// Aside reads claims of a remittance that are set aside.
func (r corrections) Aside(ctx context.Context, era billing.ERAID, controlNumbers []string, limit int) ([]*remit.Claim, error) {
	text, args := r.aside(era, controlNumbers, limit)
	return remittanceClaims(r).read(ctx, era, text, args)
}

// Discard finishes the claims of a remittance that are set aside.
func (r corrections) Discard(ctx context.Context, era billing.ERAID) (int, error) {
	return r.do(ctx, "discard the claims of remittance "+era.String(), `
UPDATE era_claims SET status = 'ignored'
WHERE org_id = $1 AND mode = $2 AND era_id = $3 AND review = 'correction' AND status <> 'ignored'`, r.scope.Org, r.scope.Mode, era)
}
