package pgstore

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

type remittanceClaims struct{ *tx }

// eraPlace identifies a remittance claim for the queue of writes.
type eraPlace struct {
	era     billing.ERAID
	ordinal int
}

// progressFields is what became of a remittance claim.
func progressFields(c *remit.Claim) []field {
	return []field{
		{"status", &c.Status},
		{"claim_id", &c.ClaimID},
		{"matched_by", &c.MatchedBy},
		{"review", &c.Review},
		{"warnings", textArray[remit.WarningCode]{of: &c.Warnings}},
		{"sequence", &c.Sequence},
		{"line_numbers", lineNumbers{&c.LineNumbers}},
		{"applied_at", instant{&c.AppliedAt}},
	}
}

func remittanceClaimFields(c *remit.Claim) []field {
	return append(progressFields(c), field{"ordinal", &c.Ordinal}, field{"detail", document{of: c}})
}

// lineNumbers is a column of numbers, which is NULL for nil.
type lineNumbers struct{ of *[]int }

// Value returns the numbers.
func (l lineNumbers) Value() (driver.Value, error) { return pq.Array(*l.of).Value() }

// Scan reads the numbers.
func (l lineNumbers) Scan(src any) error {
	var all pq.Int64Array
	err := all.Scan(src)
	if all != nil {
		*l.of = make([]int, len(all))
	}
	for i, n := range all {
		(*l.of)[i] = int(n)
	}
	return err
}

// Insert stores remittance claims in one statement.
func (r remittanceClaims) Insert(ctx context.Context, era billing.ERAID, claims []*remit.Claim) error {
	for _, c := range claims {
		fields := append(remittanceClaimFields(c), field{"balanced", &c.Balanced})
		if err := r.write(ctx, era, c, fields, insertRemittanceClaims); err != nil {
			return err
		}
		r.evidence = evidence{"SELECT EXISTS (SELECT FROM era_claims WHERE era_id = $1 AND ordinal = $2)", []any{era, c.Ordinal}}
	}
	return nil
}

func (r remittanceClaims) write(ctx context.Context, era billing.ERAID, c *remit.Claim, fields []field, text string) error {
	stored, err := rowOf(fields)
	if err != nil {
		return err
	}
	stored["era_id"], stored["ordinal"], stored["org_id"], stored["mode"] = era, c.Ordinal, r.scope.Org, r.scope.Mode
	return r.rows(ctx, eraPlace{era, c.Ordinal}, stored, text)
}

//nolint:gochecknoglobals // constants, built from the columns
var (
	remittanceClaimProgress = columnsOf(progressFields(&remit.Claim{}))
	insertRemittanceClaims  = `
INSERT INTO era_claims (era_id, org_id, mode, balanced, ` + remittanceClaimTable.columns + `)
SELECT era_id, org_id, mode, balanced, ` + remittanceClaimTable.columns + `
FROM json_populate_recordset(NULL::era_claims, $1)`
	saveRemittanceClaims = `
UPDATE era_claims c
SET (` + remittanceClaimProgress + `) = (` + qualified("r", remittanceClaimProgress) + `)
FROM json_populate_recordset(NULL::era_claims, $1) r
WHERE c.era_id = r.era_id AND c.ordinal = r.ordinal`
)

// Save stores the progress of claims in one statement, and of those of erased patients what is left.
func (r remittanceClaims) Save(ctx context.Context, era billing.ERAID, claims []*remit.Claim) error {
	for _, c := range claims {
		if err := r.write(ctx, era, c, progressFields(c), saveRemittanceClaims); err != nil {
			return err
		}
		if !c.Erased() {
			continue
		}
		var done bool
		if err := r.row(ctx, []any{&done}, "SELECT erase_said($1, $2) IS NULL AS done", era, c.Ordinal); err != nil {
			return fmt.Errorf("erase the patient of claim %d of remittance %s: %w", c.Ordinal, era, err)
		}
	}
	return nil
}

// Again sets unmatched claims to be matched once more.
func (r remittanceClaims) Again(ctx context.Context, era billing.ERAID) (int, error) {
	return r.do(ctx, "match again the claims of remittance "+era.String(),
		"UPDATE era_claims SET status = 'pending' WHERE org_id = $1 AND mode = $2 AND era_id = $3 AND status = 'unmatched'",
		r.scope.Org, r.scope.Mode, era)
}

