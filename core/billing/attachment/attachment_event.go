package attachment

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

type attachmentCompletedData struct {
	ID               billing.AttachmentID    `json:"id"`
	Object           string                  `json:"object"`
	OfficeID         billing.OfficeID        `json:"office_id"`
	ClaimID          *billing.ClaimID        `json:"claim_id"`
	Payer            event.PayerData         `json:"payer"`
	Kind             Kind                    `json:"kind"`
	State            State                   `json:"state"`
	AttachmentNumber string                  `json:"attachment_number"`
	PayerRequestID   *billing.PayerRequestID `json:"payer_request_id"`
	DocumentCount    int                     `json:"document_count"`
	RequestID        *billing.RequestID      `json:"request_id"`
	CreatedAt        string                  `json:"created_at"`
	ClosedAt         string                  `json:"closed_at"`
	OccurredAt       string                  `json:"occurred_at"`
}

// CompletedEvent returns the attachment.completed event of a closed attachment.
func (a *Attachment) CompletedEvent() event.Event {
	return event.New(a.Scope, event.AttachmentCompleted, a.ID, a.ClosedAt, attachmentCompletedData{
		ID: a.ID, Object: "attachment", OfficeID: a.OfficeID, ClaimID: event.OrNull(a.ClaimID), Payer: event.PayerData(a.Payer),
		Kind: a.Kind, State: a.State, AttachmentNumber: a.Number, PayerRequestID: event.OrNull(a.PayerRequestID),
		DocumentCount: len(a.Documents), RequestID: event.OrNull(a.RequestID),
		CreatedAt: event.Timestamp(a.CreatedAt), ClosedAt: event.Timestamp(a.ClosedAt), OccurredAt: event.Timestamp(a.ClosedAt),
	})
}

type payerRequestReceivedData struct {
	ID              billing.PayerRequestID `json:"id"`
	Object          string                 `json:"object"`
	ClaimID         *billing.ClaimID       `json:"claim_id"`
	Payer           event.PayerData        `json:"payer"`
	ReferenceNumber string                 `json:"reference_number"`
	State           PayerRequestState      `json:"state"`
	Source          PayerRequestSource     `json:"source"`
	DueDate         *billing.Date          `json:"due_date"`
	CreatedAt       string                 `json:"created_at"`
	OccurredAt      string                 `json:"occurred_at"`
}

// ReceivedEvent returns the payer_request.received event of a new payer request.
func (r *PayerRequest) ReceivedEvent() event.Event {
	return event.New(r.Scope, event.PayerRequestReceived, r.ID, r.CreatedAt, payerRequestReceivedData{
		ID: r.ID, Object: "payer_request", ClaimID: event.OrNull(r.ClaimID), Payer: event.PayerData(r.Payer),
		ReferenceNumber: r.ReferenceNumber, State: r.State, Source: r.Source,
		DueDate: event.OrNull(r.DueDate), CreatedAt: event.Timestamp(r.CreatedAt), OccurredAt: event.Timestamp(r.CreatedAt),
	})
}
