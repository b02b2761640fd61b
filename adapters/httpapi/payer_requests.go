package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
)

// recordPayerRequest handles POST /payer_requests.
func (a *api) recordPayerRequest(x *exchange) (*reply, error) {
	var in intake.PayerRequestRecord
	doc := x.document(&in.Faults)
	in.ClaimID = doc.optionalText("claim_id")
	in.PayerID = doc.optionalText("payer_id")
	in.ReferenceNumber = doc.text("reference_number")
	in.Requested = doc.text("requested")
	in.DueDate = doc.optionalText("due_date")
	doc.end()
	return kept(a.payerRequests.Record(x.ctx, replying(x, http.StatusCreated, payerRequestShape), in))
}

// listPayerRequests handles GET /payer_requests.
func (a *api) listPayerRequests(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("payer_requests", x.call.Scope, "limit", "cursor")
	f := attachment.PayerRequestFilter{
		State:     oneOf(q, "state", attachment.PayerRequestOpen, attachment.PayerRequestAnswered),
		ClaimID:   id[billing.ClaimID](q, "claim_id"),
		PatientID: id[billing.PatientID](q, "patient_id"),
		PayerID:   q.payer(a.payers),
		DueBy:     q.date("due_before"),
	}
	return listed(a, x, q, l, f, a.payerRequests.List, payerRequestShape)
}

// answerPayerRequest handles POST /payer_requests/{id}/answer.
func (a *api) answerPayerRequest(x *exchange) (*reply, error) {
	var in intake.AnswerRequest
	doc := x.document(&in.Faults)
	in.AttachmentID = doc.optionalText("attachment_id")
	in.OfficeID = doc.optionalText("office_id")
	in.Narrative = doc.optionalText("narrative")
	in.About = readSubject(doc)
	in.Elsewhere, in.Note = doc.flag("answered_elsewhere"), doc.optionalText("note")
	doc.end()
	answer := a.attachments.Answer
	if in.Elsewhere {
		answer = a.payerRequests.AnswerElsewhere
	}
	return kept(answer(x.ctx, replying(x, http.StatusOK, answerShape), payerRequestID(x), in))
}
