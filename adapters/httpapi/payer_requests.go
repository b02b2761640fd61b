package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
)

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
	in := readBody[intake.AnswerRequest](x)
	answer := a.attachments.Answer
	if in.Elsewhere {
		answer = a.payerRequests.AnswerElsewhere
	}
	return kept(answer(x.ctx, replying(x, http.StatusOK, answerShape), payerRequestID(x), in))
}
