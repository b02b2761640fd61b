package pgstore

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/task"
)

type payerRequests struct{ *tx }

func payerRequestFields(p *attachment.PayerRequest) []field {
	return scoped(&p.ID, &p.Scope, []field{
		{"source", &p.Source},
		{"claim_id", &p.ClaimID},
		{"payer_id", &p.Payer.ID},
		{"payer_code", &p.Payer.PayerID},
		{"payer_name", &p.Payer.Name},
		{"reference_number", &p.ReferenceNumber},
		{"requested", &p.Requested},
		{"due_date", &p.DueDate},
		{"created_at", instant{&p.CreatedAt}},
		{"state", &p.State},
		{"answering_attachment_id", &p.AnsweringAttachment},
		{"answer_note", &p.AnswerNote},
		{"answered_at", instant{&p.AnsweredAt}},
		{"decisions", document{&p.Decisions, "[]"}},
		{"office_id", &p.OfficeID},
		{"patient_id", &p.PatientID},
	})
}

// Insert stores a new payer request.
func (r payerRequests) Insert(ctx context.Context, p *attachment.PayerRequest) error {
	if err := payerRequestTable.insert(ctx, r.tx, p); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfPayerRequest, ID: p.ID}, true, task.OfAPayerRequest(p), p.Decisions)
}

// Get reads a payer request.
func (r payerRequests) Get(ctx context.Context, id billing.PayerRequestID) (*attachment.PayerRequest, error) {
	return payerRequestTable.get(ctx, r.tx, id, "")
}

// Lock reads a payer request and keeps other transactions from writing it.
func (r payerRequests) Lock(ctx context.Context, id billing.PayerRequestID) (*attachment.PayerRequest, error) {
	return payerRequestTable.get(ctx, r.tx, id, forUpdate)
}

// Save stores the state of a payer request, and its answer.
func (r payerRequests) Save(ctx context.Context, p *attachment.PayerRequest) error {
	if err := payerRequestTable.save(ctx, r.tx, p); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfPayerRequest, ID: p.ID}, false, task.OfAPayerRequest(p), p.Decisions)
}

func (r payerRequests) filter(f attachment.PayerRequestFilter) *query {
	q := payerRequestTable.of(r.tx)
	whereSet(q, "state = %", f.State)
	whereSet(q, "claim_id = %", f.ClaimID)
	q.ofPatient("claim_id = ANY (ARRAY(%))", f.PatientID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "due_date <= %", f.DueBy)
	return q
}

// List reads a page of payer requests, newest first.
func (r payerRequests) List(ctx context.Context, f attachment.PayerRequestFilter, p billing.Page) ([]*attachment.PayerRequest, error) {
	return payerRequestTable.page(ctx, r.tx, r.filter(f), p)
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
