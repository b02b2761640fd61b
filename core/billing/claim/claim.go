package claim

import (
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Kind is the kind of a claim: for payment, or for an estimate.
type Kind string

// The kinds of claims.
const (
	KindClaim            Kind = "claim"
	KindPredetermination Kind = "predetermination" // sent before treatment; the payer responds with an estimate
)

// State is the state of a claim.
type State string

// The states of a claim.
const (
	Draft                 State = "draft"
	Validated             State = "validated"
	NeedsAttention        State = "needs_attention"
	Queued                State = "queued"
	Submitted             State = "submitted"
	AcceptedClearinghouse State = "accepted_clearinghouse"
	AcceptedPayer         State = "accepted_payer"
	Rejected              State = "rejected"
	Voided                State = "voided"
	Paid                  State = "paid"
	Denied                State = "denied"
	Reconciled            State = "reconciled"
	Returned              State = "returned" // of predeterminations
)

// States lists every state of a claim.
func States() []State {
	return []State{
		Draft, Validated, NeedsAttention, Queued, Submitted, AcceptedClearinghouse,
		AcceptedPayer, Rejected, Voided, Paid, Denied, Reconciled, Returned,
	}
}

// Frequency is the frequency code of a claim (CLM05-3).
type Frequency string

// The frequencies.
const (
	FrequencyOriginal    Frequency = "original"    // 1
	FrequencyReplacement Frequency = "replacement" // 7
	FrequencyVoid        Frequency = "void"        // 8
)

// Claim asks a payer to pay for services, or to estimate the payment.
// Record adds values from other rows.
type Claim struct {
	ID                   billing.ClaimID
	Scope                billing.Scope
	Kind                 Kind
	Frequency            Frequency
	ParentID             billing.ClaimID   // the claim that a void transaction voids
	ConvertedFrom        billing.ClaimID   // the predetermination that became the claim
	SecondaryTo          billing.ClaimID   // the claim to the payer before for the same services
	PatientControlNumber string            `field:"patient_control_number"`
	RequestID            billing.RequestID // of the request that made it
	CreatedAt            time.Time
	Edits                billing.Edits

	Content
	Progress
}

// Position returns the place in a list, by the time and the ID.
func (c *Claim) Position() billing.Position { return billing.Position{Time: c.CreatedAt, ID: c.ID} }

// Filter narrows a list of claims. Zero fields match all.
type Filter struct {
	Kind          Kind
	States        []State // one of them
	OfficeID      billing.OfficeID
	PayerID       billing.PayerID
	CreatedAfter  time.Time    // inclusive
	CreatedBefore time.Time    // exclusive
	SentFrom      time.Time    // inclusive; claims first sent then, and no voids
	SentTo        time.Time    // exclusive
	ServiceFrom   billing.Date // inclusive; the first service of the claim
	ServiceTo     billing.Date // inclusive
	PatientID     billing.PatientID
	BatchID       billing.FileID
	RequestID     billing.RequestID
	EstimateID    billing.EstimateID
	ControlNumber string // compared without case
	Open          bool   // only claims of which an amount is open; see Claim.Open
	Overpaid      bool   // only claims with Claim.Overpaid
	Changed       bool   // only claims with Claim.PaymentChanged
	Sort          Sort   // the order; SortOpen lists only claims of which an amount is open

	// These are of the figures of claims, which void transactions, predeterminations and voided
	// claims do not have: see package report.
	ProviderID  billing.ProviderID
	NoProvider  bool
	Sent        *bool         // only claims that were sent, or that were not
	Decided     *bool         // only claims that payers have decided, or that they have not
	DecidedFrom billing.Date  // inclusive
	DecidedTo   billing.Date  // inclusive
	FirstPass   *bool         // only decided claims with Standing.FirstPass, or without
	Last        bool          // only claims for whose services no later payer has a claim
	Figure      string        // only claims of which this figure is not 0
	Refused     remit.Refusal // only claims with such a refusal; empty fields match all
}

// Figured reports whether the filter selects by the figures of claims.
func (f Filter) Figured() bool {
	return !f.ProviderID.IsZero() || f.NoProvider || f.Sent != nil || f.Decided != nil || !f.DecidedFrom.IsZero() || !f.DecidedTo.IsZero() || f.FirstPass != nil ||
		f.Last || f.Figure != "" || f.Refused != remit.Refusal{}
}

// Single reports whether the filter names something that few claims belong to, of
// either kind.
func (f Filter) Single() bool {
	return !f.PatientID.IsZero() || !f.BatchID.IsZero() || !f.RequestID.IsZero() || !f.EstimateID.IsZero() || f.ControlNumber != ""
}

// ClaimCount is a number of claims, or with More the least that it can be.
type ClaimCount struct {
	Count int
	More  bool
}

// MaxClaimCount is the highest number to which claims are counted.
const MaxClaimCount = 10_000

// Numbers returns the control numbers by which files name the claim.
func (c *Claim) Numbers() []string {
	if c.SubmittedNumber == "" {
		return []string{c.PatientControlNumber}
	}
	return []string{c.PatientControlNumber, c.SubmittedNumber}
}

// NewControlNumber returns a patient control number for the claim. It has 20
// characters, the most that payers must keep (005010X224A2, CLM01): 8 of the ID's
// time and 12 of its random part.
func NewControlNumber(id billing.ClaimID) string {
	s := strings.ToUpper(strings.TrimPrefix(id.String(), "clm_"))
	return s[2:10] + s[14:]
}

// Awaits reports whether remittances can be about the claim: it was sent, and it is
// not a void transaction.
func (c *Claim) Awaits() bool { return !c.SentAt.IsZero() && c.Frequency != FrequencyVoid }

// NameIn sets what a payer request has of the claim that it is about.
func (c *Claim) NameIn(r *attachment.PayerRequest) {
	r.ClaimID, r.OfficeID, r.PatientID = c.ID, c.OfficeID, c.PatientID
}

// Unposted reports whether a claim's figures changed after it was reconciled.
func (c *Claim) Unposted() bool {
	return c.State == Reconciled && c.SettledAt.After(c.ReconciledAt)
}

// PaymentChanged reports whether a person must look at a payment again: all of it was
// taken back, or it changed after the claim was reconciled.
func (c *Claim) PaymentChanged() bool {
	return c.Unposted() || c.HasOpen() && c.State == AcceptedPayer && c.Standing == nil && !c.SettledAt.IsZero()
}
