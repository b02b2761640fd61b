package billing

import (
	"slices"
	"time"
)

// PayerRequestState is where a payer request stands.
type PayerRequestState string

// The states of a payer request.
const (
	PayerRequestOpen     PayerRequestState = "open"
	PayerRequestAnswered PayerRequestState = "answered"
)

// PayerRequestSource is how a payer request came.
type PayerRequestSource string

// The sources.
const (
	SourceNetwork PayerRequestSource = "network" // a 277 request for information
	SourceStaff   PayerRequestSource = "staff"   // recorded by hand from a letter
)

// PayerRequest is a payer's question for more information.
type PayerRequest struct {
	ID                  PayerRequestID
	Scope               Scope
	State               PayerRequestState
	Source              PayerRequestSource
	ClaimID             ClaimID // zero when it is about no claim
	Payer               PayerSummary
	ReferenceNumber     string // the payer's; the answer carries it
	Requested           string // in the payer's words
	DueDate             Date   // zero when the payer set none
	AnsweringAttachment AttachmentID
	AnsweredAt          time.Time
	CreatedAt           time.Time
}

// PayerRequestFilter narrows a list of payer requests; zero fields do not.
type PayerRequestFilter struct {
	State   PayerRequestState
	ClaimID ClaimID
	PayerID PayerID
	DueBy   Date // inclusive; requests without a due date are left out
}

// Answer notes that the closed attachment answers the request.
func (r *PayerRequest) Answer(a *Attachment) {
	r.State, r.AnsweringAttachment, r.AnsweredAt = PayerRequestAnswered, a.ID, a.ClosedAt
}

// PayerRequestRecord is a payer request as staff write it down from a letter;
// nothing is parsed yet. Nil is a value that was left out.
type PayerRequestRecord struct {
	ClaimID         *string
	PayerID         *string
	ReferenceNumber string
	Requested       string
	DueDate         *string
	Faults          Faults // what is wrong with the request's form already
}

// The limits of a recorded payer request, in characters: the reference number
// goes into TRN02, the rest is the payer's words.
const (
	maxReferenceNumber = 50
	maxRequested       = 2000
)

// Parse judges the record. Claim and payer are the values of its fields; which
// they name is for the caller to find out.
func (r PayerRequestRecord) Parse() (PayerRequest, Faults) {
	f := slices.Clone(r.Faults)
	out := PayerRequest{
		State: PayerRequestOpen, Source: SourceStaff, ReferenceNumber: r.ReferenceNumber, Requested: r.Requested,
		ClaimID: optionalID[ClaimID](&f, "claim_id", r.ClaimID, "claim"),
	}
	if r.PayerID != nil && blank(*r.PayerID) || r.PayerID == nil && r.ClaimID == nil {
		f.Add("payer_id", FaultRequired, "Name the payer, or leave payer_id out and name the claim that the request is about.")
	}
	required(&f, "reference_number", r.ReferenceNumber, maxReferenceNumber)
	required(&f, "requested", r.Requested, maxRequested)
	if r.DueDate != nil {
		out.DueDate = day(&f, "due_date", *r.DueDate)
	}
	return out, f
}

// optionalID reads an ID that may be left out.
func optionalID[T ID[K], K Kind](f *Faults, field string, value *string, what string) T {
	if value == nil {
		return T{}
	}
	id, err := ParseID[T, K](*value)
	if required(f, field, *value, 0) && err != nil {
		var kind K
		f.Add(field, FaultFormat, "The ID of a "+what+" starts with "+kind.prefix()+" and has 26 more characters.")
	}
	return id
}

// PayerRequestAnswer is a payer request with the attachment that answers it.
type PayerRequestAnswer struct {
	Request    *PayerRequest
	Attachment *Attachment
}
