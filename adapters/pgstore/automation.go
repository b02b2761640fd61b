package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/claim"
)

type (
	automations struct{ *tx }
	postings    struct{ *tx }
)

// Get reads the settings.
func (r automations) Get(ctx context.Context) (*automation.Settings, error) {
	s := &automation.Settings{}
	err := r.row(ctx, []any{&s.Level, document{&s.Payers, "[]"}, instant{&s.UpdatedAt}, &s.UpdatedBy},
		"SELECT level, payers, updated_at, updated_by FROM automation WHERE org_id = $1 AND mode = $2", r.scope.Org, r.scope.Mode)
	if errors.Is(err, sql.ErrNoRows) {
		return &automation.Settings{Level: automation.Review}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the automation: %w", err)
	}
	return s, nil
}

// Put stores the settings.
func (r automations) Put(ctx context.Context, s *automation.Settings) error {
	payers, err := document{&s.Payers, "[]"}.Value()
	if err != nil {
		return err
	}
	_, err = r.do(ctx, "store the automation", `
INSERT INTO automation (org_id, mode, level, payers, updated_at, updated_by)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (org_id, mode) DO UPDATE
SET (level, payers, updated_at, updated_by) = (excluded.level, excluded.payers, excluded.updated_at, excluded.updated_by)`,
		r.scope.Org, r.scope.Mode, s.Level, payers, micro(s.UpdatedAt), s.UpdatedBy)
	return err
}

// Paid locks and reads the claims that a remittance is about.
func (r postings) Paid(ctx context.Context, era billing.ERAID, after billing.ClaimID, limit int) ([]*claim.Record, error) {
	text, args := r.paid(era, after, limit)
	return claims(r).read(ctx, "find the claims of remittance "+era.String(), alone, text, args)
}

func (r postings) paid(era billing.ERAID, after billing.ClaimID, limit int) (string, []any) {
	q := r.query(alone.columns(), "claims c")
	q.where(`id = ANY (ARRAY(
		SELECT DISTINCT claim_id
		FROM era_claims
		WHERE era_id = % AND status IN ('applied', 'needs_review') AND claim_id > %
		ORDER BY claim_id
		LIMIT %
	))`, era, after.UUID(), limit)
	return q.text("ORDER BY id\nFOR UPDATE OF c"), q.args
}

// Reconciled locks and reads the claims that the posting of a remittance reconciled.
func (r postings) Reconciled(ctx context.Context, era billing.ERAID, after billing.ClaimID, limit int) ([]*claim.Record, error) {
	text, args := r.reconciled(era, after, limit)
	return claims(r).read(ctx, "find the claims reconciled with remittance "+era.String(), alone, text, args)
}

func (r postings) reconciled(era billing.ERAID, after billing.ClaimID, limit int) (string, []any) {
	q := r.query(alone.columns(), "claims c")
	q.where("reconciled_with = % AND id > %", era, after.UUID())
	return q.text("ORDER BY id\nLIMIT %\nFOR UPDATE OF c", limit), q.args
}

const requested = `
SELECT DISTINCT claim_id
FROM payer_requests
WHERE org_id = $1 AND mode = $2 AND claim_id = ANY ($3::uuid[]) AND claim_id IS NOT NULL AND state = 'open' AND NOT decisions::jsonb @> '[{"As": "will_not_send"}]'`

// Requested finds the claims with an open payer request, unless a person decided to answer nothing.
func (r postings) Requested(ctx context.Context, claims []billing.ClaimID) (map[billing.ClaimID]bool, error) {
	var id billing.ClaimID
	found := map[billing.ClaimID]bool{}
	err := r.each(ctx, "find open payer requests of claims", []any{&id}, func() { found[id] = true },
		requested, r.scope.Org, r.scope.Mode, pq.Array(claims))
	return found, err
}
