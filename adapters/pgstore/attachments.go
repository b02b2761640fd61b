package pgstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/directory"
)

type attachments struct{ *tx }

const attachmentColumns = `id, org_id, mode, state, kind, claim_id, office_id, payer_id, payer_code, payer_name, payer_request_id,
	payer_reference, narrative, about, request_id, created_at, updated_at, closed_at, number, sending, sending_since, stalled, edits`

type attachmentRow struct {
	ID             billing.AttachmentID   `db:"id"`
	Org            billing.OrgID          `db:"org_id"`
	Mode           billing.Mode           `db:"mode"`
	State          attachment.State       `db:"state"`
	Kind           attachment.Kind        `db:"kind"`
	ClaimID        billing.ClaimID        `db:"claim_id"`
	OfficeID       billing.OfficeID       `db:"office_id"`
	PayerID        billing.PayerID        `db:"payer_id"`
	PayerCode      string                 `db:"payer_code"`
	PayerName      string                 `db:"payer_name"`
	PayerRequestID billing.PayerRequestID `db:"payer_request_id"`
	PayerReference string                 `db:"payer_reference"`
	Narrative      string                 `db:"narrative"`
	About          []byte                 `db:"about"`
	RequestID      billing.RequestID      `db:"request_id"`
	CreatedAt      time.Time              `db:"created_at"`
	UpdatedAt      time.Time              `db:"updated_at"`
	ClosedAt       sql.NullTime           `db:"closed_at"`
	Number         sql.NullString         `db:"number"`
	Sending        billing.JobID          `db:"sending"`
	SendingSince   sql.NullTime           `db:"sending_since"`
	Stalled        billing.JobID          `db:"stalled"`
	Edits          []byte                 `db:"edits"`
}

func (r attachmentRow) attachment() (*attachment.Attachment, error) {
	a := &attachment.Attachment{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, State: r.State, Kind: r.Kind, ClaimID: r.ClaimID, OfficeID: r.OfficeID,
		Payer:          directory.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName},
		PayerRequestID: r.PayerRequestID, PayerReference: r.PayerReference, Narrative: r.Narrative, RequestID: r.RequestID,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), ClosedAt: present(r.ClosedAt),
		Number: r.Number.String, Sending: r.Sending, SendingSince: present(r.SendingSince), Stalled: r.Stalled,
	}
	if err := cmp.Or(decode(r.About, &a.About), decode(r.Edits, &a.Edits)); err != nil {
		return nil, fmt.Errorf("read attachment %s: %w", r.ID, err)
	}
	return a, nil
}

// Insert stores a new attachment. It does not queue a solicited attachment, so that a
// second one for the same payer request fails here.
func (r attachments) Insert(ctx context.Context, a *attachment.Attachment) error {
	about, err := encode(&a.About)
	if err != nil {
		return err
	}
	edits, err := encode(&a.Edits)
	if err != nil {
		return err
	}
	r.evidence = rowEvidence("attachments", a.ID)
	const text = `
INSERT INTO attachments (` + attachmentColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, nullif($19, ''), $20, $21, $22, $23)`
	args := []any{
		a.ID, r.scope.Org, r.scope.Mode, a.State, a.Kind, a.ClaimID, a.OfficeID, a.Payer.ID, a.Payer.PayerID, a.Payer.Name,
		a.PayerRequestID, a.PayerReference, a.Narrative, about, a.RequestID, micro(a.CreatedAt), micro(a.UpdatedAt),
		optional(a.ClosedAt), a.Number, a.Sending, optional(a.SendingSince), a.Stalled, edits,
	}
	if a.PayerRequestID.IsZero() {
		return r.later(ctx, a.ID, text, args...)
	}
	_, err = r.do(ctx, "insert attachment "+a.ID.String(), text, args...)
	return err
}

// forUpdate is a clause that keeps other transactions from writing or locking the row.
const forUpdate = "FOR UPDATE"

// Get reads an attachment. It reads the documents after the attachment, so that a
// closed attachment has all of its documents.
func (r attachments) Get(ctx context.Context, id billing.AttachmentID) (*attachment.Attachment, error) {
	return r.one(ctx, id, "")
}

// Lock reads and locks an attachment. It reads the documents in a second statement,
// which begins after the lock is acquired. It therefore sees the documents that the
// last lock holder added.
func (r attachments) Lock(ctx context.Context, id billing.AttachmentID) (*attachment.Attachment, error) {
	return r.one(ctx, id, forUpdate)
}

func (r attachments) one(ctx context.Context, id billing.AttachmentID, end string) (*attachment.Attachment, error) {
	q := r.query(attachmentColumns, "attachments")
	q.where("id = %", id)
	a, err := one(ctx, r.tx, "attachment", attachmentRow.attachment, q.text(end), q.args...)
	if err != nil {
		return nil, err
	}
	return a, documents(r).addTo(ctx, []*attachment.Attachment{a})
}

// Save stores the fields of an attachment that can change.
func (r attachments) Save(ctx context.Context, a *attachment.Attachment) error {
	edits, err := encode(&a.Edits)
	if err != nil {
		return err
	}
	return r.later(ctx, a.ID, `
UPDATE attachments
SET state = $4, narrative = $5, updated_at = $6, closed_at = $7, number = nullif($8, ''), sending = $9, sending_since = $10, stalled = $11,
	edits = $12
WHERE org_id = $1 AND mode = $2 AND id = $3`,
		r.scope.Org, r.scope.Mode, a.ID, a.State, a.Narrative, micro(a.UpdatedAt), optional(a.ClosedAt), a.Number, a.Sending,
		optional(a.SendingSince), a.Stalled, edits)
}

func (r attachments) filter(f attachment.Filter) *query {
	q := r.query(attachmentColumns, "attachments")
	whereSet(q, "claim_id = %", f.ClaimID)
	q.ofPatient("claim_id = ANY (ARRAY(%))", f.PatientID)
	whereSet(q, "payer_request_id = %", f.PayerRequestID)
	whereSet(q, "request_id = %", f.RequestID)
	whereSet(q, "state = %", f.State)
	whereSet(q, "office_id = %", f.OfficeID)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	return q
}

// List reads a page of attachments, newest first, and all their documents in
// one statement.
func (r attachments) List(ctx context.Context, f attachment.Filter, p billing.Page) ([]*attachment.Attachment, error) {
	all, err := page(ctx, r.tx, "attachments", attachmentRow.attachment, r.filter(f), p)
	if err != nil {
		return nil, err
	}
	return all, documents(r).addTo(ctx, all)
}

// Serial returns the next number for an attachment.
func (r attachments) Serial(ctx context.Context) (n int64, err error) {
	err = r.fetch(ctx, "number an attachment", &n, "SELECT nextval('attachment_serials')")
	return n, err
}
