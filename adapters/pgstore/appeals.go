package pgstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/limit"
)

type appeals struct{ *tx }

// appealRow is an appeal as it is stored: what people wrote is encrypted.
type appealRow struct {
	appeal.Appeal

	content []byte
}

func appealFields(a *appealRow) []field {
	return scoped(&a.ID, &a.Scope, []field{
		{"claim_id", &a.ClaimID},
		{"created_at", instant{&a.CreatedAt}},
		{"made_by", &a.MadeBy},
		// Save writes these.
		{"state", &a.State},
		{"level", &a.Level},
		{"content", &a.content},
		{"documents", document{&a.Documents, "[]"}},
		{"send_by", document{&a.SendBy, "{}"}},
		{"updated_at", instant{&a.UpdatedAt}},
		{"sent_on", &a.SentOn},
		{"sent_by", &a.SentBy},
		{"sent_at", instant{&a.SentAt}},
		{"decided_on", &a.DecidedOn},
		{"outcome", &a.Outcome},
		{"decided_at", instant{&a.DecidedAt}},
		{"recorded_by", &a.RecordedBy},
	})
}

// sealedAppeal encrypts what people wrote.
func (r appeals) sealedAppeal(ctx context.Context, a *appeal.Appeal) (*appealRow, error) {
	words, err := json.Marshal(a.Words) //nolint:musttag // stored under the names of the fields
	if err != nil {
		return nil, fmt.Errorf("write the words of appeal %s: %w", a.ID, err)
	}
	return &appealRow{Appeal: *a, content: r.seal(ctx, r.scope, a.ID, words)}, nil
}

// opened decrypts what people wrote.
func (r appeals) opened(ctx context.Context, rows []*appealRow) ([]*appeal.Appeal, error) {
	return values(rows, func(row *appealRow) (*appeal.Appeal, error) {
		words, err := r.unseal(ctx, r.scope, row.ID, row.content)
		if err == nil {
			err = json.Unmarshal(words, &row.Words) //nolint:musttag // as above
		}
		if err != nil {
			return nil, fmt.Errorf("decrypt the appeal %s: %w", row.ID, err)
		}
		return &row.Appeal, nil
	})
}

// Insert stores a new appeal.
func (r appeals) Insert(ctx context.Context, a *appeal.Appeal) error {
	row, err := r.sealedAppeal(ctx, a)
	if err != nil {
		return err
	}
	return appealTable.insert(ctx, r.tx, row)
}

// Get reads an appeal.
func (r appeals) Get(ctx context.Context, id billing.AppealID) (*appeal.Appeal, error) {
	return r.one(ctx, id, "")
}

// Lock reads an appeal and keeps other transactions from writing it.
func (r appeals) Lock(ctx context.Context, id billing.AppealID) (*appeal.Appeal, error) {
	return r.one(ctx, id, forUpdate)
}

func (r appeals) one(ctx context.Context, id billing.AppealID, end string) (*appeal.Appeal, error) {
	row, err := appealTable.get(ctx, r.tx, id, end)
	if err != nil {
		return nil, err
	}
	all, err := r.opened(ctx, []*appealRow{row})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Save stores the fields of an appeal that can change.
func (r appeals) Save(ctx context.Context, a *appeal.Appeal) error {
	row, err := r.sealedAppeal(ctx, a)
	if err != nil {
		return err
	}
	return appealTable.save(ctx, r.tx, row)
}

func (r appeals) filter(f appeal.Filter) *query {
	q := appealTable.of(r.tx)
	whereSet(q, "claim_id = %", f.ClaimID)
	return q
}

// List reads a page of appeals, newest first.
func (r appeals) List(ctx context.Context, f appeal.Filter, p billing.Page) ([]*appeal.Appeal, error) {
	rows, err := appealTable.page(ctx, r.tx, r.filter(f), p)
	if err != nil {
		return nil, err
	}
	return r.opened(ctx, rows)
}

type payerLimits struct{ *tx }

func payerLimitFields(l *limit.OfPayer) []field {
	return scoped(&l.ID, &l.Scope, []field{
		{"payer_id", &l.Payer.ID},
		{"created_at", instant{&l.CreatedAt}},
		{"payer_code", &l.Payer.PayerID},
		{"payer_name", &l.Payer.Name},
		{"terms", document{&l.Terms, "{}"}},
		{"updated_at", instant{&l.UpdatedAt}},
	})
}

// Put stores the limits of a payer in place of those that there were.
func (r payerLimits) Put(ctx context.Context, l *limit.OfPayer) (*limit.OfPayer, error) {
	_, args, err := payerLimitTable.values(r.tx, l)
	if err != nil {
		return nil, err
	}
	stored, err := read(ctx, r.tx, "put the limits of a payer", func(l *limit.OfPayer) []field {
		return append(payerLimitFields(l), field{"xid", &r.xid})
	}, payerLimitTable.inserting+`
ON CONFLICT ON CONSTRAINT payer_limits_one DO UPDATE
SET (payer_code, payer_name, terms, updated_at) = (excluded.payer_code, excluded.payer_name, excluded.terms, excluded.updated_at)
RETURNING `+payerLimitTable.columns+`, pg_current_xact_id()::text AS xid`, args...)
	if err != nil {
		return nil, err
	}
	return stored[0], nil
}

func (r payerLimits) of(payers []billing.PayerID) (string, []any) {
	q := payerLimitTable.of(r.tx)
	q.where("payer_id = ANY (%)", uuids(payers))
	return q.text(""), q.args
}

// Of reads the limits of payers.
func (r payerLimits) Of(ctx context.Context, payers []billing.PayerID) (map[billing.PayerID]limit.Terms, error) {
	found := map[billing.PayerID]limit.Terms{}
	if len(payers) == 0 {
		return found, nil
	}
	text, args := r.of(payers)
	all, err := payerLimitTable.many(ctx, r.tx, "find the limits of payers", text, args...)
	for _, l := range all {
		found[l.Payer.ID] = l.Terms
	}
	return found, err
}

// List reads a page of limits, newest first.
func (r payerLimits) List(ctx context.Context, p billing.Page) ([]*limit.OfPayer, error) {
	return payerLimitTable.page(ctx, r.tx, payerLimitTable.of(r.tx), p)
}

// Delete removes the limits of a payer.
func (r payerLimits) Delete(ctx context.Context, payer billing.PayerID) error {
	n, err := r.do(ctx, "delete the limits of a payer", "DELETE FROM payer_limits WHERE org_id = $1 AND mode = $2 AND payer_id = $3", r.scope.Org, r.scope.Mode, payer)
	if err == nil && n == 0 {
		return billing.NotFound("payer with limits", "")
	}
	return err
}
