package network

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// EnrolledTransactions lists the transactions for which payers enroll offices.
func EnrolledTransactions() []Transaction {
	return []Transaction{Eligibility, Claims, ClaimStatus}
}

// Enrollment is the registration of an office with a payer for a transaction. Many
// payers refuse messages from an office that is not enrolled. An office has at most one
// for each payer and transaction.
type Enrollment struct {
	ID             billing.EnrollmentID
	Scope          billing.Scope
	OfficeID       billing.OfficeID
	Payer          directory.PayerSummary
	Transaction    Transaction
	State          directory.EnrollmentState
	Date           billing.Date // since when it is in the state
	Note           string       // of the practice or the operator
	NetworkMessage string       // what the network or the payer said, in its own words
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Version        int // counts the changes of content, from 1
}

// Position returns the place in a list, by the time and the ID.
func (e *Enrollment) Position() billing.Position {
	return billing.Position{Time: e.CreatedAt, ID: e.ID}
}

// The limits of the texts of an enrollment, in characters.
const (
	maxEnrollmentNote    = 400
	maxEnrollmentMessage = 2000
)

// Judge adds the faults of an enrollment. The caller looks up the office and the payer.
func (e *Enrollment) Judge(f *billing.Faults) {
	if f.Required("transaction", string(e.Transaction), 0) && !slices.Contains(EnrolledTransactions(), e.Transaction) {
		f.Add("transaction", billing.FaultNotAllowed, "The value must be one of eligibility, claims, claim_status.")
	}
	if f.Required("state", string(e.State), 0) && !slices.Contains(directory.EnrollmentStates(), e.State) {
		f.Add("state", billing.FaultNotAllowed, "The value must be one of not_needed, needed, submitted, active, rejected.")
	}
	f.Optional("note", &e.Note, maxEnrollmentNote)
	f.Optional("network_message", &e.NetworkMessage, maxEnrollmentMessage)
}

// EnrollmentFilter narrows a list of enrollments. Zero fields match all.
type EnrollmentFilter struct {
	OfficeID    billing.OfficeID
	PayerID     billing.PayerID
	Transaction Transaction
	State       directory.EnrollmentState
}
