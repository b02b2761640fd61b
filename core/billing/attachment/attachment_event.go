package billing

type attachmentCompletedData struct {
	ID               AttachmentID    `json:"id"`
	Object           string          `json:"object"`
	OfficeID         OfficeID        `json:"office_id"`
	ClaimID          *ClaimID        `json:"claim_id"`
	Payer            payerData       `json:"payer"`
	Kind             AttachmentKind  `json:"kind"`
	State            AttachmentState `json:"state"`
	AttachmentNumber string          `json:"attachment_number"`
	PayerRequestID   *PayerRequestID `json:"payer_request_id"`
	DocumentCount    int             `json:"document_count"`
	RequestID        *RequestID      `json:"request_id"`
	CreatedAt        string          `json:"created_at"`
	ClosedAt         string          `json:"closed_at"`
	OccurredAt       string          `json:"occurred_at"`
}

// CompletedEvent returns the attachment.completed event of a closed attachment.
func (a *Attachment) CompletedEvent() Event {
	return newEvent(a.Scope, EventAttachmentCompleted, a.ID, a.ClosedAt, attachmentCompletedData{
		ID: a.ID, Object: "attachment", OfficeID: a.OfficeID, ClaimID: orNull(a.ClaimID), Payer: payerData(a.Payer),
		Kind: a.Kind, State: a.State, AttachmentNumber: a.Number, PayerRequestID: orNull(a.PayerRequestID),
		DocumentCount: len(a.Documents), RequestID: orNull(a.RequestID),
		CreatedAt: Timestamp(a.CreatedAt), ClosedAt: Timestamp(a.ClosedAt), OccurredAt: Timestamp(a.ClosedAt),
	})
}

type payerRequestReceivedData struct {
	ID              PayerRequestID     `json:"id"`
	Object          string             `json:"object"`
	ClaimID         *ClaimID           `json:"claim_id"`
	Payer           payerData          `json:"payer"`
	ReferenceNumber string             `json:"reference_number"`
	State           PayerRequestState  `json:"state"`
	Source          PayerRequestSource `json:"source"`
	DueDate         *Date              `json:"due_date"`
	CreatedAt       string             `json:"created_at"`
	OccurredAt      string             `json:"occurred_at"`
}

// ReceivedEvent returns the payer_request.received event of a new payer request.
func (r *PayerRequest) ReceivedEvent() Event {
	return newEvent(r.Scope, EventPayerRequestReceived, r.ID, r.CreatedAt, payerRequestReceivedData{
		ID: r.ID, Object: "payer_request", ClaimID: orNull(r.ClaimID), Payer: payerData(r.Payer),
		ReferenceNumber: r.ReferenceNumber, State: r.State, Source: r.Source,
		DueDate: orNull(r.DueDate), CreatedAt: Timestamp(r.CreatedAt), OccurredAt: Timestamp(r.CreatedAt),
	})
}
