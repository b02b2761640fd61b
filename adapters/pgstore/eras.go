package pgstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

type eras struct{ *tx }

// eraFields leaves out the identity and the content. Later columns replace what the
// detail says.
func eraFields(e *remit.ERA) []field {
	return scoped(&e.ID, &e.Scope, []field{
		{"detail", details{e}},
		{"arrival", given{&e.Arrival}},
		{"payer_id", &e.Payer.ID},
		{"payer_code", &e.Payer.PayerID},
		{"payer_name", &e.Payer.Name},
		{"office_id", &e.OfficeID},
		{"source", &e.Origin},
		{"state", &e.State},
		{"balanced", &e.Balanced},
		{"claim_count", &e.ClaimCount},
		{"matched_count", &e.MatchedCount},
		{"applied_count", &e.Progress.Applied},
		{"needs_review_count", &e.Progress.NeedsReview},
		{"unmatched_count", &e.Progress.Unmatched},
		{"ignored_count", &e.Progress.Ignored},
		{"forwarded_count", &e.Progress.Forwarded},
		{"stage", &e.Stage},
		{"received_at", instant{&e.ReceivedAt}},
		{"posted_at", instant{&e.PostedAt}},
		{"later", maybe{&e.Later}},
	})
}

// eraDetail is the part of a remittance that one column stores, under the names of its
// fields.
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

// details is the column of an eraDetail.
type details struct{ of *remit.ERA }

// Value returns the detail as JSON.
func (d details) Value() (driver.Value, error) {
	e := d.of
	return document{of: &eraDetail{
		e.PayerName, e.Payment, e.ProviderAdjustments, e.Balance, e.Warnings, e.Corrects, e.Difference, e.File,
	}}.Value()
}

// Scan reads the detail.
func (d details) Scan(src any) error { return document{of: d.of}.Scan(src) }

// Insert stores a new remittance, unless the scope already has the payment.
func (r eras) Insert(ctx context.Context, e *remit.ERA, identity [32]byte, content []byte) (known billing.ERAID, err error) {
	stored, err := eraTable.insertUnless(ctx, r.tx, e, "ON CONFLICT ON CONSTRAINT eras_identity DO NOTHING",
		e.PayerName, e.Payment.Date, e.Payment.TraceNumber, e.NeedsAttention(), identity[:], r.seal(ctx, r.scope, e.ID, content))
	if err == nil && stored {
		err = r.keepTasks(ctx, task.Resource{Kind: task.OfRemittance, ID: e.ID}, true, task.OfARemittance(e), e.Decisions)
	}
	if err != nil || stored {
		return known, err
	}
	if known, err = ownQuarantine(r).Known(ctx, identity); err == nil && known.IsZero() {
		err = fmt.Errorf("remittance %s was stored by another transaction and is gone", e.ID)
	}
	return known, err
}

// Get reads a remittance that is visible to callers.
func (r eras) Get(ctx context.Context, id billing.ERAID) (*remit.ERA, error) {
	e, err := eraTable.get(ctx, r.tx, id, "")
	if err == nil && e.ReceivedAt.IsZero() {
		return nil, errors.Join(billing.NotFound("remittance", ""), remit.ErrNotRead)
	}
	return e, err
}

// Lock reads and locks a remittance. For the zero ID it selects the first remittance
// that is not done. It skips one that another transaction finished while this one
// waited for the lock.
func (r eras) Lock(ctx context.Context, id billing.ERAID) (*remit.ERA, error) {
	if id.IsZero() {
		text, args := r.next()
		return eraTable.one(ctx, r.tx, text, args...)
	}
	return eraTable.get(ctx, r.tx, id, forUpdate)
}

func (r eras) next() (string, []any) {
	q := eraTable.of(r.tx)
	q.where("stage <> 'done'")
	return q.text("ORDER BY arrival\nLIMIT 1\n" + forUpdate), q.args
}

// Save stores the fields of a remittance that can change.
func (r eras) Save(ctx context.Context, e *remit.ERA) error {
	if err := eraTable.save(ctx, r.tx, e, field{"needs_attention = %", e.NeedsAttention()}); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfRemittance, ID: e.ID}, false, task.OfARemittance(e), e.Decisions)
}

func (r eras) filter(f remit.Filter) *query { return eraTable.of(r.tx).ofERAs(f) }

// ofERAs narrows a statement on remittances.
func (q *query) ofERAs(f remit.Filter) *query {
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
	switch f.With {
	case remit.WithIgnored:
		q.where("ignored_count > 0 AND state IN ('needs_review', 'posted')")
	case remit.WithUnfinished:
		q.where("needs_attention AND claim_count > applied_count + ignored_count + forwarded_count")
	}
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

// List reads a page of remittances, the last received first, or in the order of the filter.
func (r eras) List(ctx context.Context, f remit.Filter, p billing.Page) ([]*remit.ERA, error) {
	q := r.filter(f)
	var text string
	if o, ok := remittanceOrders[f.Sort]; ok {
		text = o.page(q, p)
	} else {
		text = q.pageBy("received_at", p)
	}
	return eraTable.many(ctx, r.tx, "list remittances", text, q.args...)
}

// Content reads the file.
func (r eras) Content(ctx context.Context, id billing.ERAID) ([]byte, error) {
	return r.content(ctx, "eras", id, billing.NotFound("remittance", ""))
}
