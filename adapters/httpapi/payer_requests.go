package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
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

// payerRequestID returns the ID in the path, like attachmentID.
func payerRequestID(x *exchange) billing.PayerRequestID {
	id, _ := billing.ParseID[billing.PayerRequestID](x.params.Params("id"))
	return id
}

// getPayerRequest handles GET /payer_requests/{id}.
func (a *api) getPayerRequest(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	r, err := a.payerRequests.Get(x.ctx, x.call.Scope, payerRequestID(x))
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: payerRequestShape(r)}, nil
}

// listPayerRequests handles GET /payer_requests.
func (a *api) listPayerRequests(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("payer_requests", x.call.Scope, "limit", "cursor")
	f := billing.PayerRequestFilter{
		State:   oneOf(q, "state", billing.PayerRequestOpen, billing.PayerRequestAnswered),
		ClaimID: id[billing.ClaimID](q, "claim_id"),
		PayerID: id[billing.PayerID](q, "payer_id"),
		DueBy:   q.date("due_before"),
	}
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, next, err := a.payerRequests.List(x.ctx, x.call.Scope, f, p)
	if err != nil {
		return nil, err
	}
	return page(found, payerRequestShape, a.cursors.encode(l, next)), nil
}

// answerPayerRequest handles POST /payer_requests/{id}/answer.
func (a *api) answerPayerRequest(x *exchange) (*reply, error) {
	var in intake.AnswerRequest
	doc := x.document(&in.Faults)
	in.AttachmentID = doc.optionalText("attachment_id")
	in.OfficeID = doc.optionalText("office_id")
	in.Narrative = doc.optionalText("narrative")
	in.About = readSubject(doc)
	doc.end()
	return kept(a.attachments.Answer(x.ctx, replying(x, http.StatusOK, answerShape), payerRequestID(x), in))
}
