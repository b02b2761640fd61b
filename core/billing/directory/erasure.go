package directory

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Erasure is the order to erase what is kept about a patient, and the record of it. It has
// nothing about the patient but the ID.
type Erasure struct {
	Scope   billing.Scope
	Patient billing.PatientID
	Reason  string
	By      string // the operator
	BegunAt time.Time
	DoneAt  time.Time // zero until all is erased

	ErasureRecord
}

// ErasureRecord says what a patient had when the erasure began, and what of it stays.
type ErasureRecord struct {
	Removed []Erased // with their messages and images
	Blanked []Erased // the people are removed; amounts, services and control numbers stay
	Files   []string // that stay until their time, because other patients may be in them
}

// Erased is a number of resources of a kind, such as 3 claims.
type Erased struct {
	Kind  string // in the plural
	Count int
}
