package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Records finds what is kept about a patient and has no filter for one, and keeps who got it.
type Records interface {
	// Unclaimed returns the attachments without a claim that are about a person with the
	// patient's name and date of birth.
	Unclaimed(ctx context.Context, patient billing.PatientID) ([]billing.AttachmentID, error)

	// Disclose stores a disclosure.
	Disclose(ctx context.Context, d *directory.Disclosure) error

	// Disclosures returns the disclosures of a patient's records, the oldest first; of all
	// patients for the zero ID.
	Disclosures(ctx context.Context, patient billing.PatientID) ([]*directory.Disclosure, error)

	// EraseParts removes, for an erasure that has begun, what the parts of the claims and the
	// attachments say of people: images, payer requests, remittance claims, stored replies. It
	// returns CodeConflict while a hold keeps them, or an attachment is being sent.
	EraseParts(ctx context.Context, patient billing.PatientID, claims []billing.ClaimID, attachments []billing.AttachmentID) error

	// ErasePerson removes the checks and the patient, and ends the erasure. It returns
	// CodeConflict while a hold keeps them, a check is pending, or the patient has a claim.
	ErasePerson(ctx context.Context, patient billing.PatientID) error

	// Sizes counts the rows of the scope in the tables that grow with its work, by the names
	// of the tables.
	Sizes(ctx context.Context) (map[string]int64, error)
}

// Erasures has the erasures of patients. They begin as the owner of the database.
type Erasures interface {
	// List reads all, the oldest first.
	List(ctx context.Context) ([]*directory.Erasure, error)

	// Again stores an erasure that the restored database lacks, to be carried out again. A
	// restore must be open.
	Again(ctx context.Context, e *directory.Erasure) error
}
