package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
)

// askStatus handles POST /claims/{id}/status_inquiries. It replies with the inquiry, whatever
// its outcome.
func (a *api) askStatus(x *exchange) (*reply, error) {
	return kept(a.claimStatus.Ask(x.ctx, replying(x, http.StatusCreated, statusInquiryShape), claimID(x)))
}

// listStatusInquiries handles GET /claims/{id}/status_inquiries.
func (a *api) listStatusInquiries(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("status_inquiries", x.call.Scope, "limit", "cursor")
	f := claimstatus.Filter{ClaimID: claimID(x), RequestID: id[billing.RequestID](q, "request_id")}
	x.resource = f.ClaimID.String()
	return listed(a, x, q, l, f, a.claimStatus.List, statusInquiryShape)
}

type statusInquiryJSON struct {
	ID               billing.StatusInquiryID `json:"id"`
	Object           string                  `json:"object"`
	ClaimID          billing.ClaimID         `json:"claim_id"`
	Payer            payerJSON               `json:"payer"`
	State            claimstatus.State       `json:"state"`
	Outcome          *claimstatus.Outcome    `json:"outcome"`
	Message          *string                 `json:"message"`
	Matches          *claimstatus.Match      `json:"matches"`
	PayerClaimNumber *string                 `json:"payer_claim_number"`
	OtherClaims      int                     `json:"other_claims"`
	Statuses         []claimStatusJSON       `json:"statuses"`
	Network          *string                 `json:"network"`
	RequestID        *billing.RequestID      `json:"request_id"`
	CreatedAt        string                  `json:"created_at"`
	CompletedAt      *string                 `json:"completed_at"`
}

type claimStatusJSON struct {
	LineNumber    *int                  `json:"line_number"`
	ProcedureCode *string               `json:"procedure_code"`
	Codes         []claimStatusCodeJSON `json:"codes"`
	EffectiveDate *billing.Date         `json:"effective_date"`
	Charge        *string               `json:"charge"`
	Paid          *string               `json:"paid"`
	DecidedDate   *billing.Date         `json:"decided_date"`
	PaymentDate   *billing.Date         `json:"payment_date"`
	PaymentNumber *string               `json:"payment_number"`
}

type claimStatusCodeJSON struct {
	Category string  `json:"category"`
	Status   *string `json:"status"`
	Entity   *string `json:"entity"`
	Text     string  `json:"text"`
}

func statusInquiryShape(i *claimstatus.Inquiry) statusInquiryJSON {
	return statusInquiryJSON{
		ID: i.ID, Object: "status_inquiry", ClaimID: i.ClaimID, Payer: payerJSON(i.Payer), State: i.State, Outcome: orNull(i.Outcome),
		Message: orNull(i.Message()), Matches: orNull(i.Matches), PayerClaimNumber: orNull(i.PayerClaimNumber), OtherClaims: i.Others,
		Statuses: mapped(i.Statuses, claimStatusShape), Network: orNull(i.Network), RequestID: orNull(i.RequestID),
		CreatedAt: event.Timestamp(i.CreatedAt), CompletedAt: timeOrNull(i.CompletedAt),
	}
}

func claimStatusShape(s claimstatus.Status) claimStatusJSON {
	return claimStatusJSON{
		LineNumber: orNull(s.Line), ProcedureCode: orNull(s.Procedure), EffectiveDate: orNull(s.Effective), Charge: money(s.Charge), Paid: money(s.Paid),
		DecidedDate: orNull(s.Decided), PaymentDate: orNull(s.PaymentDate), PaymentNumber: orNull(s.Payment),
		Codes: mapped(s.Codes, func(c claimstatus.Code) claimStatusCodeJSON {
			return claimStatusCodeJSON{c.Category, orNull(c.Status), orNull(c.Entity), c.Words()}
		}),
	}
}

type statusExchangeJSON struct {
	Object          string                  `json:"object"`
	StatusInquiryID billing.StatusInquiryID `json:"status_inquiry_id"`
	Messages        []messageJSON           `json:"messages"`
}

func statusExchangeShape(e claimstatus.Exchanged) statusExchangeJSON {
	return statusExchangeJSON{"status_exchange", e.Inquiry, mapped(e.Messages, func(m coverage.Exchange) messageJSON {
		return messageJSON{legible(m.Request), orNull(legible(m.Reply))}
	})}
}
