package billing

import (
	"slices"
	"time"
)

// EnrollmentState is the state of an enrollment.
type EnrollmentState string

// The states of an enrollment. People record them as the network reports them, so any
// may follow any other.
const (
	EnrollmentNotNeeded EnrollmentState = "not_needed" // also without a record
	EnrollmentNeeded    EnrollmentState = "needed"     // nothing was sent to the network yet
	EnrollmentSubmitted EnrollmentState = "submitted"
	EnrollmentActive    EnrollmentState = "active"
	EnrollmentRejected  EnrollmentState = "rejected"
)

// EnrollmentStates lists every state of an enrollment.
func EnrollmentStates() []EnrollmentState {
	return []EnrollmentState{EnrollmentNotNeeded, EnrollmentNeeded, EnrollmentSubmitted, EnrollmentActive, EnrollmentRejected}
}

// Blocks reports whether a payer would refuse the office's messages.
func (s EnrollmentState) Blocks() bool {
	return s == EnrollmentNeeded || s == EnrollmentSubmitted || s == EnrollmentRejected
}

// EnrolledTransactions lists the transactions for which payers enroll offices.
func EnrolledTransactions() []Transaction {
	return []Transaction{TransactionEligibility, TransactionClaims}
}

// Enrollment is the registration of an office with a payer for a transaction. Many
// payers refuse messages from an office that is not enrolled. An office has at most one
// for each payer and transaction.
type Enrollment struct {
	ID             EnrollmentID
	Scope          Scope
	OfficeID       OfficeID
	Payer          PayerSummary
	Transaction    Transaction
	State          EnrollmentState
	Date           Date   // since when it is in the state
	Note           string // of the practice or the operator
	NetworkMessage string // what the network or the payer said, in its own words
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Position returns the place in a list, by the time and the ID.
func (e *Enrollment) Position() Position { return Position{Time: e.CreatedAt, ID: e.ID} }

// The limits of the texts of an enrollment, in characters.
const (
	maxEnrollmentNote    = 400
	maxEnrollmentMessage = 2000
)

// Judge adds the faults of an enrollment. The caller looks up the office and the payer.
func (e *Enrollment) Judge(f *Faults) {
	if f.Required("transaction", string(e.Transaction), 0) && !slices.Contains(EnrolledTransactions(), e.Transaction) {
		f.Add("transaction", FaultNotAllowed, "The value must be one of eligibility, claims.")
	}
	if f.Required("state", string(e.State), 0) && !slices.Contains(EnrollmentStates(), e.State) {
		f.Add("state", FaultNotAllowed, "The value must be one of not_needed, needed, submitted, active, rejected.")
	}
	f.Optional("note", &e.Note, maxEnrollmentNote)
	f.Optional("network_message", &e.NetworkMessage, maxEnrollmentMessage)
}

// Refusal returns what stops a message that needs the enrollment, and what to do about
// it. Both are empty for an enrollment that stops none; nil is one.
func (e *Enrollment) Refusal() (message, fix string) {
	if e == nil {
		return "", ""
	}
	switch e.State {
	case EnrollmentNeeded:
		return "The payer requires an enrollment of the office, and none was requested.",
			"Request the enrollment from the network, and record it as active once the network confirms it."
	case EnrollmentSubmitted:
		return "The payer requires an enrollment of the office, and the network has not confirmed it yet.",
			"Record the enrollment as active once the network confirms it."
	case EnrollmentRejected:
		return "The payer requires an enrollment of the office, and the network rejected it.",
			"Correct what the network names in the enrollment, request it again, and record it as active once the network confirms it."
	case EnrollmentNotNeeded, EnrollmentActive:
	}
	return "", ""
}

// EnrollmentFilter narrows a list of enrollments. Zero fields match all.
type EnrollmentFilter struct {
	OfficeID    OfficeID
	PayerID     PayerID
	Transaction Transaction
	State       EnrollmentState
}
