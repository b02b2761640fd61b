package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

type eras struct{ *tx }

// eraColumns is every column except identity and content.
const eraColumns = `id, org_id, mode, state, payer_id, payer_code, payer_name, office_id, detail, balanced, claim_count, matched_count,
	applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count, stage, arrival, source, received_at, posted_at, later`

type eraRow struct {
	ID           billing.ERAID       `db:"id"`
	Org          billing.OrgID       `db:"org_id"`
	Mode         billing.Mode        `db:"mode"`
	State        remit.State         `db:"state"`
	PayerID      billing.PayerID     `db:"payer_id"`
	PayerCode    string              `db:"payer_code"`
	PayerName    string              `db:"payer_name"`
	OfficeID     billing.OfficeID    `db:"office_id"`
	Detail       []byte              `db:"detail"`
	Balanced     bool                `db:"balanced"`
	ClaimCount   int                 `db:"claim_count"`
	MatchedCount int                 `db:"matched_count"`
	Applied      int                 `db:"applied_count"`
	NeedsReview  int                 `db:"needs_review_count"`
	Unmatched    int                 `db:"unmatched_count"`
	Ignored      int                 `db:"ignored_count"`
	Forwarded    int                 `db:"forwarded_count"`
	Stage        remit.Stage         `db:"stage"`
	Arrival      int64               `db:"arrival"`
	Origin       clearing.FileOrigin `db:"source"`
	ReceivedAt   sql.NullTime        `db:"received_at"`
	PostedAt     sql.NullTime        `db:"posted_at"`
	Later        []byte              `db:"later"`
}

// eraDetail is the part of a remittance that one column stores.
type eraDetail struct {
	PayerName           string
	Payment             remit.Payment
	ProviderAdjustments []remit.ProviderAdjustment
	Balance             remit.Balance
	Warnings            []remit.WarningCode
	Corrects            []billing.ERAID   `json:",omitempty"`
	Difference          *remit.Difference `json:",omitempty"`
	File                clearing.FileRef
}

func (r eraRow) era() (*remit.ERA, error) {
	var d eraDetail
	if err := decode(r.Detail, &d); err != nil {
		return nil, fmt.Errorf("read remittance %s: %w", r.ID, err)
	}
	var later remit.Later
	if err := decode(r.Later, &later); err != nil {
		return nil, fmt.Errorf("read remittance %s: %w", r.ID, err)
	}
	return &remit.ERA{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, State: r.State,
		Payer: directory.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName}, PayerName: d.PayerName, OfficeID: r.OfficeID,
		Payment: d.Payment, ProviderAdjustments: d.ProviderAdjustments, Balanced: r.Balanced, Balance: d.Balance,
		Warnings: d.Warnings, Corrects: d.Corrects, Difference: d.Difference, ClaimCount: r.ClaimCount, MatchedCount: r.MatchedCount, File: d.File,
		Progress: remit.Progress{
			Applied: r.Applied, NeedsReview: r.NeedsReview, Unmatched: r.Unmatched, Ignored: r.Ignored, Forwarded: r.Forwarded,
		},
		Stage: r.Stage, Arrival: r.Arrival, Origin: r.Origin, ReceivedAt: present(r.ReceivedAt), PostedAt: present(r.PostedAt),
		Later: later,
	}, nil
}

// knownLater returns what became known of a remittance, as JSON; nil while there is nothing.
func knownLater(e *remit.ERA) (any, error) {
	if reflect.ValueOf(e.Later).IsZero() {
		return nil, nil
	}
	return encode(&e.Later)
}

// Insert stores a new remittance, unless the scope already has the payment.
func (r eras) Insert(ctx context.Context, e *remit.ERA, identity [32]byte, content []byte) (known billing.ERAID, err error) {
	detail, err := encode(&eraDetail{
		e.PayerName, e.Payment, e.ProviderAdjustments, e.Balance, e.Warnings, e.Corrects, e.Difference, e.File,
	})
	if err != nil {
		return known, err
	}
	later, err := knownLater(e)
	if err != nil {
		return known, err
	}
	n, err := r.exec(ctx, `
INSERT INTO eras (id, org_id, mode, state, payer_id, payer_code, payer_name, stated_payer, office_id, payment_date, trace_number, detail,
	balanced, claim_count, matched_count, applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count, needs_attention,
	stage, identity, source, received_at, posted_at, content, later)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)
ON CONFLICT ON CONSTRAINT eras_identity DO NOTHING`,
		e.ID, r.scope.Org, r.scope.Mode, e.State, e.Payer.ID, e.Payer.PayerID, e.Payer.Name, e.PayerName, e.OfficeID, e.Payment.Date,
		e.Payment.TraceNumber, detail, e.Balanced, e.ClaimCount, e.MatchedCount,
		e.Progress.Applied, e.Progress.NeedsReview, e.Progress.Unmatched, e.Progress.Ignored, e.Progress.Forwarded, e.NeedsAttention(),
		e.Stage, identity[:], e.Origin, optional(e.ReceivedAt), optional(e.PostedAt),
		r.store.sealer.seal(r.scope, e.ID, content), later)
	if err != nil {
		return known, fmt.Errorf("insert remittance %s: %w", e.ID, err)
	}
	if n == 1 {
		r.evidence = rowEvidence("eras", e.ID)
		return known, nil
	}
	if known, err = ownQuarantine(r).Known(ctx, identity); err == nil && known.IsZero() {
		err = fmt.Errorf("remittance %s was stored by another transaction and is gone", e.ID)
	}
	return known, err
}

