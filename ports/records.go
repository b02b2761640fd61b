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

	// Sizes counts the rows of the scope in the tables that grow with its work, by the names
	// of the tables.
	Sizes(ctx context.Context) (map[string]int64, error)
}
