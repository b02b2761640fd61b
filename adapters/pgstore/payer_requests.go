package pgstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/directory"
)

type payerRequests struct{ *tx }

const payerRequestColumns = `id, org_id, mode, state, source, claim_id, payer_id, payer_code, payer_name, reference_number, requested,
	due_date, answering_attachment_id, answer_note, answered_at, created_at`

type payerRequestRow struct {
	ID              billing.PayerRequestID        `db:"id"`
	Org             billing.OrgID                 `db:"org_id"`
	Mode            billing.Mode                  `db:"mode"`
	State           attachment.PayerRequestState  `db:"state"`
	Source          attachment.PayerRequestSource `db:"source"`
	ClaimID         billing.ClaimID               `db:"claim_id"`
	PayerID         billing.PayerID               `db:"payer_id"`
	PayerCode       string                        `db:"payer_code"`
	PayerName       string                        `db:"payer_name"`
	ReferenceNumber string                        `db:"reference_number"`
	Requested       string                        `db:"requested"`
	DueDate         billing.Date                  `db:"due_date"`
	Answering       billing.AttachmentID          `db:"answering_attachment_id"`
	AnswerNote      string                        `db:"answer_note"`
	AnsweredAt      sql.NullTime                  `db:"answered_at"`
	CreatedAt       time.Time                     `db:"created_at"`
}

func (r payerRequestRow) payerRequest() (*attachment.PayerRequest, error) {
	return &attachment.PayerRequest{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, State: r.State, Source: r.Source, ClaimID: r.ClaimID,
		Payer:           directory.PayerSummary{ID: r.PayerID, PayerID: r.PayerCode, Name: r.PayerName},
		ReferenceNumber: r.ReferenceNumber, Requested: r.Requested, DueDate: r.DueDate, AnsweringAttachment: r.Answering,
		AnswerNote: r.AnswerNote, AnsweredAt: present(r.AnsweredAt), CreatedAt: r.CreatedAt.UTC(),
	}, nil
}

// Insert stores a new payer request.
func (r payerRequests) Insert(ctx context.Context, p *attachment.PayerRequest) error {
	r.evidence = rowEvidence("payer_requests", p.ID)
	return r.later(ctx, p.ID, `
INSERT INTO payer_requests (id, org_id, mode, state, source, claim_id, payer_id, payer_code, payer_name, reference_number,
	requested, due_date, answering_attachment_id, answer_note, answered_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		p.ID, r.scope.Org, r.scope.Mode, p.State, p.Source, p.ClaimID, p.Payer.ID, p.Payer.PayerID, p.Payer.Name, p.ReferenceNumber,
		p.Requested, p.DueDate, p.AnsweringAttachment, p.AnswerNote, optional(p.AnsweredAt), micro(p.CreatedAt))
}

// Get reads a payer request.
func (r payerRequests) Get(ctx context.Context, id billing.PayerRequestID) (*attachment.PayerRequest, error) {
	return r.one(ctx, id, "")
}

// Lock reads a payer request and keeps other transactions from writing it.
func (r payerRequests) Lock(ctx context.Context, id billing.PayerRequestID) (*attachment.PayerRequest, error) {
	return r.one(ctx, id, forUpdate)
}

func (r payerRequests) one(ctx context.Context, id billing.PayerRequestID, end string) (*attachment.PayerRequest, error) {
	q := r.query(payerRequestColumns, "payer_requests")
	q.where("id = %", id)
	return one(ctx, r.tx, "payer request", payerRequestRow.payerRequest, q.text(end), q.args...)
}

// Save stores the state of a payer request, and its answer.
func (r payerRequests) Save(ctx context.Context, p *attachment.PayerRequest) error {
	return r.later(ctx, p.ID, `
UPDATE payer_requests
SET state = $4, answering_attachment_id = $5, answer_note = $6, answered_at = $7
WHERE org_id = $1 AND mode = $2 AND id = $3`,
		r.scope.Org, r.scope.Mode, p.ID, p.State, p.AnsweringAttachment, p.AnswerNote, optional(p.AnsweredAt))
}

func (r payerRequests) filter(f attachment.PayerRequestFilter) *query {
	q := r.query(payerRequestColumns, "payer_requests")
	whereSet(q, "state = %", f.State)
	whereSet(q, "claim_id = %", f.ClaimID)
	q.ofPatient("claim_id = ANY (ARRAY(%))", f.PatientID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "due_date <= %", f.DueBy)
	return q
}

// List reads a page of payer requests, newest first.
func (r payerRequests) List(ctx context.Context, f attachment.PayerRequestFilter, p billing.Page) ([]*attachment.PayerRequest, error) {
	return page(ctx, r.tx, "payer requests", payerRequestRow.payerRequest, r.filter(f), p)
}

// received uses an index on the claim, because a claim has few requests with the same
// reference.
const received = `
SELECT EXISTS (
	SELECT
	FROM payer_requests
	WHERE org_id = $1 AND mode = $2 AND payer_id = $3 AND reference_number = $4 AND source = 'network'
		AND claim_id IS NOT DISTINCT FROM $5::uuid
)`

// Received reports whether the payer's request came through the network before.
func (r payerRequests) Received(
	ctx context.Context, payer billing.PayerID, claim billing.ClaimID, reference string,
) (have bool, err error) {
	err = r.fetch(ctx, "find a payer request", &have, received, r.scope.Org, r.scope.Mode, payer, reference, claim)
	return have, err
}
