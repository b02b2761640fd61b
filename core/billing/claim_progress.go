package billing

import "time"

// ClaimProgress is how far a claim has come: what the rules, its files and the
// payer have made of it. A new claim starts without any.
type ClaimProgress struct {
	State            ClaimState
	Findings         []Finding
	BatchID          FileID    // the file that carries it, or carried it last
	SentAt           time.Time // when a file with it was first handed to the network
	PayerClaimNumber string    // the payer's own number for it, the latest (277 REF 1K, CLP07)
	Payments         []ClaimPayment
	ReconciledAt     time.Time
	Estimate         *ClaimEstimate // of a predetermination that was returned
	ConvertedTo      ClaimID        // the claim that was made of the predetermination
	History          []ClaimMove
	UpdatedAt        time.Time
}

// ClaimMove is a change of a claim's state.
type ClaimMove struct {
	State ClaimState
	At    time.Time
	Cause ClaimTrigger
	File  string // the name of the file that caused it; empty for none
}

// Finding is what a rule found wrong with a well-formed claim.
type Finding struct {
	Code    string // names the rule, such as tooth_required
	Field   string // a dotted path in the body of POST /claims
	Message string
	Fix     string
}
