package httpapi

import (
	"encoding/hex"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/task"
)

// attachmentJSON is an attachment as the API returns it. Every field is
// present; fields without a value are null.
type attachmentJSON struct {
	ID               billing.AttachmentID    `json:"id"`
	Object           string                  `json:"object"`
	Version          int                     `json:"version"`
	State            attachment.State        `json:"state"`
	Kind             attachment.Kind         `json:"kind"`
	ClaimID          *billing.ClaimID        `json:"claim_id"`
	OfficeID         billing.OfficeID        `json:"office_id"`
	Payer            payerJSON               `json:"payer"`
	PayerRequestID   *billing.PayerRequestID `json:"payer_request_id"`
	PayerReference   *string                 `json:"payer_reference"`
	Narrative        string                  `json:"narrative"`
	Documents        []documentJSON          `json:"documents"`
	AttachmentNumber *string                 `json:"attachment_number"`
	ClaimFile        *claimFileJSON          `json:"claim_file"`
	RequestID        *billing.RequestID      `json:"request_id"`
	CreatedAt        string                  `json:"created_at"`
	UpdatedAt        string                  `json:"updated_at"`
	ClosedAt         *string                 `json:"closed_at"`
	Settled          *settledJSON            `json:"settled"`
}

type claimFileJSON struct {
	PWK     string `json:"pwk"`
	NTE     string `json:"nte"`
	Partial bool   `json:"nte_partial"`
}

type documentJSON struct {
	ID            billing.DocumentID      `json:"id"`
	Object        string                  `json:"object"`
	DocumentType  string                  `json:"document_type"`
	Medium        attachment.Medium       `json:"medium"`
	ImageDate     *billing.Date           `json:"image_date"`
	Orientation   *attachment.Orientation `json:"orientation"`
	FileName      string                  `json:"file_name"`
	ConvertedFrom *attachment.ImageFormat `json:"converted_from"`
	Size          int64                   `json:"size"`
	MD5           string                  `json:"md5"`
	SentToNetwork bool                    `json:"sent_to_network"`
	CreatedAt     string                  `json:"created_at"`
}

func attachmentShape(a *attachment.Attachment) attachmentJSON {
	closed := a.State == attachment.Closed
	out := attachmentJSON{
		Settled: settledShape(a.Decisions.Of(string(task.ImagesUnsent))),
		ID:      a.ID, Object: "attachment", Version: a.Edits.Version(), State: a.State, Kind: a.Kind, ClaimID: orNull(a.ClaimID), OfficeID: a.OfficeID,
		Payer: payerJSON(a.Payer), PayerRequestID: orNull(a.PayerRequestID), PayerReference: orNull(a.PayerReference),
		Narrative: a.Narrative, RequestID: orNull(a.RequestID),
		CreatedAt: event.Timestamp(a.CreatedAt), UpdatedAt: event.Timestamp(a.UpdatedAt),
		Documents: mapped(a.Documents, func(d *attachment.Document) documentJSON { return documentShape(d, closed) }),
	}
	if closed {
		out.AttachmentNumber, out.ClosedAt = &a.Number, new(event.Timestamp(a.ClosedAt))
		out.ClaimFile = (*claimFileJSON)(a.ClaimFile())
	}
	return out
}

func documentShape(d *attachment.Document, sent bool) documentJSON {
	return documentJSON{
		ID: d.ID, Object: "attachment_document", DocumentType: d.Type, Medium: d.Medium, ImageDate: orNull(d.ImageDate),
		Orientation: orNull(d.Orientation), FileName: d.FileName, ConvertedFrom: orNull(d.ConvertedFrom), Size: d.Size,
		MD5: hex.EncodeToString(d.MD5[:]), SentToNetwork: sent, CreatedAt: event.Timestamp(d.CreatedAt),
	}
}

type documentTypeJSON struct {
	Object string            `json:"object"`
	Code   string            `json:"code"`
	Label  string            `json:"label"`
	Medium attachment.Medium `json:"medium"`
	PWK01  string            `json:"pwk01"`
}

func documentTypeShape(t attachment.DocumentType) documentTypeJSON {
	return documentTypeJSON{"document_type", t.Code, t.Label, t.Medium, t.PWK01}
}

type payerRequestJSON struct {
	ID                    billing.PayerRequestID        `json:"id"`
	Object                string                        `json:"object"`
	State                 attachment.PayerRequestState  `json:"state"`
	Source                attachment.PayerRequestSource `json:"source"`
	ClaimID               *billing.ClaimID              `json:"claim_id"`
	Payer                 payerJSON                     `json:"payer"`
	ReferenceNumber       string                        `json:"reference_number"`
	Requested             string                        `json:"requested"`
	DueDate               *billing.Date                 `json:"due_date"`
	AnsweringAttachmentID *billing.AttachmentID         `json:"answering_attachment_id"`
	AnswerNote            *string                       `json:"answer_note"`
	AnsweredAt            *string                       `json:"answered_at"`
	Settled               *settledJSON                  `json:"settled"`
	CreatedAt             string                        `json:"created_at"`
}

func payerRequestShape(r *attachment.PayerRequest) payerRequestJSON {
	out := payerRequestJSON{
		ID: r.ID, Object: "payer_request", State: r.State, Source: r.Source, ClaimID: orNull(r.ClaimID), Payer: payerJSON(r.Payer),
		ReferenceNumber: r.ReferenceNumber, Requested: r.Requested, DueDate: orNull(r.DueDate),
		AnsweringAttachmentID: orNull(r.AnsweringAttachment), AnswerNote: orNull(r.AnswerNote), Settled: settledShape(r.Decisions.Of(string(task.RequestDue))), CreatedAt: event.Timestamp(r.CreatedAt),
	}
	if r.State == attachment.PayerRequestAnswered {
		out.AnsweredAt = new(event.Timestamp(r.AnsweredAt))
	}
	return out
}

type answerJSON struct {
	Object       string           `json:"object"`
	PayerRequest payerRequestJSON `json:"payer_request"`
	Attachment   *attachmentJSON  `json:"attachment"`
}

func answerShape(a attachment.PayerRequestAnswer) answerJSON {
	out := answerJSON{Object: "payer_request_answer", PayerRequest: payerRequestShape(a.Request)}
	if a.Attachment != nil {
		out.Attachment = new(attachmentShape(a.Attachment))
	}
	return out
}
