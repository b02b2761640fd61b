package billing

import "time"

// ClaimProgress is the result of the rules, the files and the payer's decisions
// for a claim. A new claim has none.
type ClaimProgress struct {
	State            ClaimState
	Findings         []Finding
	BatchID          FileID         // the file that carries it, or carried it last
	SentAt           time.Time      // when a file with it was first handed to the network
	SubmittedNumber  string         // the control number in its files, if a network did not take its own
	PayerClaimNumber string         // the payer's latest number for it (277 REF 1K, CLP07)
	Standing         *ClaimStanding // what the ledger adds up to; nil when nothing stands
	SettledAt        time.Time      // when a remittance last changed the figures
	ReconciledAt     time.Time
	Accepted         []AcceptedOpen // open amounts that a person accepted when they reconciled it
	Elsewhere        Money          // what else settles the charge: payments and decisions of other payers; see SetElsewhere
	Estimate         *ClaimEstimate // of a returned predetermination
	ConvertedTo      ClaimID        // the claim that the predetermination became
	SecondaryID      ClaimID        // the claim to the next payer for the same services
	SubmitWhenReady  bool           // a caller has submitted it although it had findings; it is queued once they are gone by themselves
	History          []ClaimMove
	UpdatedAt        time.Time
}

// ClaimMove is a change of a claim's state, or what a person did with one of its
// remittances.
type ClaimMove struct {
	State ClaimState
	At    time.Time
	Cause ClaimTrigger
	File  string // the name of the file that caused it; empty for none
	By    string // the key or the user; empty when a file caused it
	Note  string // of the person
}

// Finding is a problem that a rule found in a well-formed claim.
type Finding struct {
	Code    string // names the rule, such as tooth_required
	Field   string // a dotted path in the body of POST /claims
	Message string
	Fix     string
}