// Get reads a remittance that is visible to callers.
func (r eras) Get(ctx context.Context, id billing.ERAID) (*remit.ERA, error) {
	q := r.query(eraColumns, "eras")
	q.where("id = %", id)
	e, err := r.one(ctx, q.text(""), q.args)
	if err == nil && e.ReceivedAt.IsZero() {
		return nil, billing.NotFound("remittance", "")
	}
	return e, err
}

// Lock reads and locks a remittance. For the zero ID it selects the first remittance
// that is not done. It skips one that another transaction finished while this one
// waited for the lock.
func (r eras) Lock(ctx context.Context, id billing.ERAID) (*remit.ERA, error) {
	if id.IsZero() {
		text, args := r.next()
		return r.one(ctx, text, args)
	}
	q := r.query(eraColumns, "eras")
	q.where("id = %", id)
	return r.one(ctx, q.text(forUpdate), q.args)
}

func (r eras) next() (string, []any) {
	q := r.query(eraColumns, "eras")
	q.where("stage <> 'done'")
	return q.text("ORDER BY arrival\nLIMIT 1\n" + forUpdate), q.args
}

func (r eras) one(ctx context.Context, text string, args []any) (*remit.ERA, error) {
	return one(ctx, r.tx, "remittance", eraRow.era, text, args...)
}

// Save stores the fields of a remittance that can change.
func (r eras) Save(ctx context.Context, e *remit.ERA) error {
	later, err := knownLater(e)
	if err != nil {
		return err
	}
	return r.later(ctx, e.ID, `
UPDATE eras
SET state = $4, claim_count = $5, matched_count = $6, applied_count = $7, needs_review_count = $8, unmatched_count = $9, ignored_count = $10,
	forwarded_count = $11, needs_attention = $12, stage = $13, received_at = $14, posted_at = $15,
	balanced = $16, later = $17
WHERE org_id = $1 AND mode = $2 AND id = $3`,
		r.scope.Org, r.scope.Mode, e.ID, e.State, e.ClaimCount, e.MatchedCount,
		e.Progress.Applied, e.Progress.NeedsReview, e.Progress.Unmatched, e.Progress.Ignored, e.Progress.Forwarded, e.NeedsAttention(),
		e.Stage, optional(e.ReceivedAt), optional(e.PostedAt), e.Balanced, later)
}

func (r eras) filter(f remit.Filter) *query {
	q := r.query(eraColumns, "eras")
	q.where("received_at IS NOT NULL")
	whereSet(q, "state = %", f.State)
	q.flag("needs_attention", f.NeedsAttention)
	q.flag("balanced", f.Balanced)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "trace_number = % AND trace_number <> ''", f.TraceNumber)
	if !f.ClaimID.IsZero() {
		q.where(`id = ANY (ARRAY(
		SELECT era_id FROM era_claims WHERE claim_id = % AND status = 'applied'
		UNION SELECT era_id FROM era_claims WHERE claim_id = % AND status = 'needs_review'
	))`, f.ClaimID, f.ClaimID)
	}
	q.ofPatient(`id = ANY (ARRAY(
		SELECT era_id FROM era_claims WHERE claim_id = ANY (ARRAY(%)) AND status IN ('applied', 'needs_review')
	))`, f.PatientID)
	whereSet(q, "payment_date >= %", f.PaidFrom)
	whereSet(q, "payment_date <= %", f.PaidTo)
	q.span("received_at", f.ReceivedFrom, f.ReceivedTo)
	return q
}

// flag adds a condition on a column that is true or false, unless the filter has none. The
// literal condition lets a partial index serve it.
func (q *query) flag(column string, want *bool) {
	if want != nil && *want {
		q.where(column)
	} else if want != nil {
		q.where("NOT " + column)
	}
}

// List reads a page of remittances, the last received first.
func (r eras) List(ctx context.Context, f remit.Filter, p billing.Page) ([]*remit.ERA, error) {
	q := r.filter(f)
	text := q.pageBy("received_at", p)
	return many(ctx, r.tx, "list remittances", eraRow.era, text, q.args...)
}

// Content reads the file.
func (r eras) Content(ctx context.Context, id billing.ERAID) ([]byte, error) {
	return r.content(ctx, "eras", id, billing.NotFound("remittance", ""))
}
