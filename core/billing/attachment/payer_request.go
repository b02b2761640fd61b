package attachment

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
)

// PayerRequestState is the state of a payer request.
type PayerRequestState string

// The states of a payer request.
const (
	PayerRequestOpen     PayerRequestState = "open"
	PayerRequestAnswered PayerRequestState = "answered"
)

// PayerRequestSource is the source of a payer request.
type PayerRequestSource string

// The sources.
const (
	SourceNetwork PayerRequestSource = "network" // a 277 request for information
	SourceStaff   PayerRequestSource = "staff"   // recorded by hand from a letter
)

// PayerRequest is a payer's request for more information.
type PayerRequest struct {
	ID                  billing.PayerRequestID
	Scope               billing.Scope
	State               PayerRequestState
	Source              PayerRequestSource
	ClaimID             billing.ClaimID   // zero for a request without a claim
	OfficeID            billing.OfficeID  // of the claim
	PatientID           billing.PatientID // of the claim; zero for an unknown or an erased one
	Payer               directory.PayerSummary
	ReferenceNumber     string       // the payer's; the answer carries it
	Requested           string       // in the payer's words
	DueDate             billing.Date // zero when the payer set none
	AnsweringAttachment billing.AttachmentID
	AnswerNote          string // how it was answered elsewhere; empty for an answer with an attachment
	AnsweredAt          time.Time
	Decisions           decision.List // of people, about what the request makes them do
	CreatedAt           time.Time
}

// Position returns the place in a list, by the time and the ID.
func (r *PayerRequest) Position() billing.Position {
	return billing.Position{Time: r.CreatedAt, ID: r.ID}
}

// PayerRequestFilter narrows a list of payer requests. Zero fields match all.
type PayerRequestFilter struct {
	State     PayerRequestState
	ClaimID   billing.ClaimID
	PatientID billing.PatientID // of the claim
	PayerID   billing.PayerID
	DueBy     billing.Date // inclusive; requests without a due date are left out
}

// Answer records that the closed attachment answers the request.
func (r *PayerRequest) Answer(a *Attachment) {
	r.State, r.AnsweringAttachment, r.AnsweredAt = PayerRequestAnswered, a.ID, a.ClosedAt
}

// AnswerElsewhere records that the practice answered the request in another way than
// with an attachment, such as by mail.
func (r *PayerRequest) AnswerElsewhere(note string, at time.Time) {
	r.State, r.AnswerNote, r.AnsweredAt = PayerRequestAnswered, note, at
}

// PayerRequestAnswer is a payer request with the attachment that answers it, or with
// none if it was answered elsewhere.
type PayerRequestAnswer struct {
	Request    *PayerRequest
	Attachment *Attachment
}
