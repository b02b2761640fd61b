package billing

import "time"

// ERAState is where a remittance stands.
type ERAState string

// The states of a remittance.
const (
	ERANeedsReview ERAState = "needs_review"
	ERAPosted      ERAState = "posted" // the user has posted it
)

// ERA is a remittance (835): one payment, and the claims that it pays.
type ERA struct {
	ID           ERAID
	Scope        Scope
	State        ERAState
	Payer        PayerSummary // zero when the payer is not in the directory
	Payment      ERAPayment
	Balanced     bool // payment, each claim and each line add up
	ClaimCount   int
	MatchedCount int // of the claims, those that are ours
	ReceivedAt   time.Time
}

// ERAPayment is the payment of a remittance.
type ERAPayment struct {
	Method      string // BPR04: ACH, CHK, NON or another code, as sent
	TraceNumber string // of the EFT, or the number of the check
	Date        Date   // zero when the remittance has none
	Total       Money
}

// ClaimPayment is what one remittance says about a claim.
type ClaimPayment struct {
	ERAID                 ERAID
	StatusCode            string // CLP02: 1 to 3 processed, 4 denied, 22 a reversal
	Paid                  Money  // negative for a reversal
	Allowed               *Money // nil when it is not told
	PatientResponsibility Money
}

// PaymentOutcome is how the payer has decided a claim.
type PaymentOutcome string

// The outcomes.
const (
	OutcomePaid   PaymentOutcome = "paid"
	OutcomeDenied PaymentOutcome = "denied"
)

// ClaimStanding is a claim's own figures after all payments applied to it,
// reversals subtracted.
type ClaimStanding struct {
	Outcome               PaymentOutcome // of the latest payment that no reversal cancels
	Paid                  Money
	Allowed               *Money // nil when it is not told
	PatientResponsibility Money
}

// ClaimEstimate is what a payer would pay: the answer to a predetermination.
type ClaimEstimate struct {
	ERAID   ERAID
	Allowed *Money // nil when it is not told
	Pay     Money
	Patient Money
}
