package pgstore

import (
	"context"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
)

type eraClaims struct{ *tx }

// eraPlace identifies a claim of a remittance for the queue of writes.
type eraPlace struct {
	era     billing.ERAID
	ordinal int
}

// Insert stores claims of a remittance in one statement.
func (r eraClaims) Insert(ctx context.Context, era billing.ERAID, claims []*billing.ERAClaim) error {
	for _, c := range claims {
		kept := *c
		kept.ClaimID, kept.Applied = billing.ClaimID{}, false // these have separate columns
		detail, err := document{of: &kept}.Value()
		if err != nil {
			return err
		}
		if err = r.rows(ctx, eraPlace{era, c.Ordinal}, row{
			"era_id": era, "ordinal": c.Ordinal, "org_id": r.scope.Org, "mode": r.scope.Mode, "claim_id": c.ClaimID, "applied": c.Applied,
			"balanced": c.Balanced, "detail": detail,
		}, `
INSERT INTO era_claims (era_id, ordinal, org_id, mode, claim_id, applied, balanced, detail)
SELECT era_id, ordinal, org_id, mode, claim_id, applied, balanced, detail
FROM json_populate_recordset(NULL::era_claims, $1)`); err != nil {
			return err
		}
		r.evidence = evidence{"SELECT EXISTS (SELECT FROM era_claims WHERE era_id = $1 AND ordinal = $2)", []any{era, c.Ordinal}}
	}
	return nil
}

// Count returns the number of claims in a remittance, and how many of them match a
// claim of the scope.
func (r eraClaims) Count(ctx context.Context, era billing.ERAID) (kept, matched int, err error) {
	q := r.query("count(*) AS kept, count(claim_id) AS matched", "era_claims")
	q.where("era_id = %", era)
	var n struct {
		Kept    int `db:"kept"`
		Matched int `db:"matched"`
	}
	if err := r.get(ctx, &n, q.text(""), q.args...); err != nil {
		return 0, 0, fmt.Errorf("count the claims of remittance %s: %w", era, err)
	}
	return n.Kept, n.Matched, nil
}

type eraClaimRow struct {
	Ordinal int             `db:"ordinal"`
	ClaimID billing.ClaimID `db:"claim_id"`
	Applied bool            `db:"applied"`
	Detail  []byte          `db:"detail"`
}

func (r eraClaimRow) claim() (*billing.ERAClaim, error) {
	c := &billing.ERAClaim{}
	if err := decode(r.Detail, c); err != nil {
		return nil, fmt.Errorf("read claim %d of a remittance: %w", r.Ordinal, err)
	}
	c.ClaimID, c.Applied = r.ClaimID, r.Applied
	return c, nil
}

func (r eraClaims) after(era billing.ERAID, ordinal int, unapplied bool, limit int) (string, []any) {
	q := r.query("ordinal, claim_id, applied, detail", "era_claims")
	q.where("era_id = % AND ordinal > %", era, ordinal)
	if unapplied {
		q.where("NOT applied AND balanced AND claim_id IS NOT NULL")
	}
	return q.text("ORDER BY ordinal\nLIMIT %", limit), q.args
}

// List reads claims in the order of the file.
func (r eraClaims) List(ctx context.Context, era billing.ERAID, after int, unapplied bool, limit int) ([]*billing.ERAClaim, error) {
	text, args := r.after(era, after, unapplied, limit)
	var rows []eraClaimRow
	if err := r.list(ctx, &rows, text, args...); err != nil {
		return nil, fmt.Errorf("list the claims of remittance %s: %w", era, err)
	}
	return values(rows, eraClaimRow.claim)
}

// Save stores, in one statement, which claims match and which were applied.
func (r eraClaims) Save(ctx context.Context, era billing.ERAID, claims []*billing.ERAClaim) error {
	for _, c := range claims {
		if err := r.rows(ctx, eraPlace{era, c.Ordinal}, row{
			"era_id": era, "ordinal": c.Ordinal, "org_id": r.scope.Org, "mode": r.scope.Mode, "claim_id": c.ClaimID, "applied": c.Applied,
		}, `
UPDATE era_claims c
SET claim_id = r.claim_id, applied = r.applied
FROM json_populate_recordset(NULL::era_claims, $1) r
WHERE c.era_id = r.era_id AND c.ordinal = r.ordinal`); err != nil {
			return err
		}
	}
	return nil
}
