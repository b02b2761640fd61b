package claimstatus

import (
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// State is the state of an inquiry.
type State string

// The states of an inquiry. It moves once, from pending to completed.
const (
	Pending   State = "pending"
	Completed State = "completed"
)

// Outcome is the result of an inquiry. It is empty while the inquiry is pending.
type Outcome string

// The outcomes.
const (
	Found       Outcome = "found"       // the payer returned claims
	NotFound    Outcome = "not_found"   // the payer found no claim
	Refused     Outcome = "refused"     // the payer does not know the provider or the patient, or refuses the provider
	Unavailable Outcome = "unavailable" // the payer did not respond
	Failed      Outcome = "error"       // the network failed, or the response cannot be read
)

// Match is how a claim of the payer was recognized as ours.
type Match string

// The matches. The last is not sure: the claim does not move.
const (
	ByControlNumber    Match = "control_number"     // our patient control number (REF EJ)
	ByPayerClaimNumber Match = "payer_claim_number" // the payer's number of our claim (REF 1K)
	ByChargeAndDate    Match = "charge_and_date"    // the only one with the charge and the service dates
)

// maxStatuses is the number of statuses that are kept of a claim with its lines.
const maxStatuses = 200

// ErrNotPending is the error of completing an inquiry that is absent, or completed.
var ErrNotPending = errors.New("the inquiry about a claim is not pending")

// Inquiry asks the payer of a claim where the claim is.
type Inquiry struct {
	ID        billing.StatusInquiryID
	Scope     billing.Scope
	ClaimID   billing.ClaimID
	Payer     directory.PayerSummary
	RequestID billing.RequestID
	OfPerson  billing.RequestID // the request of a person, which no resource shows; then RequestID is zero
	CreatedAt time.Time
	State     State

	// Set on completion.
	Outcome     Outcome
	Network     string // that carried the inquiry, such as "sandbox"
	CompletedAt time.Time
	Content
}

// Content is what the payer answered.
type Content struct {
	Matches          Match    // empty unless one claim of the payer is ours
	PayerClaimNumber string   // the payer's number of our claim; empty if it states none
	Others           int      // claims of the payer that are not ours, or of which nothing tells
	Statuses         []Status // of our claim and its lines; of the search if none was found
}

// Position returns the place in a list, by the time and the ID.
func (i *Inquiry) Position() billing.Position { return billing.Position{Time: i.CreatedAt, ID: i.ID} }

// Filter narrows a list of inquiries. Zero fields match all.
type Filter struct {
	ClaimID   billing.ClaimID
	RequestID billing.RequestID
	Outcome   Outcome
}

// Exchanged is everything that was exchanged with a payer for an inquiry.
type Exchanged struct {
	Inquiry  billing.StatusInquiryID
	Messages []coverage.Exchange // in the order in which they were sent; none for one that was not sent
}

// Askable returns nil if the payer can be asked about the claim.
func Askable(c *claim.Claim) error {
	conflict := func(message string) error { return &billing.Error{Code: billing.CodeConflict, Message: message} }
	switch {
	case c.Kind == claim.KindPredetermination:
		return conflict("A payer is asked about claims, and this is a predetermination. Wait for its estimate, or call the payer.")
	case c.Frequency == claim.FrequencyVoid:
		return conflict("This is a void transaction. Ask about the claim that it voids, which parent_id names.")
	case !c.ErasedAt.IsZero():
		return conflict("The patient of this claim was erased, so the payer cannot be asked about it. Call the payer with the claim's number.")
	}
	switch c.State { //nolint:exhaustive // in the others, no file has the claim as it is
	case claim.Submitted, claim.AcceptedClearinghouse, claim.AcceptedPayer, claim.Rejected, claim.Paid, claim.Denied, claim.Reconciled:
		return nil
	case claim.Voided:
		return conflict("The claim is voided, so there is nothing to ask about.")
	case claim.Queued:
		return conflict("The claim waits for the next batch, and the payer does not have it. Ask once its state is submitted.")
	default:
		if !c.SentAt.IsZero() {
			return conflict("The claim came back, and no file has it as it is now. Correct it and submit it, and ask once its state is submitted.")
		}
		return conflict("The claim was not sent, and the payer does not have it. Submit it, and ask once its state is submitted.")
	}
}

// Answer is the payer's answer to an inquiry.
type Answer struct {
	Outcome Outcome
	Claims  []PayerClaim // of Found
	Search  []Status     // why there are none
	Network string
}

// PayerClaim is a claim as the payer has it.
type PayerClaim struct {
	ControlNumber    string // the provider's; empty if the payer states none
	PayerClaimNumber string
	Charge           billing.Money    // zero if the payer states none
	Service          billing.DateSpan // the same
	Statuses         []Status
	Report           clearing.ClaimReport // the same, as an acknowledgement would state it
}

// Complete completes a pending inquiry about the claim. It returns the payer's claim that is
// ours, or nil. For an inquiry that is complete it changes nothing and returns ErrNotPending.
func (i *Inquiry) Complete(a *Answer, c *claim.Claim, now time.Time) (*PayerClaim, error) {
	if i.State != Pending {
		return nil, ErrNotPending
	}
	i.State, i.Outcome, i.CompletedAt, i.Network = Completed, a.Outcome, now, a.Network
	i.Statuses, i.Others = a.Search, len(a.Claims)
	ours, by := match(a.Claims, c)
	if ours == nil {
		return nil, nil // none may be ours
	}
	i.Matches, i.PayerClaimNumber, i.Others = by, ours.PayerClaimNumber, len(a.Claims)-1
	i.Statuses = ours.Statuses[:min(len(ours.Statuses), maxStatuses)]
	return ours, nil
}

// Rejection returns the report by which the claim is rejected: its payer has, surely, sent
// this claim back. It is nil otherwise.
func (i *Inquiry) Rejection(ours *PayerClaim) *clearing.ClaimReport {
	if ours == nil || i.Matches == ByChargeAndDate || ours.Report.Outcome != clearing.ReportRejected {
		return nil
	}
	return &ours.Report
}

// Request returns the information that the payer requests for our claim; nil if none.
func (i *Inquiry) Request(ours *PayerClaim) *clearing.ClaimReport {
	if ours == nil || i.Matches == ByChargeAndDate || ours.Report.Request == nil {
		return nil
	}
	return &ours.Report
}
