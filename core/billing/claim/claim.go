package billing

import (
	"strings"
	"time"
)

// ClaimKind is the kind of a claim: for payment, or for an estimate.
type ClaimKind string

// The kinds of claims.
const (
	KindClaim            ClaimKind = "claim"
	KindPredetermination ClaimKind = "predetermination" // sent before treatment; the payer responds with an estimate
)

// ClaimState is the state of a claim.
type ClaimState string

// The states of a claim.
const (
	ClaimDraft                 ClaimState = "draft"
	ClaimValidated             ClaimState = "validated"
	ClaimNeedsAttention        ClaimState = "needs_attention"
	ClaimQueued                ClaimState = "queued"
	ClaimSubmitted             ClaimState = "submitted"
	ClaimAcceptedClearinghouse ClaimState = "accepted_clearinghouse"
	ClaimAcceptedPayer         ClaimState = "accepted_payer"
	ClaimRejected              ClaimState = "rejected"
	ClaimVoided                ClaimState = "voided"
	ClaimPaid                  ClaimState = "paid"
	ClaimDenied                ClaimState = "denied"
	ClaimReconciled            ClaimState = "reconciled"
	ClaimReturned              ClaimState = "returned" // of predeterminations
)

// ClaimStates lists every state of a claim.
func ClaimStates() []ClaimState {
	return []ClaimState{
		ClaimDraft, ClaimValidated, ClaimNeedsAttention, ClaimQueued, ClaimSubmitted, ClaimAcceptedClearinghouse,
		ClaimAcceptedPayer, ClaimRejected, ClaimVoided, ClaimPaid, ClaimDenied, ClaimReconciled, ClaimReturned,
	}
}

// ClaimFrequency is the frequency code of a claim (CLM05-3).
type ClaimFrequency string

// The frequencies.
const (
	FrequencyOriginal    ClaimFrequency = "original"    // 1
	FrequencyReplacement ClaimFrequency = "replacement" // 7
	FrequencyVoid        ClaimFrequency = "void"        // 8
)

// Claim asks a payer to pay for services, or to estimate the payment.
// ClaimRecord adds values from other rows.
type Claim struct {
	ID                   ClaimID
	Scope                Scope
	Kind                 ClaimKind
	Frequency            ClaimFrequency
	ParentID             ClaimID // the claim that a void transaction voids
	ConvertedFrom        ClaimID // the predetermination that became the claim
	SecondaryTo          ClaimID // the claim to the payer before for the same services
	PatientControlNumber string
	RequestID            RequestID // of the request that made it
	CreatedAt            time.Time

	ClaimContent
	ClaimProgress
}

// Position returns the place in a list, by the time and the ID.
func (c *Claim) Position() Position { return Position{Time: c.CreatedAt, ID: c.ID} }

// ClaimFilter narrows a list of claims. Zero fields match all.
type ClaimFilter struct {
	Kind          ClaimKind
	States        []ClaimState // one of them
	OfficeID      OfficeID
	PayerID       PayerID
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
	SentFrom      time.Time // inclusive; claims first sent then, and no voids
	SentTo        time.Time // exclusive
	ServiceFrom   Date      // inclusive; the first service of the claim
	ServiceTo     Date      // inclusive
	PatientID     PatientID
	BatchID       FileID
	RequestID     RequestID
	ControlNumber string // compared without case
	Open          bool   // only claims of which an amount is open; see Claim.Open
	Overpaid      bool   // only claims with Claim.Overpaid
}

// Single reports whether the filter names something that few claims belong to, of
// either kind.
func (f ClaimFilter) Single() bool {
	return !f.PatientID.IsZero() || !f.BatchID.IsZero() || !f.RequestID.IsZero() || f.ControlNumber != ""
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
func NewControlNumber(id ClaimID) string {
	s := strings.ToUpper(strings.TrimPrefix(id.String(), "clm_"))
	return s[2:10] + s[14:]
}

// Awaits reports whether remittances can be about the claim: it was sent, and it is
// not a void transaction.
func (c *Claim) Awaits() bool { return !c.SentAt.IsZero() && c.Frequency != FrequencyVoid }

// Unposted reports whether a claim's figures changed after it was reconciled.
func (c *Claim) Unposted() bool {
	return c.State == ClaimReconciled && c.SettledAt.After(c.ReconciledAt)
}
