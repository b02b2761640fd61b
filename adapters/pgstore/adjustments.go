package pgstore

import (
	"context"

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
	all := map[string][]billing.ClaimID{}
	var number string
	var id billing.ClaimID
	text, args := r.named(payer, numbers)
	err := r.each(ctx, "find the claims that provider adjustments name", []any{&number, &id}, func() {
		all[number] = append(all[number], id)
	}, text, args...)
	return all, err
}

// stands selects the remittances that count: no correction that waits for a decision, and nothing that another replaced.
const stands = `e.received_at IS NOT NULL AND e.state IN ('needs_review', 'posted')
	AND (e.detail ->> 'Corrects' IS NULL OR e.state = 'posted' OR e.later ->> 'Decided' IS NOT NULL)`

func (r adjustments) forwarded(payer remit.Source) (string, []any) {
	q := &query{}
	q.add(`SELECT e.id, e.payment_date, e.trace_number, coalesce(a.value ->> 'Reference', '') AS reference, (a.value ->> 'Amount')::bigint AS amount
FROM eras e CROSS JOIN LATERAL json_array_elements(e.detail -> 'ProviderAdjustments') WITH ORDINALITY a (value, place)
WHERE e.org_id = % AND e.mode = % AND `+ofPayer+` AND e.detail::jsonb @> '{"ProviderAdjustments": [{"Reason": "FB"}]}' AND a.value ->> 'Reason' = 'FB'
	AND `+stands,
		r.scope.Org, r.scope.Mode, payer.Payer.ID, payer.Payer.ID, payer.PayerName)
	return q.text("ORDER BY e.payment_date NULLS FIRST, e.arrival, a.place"), q.args
}

// Forwarded reads the balances that a payer carried forward.
func (r adjustments) Forwarded(ctx context.Context, payer remit.Source) ([]remit.Forwarded, error) {
	var all []remit.Forwarded
	var f remit.Forwarded
	text, args := r.forwarded(payer)
	err := r.each(ctx, "read the balances that a payer carried forward", []any{&f.ERA, &f.Date, &f.TraceNumber, &f.Reference, &f.Amount},
		func() { all = append(all, f) }, text, args...)
	return all, err
}