// Reconsider sets payments of the claims that come beside another one to be reviewed
// once more.
func (r remittanceClaims) Reconsider(ctx context.Context, era billing.ERAID, claims []billing.ClaimID) (int, error) {
	return r.do(ctx, "review again the claims of remittance "+era.String(), `
UPDATE era_claims SET status = 'pending'
WHERE org_id = $1 AND mode = $2 AND era_id = $3 AND status = 'needs_review' AND review IN ($4, $5) AND claim_id = ANY ($6::uuid[])`,
		r.scope.Org, r.scope.Mode, era, remit.ReviewPaymentRepeated, remit.ReviewExceedsCharge, pq.Array(claims))
}

// count selects the number of stored remittance claims, which are stored in order
// from the first. The reading asks after each chunk, so it must not count a million rows.
func (r remittanceClaims) count(era billing.ERAID) (string, []any) {
	q := r.query("coalesce(max(ordinal), 0)", "era_claims")
	q.where("era_id = %", era)
	return q.text(""), q.args
}

// Count returns the number of stored remittance claims.
func (r remittanceClaims) Count(ctx context.Context, era billing.ERAID) (n int, err error) {
	text, args := r.count(era)
	err = r.fetch(ctx, "count the claims of remittance "+era.String(), &n, text, args...)
	return n, err
}

// Get reads a remittance claim.
func (r remittanceClaims) Get(ctx context.Context, era billing.ERAID, ordinal int) (*remit.Claim, error) {
	q := remittanceClaimTable.of(r.tx)
	q.where("era_id = % AND ordinal = %", era, ordinal)
	return remittanceClaimTable.one(ctx, r.tx, q.text(""), q.args...)
}

func (r remittanceClaims) after(era billing.ERAID, ordinal, limit int) (string, []any) {
	q := remittanceClaimTable.of(r.tx)
	q.where("era_id = % AND ordinal > %", era, ordinal)
	return q.text("ORDER BY ordinal\nLIMIT %", limit), q.args
}

// List reads claims in the order of the file.
func (r remittanceClaims) List(ctx context.Context, era billing.ERAID, after, limit int) ([]*remit.Claim, error) {
	text, args := r.after(era, after, limit)
	return r.read(ctx, era, text, args)
}

func (r remittanceClaims) pending(era billing.ERAID, limit int) (string, []any) {
	q := remittanceClaimTable.of(r.tx)
	q.where("era_id = % AND status = 'pending'", era)
	return q.text("ORDER BY ordinal\nLIMIT %", limit), q.args
}

// Pending reads the first claims that are still to be matched or applied.
func (r remittanceClaims) Pending(ctx context.Context, era billing.ERAID, limit int) ([]*remit.Claim, error) {
	text, args := r.pending(era, limit)
	return r.read(ctx, era, text, args)
}

func (r remittanceClaims) read(ctx context.Context, era billing.ERAID, text string, args []any) ([]*remit.Claim, error) {
	return remittanceClaimTable.many(ctx, r.tx, "list the claims of remittance "+era.String(), text, args...)
}

// applied is a LedgerEntry.
type applied struct {
	remit.Claim
	by remit.Source
}

func ledgerFields(a *applied) []field {
	return append(remittanceClaimFields(&a.Claim),
		field{"era_id", &a.by.ID},
		field{"payer_id", &a.by.Payer.ID},
		field{"payer_code", &a.by.Payer.PayerID},
		field{"payer_name", &a.by.Payer.Name},
		field{"stated_payer", &a.by.PayerName},
		field{"trace_number", &a.by.TraceNumber},
		field{"arrival", &a.by.Arrival},
		field{"received_at", instant{&a.by.ReceivedAt}})
}

func (r remittanceClaims) ledger(claims []billing.ClaimID) (string, []any) {
	q := &query{}
	q.add("SELECT "+remittanceClaimProgress+`, ordinal, r.detail, era_id, payer_id, payer_code, payer_name, stated_payer, trace_number, arrival, received_at
FROM era_claims r
JOIN eras e ON e.id = r.era_id
WHERE r.org_id = % AND r.mode = % AND r.claim_id = ANY (%::uuid[]) AND r.status = 'applied'`, r.scope.Org, r.scope.Mode, uuids(claims))
	return q.text("ORDER BY arrival, ordinal"), q.args
}

