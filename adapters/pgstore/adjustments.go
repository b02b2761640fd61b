package pgstore

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

type adjustments struct{ *tx }

// ofPayer selects the remittances of a payer: by its entry in the directory, or by its name
// when it has none.
const ofPayer = "(e.payer_id = % OR e.payer_id IS NULL AND %::uuid IS NULL AND upper(e.stated_payer) = upper(%))"

func (r adjustments) named(payer remit.Source, numbers []string) (string, []any) {
	all := pq.StringArray(numbers)
	q := &query{}
	q.add(`SELECT n AS number, c.id
FROM unnest(%::text[]) n JOIN claims c ON c.control_key = upper(n) AND c.org_id = % AND c.mode = %
UNION
SELECT n, c.id
FROM unnest(%::text[]) n JOIN claims c ON c.submitted_number = upper(n) AND c.submitted_number <> '' AND c.org_id = % AND c.mode = %
UNION
SELECT n, c.id
FROM unnest(%::text[]) n JOIN claims c ON c.payer_claim_number = n AND c.payer_claim_number <> '' AND c.org_id = % AND c.mode = %
WHERE c.payer_id = %
UNION
SELECT n, r.claim_id
FROM unnest(%::text[]) n
JOIN era_claims r ON r.payer_number = n AND r.payer_number <> '' AND r.status = 'applied' AND r.org_id = % AND r.mode = %
JOIN eras e ON e.id = r.era_id AND `+ofPayer,
		all, r.scope.Org, r.scope.Mode, all, r.scope.Org, r.scope.Mode, all, r.scope.Org, r.scope.Mode, payer.Payer.ID,
		all, r.scope.Org, r.scope.Mode, payer.Payer.ID, payer.Payer.ID, payer.PayerName)
	return q.text(""), q.args
}

// Named finds claims by their numbers.
func (r adjustments) Named(ctx context.Context, payer remit.Source, numbers []string) (map[string][]billing.ClaimID, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var rows []struct {
		Number string          `db:"number"`
		ID     billing.ClaimID `db:"id"`
	}
	text, args := r.named(payer, numbers)
	if err := r.list(ctx, &rows, text, args...); err != nil {
		return nil, fmt.Errorf("find the claims that provider adjustments name: %w", err)
	}
	all := map[string][]billing.ClaimID{}
	for _, row := range rows {
		all[row.Number] = append(all[row.Number], row.ID)
	}
	return all, nil
}

func (r adjustments) forwarded(payer remit.Source) (string, []any) {
	q := &query{}
	q.add(`SELECT e.id, e.payment_date, e.trace_number, coalesce(a.value ->> 'Reference', '') AS reference, (a.value ->> 'Amount')::bigint AS amount
FROM eras e CROSS JOIN LATERAL json_array_elements(e.detail -> 'ProviderAdjustments') WITH ORDINALITY a (value, place)
WHERE e.org_id = % AND e.mode = % AND `+ofPayer+` AND e.detail::jsonb @> '{"ProviderAdjustments": [{"Reason": "FB"}]}' AND a.value ->> 'Reason' = 'FB'
	AND e.received_at IS NOT NULL AND e.state IN ('needs_review', 'posted')
	AND (e.detail ->> 'Corrects' IS NULL OR e.state = 'posted' OR e.later ->> 'Decided' IS NOT NULL)`,
		r.scope.Org, r.scope.Mode, payer.Payer.ID, payer.Payer.ID, payer.PayerName)
	return q.text("ORDER BY e.payment_date NULLS FIRST, e.arrival, a.place"), q.args
}

// Forwarded reads the balances that a payer carried forward.
func (r adjustments) Forwarded(ctx context.Context, payer remit.Source) ([]remit.Forwarded, error) {
	var rows []struct {
		ERA       billing.ERAID `db:"id"`
		Date      billing.Date  `db:"payment_date"`
		Trace     string        `db:"trace_number"`
		Reference string        `db:"reference"`
		Amount    billing.Money `db:"amount"`
	}
	text, args := r.forwarded(payer)
	if err := r.list(ctx, &rows, text, args...); err != nil {
		return nil, fmt.Errorf("read the balances that a payer carried forward: %w", err)
	}
	all := make([]remit.Forwarded, len(rows))
	for i, row := range rows {
		all[i] = remit.Forwarded{ERA: row.ERA, Date: row.Date, TraceNumber: row.Trace, Reference: row.Reference, Amount: row.Amount}
	}
	return all, nil
}
