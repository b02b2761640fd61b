package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

// PayerRequestRecord is a payer request as staff write it down from a letter;
// nothing is parsed yet. Nil is a value that was left out.
type PayerRequestRecord struct {
	ClaimID         *string
	PayerID         *string
	ReferenceNumber string
	Requested       string
	DueDate         *string
	Faults          billing.Faults // found when the body was decoded
}

// The limits of a recorded payer request, in characters: the reference number
// goes into TRN02, the rest is the payer's words.
const (
	maxReferenceNumber = 50
	maxRequested       = 2000
)

// PayerRequest validates the record and returns the payer request. The caller
// looks up the claim and the payer that it names.
func (r PayerRequestRecord) PayerRequest() (attachment.PayerRequest, billing.Faults) {
	f := slices.Clone(r.Faults)
	out := attachment.PayerRequest{
		State: attachment.PayerRequestOpen, Source: attachment.SourceStaff, ReferenceNumber: r.ReferenceNumber, Requested: r.Requested,
		ClaimID: optionalID[billing.ClaimID](&f, "claim_id", r.ClaimID, "claim"),
	}
	if r.PayerID != nil && billing.Blank(*r.PayerID) || r.PayerID == nil && r.ClaimID == nil {
		f.Add("payer_id", billing.FaultRequired, "Name the payer, or leave out payer_id and name the claim that the request is about.")
	}
	f.Required("reference_number", r.ReferenceNumber, maxReferenceNumber)
	f.Required("requested", r.Requested, maxRequested)
	if r.DueDate != nil {
		out.DueDate = day(&f, "due_date", *r.DueDate)
	}
	return out, f
}