// Ledger reads what is applied to claims, in the order in which it came. It does not
// read the detail of remittances, which may be long.
func (r remittanceClaims) Ledger(ctx context.Context, claims []billing.ClaimID) (map[billing.ClaimID][]*remit.LedgerEntry, error) {
	all := map[billing.ClaimID][]*remit.LedgerEntry{}
	if len(claims) == 0 {
		return all, nil
	}
	text, args := r.ledger(claims)
	rows, err := read(ctx, r.tx, "read the ledgers of claims", ledgerFields, text, args...)
	for _, a := range rows {
		all[a.ClaimID] = append(all[a.ClaimID], &remit.LedgerEntry{Claim: &a.Claim, ERA: a.by})
	}
	return all, err
}

// unmatched finds remittances by three kinds of numbers, each through its own index,
// like clearing.match. A reversal states the payer's number of what it takes back
// as its own or as the original one.
func (r remittanceClaims) unmatched(controlNumbers, payerClaimNumbers []string) (string, []any) {
	q := r.query("id", "eras")
	q.where(`id = ANY (ARRAY(
		SELECT era_id
		FROM era_claims
		WHERE org_id = $1 AND mode = $2 AND status = 'unmatched' AND control_key <> ''
			AND control_key = ANY (ARRAY(SELECT upper(n) FROM unnest(%::text[]) n))
		UNION
		SELECT era_id
		FROM era_claims
		WHERE org_id = $1 AND mode = $2 AND status = 'unmatched' AND payer_number = ANY (%::text[]) AND payer_number <> ''
		UNION
		SELECT era_id
		FROM era_claims
		WHERE org_id = $1 AND mode = $2 AND status = 'unmatched' AND original_number = ANY ($4::text[]) AND original_number <> ''
	))`, pq.StringArray(controlNumbers), pq.StringArray(payerClaimNumbers))
	return q.text("ORDER BY arrival"), q.args
}

func (r remittanceClaims) linked(of []billing.ClaimID) (string, []any) {
	q := r.query(whole.columns(), "claims c")
	q.where(`id = ANY (ARRAY(
		SELECT unnest(ARRAY[m.secondary_to, m.secondary_id])
		FROM claims m
		WHERE m.org_id = $1 AND m.mode = $2 AND m.id = ANY (%::uuid[])
	))`, pq.Array(of))
	return q.text(inOrder), q.args
}

// Linked reads the claims for the same services. A claim that is locked says for certain
// which others it is linked to, so those are read next.
func (r remittanceClaims) Linked(ctx context.Context, of []billing.ClaimID) (all []*claim.Claim, err error) {
	known := map[billing.ClaimID]bool{{}: true}
	for _, id := range of {
		known[id] = true
	}
	for len(of) > 0 {
		text, args := r.linked(of)
		found, err := clearings(r).claims(ctx, text, args)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(c *claim.Claim) bool { return known[c.ID] })
		of = nil
		for _, c := range found {
			known[c.ID] = true
		}
		for _, c := range found {
			if !known[c.SecondaryTo] || !known[c.SecondaryID] {
				of = append(of, c.ID)
			}
		}
		all = append(all, found...)
	}
	return all, nil
}

// Unmatched returns the remittances with unmatched claims that have one of the
// numbers.
func (r remittanceClaims) Unmatched(ctx context.Context, controlNumbers, payerClaimNumbers []string) ([]billing.ERAID, error) {
	if len(controlNumbers)+len(payerClaimNumbers) == 0 {
		return nil, nil
	}
	text, args := r.unmatched(controlNumbers, payerClaimNumbers)
	return columnOf[billing.ERAID](ctx, r.tx, "find unmatched remittance claims", text, args...)
}

// unappliedSums are the columns of remit.Unapplied.
const unappliedSums = `coalesce(sum((c.detail ->> 'Paid')::bigint) FILTER (WHERE c.status = 'ignored'), 0)::bigint, count(*) FILTER (WHERE c.status = 'ignored'),
	coalesce(sum((c.detail ->> 'Paid')::bigint) FILTER (WHERE c.status <> 'ignored'), 0)::bigint, count(*) FILTER (WHERE c.status <> 'ignored')`

// onNoClaim selects the remittance claims that are not applied. Those that a correction took over, or
// may take over, are not among them.
const onNoClaim = "c.status IN ('ignored', 'needs_review', 'unmatched', 'pending') AND c.review <> 'correction'"

func (r *tx) unapplied(ctx context.Context, what, text string, args []any) (sum remit.Unapplied, err error) {
	to := []any{&sum.Ignored.Paid, &sum.Ignored.Claims, &sum.Unfinished.Paid, &sum.Unfinished.Claims}
	err = r.each(ctx, what, to, func() {}, text, args...)
	return sum, err
}
